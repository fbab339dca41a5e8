// Reads a planned page from the database: counts its parts, and finds its rows as the plan says.

import { bytesOfUuid } from '../../model/ids.js';
import type { RowKind } from '../../model/row-kind.js';
import type { Asker, Reads } from '../../store/db.js';
import type { ScopeIds } from '../conditions/sets.js';
import { bitsOf, countOf, type KeySet, listOf, NO_KEYS, stretchOf, without } from '../query/key-set.js';
import type {
  Facts,
  ListAsk,
  ListScope,
  ListSource,
  Part,
  Plan,
  SetsPart,
  Step,
  Stretch,
  WalkPart,
  Way,
} from '../query/plan.js';
import type { SetCache } from '../query/set-cache.js';
import type { Match } from '../search/words.js';
import { BOOK_COLUMN_SORTS, SERIES_COLUMN_SORTS } from '../sorts.js';
import { BOOK_QUERIES, type ListQueries, SERIES_QUERIES } from './list-queries.js';
import { type IdQuery, orderBy } from './predicates.js';
import type { Segment } from './reading-orders.js';

export interface KeyPage {
  readonly keys: readonly number[];
  readonly total: number;
}

/** Where a list is read: `reads` may be a snapshot; sets and orders are cached either way. */
export interface ListReads {
  readonly reads: Reads;
  readonly sets: SetCache;
  readonly asker: Asker;
}

const QUERIES: { readonly [R in RowKind]: ListQueries<R> } = { book: BOOK_QUERIES, series: SERIES_QUERIES };

const keyOf = async (db: Reads, table: 'library' | 'series', id: string): Promise<number | undefined> => {
  const [row] = await db.all<{ id: number }>(`SELECT id FROM ${table} WHERE uuid = ?`, [bytesOfUuid(id)]);
  return row?.id;
};

/** Undefined when it names a library or series that does not exist. */
export const scopeOf = async (db: Reads, { libraryId, seriesId }: ScopeIds): Promise<ListScope | undefined> => {
  const library = libraryId === undefined ? undefined : await keyOf(db, 'library', libraryId);
  const series = seriesId === undefined ? undefined : await keyOf(db, 'series', seriesId);
  const isMissing =
    (libraryId !== undefined && library === undefined) || (seriesId !== undefined && series === undefined);
  return isMissing ? undefined : { library, series };
};

const keysIn = (db: Reads, { sql, binds }: IdQuery, limit: number, offset = 0): Promise<number[]> =>
  db.json<number[]>(`SELECT json_group_array(id) FROM (${sql} LIMIT ? OFFSET ?)`, [...binds, limit, offset]);

const totalOf = async (db: Reads, { sql, binds }: IdQuery): Promise<number> => {
  const [row] = await db.all<{ id: number }>(sql, binds);
  return row?.id ?? 0;
};

const segmentOf = <R extends RowKind>(
  { rows }: ListSource<R>,
  { scope, viewer }: ListAsk<R>,
  { from, order }: WalkPart<R>,
): Segment => {
  const { walk, total, history } = QUERIES[rows];
  const narrowed = { ...scope, withoutLibraries: viewer.scope.removing };
  if (from === 'index') return { walk: (reversed) => walk(order, narrowed, reversed), total: total(narrowed) };
  return history(order, narrowed, viewer.userKey)[from];
};

/** A part and the number of its rows. */
export interface Counted<R extends RowKind> {
  readonly part: Part<R>;
  readonly count: number;
  /** Rows there would be without any filter. */
  readonly universe: number;
  /** Only for a part made of sets. */
  readonly set?: KeySet;
}

/** The rows that are in the sets and may be shown. */
const find = async <R extends RowKind>(
  { reads, sets, asker }: ListReads,
  { rows }: ListSource<R>,
  { includeHidden }: ListAsk<R>,
  part: SetsPart<R>,
): Promise<Counted<R>> => {
  const { hidden, total } = QUERIES[rows];
  const { bits, inverted } = await sets.evaluate(rows, part.sets, asker);
  const hiddenBits = await sets.bits(rows, hidden, asker);
  const shown = await totalOf(reads, total({}));
  const universe = shown + (includeHidden ? countOf(hiddenBits) : 0);
  const seen = includeHidden ? bits : without(bits, hiddenBits);
  const found = countOf(seen);
  return { part, count: inverted ? universe - found : found, set: { bits: seen, inverted }, universe };
};

/** `before`: the parts of the same list that come before it. */
export const countPart = async <R extends RowKind>(
  from: ListReads,
  source: ListSource<R>,
  ask: ListAsk<R>,
  part: Part<R>,
  before: readonly Counted<R>[],
): Promise<Counted<R>> => {
  if (part.from === 'sets') return find(from, source, ask, part);
  const total = await totalOf(from.reads, segmentOf(source, ask, part).total);
  const read = part.from === 'unread' ? before.reduce((sum, { count }) => sum + count, 0) : 0;
  return { part, count: total - read, universe: total - read };
};

export const costOf =
  <R extends RowKind>(
    { sets }: ListReads,
    { rows }: ListSource<R>,
    { viewer, includeHidden }: ListAsk<R>,
  ): Facts<R>['costOf'] =>
  (order) =>
    sets.orders.cost(rows, QUERIES[rows].fullOrder(order, includeHidden, viewer.userKey));

const TOTAL = '(SELECT id FROM counted)';
const FORWARD = 'LIMIT ? OFFSET ?';
const BACKWARD = `LIMIT max(0, min(?, ${TOTAL} - ?)) OFFSET max(0, ${TOTAL} - ? - ?)`;

/**
 * Keys and total in one statement, so both are from the same moment. The nearer end was chosen at an earlier moment; the statement uses its
 * own total to compute the page's position from that end.
 */
const countedWalk = async (
  db: Reads,
  { walk, total }: Segment,
  { skip, size, reversed }: Stretch,
): Promise<KeyPage> => {
  const { sql, binds } = walk(reversed);
  const [found] = await db.all<{ keys: string; total: number }>(
    `WITH counted(id) AS MATERIALIZED (${total.sql})
     SELECT (SELECT json_group_array(id) FROM (${sql} ${reversed ? BACKWARD : FORWARD})) AS keys, ${TOTAL} AS total`,
    [...total.binds, ...binds, ...(reversed ? [size, skip, skip, size] : [size, skip])],
  );
  const keys = JSON.parse(found?.keys ?? '[]') as number[];
  return { keys: reversed ? keys.reverse() : keys, total: found?.total ?? 0 };
};

const BY_TITLE = { book: BOOK_COLUMN_SORTS.title, series: SERIES_COLUMN_SORTS.name } as const;

/** Rows of a search, the best match first; ties by title. The ranking limit bounds the rows that are looked up. */
const ranked = (rows: RowKind, match: string, but?: string): IdQuery => {
  const table = `${rows}_words`;
  const others =
    but === undefined ? '' : ` AND +${table}.rowid NOT IN (SELECT rowid FROM ${table} WHERE ${table} MATCH ?)`;
  return {
    sql: `SELECT r.id FROM ${table} CROSS JOIN ${rows} r ON r.id = ${table}.rowid WHERE ${table} MATCH ?${others}
      ORDER BY bm25(${table}, ${QUERIES[rows].weights}), ${orderBy(BY_TITLE[rows], false, 'r')}`,
    binds: but === undefined ? [match] : [match, but],
    dependsOn: 'catalog',
  };
};

/** What has every word as a whole comes first, then what has their beginnings. Each is ranked only for pages that get so far. */
const tiersOf = (rows: RowKind, { whole, begun }: Match): readonly IdQuery[] =>
  whole === begun ? [ranked(rows, begun)] : [ranked(rows, whole), ranked(rows, begun, whole)];

/** The others, which have what was searched inside a word or with a typing error, follow by title. */
const keysByRank = async <R extends RowKind>(
  { reads, sets, asker }: ListReads,
  { rows, unranked }: ListSource<R>,
  { match, skip, size }: Extract<Way, { readonly by: 'rank' }>,
  set: KeySet,
): Promise<number[]> => {
  const end = skip + size;
  let best: number[] = [];
  for (const tier of tiersOf(rows, match)) {
    const missing = end - best.length;
    if (missing === 0) break;
    const stretch = { skip: 0, size: missing, reversed: false };
    best = [...best, ...(await sets.orders.stretch(rows, tier, asker, set, stretch))];
  }
  const missing = end - Math.max(skip, best.length);
  if (missing <= 0 || match.all === match.begun) return best.slice(skip, end);
  const others = listOf(without(set.bits, bitsOf(Uint32Array.from(best))));
  const byTitle = QUERIES[rows].orderKeys(unranked, JSON.stringify(others));
  return [...best.slice(skip), ...(await keysIn(reads, byTitle, missing, Math.max(0, skip - best.length)))];
};

/** The step of a part made of sets. */
type SetsStep<R extends RowKind> = Extract<Step<R>, { by: 'sets' }>;

const keysBy = async <R extends RowKind>(
  from: ListReads,
  source: ListSource<R>,
  ask: ListAsk<R>,
  { order, way }: Pick<SetsStep<R>, 'order' | 'way'>,
  set: KeySet,
): Promise<number[]> => {
  const { reads, sets, asker } = from;
  const { rows } = source;
  const queries = QUERIES[rows];
  switch (way.by) {
    case 'entries': {
      const entries = await keysIn(reads, queries.walk(order, {}, way.reversed), way.entries);
      const keys = stretchOf(Uint32Array.from(entries), set, { ...way, reversed: false });
      if (keys.length < way.size) return keysBy(from, source, ask, { order, way: way.otherwise }, set);
      return way.reversed ? keys.reverse() : keys;
    }
    case 'sort':
      return keysIn(reads, queries.orderKeys(order, JSON.stringify(listOf(set.bits))), way.size, way.skip);
    case 'order': {
      const query = queries.fullOrder(order, ask.includeHidden, ask.viewer.userKey);
      return sets.orders.stretch(rows, query, asker, set, way);
    }
    case 'rank':
      return keysByRank(from, source, way, set);
  }
};

export const run = async <R extends RowKind>(
  from: ListReads,
  source: ListSource<R>,
  ask: ListAsk<R>,
  { steps, total }: Plan<R>,
  counted: readonly Counted<R>[],
): Promise<KeyPage> => {
  const keys: number[] = [];
  for (const step of steps) {
    if (step.by === 'sets') {
      const { set = NO_KEYS } = counted.find(({ part }) => part === step.part) ?? {};
      keys.push(...(await keysBy(from, source, ask, step, set)));
      continue;
    }
    const segment = segmentOf(source, ask, step.part);
    if (total === 'counter') return countedWalk(from.reads, segment, step.stretch);
    const { skip, size, reversed } = step.stretch;
    const found = await keysIn(from.reads, segment.walk(reversed), size, skip);
    keys.push(...(reversed ? found.reverse() : found));
  }
  return { keys, total: total === 'counter' ? keys.length : total };
};
