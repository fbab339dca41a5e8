// Counters of series and libraries. Always written in the transaction that changes the rows.
import type { Tx } from '../store/db.js';
import { ASPECTS, updated } from '../store/feed.js';
import { judgeSeries } from './judged.js';

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

/** Recounts the touched series, marks them as due (due-series.ts) and adjusts the library's counters by the difference. */
export const recountSeries = async (
  tx: Tx,
  libraryKey: number,
  seriesKeys: readonly number[],
  before: Counters,
  due: number,
  nowMs: number,
): Promise<void> => {
  await tx.run(
    `UPDATE series SET updated_at = ?1, due = due | ?3,
       (book_count, file_size, page_count) =
         (SELECT count(*), coalesce(sum(file_size), 0), coalesce(sum(page_count), 0) FROM book WHERE series_id = series.id AND deleted = 0)
     WHERE id IN (SELECT value FROM json_each(?2))`,
    [nowMs, JSON.stringify(seriesKeys), due],
  );
  tx.report(updated('series', seriesKeys, ASPECTS.list | ASPECTS.reading));
  await judgeSeries(tx, seriesKeys);
  tx.report(updated('library', [libraryKey], ASPECTS.details));
  const after = await countersOf(tx, seriesKeys);
  await tx.run('UPDATE library SET series_count = series_count + ?, book_count = book_count + ? WHERE id = ?', [
    after.series - before.series,
    after.books - before.books,
    libraryKey,
  ]);
};
