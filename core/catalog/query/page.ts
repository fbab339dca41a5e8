// One page of a list: its parts are counted, the page is planned, the plan is run.

import { offsetOf, type PageOf } from '../../model/paging.js';
import type { RowKind } from '../../model/row-kind.js';
import type { Viewer } from '../../model/viewer.js';
import type { Reads } from '../../store/db.js';
import type { Fields } from '../conditions/fields.js';
import { type ScopeIds, type Sets, scopeIn, setsOf } from '../conditions/sets.js';
import type { Condition } from '../conditions/tree.js';
import { askerOf, listReads, type ReadParts } from '../list-reads.js';
import type { Summarised } from '../long-summaries.js';
import type { WordReads } from '../search/near-words.js';
import { type Counted, costOf, countPart, type KeyPage, type ListReads, run, scopeOf } from '../sql/run.js';
import type { KeptRows, RowsByKeys } from './kept-rows.js';
import type { KeySet } from './key-set.js';
import {
  LIMITS,
  type ListAsk,
  type ListLimits,
  type ListScope,
  type ListSource,
  type Part,
  partsOf,
  planOf,
  setsIn,
} from './plan.js';
import type { SetCache } from './set-cache.js';

export interface ListParts extends ReadParts {
  readonly sets: SetCache;
  /** Without them, every row is read. */
  readonly rows?: KeptRows | null;
  readonly limits?: ListLimits;
}

/** For the keys of a list, which are small. */
export const WHOLE_LIST = { page: 1, pageSize: 2 ** 31 } as const;

const readsIn = (parts: ListParts, viewer: Viewer): ListReads => ({
  reads: listReads(parts, viewer),
  sets: parts.sets,
  asker: askerOf(parts, viewer),
});

export const wordReads = (parts: ListParts, viewer: Viewer): WordReads => ({
  reads: listReads(parts, viewer),
  known: parts.sets.nearWords,
});

/** The limits of a list, from its parameters and its condition. */
export interface ListFilter {
  readonly scope: ListScope;
  readonly sets: Sets | undefined;
}

/** Undefined when it names a library or series that does not exist: nothing matches then. */
export const filterOf = async <F extends string>(
  { db }: ListParts,
  viewer: Viewer,
  fields: Fields<F>,
  condition: Condition<F>,
  asked: ScopeIds,
): Promise<ListFilter | undefined> => {
  const { ids, rest } = scopeIn(condition, asked);
  const scope = await scopeOf(db, ids);
  if (scope === undefined) return undefined;
  return { scope, sets: rest === undefined ? undefined : setsOf(rest, fields, viewer.userKey) };
};

const keysOn = async <R extends RowKind>(
  { limits = LIMITS }: ListParts,
  from: ListReads,
  source: ListSource<R>,
  ask: ListAsk<R>,
  parts: readonly Part<R>[],
): Promise<KeyPage> => {
  const isStart = offsetOf(ask.window) === 0;
  const counted: Counted<R>[] = [];
  for (const part of parts)
    counted.push(
      // The first page of an index does not depend on the total.
      part.from === 'index' && isStart
        ? { part, count: 0, universe: 0 }
        : await countPart(from, source, ask, part, counted),
    );
  const universe = Math.max(...counted.map((one) => one.universe));
  const plan = planOf(source, ask, { parts: counted, universe, costOf: costOf(from, source, ask), limits });
  return run(from, source, ask, plan, counted);
};

export const pageOf = <R extends RowKind>(parts: ListParts, source: ListSource<R>, ask: ListAsk<R>): Promise<KeyPage> =>
  keysOn(parts, readsIn(parts, ask.viewer), source, ask, partsOf(source, ask, parts.limits));

/**
 * A page with its rows. Reading changes the positions in a user's own history order, so such a list is read in one snapshot. Other orders
 * change only with the files: if a row vanished after its key was read, the page is read again in a snapshot.
 */
export const rowsOf = async <R extends RowKind, T extends Summarised>(
  parts: ListParts,
  source: ListSource<R>,
  ask: ListAsk<R>,
  rows: RowsByKeys<T>,
): Promise<PageOf<T>> => {
  const { window, viewer } = ask;
  const list = partsOf(source, ask, parts.limits);
  const asker = askerOf(parts, viewer);
  const read = async (reads: Reads, rows: RowsByKeys<T>) => {
    const { keys, total } = await keysOn(parts, { reads, sets: parts.sets, asker }, source, ask, list);
    return { page: { ...window, items: await rows(reads, viewer, keys), total }, found: keys.length };
  };
  const isOfHistory = list.some(({ from }) => from === 'read');
  if (!isOfHistory) {
    const kept = parts.rows?.through(source.rows, rows) ?? rows;
    const { page, found } = await read(parts.db.readsFor(asker, 'list'), kept);
    if (page.items.length === found || list.some(({ from }) => from === 'sets')) return page;
  }
  return (await parts.db.snapshot((reads) => read(reads, rows), asker)).page;
};

/** The exact total of a list, without reading a page. */
export const totalIn = async <R extends RowKind>(
  parts: ListParts,
  source: ListSource<R>,
  ask: ListAsk<R>,
): Promise<number> => {
  const from = readsIn(parts, ask.viewer);
  const counted: Counted<R>[] = [];
  for (const part of partsOf(source, ask, parts.limits))
    counted.push(await countPart(from, source, ask, part, counted));
  return counted.reduce((total, { count }) => total + count, 0);
};

/** The rows of a filtered list as a set; it may include hidden ones. */
export const setOf = <R extends RowKind>(
  parts: ListParts,
  { rows }: ListSource<R>,
  viewer: Viewer,
  filter: ListFilter,
): Promise<KeySet> => {
  const sets = setsIn({ viewer, ...filter, match: null, includeHidden: false });
  return parts.sets.evaluate(rows, { all: sets }, askerOf(parts, viewer));
};
