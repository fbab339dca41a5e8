// Reads rows that belong to other rows, for many of those at once.
import type { Bind, Reader } from './connection.js';

/** A list of keys as one bound value, for `IN (…)` and joins. */
export const keyList = (keys: readonly number[]): string => JSON.stringify(keys);

/** The rows for each key, in the order of the query, which returns the columns `key` and `row` (packed). */
export const listsByKey = async <T>(
  from: Reader,
  sql: string,
  binds: readonly Bind[],
  read: (values: readonly unknown[]) => T,
): Promise<ReadonlyMap<number, readonly T[]>> => {
  const found = new Map<number, T[]>();
  for (const { key, row } of await from.all<{ key: number; row: string }>(sql, binds)) {
    const list = found.get(key);
    const value = read(JSON.parse(row) as unknown[]);
    if (list === undefined) found.set(key, [value]);
    else list.push(value);
  }
  return found;
};
