// Which series books are in, read as numbers: of all books, or of some.
import type { Reads } from '../../store/db.js';
import { keysOf } from '../query/key-set.js';

export interface Pairs {
  readonly books: Uint32Array;
  /** In the same order. */
  readonly series: Uint32Array;
}

const NO_DIGITS = new Uint8Array(0);

const ALL = 'SELECT b.id, b.series_id FROM book b';
const SOME = 'SELECT b.id, b.series_id FROM json_each(?) j CROSS JOIN book b ON b.id = j.value';

/** `keys`: of these books only. */
export const seriesOfBooks = async (from: Reads, keys?: readonly number[]): Promise<Pairs> => {
  const [row] = await from.all<{ books: Uint8Array | null; series: Uint8Array | null }>(
    `SELECT CAST(group_concat(id) AS BLOB) AS books, CAST(group_concat(series_id) AS BLOB) AS series
     FROM (${keys === undefined ? ALL : SOME})`,
    keys === undefined ? [] : [JSON.stringify(keys)],
  );
  return { books: keysOf(row?.books ?? NO_DIGITS), series: keysOf(row?.series ?? NO_DIGITS) };
};
