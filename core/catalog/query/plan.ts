// How a page of a list is found, decided before anything is read: a plan is a plain value. All plans give the same page. Pure.

import { offsetOf, type Window } from '../../model/paging.js';
import type { RowKind } from '../../model/row-kind.js';
import { EVERYTHING, isLimited, type Viewer } from '../../model/viewer.js';
import { isInverted, NOTHING, type RowSet, type Sets } from '../conditions/sets.js';
import type { Match } from '../search/words.js';
import type { BookSort, Order, SeriesSort } from '../sorts.js';

/** The sorts of each kind of row. */
export interface Sorts extends Record<RowKind, string> {
  readonly book: BookSort;
  readonly series: SeriesSort;
}
export type OrderOf<R extends RowKind> = Order<Sorts[R]>;

export interface ListSource<R extends RowKind> {
  readonly rows: R;
  /** The order used instead of a rank, when there is nothing to rank or too much. */
  readonly unranked: OrderOf<R>;
  /** The order of rows the user never read, where a sort by reading only covers those they have read. */
  readonly unread?: OrderOf<R>;
}

export const BOOKS: ListSource<'book'> = {
  rows: 'book',
  unranked: { sort: 'title', descending: false },
  unread: { sort: 'title', descending: false },
};

export const SERIES: ListSource<'series'> = { rows: 'series', unranked: { sort: 'name', descending: false } };

/** `computed`: nothing holds the order, so it is read whole. */
type HeldBy = 'index' | 'reading' | 'rank' | 'computed';

/** Every other sort has an index of its own. */
const OTHER_SORTS: Readonly<Record<string, HeldBy>> = {
  last_read: 'reading',
  date_read: 'reading',
  relevance: 'rank',
  path: 'computed',
  file_hash: 'computed',
  media_status: 'computed',
  media_type: 'computed',
  media_comment: 'computed',
  file_time: 'computed',
};

const heldBy = ({ sort }: Order<string>): HeldBy => OTHER_SORTS[sort] ?? 'index';

/** The simple filters: each is an index walk, and a counter holds its total. */
export interface ListScope {
  readonly library?: number | undefined;
  readonly series?: number | undefined;
  /** Libraries whose rows are left out: they are being removed. */
  readonly withoutLibraries?: readonly number[];
}

export interface ListAsk<R extends RowKind> {
  readonly viewer: Viewer;
  readonly scope: ListScope;
  /** Undefined: everything in the scope. */
  readonly sets: Sets | undefined;
  /** Expressions for the word index; null when there is no search. */
  readonly match: Match | null;
  readonly includeHidden: boolean;
  readonly order: OrderOf<R>;
  readonly window: Window;
}

interface Ordered<R extends RowKind> {
  readonly order: OrderOf<R>;
}

/** An index holds the rows in their order: all that are shown, or what the user has read, or what they have not. */
export interface WalkPart<R extends RowKind> extends Ordered<R> {
  readonly from: 'index' | 'read' | 'unread';
}

export interface SetsPart<R extends RowKind> extends Ordered<R> {
  readonly from: 'sets';
  readonly sets: Sets;
}

/** A list is one part, or two in sequence. */
export type Part<R extends RowKind> = WalkPart<R> | SetsPart<R>;

/** What getting a whole order costs: nothing, as much as the changed rows, or as much as all rows. */
export type OrderCost = 'cached' | 'corrected' | 'read';

export interface ListLimits {
  /** Beyond this many index entries, the whole order is read and cached. */
  readonly walk: number;
  /** The same, when the whole order is cached except for recent changes. */
  readonly shortWalk: number;
  /** Up to this many rows are sorted directly. */
  readonly sort: number;
  /** Ranking more hits than this says little and costs much, so they are in the default order. */
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

/** Skips `skip` rows, from the end when reversed, then takes `size`. */
export interface Stretch {
  readonly skip: number;
  readonly size: number;
  readonly reversed: boolean;
}

/**
 * How rows of sets are put in order. `entries`: reads that many entries of the index and takes those in the sets; if they are too few,
 * falls back to `otherwise`. `sort`: sorts the rows directly. `order`: takes the whole order, cached or read, and skips what is not in the
 * sets. `rank`: the same with the order of a search, best match first.
 */
export type Way = Stretch &
  (
    | { readonly by: 'entries'; readonly entries: number; readonly otherwise: Way }
    | { readonly by: 'sort' | 'order' }
    | { readonly by: 'rank'; readonly match: Match }
  );

export type Step<R extends RowKind> =
  | { readonly by: 'walk'; readonly part: WalkPart<R>; readonly stretch: Stretch }
  | { readonly by: 'sets'; readonly part: SetsPart<R>; readonly order: OrderOf<R>; readonly way: Way };

export interface Plan<R extends RowKind> {
  readonly steps: readonly Step<R>[];
  /** An index walk also counts, in the same statement. */
  readonly total: number | 'counter';
}

/** Counters and walks of whole indexes are only for viewers who see everything but libraries that are being removed. */
const isPlain = ({ viewer, sets, match, includeHidden }: ListAsk<RowKind>): boolean =>
  !isLimited(viewer.scope) && sets === undefined && match === null && !includeHidden;

const one = (set: RowSet): Sets => ({ set });

/** The sets whose intersection is the list. */
export const setsIn = ({ viewer, scope, sets, match }: Omit<ListAsk<RowKind>, 'order' | 'window'>): Sets[] => [
  ...(scope.library === undefined ? [] : [one({ in: 'key', of: 'library', key: scope.library })]),
  ...(scope.series === undefined ? [] : [one({ in: 'key', of: 'series', key: scope.series })]),
  ...(viewer.scope === EVERYTHING ? [] : [one({ in: 'scope', scope: viewer.scope })]),
  ...(sets === undefined ? [] : [sets]),
  ...(match === null ? [] : [match.all === '' ? NOTHING : one({ in: 'words', anyOf: match.anyOf })]),
];

export const partsOf = <R extends RowKind>(
  { unread }: ListSource<R>,
  ask: ListAsk<R>,
  { walk }: ListLimits = LIMITS,
): readonly Part<R>[] => {
  const { order, viewer, window } = ask;
  const held = heldBy(order);
  if (isPlain(ask) && held === 'index') return [{ from: 'index', order }];
  // Far into the rows without a value, a walk checks too many books per row found; while a library is being removed, it would also have to
  // look up every book read. In both cases the page is built from sets.
  const isWalked = unread === undefined || (viewer.scope === EVERYTHING && offsetOf(window) <= walk);
  if (isPlain(ask) && held === 'reading' && isWalked)
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

/** The stretch, counted from the nearer end. */
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

/** A stretch of an index, a sort of the matches, or the whole order: whichever costs least. */
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
  // As many as expected from the share of rows in the set. Indexes hold only shown rows.
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
  if (isRank && match !== null && match.all !== '' && count <= facts.limits.rank)
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
      // The statement counts again and computes the page's position from the end itself.
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
