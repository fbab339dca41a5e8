// Lists limited to a library or a series, and segments: stretches of a list that one index walk yields. Pure.
import type { IdQuery } from '../conditions/formula.js';

/** The simple filters: each costs an index walk and its total is kept in a counter. */
export interface ListScope {
  readonly library?: number | undefined;
  readonly series?: number | undefined;
  /** Libraries it is not about. Only without a library and a series. */
  readonly except?: readonly number[] | undefined;
}

/** Rows that stand together in an order that is not one walk. */
export interface Segment {
  walk(reversed: boolean): IdQuery;
  readonly total: IdQuery;
}

export const isNarrow = ({ library, series, except }: ListScope): boolean =>
  library !== undefined || series !== undefined || except !== undefined;

/** SQL over the key of a library, and its binds. */
export const librarySql = ({ library, except }: ListScope, column: string): { sql: string; binds: number[] } => {
  if (library !== undefined) return { sql: ` AND ${column} = ?`, binds: [library] };
  if (except === undefined) return { sql: '', binds: [] };
  return { sql: ` AND ${column} NOT IN (${except.map(() => '?').join(', ')})`, binds: [...except] };
};

/** A plus sign keeps the planner on the index of the order: the filter's own columns are in it. */
export const scopeSql = (scope: ListScope, alias: string): { sql: string; binds: number[] } => {
  const { sql, binds } = librarySql(scope, `+${alias}.library_id`);
  if (scope.series === undefined) return { sql, binds };
  return { sql: `${sql} AND ${alias}.series_id = ?`, binds: [...binds, scope.series] };
};
