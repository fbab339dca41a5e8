// Purges deleted books: their rows, with all that people did to them, and the series that have none left. Files are never touched.
import { type GoneBook, reportGoneBooks, reportGoneSeries } from '../catalog/report-rows.js';
import { andVisibleBook } from '../catalog/visibility.js';
import { AppError } from '../model/errors.js';
import { EVERYTHING, type Scope } from '../model/viewer.js';
import type { Db, Tx } from '../store/db.js';
import { ASPECTS, type By, type PublicRow, updated } from '../store/feed.js';
import { judgeSeries } from './judged.js';

/** Rows in one transaction; what depends on them is deleted with them. */
const BATCH = 64;

export interface PurgeScope {
  readonly libraryKey: number;
  /** All of the library if absent. */
  readonly seriesKey?: number;
  readonly scope?: Scope;
}

const deleteBooks = async (tx: Tx, libraryKey: number, keys: readonly number[]): Promise<number> => {
  const gone: GoneBook[] = [];
  for (const key of keys)
    gone.push(
      ...(await tx.all<GoneBook>(
        'DELETE FROM book WHERE id = ? AND deleted = 1 RETURNING id, hex(uuid) AS hex, series_id AS series, never_readable AS neverReadable',
        [key],
      )),
    );
  reportGoneBooks(tx, libraryKey, gone);
  const touched = [...new Set(gone.map(({ series }) => series))];
  const emptied = await tx.all<PublicRow>(
    `SELECT s.id, hex(s.uuid) AS hex FROM series s WHERE s.id IN (SELECT value FROM json_each(?))
       AND NOT EXISTS (SELECT 1 FROM book b WHERE b.series_id = s.id)`,
    [JSON.stringify(touched)],
  );
  for (const { id } of emptied) await tx.run('DELETE FROM series WHERE id = ?', [id]);
  reportGoneSeries(tx, libraryKey, emptied);
  const left = touched.filter((key) => !emptied.some(({ id }) => id === key));
  tx.report(updated('series', left, ASPECTS.reading));
  await judgeSeries(tx, left);
  return gone.length;
};

/** Returns how many books were purged. */
export const purgeDeleted = async (
  db: Db,
  by: By,
  { libraryKey, seriesKey, scope = EVERYTHING }: PurgeScope,
  signal?: AbortSignal,
): Promise<number> => {
  const inSeries = seriesKey === undefined ? '' : ' AND b.series_id = ?';
  const sql = `SELECT b.id FROM book b WHERE b.library_id = ?${inSeries} AND b.deleted = 1 AND b.id > ?${andVisibleBook(scope, 'b')}
    ORDER BY b.id LIMIT ${BATCH}`;
  let purged = 0;
  for (let after = 0; ; ) {
    if (signal?.aborted === true) throw new AppError('Cancelled');
    const binds = [libraryKey, ...(seriesKey === undefined ? [] : [seriesKey]), after];
    const keys = (await db.all<{ id: number }>(sql, binds)).map(({ id }) => id);
    const last = keys.at(-1);
    if (last === undefined) return purged;
    purged += await db.write(by, 'background', (tx) => deleteBooks(tx, libraryKey, keys));
    after = last;
  }
};
