// How a page of a list is found, decided before anything of it is read: a plan is a plain value. All plans lead to the same page. Pure.
import { EVERYTHING, type Viewer } from '../../model/viewer.js';
import { isInverted, NOTHING, type RowSet, type Sets } from '../conditions/sets.js';
import { offsetOf, type Window } from '../paging.js';
import type { BookSort, Order, SeriesSort } from '../sorts.js';

/** Rows a list is made of, and the sorts of each. */
export interface Sorts {
  readonly book: BookSort;
  readonly series: SeriesSort;
}
export type RowKind = keyof Sorts;
export type OrderOf<R extends RowKind> = Order<Sorts[R]>;

export interface ListSource<R extends RowKind> {
  readonly rows: R;
  /** The order in place of a rank, where nothing is ranked or too much is. */
  readonly unranked: OrderOf<R>;
  /** The order of rows the user never read, where a sort by reading holds only those they did read. */
  readonly unread?: OrderOf<R>;
}

export const BOOKS: ListSource<'book'> = {
  rows: 'book',
  unranked: { sort: 'title', descending: false },
  unread: { sort: 'title', descending: false },
};

export const SERIES: ListSource<'series'> = { rows: 'series', unranked: { sort: 'name', descending: false } };

/** Every other sort has an index of its own. */
const OTHER_SORTS: Readonly<Record<string, 'reading' | 'rank'>> = {
  last_read: 'reading',
  date_read: 'reading',
  relevance: 'rank',
};

const heldBy = ({ sort }: Order<string>): 'index' | 'reading' | 'rank' => OTHER_SORTS[sort] ?? 'index';

/** The simple filters: each costs an index walk and its total is kept in a counter. */
export interface ListScope {
  readonly library?: number | undefined;
  readonly series?: number | undefined;
}

export interface ListAsk<R extends RowKind> {
  readonly viewer: Viewer;
  readonly scope: ListScope;
  /** Undefined: everything in the scope. */
  readonly sets: Sets | undefined;
  /** An expression for the index of words; null when nothing is searched. */
  readonly match: string | null;
  readonly includeHidden: boolean;
  readonly order: OrderOf<R>;
  readonly window: Window;
}

interface Ordered<R extends RowKind> {
  readonly order: OrderOf<R>;
}

/** An index holds the rows in their order: all that are shown, or what the user read, or what they did not read. */
export interface WalkPart<R extends RowKind> extends Ordered<R> {
  readonly from: 'index' | 'read' | 'unread';
}

export interface SetsPart<R extends RowKind> extends Ordered<R> {
  readonly from: 'sets';
  readonly sets: Sets;
}

/** A list is one part, or two one behind the other. */
export type Part<R extends RowKind> = WalkPart<R> | SetsPart<R>;

/** What getting a whole order costs: nothing, as much as the rows that changed, or as much as all rows. */
export type OrderCost = 'cached' | 'corrected' | 'read';

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

export const LIMITS: ListLimits = { walk: 20_000, shortWalk: 2000, sort: 3000, rank: 20_000 };

/** What is known when a page is planned. */
export interface Facts<R extends RowKind> {
  readonly parts: readonly { readonly part: Part<R>; readonly count: number }[];
  /** Rows the list would have without any filter. */
  readonly universe: number;
  costOf(order: OrderOf<R>): OrderCost;
  readonly limits: ListLimits;
}

/** `skip` rows are passed over, from the end when it is reversed, then `size` are taken. */
export interface Stretch {
  readonly skip: number;
  readonly size: number;
  readonly reversed: boolean;
}

/**
 * How rows of sets are put in order. `entries`: so many entries of the index are read, and those in the sets taken; where too few are, the
 * other way is gone. `sort`: the rows are sorted by themselves. `order`: the whole order is read, or at hand, and what is not in the sets
 * passed over. `rank`: the same with the order of a search, best match first.
 */
export type Way = Stretch &
  (
    | { readonly by: 'entries'; readonly entries: number; readonly otherwise: Way }
    | { readonly by: 'sort' | 'order' }
    | { readonly by: 'rank'; readonly match: string }
  );

export type Step<R extends RowKind> =
  | { readonly by: 'walk'; readonly part: WalkPart<R>; readonly stretch: Stretch }
  | { readonly by: 'sets'; readonly part: SetsPart<R>; readonly order: OrderOf<R>; readonly way: Way };

export interface Plan<R extends RowKind> {
  readonly steps: readonly Step<R>[];
  /** A walk of an index counts by itself, in the same statement. */
  readonly total: number | 'counter';
}

/** Counters and walks of whole indexes are those of viewers who see everything. */
const isPlain = ({ viewer, sets, match, includeHidden }: ListAsk<RowKind>): boolean =>
  viewer.scope === EVERYTHING && sets === undefined && match === null && !includeHidden;

const one = (set: RowSet): Sets => ({ set });

/** Sets that hold the rows of the list, each all of them. */
export const setsIn = ({ viewer, scope, sets, match }: Omit<ListAsk<RowKind>, 'order' | 'window'>): Sets[] => [
  ...(scope.library === undefined ? [] : [one({ in: 'key', of: 'library', key: scope.library })]),
  ...(scope.series === undefined ? [] : [one({ in: 'key', of: 'series', key: scope.series })]),
  ...(viewer.scope === EVERYTHING ? [] : [one({ in: 'scope', scope: viewer.scope })]),
  ...(sets === undefined ? [] : [sets]),
  ...(match === null ? [] : [match === '' ? NOTHING : one({ in: 'words', match })]),
];

export const partsOf = <R extends RowKind>(
  { unread }: ListSource<R>,
  ask: ListAsk<R>,
  { walk }: ListLimits,
): readonly Part<R>[] => {
  const { order, viewer, window } = ask;
  const held = heldBy(order);
  if (isPlain(ask) && held === 'index') return [{ from: 'index', order }];
  // Far into the rows without a value a walk asks too often who has one: the page is then put together from sets.
  if (isPlain(ask) && held === 'reading' && (unread === undefined || offsetOf(window) <= walk))
    return [
      { from: 'read', order },
      { from: 'unread', order },
    ];
  const sets = setsIn(ask);
  if (held !== 'reading' || unread === undefined) return [{ from: 'sets', sets: { all: sets }, order }];
  const read = one({ in: 'progress', word: 'any', user: viewer.userKey });
  return [
    { from: 'sets', sets: { all: [...sets, read] }, order },
    { from: 'sets', sets: { all: [...sets, { not: read }] }, order: unread },
  ];
};

/** From the nearer end. */
const nearer = (count: number, offset: number, size: number): Stretch => {
  const reversed = offset > count / 2;
  return { skip: reversed ? count - offset - size : offset, size, reversed };
};

interface Counted {
  readonly sets: Sets;
  readonly count: number;
  readonly offset: number;
  readonly size: number;
}

/** A stretch of an index, a sort of what was found, or the whole order: what costs least. */
const wayThrough = <R extends RowKind>(
  { sets, count, offset, size }: Counted,
  order: OrderOf<R>,
  includeHidden: boolean,
  { universe, costOf, limits }: Facts<R>,
): Way => {
  const cost = costOf(order);
  const near = nearer(count, offset, size);
  const isIndexed = heldBy(order) === 'index';
  const isSorted = isIndexed && cost !== 'cached' && !isInverted(sets) && count <= limits.sort;
  const otherwise: Way = isSorted ? { by: 'sort', skip: offset, size, reversed: false } : { by: 'order', ...near };
  // As many as the share of rows in the set lets expect. Indexes hold only what is shown.
  const entries = Math.ceil(((near.skip + size) / count) * universe * 1.5) + 500;
  const reach = { cached: 0, corrected: limits.shortWalk, read: limits.walk }[cost];
  return isIndexed && !includeHidden && entries <= reach ? { by: 'entries', ...near, entries, otherwise } : otherwise;
};

const stepIn = <R extends RowKind>(
  source: ListSource<R>,
  { match, includeHidden }: ListAsk<R>,
  part: Part<R>,
  { count, offset, size }: Omit<Counted, 'sets'>,
  facts: Facts<R>,
): Step<R> => {
  if (part.from !== 'sets') return { by: 'walk', part, stretch: nearer(count, offset, size) };
  const isRank = heldBy(part.order) === 'rank';
  if (isRank && match !== null && match !== '' && count <= facts.limits.rank)
    return { by: 'sets', part, order: part.order, way: { by: 'rank', match, skip: offset, size, reversed: false } };
  const order = isRank ? source.unranked : part.order;
  return {
    by: 'sets',
    part,
    order,
    way: wayThrough({ sets: part.sets, count, offset, size }, order, includeHidden, facts),
  };
};

export const planOf = <R extends RowKind>(source: ListSource<R>, ask: ListAsk<R>, facts: Facts<R>): Plan<R> => {
  let [offset, left] = [offsetOf(ask.window), ask.window.pageSize];
  const steps: Step<R>[] = [];
  for (const { part, count } of facts.parts) {
    if (part.from === 'index') {
      // The statement counts anew and works out by itself where the page lies seen from the end.
      const stretch = { skip: offset, size: left, reversed: offset > 0 && offset > count / 2 };
      return { steps: [{ by: 'walk', part, stretch }], total: 'counter' };
    }
    const size = Math.min(left, count - offset);
    if (size > 0) {
      steps.push(stepIn(source, ask, part, { count, offset, size }, facts));
      left -= size;
    }
    offset = Math.max(0, offset - count);
  }
  return { steps, total: facts.parts.reduce((sum, { count }) => sum + count, 0) };
};
