// Lists limited to a library or a series, and segments: stretches of a list that one index walk yields. Pure.
import type { IdQuery } from '../sql/predicates.js';

/** The simple filters: each costs an index walk and its total is kept in a counter. */
export interface ListScope {
  readonly library?: number | undefined;
  readonly series?: number | undefined;
}

/** Rows that stand together in an order that is not one walk. */
export interface Segment {
  walk(reversed: boolean): IdQuery;
  readonly total: IdQuery;
}

/** A plus sign keeps the planner on the index of the order: the filter's own columns are in it. */
export const scopeSql = ({ library, series }: ListScope, alias: string): { sql: string; binds: number[] } => ({
  sql: `${library === undefined ? '' : ` AND +${alias}.library_id = ?`}${series === undefined ? '' : ` AND ${alias}.series_id = ?`}`,
  binds: [library, series].filter((key) => key !== undefined),
});
