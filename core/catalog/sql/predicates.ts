// Queries for row keys, and tests of columns as SQL. Text of clients is only ever bound.
import { caseKey } from '../../model/search-key.js';
import type { Bind } from '../../store/db.js';
import type { ColumnPlace } from '../conditions/fields.js';
import { isTextTest, type Test } from '../conditions/tree.js';

/** SQL with its binds. As a test it is true or not, never null, for rows that pass. */
export interface Predicate {
  readonly sql: string;
  readonly binds: readonly Bind[];
}

/** What has to change before an answer is asked for again: the catalog, or also who read what. */
export type DependsOn = 'catalog' | 'reading';

/** A query with one column of row keys; repetitions do no harm. */
export interface IdQuery extends Predicate {
  readonly dependsOn: DependsOn;
  /** The same test of some rows only, where narrowing the query itself down would not make it quick. */
  readonly recheck?: ((keys: readonly number[]) => Predicate) | undefined;
  /** Of an order: where some rows stand in it, as columns `id` and `before`, the row right before it (null: none is). */
  readonly predecessors?: ((keys: readonly number[]) => Predicate) | undefined;
}

/** The rows of a query that are among these. */
export const recheckOf = (query: IdQuery, keys: readonly number[]): Predicate =>
  query.recheck?.(keys) ?? {
    sql: `SELECT id FROM (${query.sql}) WHERE id IN (SELECT value FROM json_each(?))`,
    binds: [...query.binds, JSON.stringify(keys)],
  };

export const idsOf = (
  sql: string,
  binds: readonly Bind[] = [],
  dependsOn: DependsOn = 'catalog',
  recheck?: IdQuery['recheck'],
): IdQuery => ({ sql, binds, dependsOn, recheck });

/** Books by what stands above them, found from there; some books at a time they are tested from below. */
export const booksBy = (from: string, fromBook: string, where: string, binds: readonly Bind[]): IdQuery =>
  idsOf(`SELECT b.id FROM ${from} WHERE ${where}`, binds, 'catalog', (keys) => ({
    sql: `SELECT b.id FROM json_each(?) j CROSS JOIN book b ON b.id = j.value ${fromBook} WHERE ${where}`,
    binds: [JSON.stringify(keys), ...binds],
  }));

export const booksOfSeries = (where: string, binds: readonly Bind[]): IdQuery =>
  booksBy(
    'series s CROSS JOIN book b ON b.series_id = s.id',
    'CROSS JOIN series s ON s.id = b.series_id',
    where,
    binds,
  );

/** The column holds text the way `keyOf` makes it. No LIKE: nothing in a value has a meaning, and case is folded beyond ASCII. */
export const textPredicate = (column: string, test: Test, keyOf: (text: string) => string): Predicate => {
  if (!isTextTest(test)) return { sql: `${column} IS NOT NULL`, binds: [] };
  const value = keyOf(test.value);
  if (test.kind === 'is') return { sql: `${column} = ?`, binds: [value] };
  if (value === '') return { sql: `${column} IS NOT NULL`, binds: [] };
  if (test.kind === 'contains') return { sql: `instr(${column}, ?) > 0`, binds: [value] };
  if (test.kind === 'beginsWith') return { sql: `substr(${column}, 1, length(?)) = ?`, binds: [value, value] };
  return {
    sql: `(length(${column}) >= length(?) AND substr(${column}, -length(?)) = ?)`,
    binds: [value, value, value],
  };
};

const KEY_OF = {
  folded: caseKey,
  lower: (text: string) => text.toLowerCase(),
  exact: (text: string) => text,
} as const;

/** How a number or a date is written: for tests of pieces of it. */
const WRITTEN = {
  number: (column: string) => `CAST(${column} AS TEXT)`,
  date: (column: string) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch')`,
} as const;

export const columnPredicate = (column: string, test: Test, as: ColumnPlace['as']): Predicate => {
  if (as !== 'number' && as !== 'date') return textPredicate(column, test, KEY_OF[as]);
  if (isTextTest(test)) return textPredicate(WRITTEN[as](column), test, (value) => value.toUpperCase());
  const comparisons = test.kind === 'range' ? test.comparisons : [];
  return {
    sql: [`${column} IS NOT NULL`, ...comparisons.map(({ sign }) => `${column} ${sign} ?`)].join(' AND '),
    binds: comparisons.map(({ value }) => value),
  };
};

const uuidText = (column: string): string => {
  const part = (from: number, length: number): string => `substr(hex(${column}), ${from}, ${length})`;
  return `lower(${[part(1, 8), part(9, 4), part(13, 4), part(17, 4), part(21, 12)].join(" || '-' || ")})`;
};

/** A column of uuids is one of those named (as one bound value), or is written so. */
export const uuidPredicate = (column: string, test: Test): Predicate => {
  if (test.kind !== 'ids') return textPredicate(uuidText(column), test, (value) => value.toLowerCase());
  return {
    sql: `${column} IN (SELECT unhex(value) FROM json_each(?))`,
    binds: [JSON.stringify(test.values.map((id) => id.replaceAll('-', '')))],
  };
};
