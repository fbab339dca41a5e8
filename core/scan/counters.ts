// Counters of series and libraries, and the numbering of books in a changed folder. Always written in the transaction that changes the
// rows.
import { renumberSeries } from '../catalog/numbering.js';
import { DEFAULT_RULES } from '../model/strategies.js';
import type { Tx } from '../store/db.js';
import { ASPECTS, keysIn, updated } from '../store/feed.js';

export interface Counters {
  readonly series: number;
  readonly books: number;
}

/** How many live series and books these series count right now. */
export const countersOf = async (tx: Tx, seriesKeys: readonly number[]): Promise<Counters> => {
  const [row] = await tx.all<Counters>(
    `SELECT count(*) FILTER (WHERE book_count > 0) AS series, coalesce(sum(book_count), 0) AS books
     FROM series WHERE id IN (SELECT value FROM json_each(?))`,
    [JSON.stringify(seriesKeys)],
  );
  return row ?? { series: 0, books: 0 };
};

/** Recounts the touched series and adjusts the library's counters by the difference. */
export const settleCounters = async (
  tx: Tx,
  libraryKey: number,
  seriesKeys: readonly number[],
  before: Counters,
  nowMs: number,
): Promise<void> => {
  await tx.run(
    `UPDATE series SET updated_at = ?1,
       (book_count, file_size, page_count) =
         (SELECT count(*), coalesce(sum(file_size), 0), coalesce(sum(page_count), 0) FROM book WHERE series_id = series.id AND deleted = 0)
     WHERE id IN (SELECT value FROM json_each(?2))`,
    [nowMs, JSON.stringify(seriesKeys)],
  );
  tx.report(updated('series', seriesKeys, ASPECTS.list | ASPECTS.reading));
  tx.report(updated('library', [libraryKey], ASPECTS.details));
  const after = await countersOf(tx, seriesKeys);
  await tx.run('UPDATE library SET series_count = series_count + ?, book_count = book_count + ? WHERE id = ?', [
    after.series - before.series,
    after.books - before.books,
    libraryKey,
  ]);
};

/** For libraries with plain rules. Renumbers the series of a folder; without a path, all one-file series in the root of the library at once. */
export const renumber = async (tx: Tx, libraryKey: number, seriesPath: string | undefined): Promise<void> => {
  if (seriesPath === undefined) {
    const renumbered = await tx.all<{ id: number }>(
      `UPDATE book SET number = CASE deleted WHEN 0 THEN 1 END
       WHERE folder_id = (SELECT id FROM folder WHERE library_id = ? AND path = '') AND number_locked = 0 AND number IS NOT CASE deleted WHEN 0 THEN 1 END RETURNING id`,
      [libraryKey],
    );
    tx.report(updated('book', keysIn(renumbered), ASPECTS.list));
    return;
  }
  const rows = await tx.all<{ id: number }>('SELECT id FROM series WHERE library_id = ? AND path = ?', [
    libraryKey,
    seriesPath,
  ]);
  await renumberSeries(tx, keysIn(rows), DEFAULT_RULES);
};
