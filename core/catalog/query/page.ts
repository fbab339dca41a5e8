// One page of a list, as row keys, with its exact total. A plain list walks an index; a filtered one is a set of keys, and its page is
// read off the order: a stretch of the index, a sort of what was found, or the whole order when the page lies deep.
import { EVERYTHING, type Viewer } from '../../model/viewer.js';
import type { Db, Reads } from '../../store/db.js';
import { NOTHING, type Sets } from '../conditions/sets.js';
import { offsetOf, type PageOf, type Window } from '../paging.js';
import type { Order } from '../sorts.js';
import type { ListSource, Split } from '../sql/list-queries.js';
import type { IdQuery } from '../sql/predicates.js';
import { type KeyPage, keysIn, segmentsPage, totalOf, walkedPage } from './index-walk.js';
import { countOf, hasKey, type KeySet, listOf, without } from './key-set.js';
import type { ListScope, Segment } from './list-scope.js';
import type { SetCache } from './set-cache.js';

/** Which way a page is found by. All ways lead to the same page. */
export interface ListLimits {
  /** Beyond this many index entries the whole order is fetched and kept. */
  readonly walk: number;
  /** The same when the whole order is at hand but for what changed since. */
  readonly shortWalk: number;
  /** Up to this many rows are sorted by themselves. */
  readonly sort: number;
  /** A rank over more hits says little and costs much: they come by the default order. */
  readonly rank: number;
}

const LIMITS: ListLimits = { walk: 20_000, shortWalk: 2000, sort: 3000, rank: 20_000 };

export interface ListParts {
  readonly db: Db;
  readonly sets: SetCache;
  readonly limits?: ListLimits;
}

export interface ListAsk<S extends string> {
  readonly viewer: Viewer;
  readonly scope: ListScope;
  /** Undefined: everything that is scopeSql down to. */
  readonly sets: Sets | undefined;
  /** An expression for the index of words; null when nothing is searched. */
  readonly match: string | null;
  readonly includeHidden: boolean;
  readonly order: Order<S>;
  readonly window: Window;
}

/** The only walk of a list that one index holds; undefined: it is filtered, or its order is more than one walk. */
const singleWalk = <S extends string>(source: ListSource<S>, ask: ListAsk<S>): Segment | undefined => {
  if (!isPlain(ask)) return undefined;
  const [forward, backward] = [false, true].map((reversed) => source.walk(ask.order, ask.scope, reversed));
  if (forward === undefined || backward === undefined) return undefined;
  return { walk: (reversed) => (reversed ? backward : forward), total: source.total(ask.scope) };
};

/** Counters and walks of whole indexes are those of viewers who see everything. */
const isPlain = ({ viewer, sets, match, includeHidden }: Omit<ListAsk<string>, 'window' | 'order'>): boolean =>
  viewer.scope === EVERYTHING && sets === undefined && match === null && !includeHidden;

interface Found {
  readonly set: KeySet;
  readonly total: number;
  /** Rows the list would have without its filter. */
  readonly universe: number;
}

const setsIn = <S extends string>(
  source: ListSource<S>,
  { viewer, scope, sets, match }: Pick<ListAsk<S>, 'viewer' | 'scope' | 'sets' | 'match'>,
): Sets => {
  const parts: Sets[] = [...source.scopeSets(scope)];
  if (viewer.scope !== EVERYTHING) parts.push({ set: { in: 'scope', scope: viewer.scope } });
  if (sets !== undefined) parts.push(sets);
  if (match !== null) parts.push(match === '' ? NOTHING : { set: { in: 'words', match } });
  return { all: parts };
};

/** What is in the set and may be shown. */
const find = async <S extends string>(
  { db, sets }: ListParts,
  source: ListSource<S>,
  ask: Omit<ListAsk<S>, 'window'>,
): Promise<Found> => {
  const [{ bits, inverted }, hidden, shown] = await Promise.all([
    sets.evaluate(source.rows, setsIn(source, ask)),
    sets.bits(source.rows, source.hidden),
    totalOf(db, source.total({})),
  ]);
  const universe = shown + (ask.includeHidden ? countOf(hidden) : 0);
  const seen = ask.includeHidden ? bits : without(bits, hidden);
  const count = countOf(seen);
  return { set: { bits: seen, inverted }, total: inverted ? universe - count : count, universe };
};

/** The wanted stretch of those keys of an order that are in the set. */
const stretch = (order: ArrayLike<number>, set: KeySet, offset: number, size: number): number[] => {
  const keys: number[] = [];
  let skip = offset;
  for (let at = 0; at < order.length && keys.length < size; at += 1) {
    const key = order[at] ?? 0;
    if (hasKey(set.bits, key) === set.inverted) continue;
    if (skip > 0) skip -= 1;
    else keys.push(key);
  }
  return keys;
};

/** The same, from the nearer end. The order has to hold every key of the set. */
const nearStretch = (order: Uint32Array, { set, total }: Found, offset: number, size: number): number[] => {
  if (offset <= total / 2) return stretch(order, set, offset, size);
  const keys: number[] = [];
  let skip = total - offset - size;
  for (let at = order.length - 1; at >= 0 && keys.length < size; at -= 1) {
    const key = order[at] ?? 0;
    if (hasKey(set.bits, key) === set.inverted) continue;
    if (skip > 0) skip -= 1;
    else keys.push(key);
  }
  return keys.reverse();
};

/** Best match first; rows that match alike stay in the order they came into the catalog. */
const ranked = ({ table, weights }: ListSource<string>['words'], match: string): IdQuery => ({
  sql: `SELECT rowid AS id FROM ${table} WHERE ${table} MATCH ? ORDER BY bm25(${table}, ${weights}), rowid`,
  binds: [match],
  dependsOn: 'catalog',
});

/** Which of the rows found are wanted. */
interface Wanted {
  readonly offset: number;
  readonly size: number;
}

const wantedIn = (window: Window): Wanted => ({ offset: offsetOf(window), size: window.pageSize });

/** A stretch of the index from the nearer end, as long as the share of rows in the set lets expect; undefined when the page is not in it. */
const walked = async <S extends string>(
  db: Db,
  source: ListSource<S>,
  { order, includeHidden }: Omit<ListAsk<S>, 'window'>,
  { set, total, universe }: Found,
  { offset, size }: Wanted,
  limit: number,
): Promise<number[] | undefined> => {
  const isFar = offset > total / 2;
  const before = isFar ? total - offset - size : offset;
  const steps = Math.ceil(((before + size) / total) * universe * 1.5) + 500;
  const walk = includeHidden ? undefined : source.walk(order, {}, isFar);
  if (walk === undefined || steps > limit) return undefined;
  const keys = stretch(await keysIn(db, walk, steps), set, before, size);
  if (keys.length < size) return undefined;
  return isFar ? keys.reverse() : keys;
};

const orderedPage = async <S extends string>(
  { db, sets, limits = LIMITS }: ListParts,
  source: ListSource<S>,
  ask: Omit<ListAsk<S>, 'window'>,
  found: Found,
  wanted: Wanted,
): Promise<number[]> => {
  const { offset } = wanted;
  const size = Math.min(wanted.size, found.total - offset);
  if (size <= 0) return [];
  const fullOrder = source.fullOrder(ask.order, ask.includeHidden, ask.viewer.userKey);
  const cost = sets.orders.cost(source.rows, fullOrder);
  const reach = { cached: 0, corrected: limits.shortWalk, read: limits.walk }[cost];
  const near = await walked(db, source, ask, found, { offset, size }, reach);
  if (near !== undefined) return near;
  const few = found.set.inverted || found.total > limits.sort ? undefined : listOf(found.set.bits);
  const sorted = few === undefined ? undefined : source.orderKeys(ask.order, JSON.stringify(few));
  if (sorted !== undefined && cost !== 'cached') return keysIn(db, sorted, size, offset);
  return nearStretch(await sets.orders.get(source.rows, fullOrder), found, offset, size);
};

/** The rows of these keys in their order; a key that vanished meanwhile is left out. */
type RowsByKeys<T> = (db: Reads, viewer: Viewer, keys: readonly number[]) => Promise<T[]>;

/**
 * A page with its rows. What stands where in an order of the asking user changes while they read, so such a list is read in one snapshot.
 * Others change when files do: where a row vanished behind its key, the page is read again in one.
 */
export const rowsOf = async <S extends string, T>(
  parts: ListParts,
  source: ListSource<S>,
  ask: ListAsk<S>,
  fallback: Exclude<S, 'relevance'>,
  rows: RowsByKeys<T>,
): Promise<PageOf<T>> => {
  const { viewer, window } = ask;
  // Far into the rows without a value a walk asks too often who has one: the page is then put together from sets.
  const isFar =
    offsetOf(window) > (parts.limits ?? LIMITS).walk && source.split(ask.order, viewer.userKey) !== undefined;
  const segments = isPlain(ask) && !isFar ? source.segments(ask.order, ask.scope, viewer.userKey) : undefined;
  const walk = singleWalk(source, ask);
  const fill = async (db: Reads, { keys, total }: KeyPage) => ({
    ...window,
    items: await rows(db, viewer, keys),
    total,
  });
  if (segments !== undefined)
    return parts.db.snapshot(async (reads) => fill(reads, await segmentsPage(reads, segments, window)));
  const page = await pageOf(parts, source, ask, fallback);
  const filled = await fill(parts.db, page);
  if (walk === undefined || filled.items.length === page.keys.length) return filled;
  return parts.db.snapshot(async (reads) => fill(reads, await walkedPage(reads, walk, window)));
};

/** Rows with a value for the order, then those without. Each part is found and put in order by itself. */
const splitPage = async <S extends string>(
  parts: ListParts,
  source: ListSource<S>,
  ask: ListAsk<S>,
  { valued, rest }: Split<S>,
): Promise<KeyPage> => {
  const keys: number[] = [];
  let [total, { offset, size }] = [0, wantedIn(ask.window)];
  for (const [part, order] of [[valued, ask.order] as const, [{ not: valued }, rest] as const]) {
    const sets: Sets = { all: ask.sets === undefined ? [part] : [part, ask.sets] };
    const found = await find(parts, source, { ...ask, sets, order });
    const some = await orderedPage(parts, source, { ...ask, sets, order }, found, { offset, size });
    keys.push(...some);
    total += found.total;
    offset = Math.max(0, offset - found.total);
    size -= some.length;
  }
  return { keys, total };
};

/** `fallback` is the order when too much matches to rank it. */
export const pageOf = async <S extends string>(
  parts: ListParts,
  source: ListSource<S>,
  ask: ListAsk<S>,
  fallback: Exclude<S, 'relevance'>,
): Promise<KeyPage> => {
  const { match, order } = ask;
  const walk = singleWalk(source, ask);
  if (walk !== undefined) return walkedPage(parts.db, walk, ask.window);
  const split = source.split(order, ask.viewer.userKey);
  if (split !== undefined) return splitPage(parts, source, ask, split);
  const found = await find(parts, source, ask);
  const wanted = wantedIn(ask.window);
  if (order.sort !== 'relevance')
    return { keys: await orderedPage(parts, source, ask, found, wanted), total: found.total };
  const byDefault = { ...ask, order: { sort: fallback, descending: false } };
  if (match === null || match === '' || found.total > (parts.limits ?? LIMITS).rank || wanted.offset >= found.total)
    return { keys: await orderedPage(parts, source, byDefault, found, wanted), total: found.total };
  const best = await parts.sets.orders.get(source.rows, ranked(source.words, match));
  return { keys: stretch(best, found.set, wanted.offset, wanted.size), total: found.total };
};

/** The exact total of a list, without a page of it. */
export const totalIn = async <S extends string>(
  parts: ListParts,
  source: ListSource<S>,
  ask: Omit<ListAsk<S>, 'window'>,
): Promise<number> => {
  if (isPlain(ask)) return totalOf(parts.db, source.total(ask.scope));
  return (await find(parts, source, ask)).total;
};

/** The rows of a filtered list as a set; hidden ones may be in it. */
export const setOf = <S extends string>(
  { sets }: ListParts,
  source: ListSource<S>,
  ask: Pick<ListAsk<S>, 'viewer' | 'scope' | 'sets'>,
): Promise<KeySet> => sets.evaluate(source.rows, setsIn(source, { ...ask, match: null }));
