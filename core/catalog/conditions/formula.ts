// What a condition compiles to: sets of ids that queries give, joined by and, or and not. Text of clients is only ever bound.
import type { Bind } from '../../store/db.js';
import type { Condition, Test, TextTest } from './tree.js';

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

export type Formula =
  | { readonly ids: IdQuery }
  | { readonly all: readonly Formula[] }
  | { readonly any: readonly Formula[] }
  | { readonly not: Formula };

export const ALL: Formula = { all: [] };
export const NOTHING: Formula = { any: [] };

export const idsOf = (
  sql: string,
  binds: readonly Bind[] = [],
  dependsOn: DependsOn = 'catalog',
  recheck?: IdQuery['recheck'],
): Formula => ({ ids: { sql, binds, dependsOn, recheck } });

/** Books by what stands above them, found from there; some books at a time they are tested from below. */
export const booksBy = (from: string, fromBook: string, where: string, binds: readonly Bind[]): Formula =>
  idsOf(`SELECT b.id FROM ${from} WHERE ${where}`, binds, 'catalog', (keys) => ({
    sql: `SELECT b.id FROM json_each(?) j CROSS JOIN book b ON b.id = j.value ${fromBook} WHERE ${where}`,
    binds: [JSON.stringify(keys), ...binds],
  }));

/** The column holds text the way `keyOf` makes it. No LIKE: nothing in a value has a meaning, and case is folded beyond ASCII. */
export const textPredicate = (column: string, test: Test, keyOf: (text: string) => string): Predicate => {
  if (!('value' in test) || typeof test.value !== 'string') return { sql: `${column} IS NOT NULL`, binds: [] };
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

/** The same test on text at hand. */
export const passes = (text: string, test: Test): boolean => {
  if (!('value' in test) || typeof test.value !== 'string') return true;
  if (test.kind === 'is') return text === test.value;
  if (test.kind === 'contains') return text.includes(test.value);
  return test.kind === 'beginsWith' ? text.startsWith(test.value) : text.endsWith(test.value);
};

/** How a number or a date is written: for tests of pieces of it. */
const WRITTEN = {
  number: (column: string) => `CAST(${column} AS TEXT)`,
  date: (column: string) => `strftime('%Y-%m-%dT%H:%M:%fZ', ${column} / 1000.0, 'unixepoch')`,
} as const;

export const rangePredicate = (column: string, test: Test, as: keyof typeof WRITTEN = 'number'): Predicate => {
  if ('value' in test && typeof test.value === 'string')
    return textPredicate(WRITTEN[as](column), test, (value) => value.toUpperCase());
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

const STATUSES = ['read', 'in_progress', 'unread'] as const;

/** A status is one of three words, in any case; `by` gives the rows of each. */
export const statusFormula = (test: Test, by: (word: (typeof STATUSES)[number]) => Formula): Formula => {
  if (!('value' in test) || typeof test.value !== 'string') return ALL;
  const wanted = { kind: test.kind, value: test.value.toLowerCase() } as TextTest;
  return { any: STATUSES.filter((word) => passes(word, wanted)).map(by) };
};

/** A flag that every row has. */
export const flagged = (test: Test, rows: Formula): Formula => {
  if (test.kind === 'present') return ALL;
  return test.kind === 'flag' && test.value ? rows : { not: rows };
};

/** `positive` gives the rows that pass a test as it stands; negation is the same for every field. */
export const compile = <F extends string>(
  condition: Condition<F>,
  positive: (field: F, test: Test) => Formula,
): Formula => {
  if ('allOf' in condition) return { all: condition.allOf.map((part) => compile(part, positive)) };
  if ('anyOf' in condition) return { any: condition.anyOf.map((part) => compile(part, positive)) };
  const found = condition.test.kind === 'none' ? NOTHING : positive(condition.field, condition.test);
  return condition.negated ? { not: found } : found;
};
