// Queries for row keys, and tests of columns as SQL. Client text is only ever bound.
import type { RowKind } from '../../model/row-kind.js';
import { caseKey } from '../../model/search-key.js';
import type { Bind, Reads } from '../../store/db.js';
import { ASPECTS, type Changed, type Feed } from '../../store/feed.js';
import type { ColumnPlace } from '../conditions/fields.js';
import type { Comparison, Test } from '../conditions/tree.js';
import { keysOf } from '../query/key-set.js';
import type { ListScope } from '../query/plan.js';
import type { ColumnSort } from '../sorts.js';

/** SQL with its binds. As a test it is true, and never null, for rows that pass. */
export interface Predicate {
  readonly sql: string;
  readonly binds: readonly Bind[];
}

/** What must change before a result is read again: the catalog, or also who has read what, covers, or files with their hashes. */
export type DependsOn = 'catalog' | 'reading' | 'covers' | 'files';

/** A query with one column of row keys; duplicates are harmless. */
export interface IdQuery extends Predicate {
  readonly dependsOn: DependsOn;
  /** The same test for some rows only, for queries that narrowing would not make fast. */
  readonly recheck?: ((keys: readonly number[]) => Predicate) | undefined;
  /** For books: these are the books of all series that this query selects, without those that `except` selects. */
  readonly ofSeries?: IdQuery;
  readonly except?: IdQuery;
  /** For an order: the positions of some rows, as columns `id` and `before`, the row right before it (null: none). */
  readonly predecessors?: ((keys: readonly number[]) => Predicate) | undefined;
}

const CATALOG = ASPECTS.list | ASPECTS.text | ASPECTS.members;
const LOOKED_AT: Readonly<Record<DependsOn, number>> = {
  catalog: CATALOG,
  reading: CATALOG | ASPECTS.reading,
  covers: CATALOG | ASPECTS.cover,
  files: CATALOG | ASPECTS.content | ASPECTS.details,
};

/** Rows that may have changed since a result was read at feed position `then`; undefined: any row may have. */
export const changedFor = ({ dependsOn }: IdQuery, feed: Feed, rows: RowKind, then: number): Changed | undefined =>
  feed.changedSince(then, rows, LOOKED_AT[dependsOn]);

/** The rows of a query that are among these keys. */
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

const NO_DIGITS = new Uint8Array(0);

/** In the order of the query. As digits in one value: a row object for each of a million keys would take ten times as long. */
export const keysFrom = async (db: Reads, { sql, binds }: Predicate): Promise<Uint32Array> => {
  const [row] = await db.all<{ digits: Uint8Array | null }>(
    `SELECT CAST(group_concat(id) AS BLOB) AS digits FROM (${sql})`,
    binds,
  );
  return keysOf(row?.digits ?? NO_DIGITS);
};

/** Books selected by their series, library or folder, starting there; a recheck of some books starts at the books. */
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

/** The column holds text in the form that `keyOf` makes. No LIKE: nothing in a value is a wildcard, and case is folded beyond ASCII. */
export const textPredicate = (column: string, test: Test, keyOf: (text: string) => string): Predicate => {
  if (!('value' in test)) return { sql: `${column} IS NOT NULL`, binds: [] };
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

/** A day is stored as one number that begins with its year. */
const YEAR = 10_000;

/** A comparison of years as bounds on days, which can use an index. */
const daysOf = ({ sign, value }: Comparison): readonly Comparison[] => {
  const [from, after] = [Math.ceil(value) * YEAR, (Math.floor(value) + 1) * YEAR];
  const within = { from: { sign: '>=', value: from }, until: { sign: '<', value: after } } as const;
  if (sign === '=') return [within.from, within.until];
  if (sign === '>=') return [within.from];
  if (sign === '<=') return [within.until];
  return sign === '>' ? [{ sign: '>=', value: after }] : [{ sign: '<', value: from }];
};

/** How a number or a date is written, for text tests. */
const WRITTEN = {
  number: (column: string) => `CAST(${column} AS TEXT)`,
  year: (column: string) => `CAST(${column} / ${YEAR} AS TEXT)`,
  date: (column: string) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch')`,
} as const;

export const columnPredicate = (column: string, test: Test, as: ColumnPlace['as']): Predicate => {
  if (as !== 'number' && as !== 'date' && as !== 'year') return textPredicate(column, test, KEY_OF[as]);
  if ('value' in test) return textPredicate(WRITTEN[as](column), test, (value) => value.toUpperCase());
  const asked = test.kind === 'range' ? test.comparisons : [];
  const comparisons = as === 'year' ? asked.flatMap(daysOf) : asked;
  return {
    sql: [`${column} IS NOT NULL`, ...comparisons.map(({ sign }) => `${column} ${sign} ?`)].join(' AND '),
    binds: comparisons.map(({ value }) => value),
  };
};

const uuidText = (column: string): string => {
  const part = (from: number, length: number): string => `substr(hex(${column}), ${from}, ${length})`;
  return `lower(${[part(1, 8), part(9, 4), part(13, 4), part(17, 4), part(21, 12)].join(" || '-' || ")})`;
};

/** A column of uuids equals one of those given (as one bound value), or passes a text test. */
export const uuidPredicate = (column: string, test: Test): Predicate => {
  if (test.kind !== 'ids') return textPredicate(uuidText(column), test, (value) => value.toLowerCase());
  return {
    sql: `${column} IN (SELECT unhex(value) FROM json_each(?))`,
    binds: [JSON.stringify(test.values.map((id) => id.replaceAll('-', '')))],
  };
};

/** Terms of ORDER BY as in the index of the column, all in one direction; `reversed` walks it from the other end. */
export const orderBy = (
  { column, nullsLast }: ColumnSort,
  descending: boolean,
  alias: string,
  reversed = false,
): string => {
  const direction = descending === reversed ? 'ASC' : 'DESC';
  const nulls = nullsLast === true ? ` NULLS ${reversed ? 'FIRST' : 'LAST'}` : '';
  return `${alias}.${column} ${direction}${nulls}, ${alias}.library_id ${direction}, ${alias}.id ${direction}`;
};

/** ` AND …` for a row in a library; `column` is SQL for its library. The plus sign keeps the planner on the index of the order. */
const ofLibrary = ({ library, withoutLibraries = [] }: ListScope, column: string): string =>
  `${library === undefined ? '' : ` AND +${column} = ?`}${withoutLibraries.length === 0 ? '' : ` AND +${column} NOT IN (${withoutLibraries.join()})`}`;

/** For rows with the columns `library_id` and `series_id`. The index of the order includes the filter's columns. */
export const scopeSql = (scope: ListScope, alias: string): { sql: string; binds: number[] } => ({
  sql: `${ofLibrary(scope, `${alias}.library_id`)}${scope.series === undefined ? '' : ` AND ${alias}.series_id = ?`}`,
  binds: [scope.library, scope.series].filter((key) => key !== undefined),
});

/** For rows of `series`. */
export const seriesScopeSql = (scope: ListScope, alias: string): { sql: string; binds: number[] } => ({
  sql: `${ofLibrary(scope, `${alias}.library_id`)}${scope.series === undefined ? '' : ` AND ${alias}.id = ?`}`,
  binds: [scope.library, scope.series].filter((key) => key !== undefined),
});

/** For rows of `library`. */
export const libraryScopeSql = (scope: ListScope, alias: string): { sql: string; binds: number[] } => ({
  sql: ofLibrary(scope, `${alias}.id`),
  binds: [scope.library].filter((key) => key !== undefined),
});
