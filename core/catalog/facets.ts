// What the series that a viewer sees are published, written and rated as, with counts; and the names of their terms. Each is read from one
// index over the series; where only some series are asked for, from those.
import { offsetOf, type PageOf, type Window } from '../model/paging.js';
import { caseKey } from '../model/search-key.js';
import { named } from '../model/search-names.js';
import type { Viewer } from '../model/viewer.js';
import type { Reads } from '../store/db.js';
import { listReads } from './list-reads.js';
import { type CountParts, countingIn, isEverywhere, type Place, seriesIn, shareOf } from './places.js';
import type { TermKind } from './taxonomy-links.js';
import { andVisibleInSeries } from './visibility.js';

export type Facet = 'publisher' | 'language';

export interface FacetValue {
  readonly name: string;
  readonly seriesCount: number;
}

/** Values that differ only in case are one, in the spelling that most series have. */
const merged = (rows: readonly (readonly [string, number])[]): readonly FacetValue[] => {
  const found = new Map<string, { name: string; most: number; seriesCount: number }>();
  for (const [name, count] of rows) {
    const key = caseKey(name);
    const known = found.get(key) ?? { name, most: 0, seriesCount: 0 };
    const isFirst = count > known.most;
    const seriesCount = known.seriesCount + count;
    found.set(key, isFirst ? { name, most: count, seriesCount } : { ...known, seriesCount });
  }
  return [...found].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, { name, seriesCount }]) => ({ name, seriesCount }));
};

/** By name. */
export const facetValues = async (
  db: Reads,
  viewer: Viewer,
  facet: Facet,
  place?: Place,
): Promise<readonly FacetValue[]> => {
  const series = await seriesIn(db, viewer, place);
  const rows = await db.json<[string, number][]>(
    `SELECT json_group_array(json_array(name, n)) FROM (SELECT s.${facet} AS name, count(*) AS n FROM series s
       WHERE s.${facet} IS NOT NULL AND ${series.sql} GROUP BY s.${facet}) WHERE name <> ''`,
    series.binds,
  );
  return merged(rows);
};

const searchPage = (values: readonly FacetValue[], search: string | undefined, window: Window): PageOf<FacetValue> => {
  const all = named(values, search, ({ name }) => name);
  const start = offsetOf(window);
  return { ...window, items: all.slice(start, start + window.pageSize), total: all.length };
};

export const listFacet = async (
  db: Reads,
  viewer: Viewer,
  facet: Facet,
  search: string | undefined,
  window: Window,
): Promise<PageOf<FacetValue>> => searchPage(await facetValues(db, viewer, facet), search, window);

/**
 * Each different value of a column that some series asked for has: one look-up in an index for each value, and one for a series that has it.
 */
const distinct = async <T>(
  db: Reads,
  viewer: Viewer,
  column: 'age_rating' | 'year',
  place: Place | undefined,
): Promise<readonly T[]> => {
  const series = await seriesIn(db, viewer, place);
  const next = `SELECT min(n.${column}) FROM series n WHERE n.book_count > 0`;
  return db.json<T[]>(
    `WITH RECURSIVE v(value) AS (${next} UNION ALL SELECT (${next} AND n.${column} > v.value) FROM v WHERE v.value IS NOT NULL)
     SELECT json_group_array(value) FROM (SELECT DISTINCT value FROM (SELECT value FROM v UNION ALL SELECT NULL)
       WHERE EXISTS (SELECT 1 FROM series s WHERE s.${column} IS value AND ${series.sql}) ORDER BY 1)`,
    series.binds,
  );
};

/** Ascending, null for series without one. */
export const ageRatings = (db: Reads, viewer: Viewer, place?: Place): Promise<readonly (number | null)[]> =>
  distinct(db, viewer, 'age_rating', place);

/** The latest first. */
export const releaseYears = async (db: Reads, viewer: Viewer, place?: Place): Promise<readonly number[]> =>
  (await distinct<number | null>(db, viewer, 'year', place)).filter((year) => year !== null).reverse();

/** What carries a term: series, or their live books. */
export type Carrier = 'series' | 'book';

const CARRIED: Readonly<
  Record<Carrier, (kind: TermKind, viewer: Viewer) => { readonly from: string; readonly back: string }>
> = {
  series: (kind) => ({
    from: `series s CROSS JOIN series_${kind} x ON x.series_id = s.id`,
    back: `series_${kind} x CROSS JOIN series s ON s.id = x.series_id`,
  }),
  book: (kind, { scope }) => ({
    from: `series s CROSS JOIN book b ON b.series_id = s.id AND b.deleted = 0${andVisibleInSeries(scope, 'b')} CROSS JOIN book_${kind} x ON x.book_id = b.id`,
    back: `book_${kind} x CROSS JOIN book b ON b.id = x.book_id AND b.deleted = 0${andVisibleInSeries(scope, 'b')} CROSS JOIN series s ON s.id = b.series_id`,
  }),
};

/**
 * Where many series count, the first few that carry a term nearly always tell; where few do, their own terms are read instead, since those
 * that carry a term may all be others.
 */
const MANY = 1 / 8;

/**
 * A sample of the books that carry a term (`t`), spread over all of them, as the first thousands may belong to one hidden series. A visible
 * book in the sample saves the walk over those; a sample without one proves nothing. Worthwhile only where most is visible.
 */
const SPREAD = 16;
const MOST = 0.5;
const someBooks = (kind: TermKind, { scope }: Viewer): string => {
  const numbers = JSON.stringify(Array.from({ length: SPREAD }, (_, n) => n));
  const next = `SELECT min(x.book_id) FROM book_${kind} x
    WHERE x.${kind}_id = t.id AND x.book_id >= n.value * (SELECT max(id) FROM book) / ${SPREAD}`;
  return `json_each('${numbers}') n CROSS JOIN book b ON b.deleted = 0${andVisibleInSeries(scope, 'b')} AND b.id = (${next}) CROSS JOIN series s ON s.id = b.series_id`;
};

/** The keys of the values in a book's facts. */
const FACT_KEYS = { publisher: 'publisher', language: 'languageIso' } as const satisfies Record<Facet, string>;

/**
 * The values that books have, each as one of the books spells it. If many series count, an index gives each value once and leads to a book
 * that has it. If few do, their own books are read instead, because most books that have a value may belong to other series.
 */
const namesInBooks = async (parts: CountParts, viewer: Viewer, facet: Facet): Promise<readonly string[]> => {
  const reads = listReads(parts, viewer);
  const series = await seriesIn(reads, viewer);
  const share = isEverywhere(viewer) ? 1 : await shareOf(countingIn(parts, reads), series);
  const visible = andVisibleInSeries(viewer.scope, 'b');
  const facts = `CROSS JOIN book_metadata m ON m.book_id = b.id`;
  const name = `m.facts ->> '$.${FACT_KEYS[facet]}'`;
  const few = `SELECT min(${name}) AS name FROM series s CROSS JOIN book b ON b.series_id = s.id AND b.deleted = 0${visible}
    CROSS JOIN book_text x ON x.book_id = b.id AND x.${facet} IS NOT NULL ${facts} WHERE ${series.sql} GROUP BY x.${facet}`;
  const next = `SELECT min(n.${facet}) FROM book_text n WHERE n.${facet}`;
  const many = `SELECT (SELECT ${name} FROM book_text x CROSS JOIN book b ON b.id = x.book_id AND b.deleted = 0${visible}
    CROSS JOIN series s ON s.id = b.series_id ${facts} WHERE x.${facet} = v.value AND ${series.sql} LIMIT 1) AS name FROM v`;
  const values = `WITH RECURSIVE v(value) AS (${next} IS NOT NULL UNION ALL SELECT (${next} > v.value) FROM v WHERE v.value IS NOT NULL)`;
  return reads.json<string[]>(
    `${share < MANY ? '' : values} SELECT json_group_array(name) FROM (${share < MANY ? few : many}) WHERE name <> ''`,
    series.binds,
  );
};

/** Includes values that only books have, not their series; these count no series. */
export const listFacetWithBooks = async (
  parts: CountParts,
  viewer: Viewer,
  facet: Facet,
  search: string | undefined,
  window: Window,
): Promise<PageOf<FacetValue>> => {
  const ofSeries = await facetValues(listReads(parts, viewer), viewer, facet);
  const ofBooks = await namesInBooks(parts, viewer, facet);
  const all = merged([
    ...ofSeries.map(({ name, seriesCount }) => [name, seriesCount] as const),
    ...ofBooks.map((name) => [name, 0] as const),
  ]);
  return searchPage(all, search, window);
};

/** The names of genres or tags that something visible carries, by name. */
export const termNames = async (
  parts: CountParts,
  viewer: Viewer,
  kind: TermKind,
  carriers: readonly Carrier[],
  place?: Place,
): Promise<readonly string[]> => {
  const reads = listReads(parts, viewer);
  const series = await seriesIn(reads, viewer, place);
  const isAll = isEverywhere(viewer, place);
  const share = isAll ? 1 : await shareOf(countingIn(parts, reads, place), series);
  const carried = carriers.flatMap((carrier) => {
    const { from, back } = CARRIED[carrier](kind, viewer);
    if (share < MANY) return [`t.id IN (SELECT x.${kind}_id FROM ${from} WHERE ${series.sql})`];
    const any = `EXISTS (SELECT 1 FROM ${back} WHERE x.${kind}_id = t.id AND ${series.sql})`;
    const isSpread = carrier === 'book' && !isAll && share >= MOST;
    return isSpread ? [`EXISTS (SELECT 1 FROM ${someBooks(kind, viewer)} WHERE ${series.sql})`, any] : [any];
  });
  return reads.json<string[]>(
    `SELECT json_group_array(name) FROM (SELECT t.name FROM ${kind} t WHERE ${carried.join(' OR ')} ORDER BY t.name_key)`,
    carried.flatMap(() => series.binds),
  );
};
