// Series that an age limit cannot judge yet, because one of their files has not been analysed, or none of them has ever been readable: their
// rating is unknown. Only viewers without an age limit see them. The mark is stored, and always written in the transaction that adds, removes
// or reads their books.
import { reportBooksOf } from '../catalog/report-rows.js';
import type { Tx } from '../store/db.js';
import { ASPECTS, keysIn } from '../store/feed.js';
import { indirect } from '../store/told-reports.js';

/**
 * A series waits for its books that are due and have not failed yet. A book whose analysis has failed, even if it will be retried, is itself
 * hidden from viewers with an age limit (core/catalog/visibility.ts), and the other books decide. If every live book was never readable, or
 * none is live and none ever was readable, the series stays unjudged.
 */
const NEVER_READABLE =
  'FROM book b INDEXED BY book_never_readable WHERE b.series_id = series.id AND b.never_readable = 1';
const IS_UNJUDGED = `(EXISTS (SELECT 1 ${NEVER_READABLE} AND b.deleted = 0 AND b.due = 1 AND b.analysis_error IS NULL)
  OR CASE series.book_count
    WHEN 0 THEN EXISTS (SELECT 1 ${NEVER_READABLE}) AND NOT EXISTS (SELECT 1 FROM book b WHERE b.series_id = series.id AND b.never_readable = 0)
    ELSE series.book_count = (SELECT count(*) ${NEVER_READABLE} AND b.deleted = 0) END)`;

/** To be called after the books of these series changed. */
export const judgeSeries = async (tx: Tx, seriesKeys: readonly number[]): Promise<void> => {
  if (seriesKeys.length === 0) return;
  const changed = keysIn(
    await tx.all<{ id: number }>(
      `UPDATE series SET unjudged = 1 - unjudged WHERE id IN (SELECT value FROM json_each(?)) AND unjudged <> ${IS_UNJUDGED} RETURNING id`,
      [JSON.stringify(seriesKeys)],
    ),
  );
  if (changed.length === 0) return;
  tx.report(indirect('series', changed, ASPECTS.list));
  await reportBooksOf(tx, changed, ASPECTS.list);
};
