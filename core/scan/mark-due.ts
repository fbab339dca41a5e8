// Marks books of a library as due: all, for a deep scan; those of some folders; or only those that were never analysed.
import type { Library } from '../catalog/libraries.js';
import { AppError } from '../model/errors.js';
import { ASPECTS, keysIn, SYSTEM, updated } from '../store/feed.js';
import type { ScanParts } from './context.js';
import { andInPart, type Part } from './part.js';

/** Rows marked per transaction. Other writers wait at most this long. */
const BATCH = 2000;

/**
 * A deep scan reads everything again; stored analyses stay in use until they are replaced. The scan counts as pending until every book is
 * marked, so a scan killed before that starts over.
 */
export const markAllDue = async (
  { db }: Pick<ScanParts, 'db'>,
  library: Pick<Library, 'key'>,
  signal: AbortSignal,
  which: { readonly part?: Part; readonly isUnanalysedOnly?: boolean } = {},
): Promise<void> => {
  const { sql, binds } = andInPart(library, which.part ?? null);
  const some = `${sql}${which.isUnanalysedOnly === true ? ' AND b.analyzed = 0' : ''}`;
  let last: number | undefined = 0;
  while (last !== undefined) {
    if (signal.aborted) throw new AppError('Cancelled');
    const after: number = last;
    last = await db.write(SYSTEM, 'background', async (tx) => {
      const rows = await tx.all<{ id: number }>(
        `SELECT b.id FROM book b WHERE b.library_id = ? AND b.deleted = 0 AND b.id > ?${some} ORDER BY b.id LIMIT ?`,
        [library.key, after, ...binds, BATCH],
      );
      const keys = keysIn(rows);
      await tx.run('UPDATE book SET due = 1, attempts = 0 WHERE id IN (SELECT value FROM json_each(?))', [
        JSON.stringify(keys),
      ]);
      tx.report(updated('book', keys, ASPECTS.details));
      return rows.at(-1)?.id;
    });
  }
};
