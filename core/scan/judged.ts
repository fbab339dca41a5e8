// Series that cannot be judged by an age limit yet: a file of theirs has not been read for the first time, so nobody knows its rating. Only
// viewers without an age limit see them. The mark is stored, and always written in the transaction that adds, removes or reads their books.
import { reportBooksOf } from '../catalog/report-rows.js';
import type { Tx } from '../store/db.js';
import { ASPECTS, keysIn } from '../store/feed.js';
import { indirect } from '../store/told-reports.js';

/** The first line is the condition of the index `book_unready`. A file that cannot be read for good counts as judged: it has nothing to show. */
const HAS_UNREAD = `EXISTS (SELECT 1 FROM book b WHERE b.series_id = series.id
  AND b.deleted = 0 AND (b.analyzed = 0 OR b.analysis_error IS NOT NULL)
  AND b.koreader_hash IS NULL AND b.due = 1)`;

/** To be called after the books of these series changed. */
export const judgeSeries = async (tx: Tx, seriesKeys: readonly number[]): Promise<void> => {
  if (seriesKeys.length === 0) return;
  const changed = keysIn(
    await tx.all<{ id: number }>(
      `UPDATE series SET unjudged = 1 - unjudged WHERE id IN (SELECT value FROM json_each(?)) AND unjudged <> ${HAS_UNREAD} RETURNING id`,
      [JSON.stringify(seriesKeys)],
    ),
  );
  if (changed.length === 0) return;
  tx.report(indirect('series', changed, ASPECTS.list));
  await reportBooksOf(tx, changed, ASPECTS.list);
};
