// Reads rows that belong to other rows, for many of those at once.
import type { Bind, Reader } from './connection.js';
import { readsOf } from './snapshot.js';

/** A list of keys as one bound value, for `IN (…)` and joins. */
export const keyList = (keys: readonly number[]): string => JSON.stringify(keys);

/** The rows for each key, in the order of `sql`, which returns `key` and `row` (packed). Read as one text, since there may be many rows. */
export const listsByKey = async <T>(
  from: Reader,
  sql: string,
  binds: readonly Bind[],
  read: (values: readonly unknown[]) => T,
): Promise<ReadonlyMap<number, readonly T[]>> => {
  const found = new Map<number, T[]>();
  const packed = `SELECT json_group_array(json_array(key, json(row))) FROM (${sql})`;
  for (const [key, row] of await readsOf((text, given) => from.all(text, given)).json<[number, unknown[]][]>(
    packed,
    binds,
  )) {
    const list = found.get(key);
    const value = read(row);
    if (list === undefined) found.set(key, [value]);
    else list.push(value);
  }
  return found;
};
