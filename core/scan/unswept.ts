// Series that may be others under a new path. A scan finds a renamed folder long before it compares files, and its new series has neither the
// sharing tags nor the rating of the old one. Until a sweep has looked for moves, only viewers who are not limited by those see it. The mark
// is stored: after a scan that ended before its sweep, the next one of the library clears it.
import type { Library } from '../catalog/libraries.js';
import { reportBooksOf } from '../catalog/report-rows.js';
import type { Db, Tx } from '../store/db.js';
import { ASPECTS, keysIn, SYSTEM } from '../store/feed.js';
import { indirect } from '../store/told-reports.js';
import type { ScanContext } from './context.js';

/** Shown per transaction. */
const SERIES_MAX = 200;

const reportSeen = async (tx: Tx, seriesKeys: readonly number[]): Promise<void> => {
  tx.report(indirect('series', seriesKeys, ASPECTS.list));
  await reportBooksOf(tx, seriesKeys, ASPECTS.list);
};

/**
 * Before books are put into these series. Only a series without books can turn out to be another one; it need not be new, since it may have
 * lost its books earlier. In the first scan of a library, nothing can have moved.
 */
export const markUnswept = async (tx: Tx, { hadBooks }: ScanContext, seriesKeys: readonly number[]): Promise<void> => {
  if (!hadBooks) return;
  const marked = await tx.all<{ id: number }>(
    'UPDATE series SET unswept = 1 WHERE id IN (SELECT value FROM json_each(?)) AND book_count = 0 AND unswept = 0 RETURNING id',
    [JSON.stringify(seriesKeys)],
  );
  await reportSeen(tx, keysIn(marked));
};

const SOME = `SELECT id FROM series INDEXED BY series_unswept WHERE library_id = ? AND unswept = 1 LIMIT ${SERIES_MAX}`;

/** After a sweep has recognised what moved. */
export const showSwept = async (db: Db, { key }: Library): Promise<void> => {
  for (let some = keysIn(await db.all<{ id: number }>(SOME, [key])); some.length > 0; )
    some = await db.write(SYSTEM, 'background', async (tx) => {
      await tx.run('UPDATE series SET unswept = 0 WHERE id IN (SELECT value FROM json_each(?))', [
        JSON.stringify(some),
      ]);
      await reportSeen(tx, some);
      return keysIn(await tx.all<{ id: number }>(SOME, [key]));
    });
};
