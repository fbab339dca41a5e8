// Row keys out of queries, in the order the query gives them.
import type { Db } from '../../store/db.js';
import type { Predicate } from '../sql/predicates.js';
import { keysOf } from './key-set.js';

const NONE_DIGITS = new Uint8Array(0);

/** As digits in one value: a row object for each of a million keys would take ten times as long. */
export const keysFrom = async (db: Db, { sql, binds }: Predicate): Promise<Uint32Array> => {
  const [row] = await db.all<{ digits: Uint8Array | null }>(
    `SELECT CAST(group_concat(id) AS BLOB) AS digits FROM (${sql})`,
    binds,
  );
  return keysOf(row?.digits ?? NONE_DIGITS);
};
