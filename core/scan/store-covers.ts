// Marks covers as begun, made or due again. A mark that came meanwhile, from another analysis of the book, is kept.
import { noCover } from '../model/page-findings.js';
import type { Tx } from '../store/db.js';
import { ASPECTS, updated } from '../store/feed.js';
import { COVER } from './due-covers.js';

const setState = (
  tx: Tx,
  keys: readonly number[],
  before: string,
  state: number,
  aspects: number = ASPECTS.details,
): Promise<number> => {
  tx.report(updated('book', keys, aspects));
  return tx.run(`UPDATE book SET cover_due = ? WHERE cover_due ${before} AND id IN (SELECT value FROM json_each(?))`, [
    state,
    JSON.stringify(keys),
  ]);
};

export const beginCovers = async (tx: Tx, keys: readonly number[]): Promise<void> => {
  if (keys.length > 0) await setState(tx, keys, `= ${COVER.due}`, COVER.begun);
};

/** For covers that were not made, through no fault of their books. */
export const releaseCovers = async (tx: Tx, keys: readonly number[]): Promise<void> => {
  if (keys.length > 0) await setState(tx, keys, `<> ${COVER.due}`, COVER.due);
};

/** Covers that were made, or that cannot be made ahead. */
export const endCovers = async (tx: Tx, keys: readonly number[]): Promise<void> => {
  if (keys.length > 0) await setState(tx, keys, `= ${COVER.begun}`, COVER.none, ASPECTS.details | ASPECTS.cover);
};

/** Remarks on books whose first pages do not decode. Before their covers end; a book analysed again meanwhile gets none. */
export const remarkNoCovers = async (tx: Tx, keys: readonly number[], nowMs: number): Promise<void> => {
  if (keys.length === 0) return;
  const { type, message } = noCover();
  tx.report(updated('book', keys, ASPECTS.details));
  await tx.run(
    `INSERT OR REPLACE INTO book_error (book_id, type, message, fault, occurred_at)
     SELECT b.id, ?1, ?2, NULL, ?3 FROM json_each(?4) j CROSS JOIN book b ON b.id = j.value
     WHERE b.deleted = 0 AND b.cover_due <> ${COVER.due}`,
    [type, message, nowMs, JSON.stringify(keys)],
  );
};
