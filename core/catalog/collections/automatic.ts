// Collections defined by a condition: their series are those that a list of series with that condition shows, counted and sorted by the
// same engine. Nothing is stored, so the next request sees every change of a series and of what the user has read.

import type { PageOf, Window } from '../../model/paging.js';
import type { Viewer } from '../../model/viewer.js';
import { countSeries, listSeries, meetsFilter, seriesWithPages } from '../list-series.js';
import type { ListParts } from '../query/page.js';
import type { Series } from '../series.js';
import type { SeriesSort } from '../sorts.js';
import { type ListKind, SHAPES, seesEmpty } from './kinds.js';
import { AUTOMATIC_MAX, type List, unknownList } from './lists.js';

/** The sorts of collections, as lists of series know them. These series have no positions, so a sort by position is by title. */
const SORTS = {
  title: 'name',
  added: 'date_added',
  year: 'release_date',
  position: 'name',
} as const satisfies Readonly<Record<string, SeriesSort>>;

export const automaticSeries = (
  parts: ListParts,
  viewer: Viewer,
  { condition }: List,
  { sort, descending }: { readonly sort: keyof typeof SORTS | undefined; readonly descending: boolean },
  window: Window,
): Promise<PageOf<Series>> =>
  listSeries(parts, viewer, { condition, isStored: true, order: { sort: SORTS[sort ?? 'title'], descending }, window });

/** Lists with the members that match their conditions counted; the others are counted already. */
export const withCounts = async (parts: ListParts, viewer: Viewer, lists: readonly List[]): Promise<List[]> => {
  const all: List[] = [];
  for (const list of lists) {
    const { condition } = list;
    all.push(
      condition === null
        ? list
        : { ...list, memberCount: await countSeries(parts, viewer, { condition, isStored: true }) },
    );
  }
  return all;
};

/** Keys of the automatic collections whose condition passes. */
const automaticThat = async (
  { db }: ListParts,
  passes: (filter: { readonly condition: unknown; readonly isStored: true }) => Promise<boolean>,
): Promise<number[]> => {
  const rows = await db.all<{ id: number; condition: string }>(
    'SELECT id, condition FROM collection WHERE condition IS NOT NULL ORDER BY name_sort LIMIT ?',
    [AUTOMATIC_MAX],
  );
  const passed: number[] = [];
  for (const { id, condition } of rows)
    if (await passes({ condition: JSON.parse(condition), isStored: true })) passed.push(id);
  return passed;
};

/** Keys of the collections whose condition a series matches. */
export const automaticWith = (parts: ListParts, viewer: Viewer, seriesKey: number): Promise<number[]> =>
  automaticThat(parts, (filter) => meetsFilter(parts, viewer, filter, seriesKey));

/** Keys of the automatic lists that show a user something; nothing is read for those who see all lists anyway. */
export const automaticSeen = async (parts: ListParts, kind: ListKind, viewer: Viewer): Promise<number[]> =>
  !SHAPES[kind].conditional || seesEmpty(kind, viewer)
    ? []
    : automaticThat(parts, async (filter) => (await countSeries(parts, viewer, filter)) > 0);

/** Refuses an automatic list in which a user sees nothing, unless that user sees all lists. */
export const refuseUnseen = async (parts: ListParts, viewer: Viewer, { condition }: List): Promise<void> => {
  if (condition === null || seesEmpty('collection', viewer)) return;
  if ((await countSeries(parts, viewer, { condition, isStored: true })) === 0) throw unknownList('collection');
};

/** The first series by title that have pages, and therefore perhaps a cover. */
export const firstOfAutomatic = async (
  parts: ListParts,
  viewer: Viewer,
  { condition }: List,
  count: number,
): Promise<readonly { readonly key: number; readonly uuid: Buffer }[]> => {
  const keys = await seriesWithPages(parts, viewer, { condition, isStored: true }, count);
  return parts.db.all<{ key: number; uuid: Buffer }>(
    'SELECT s.id AS key, s.uuid FROM (SELECT * FROM json_each(?) ORDER BY key) j CROSS JOIN series s ON s.id = j.value',
    [JSON.stringify(keys)],
  );
};
