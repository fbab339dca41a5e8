// Locking one list of a book or series in the transaction that changes it.
import type { Tx } from '../store/db.js';
import { ASPECTS, updated } from '../store/feed.js';
import { told } from '../store/told-reports.js';

/** A JSON array of locks with one more, which is the second bound value. */
const withLock = (column: string): string =>
  `CASE WHEN EXISTS (SELECT 1 FROM json_each(${column}) WHERE value = ?2) THEN ${column} ELSE json_insert(${column}, '$[#]', ?2) END`;

export const lockSeries = async (
  tx: Tx,
  key: number,
  lock: 'genres' | 'tags' | 'links' | 'alternateTitles',
  nowMs: number,
): Promise<void> => {
  await tx.run(`UPDATE series SET locks = ${withLock('locks')}, updated_at = ?3 WHERE id = ?1`, [key, lock, nowMs]);
  tx.report(updated('series', [key], ASPECTS.list | ASPECTS.text));
  if (lock === 'alternateTitles') tx.report(told('series', [key], ['alternate_titles']));
};
