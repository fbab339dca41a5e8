// Books whose analysis failed again and again without a result are put aside, so that no scan is spent on them.
import { ASPECTS, keysIn, SYSTEM, updated } from '../store/feed.js';
import type { DueFilter, ScanParts } from './context.js';
import { judgeSeries } from './judged.js';
import { ATTEMPTS } from './store-analysis.js';

const QUARANTINED =
  'The analysis of this file failed twice without a result, so the book was quarantined. Analyse it again to retry.';

export const quarantine = async (parts: ScanParts, { where, binds }: DueFilter): Promise<void> => {
  await parts.db.write(SYSTEM, 'background', async (tx) => {
    const aside = await tx.all<{ id: number; series: number }>(
      `UPDATE book AS b SET due = 0, analysis_error = trim(replace(coalesce(analysis_error, ''), ?1, '') || ' ' || ?1), updated_at = ?2 WHERE b.due = 1 AND b.attempts >= ${ATTEMPTS.quarantined} AND ${where} RETURNING id, series_id AS series`,
      [QUARANTINED, parts.clock.now(), ...binds],
    );
    tx.report(updated('book', keysIn(aside), ASPECTS.list | ASPECTS.content));
    await judgeSeries(
      tx,
      aside.map(({ series }) => series),
    );
  });
};
