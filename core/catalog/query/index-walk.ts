// Pages of lists without a filter, as row keys with their total: the walk of one index, or walks one behind the other.
import type { Bind, Reads } from '../../store/db.js';
import { offsetOf, type Window } from '../paging.js';
import type { IdQuery } from '../sql/predicates.js';
import type { Segment } from './list-scope.js';

export interface KeyPage {
  readonly keys: readonly number[];
  readonly total: number;
}

export const keysIn = async (db: Reads, { sql, binds }: IdQuery, limit: number, offset = 0): Promise<number[]> => {
  const all: Bind[] = [...binds, limit, offset];
  return db.json<number[]>(`SELECT json_group_array(id) FROM (${sql} LIMIT ? OFFSET ?)`, all);
};

export const totalOf = async (db: Reads, { sql, binds }: IdQuery): Promise<number> => {
  const [row] = await db.all<{ id: number }>(sql, binds);
  return row?.id ?? 0;
};

const TOTAL = '(SELECT id FROM counted)';
const FORWARD = 'LIMIT ? OFFSET ?';
const BACKWARD = `LIMIT max(0, min(?, ${TOTAL} - ?)) OFFSET max(0, ${TOTAL} - ? - ?)`;

/**
 * Keys and total by one statement, so that both are of one moment. A page behind the middle is walked to from the end: which end that is
 * was another moment's question, and where the page lies seen from it the statement works out by its own total.
 */
export const walkedPage = async (db: Reads, { walk, total }: Segment, window: Window): Promise<KeyPage> => {
  const offset = offsetOf(window);
  const size = window.pageSize;
  const isFar = offset > 0 && offset > (await totalOf(db, total)) / 2;
  const { sql, binds } = walk(isFar);
  const [found] = await db.all<{ keys: string; total: number }>(
    `WITH counted(id) AS MATERIALIZED (${total.sql})
     SELECT (SELECT json_group_array(id) FROM (${sql} ${isFar ? BACKWARD : FORWARD})) AS keys, ${TOTAL} AS total`,
    [...total.binds, ...binds, ...(isFar ? [size, offset, offset, size] : [size, offset])],
  );
  const keys = JSON.parse(found?.keys ?? '[]') as number[];
  return { keys: isFar ? keys.reverse() : keys, total: found?.total ?? 0 };
};

/** Part of a segment, walked to from its nearer end. */
const partOf = async (db: Reads, { walk }: Segment, total: number, offset: number, size: number): Promise<number[]> => {
  if (offset <= total / 2) return keysIn(db, walk(false), size, offset);
  return (await keysIn(db, walk(true), size, total - offset - size)).reverse();
};

/** Several reads: of one moment only when `db` is a snapshot. */
export const segmentsPage = async (db: Reads, segments: readonly Segment[], window: Window): Promise<KeyPage> => {
  const totals = await Promise.all(segments.map((segment) => totalOf(db, segment.total)));
  const keys: number[] = [];
  let before = offsetOf(window);
  for (const [index, segment] of segments.entries()) {
    const total = totals[index] ?? 0;
    const size = Math.min(window.pageSize - keys.length, total - before);
    if (size > 0) keys.push(...(await partOf(db, segment, total, before, size)));
    before = Math.max(0, before - total);
  }
  return { keys, total: totals.reduce((sum, total) => sum + total, 0) };
};
