// Lists of series: filtered, searched, sorted, one page at a time; and counts by first letter.

import { uuidOfHex } from '../model/ids.js';
import type { PageOf, Window } from '../model/paging.js';
import type { Viewer } from '../model/viewer.js';
import { keyList } from '../store/by-key.js';
import { withAutomatic } from './collections/as-conditions.js';
import { refuseLarge } from './conditions/bounds.js';
import { type AppSeriesField, SERIES_FIELDS, type SeriesField, seriesFieldsFor } from './conditions/fields.js';
import { parseCondition, STORED } from './conditions/parse.js';
import type { Sets } from './conditions/sets.js';
import type { Condition } from './conditions/tree.js';
import { listReads } from './list-reads.js';
import { hasKey } from './query/key-set.js';
import {
  filterOf,
  type ListFilter,
  type ListParts,
  pageOf,
  rowsOf,
  setOf,
  totalIn,
  WHOLE_LIST,
  wordReads,
} from './query/page.js';
import { SERIES } from './query/plan.js';
import { matchIn } from './search/words.js';
import { type Series, seriesByKeys } from './series.js';
import type { Order, SeriesSort } from './sorts.js';
import { keysByLetter } from './sql/list-queries.js';

export interface SeriesFilter {
  readonly libraryId?: string | undefined;
  /** As the client wrote it. */
  readonly condition?: unknown;
  /** The condition was accepted earlier, and stored. */
  readonly isStored?: true;
  /** Names a series must all carry, in addition to the condition. */
  readonly genres?: readonly string[];
  readonly tags?: readonly string[];
  /** A further condition, of a surface that has another grammar. */
  readonly where?: Condition<AppSeriesField> | undefined;
  /** The group of `seriesByLetter` that a series is counted in. */
  readonly letter?: string | undefined;
}

export interface SeriesListAsk extends SeriesFilter {
  readonly fullTextSearch?: string | null | undefined;
  /** The client's name for the search text, if it has one. */
  readonly searchField?: string;
  readonly order: Order<SeriesSort>;
  readonly window: Window;
}

const carries = (field: 'genre' | 'tag', names: readonly string[]): Condition<SeriesField>[] =>
  names.map((value) => ({ field, test: { kind: 'is', value }, negated: false }));

const conditionOf = (ask: SeriesFilter): Condition<AppSeriesField> => {
  const { condition, isStored, genres = [], tags = [], where } = ask;
  if (where !== undefined && condition === undefined) return where;
  const parsed = parseCondition(condition, SERIES_FIELDS, isStored && STORED);
  const carried = [...carries('genre', genres), ...carries('tag', tags), ...(where === undefined ? [] : [where])];
  return carried.length === 0 ? parsed : { allOf: [parsed, ...carried] };
};

const NO_LETTER = '#';

const underLetter = ({ scope, sets }: ListFilter, group: string): ListFilter => {
  const own: Sets = { set: { in: 'letter', letter: group === NO_LETTER ? '' : group } };
  return { scope, sets: sets === undefined ? own : { all: [sets, own] } };
};

const filterIn = async (parts: ListParts, viewer: Viewer, ask: SeriesFilter): Promise<ListFilter | undefined> => {
  const { libraryId, letter, where } = ask;
  const fields = seriesFieldsFor(viewer);
  if (where !== undefined) refuseLarge(where, fields);
  const condition = await withAutomatic(listReads(parts, viewer), conditionOf(ask));
  const filter = await filterOf(parts, viewer, fields, condition, { libraryId });
  return filter === undefined || letter === undefined ? filter : underLetter(filter, letter);
};

export const listSeries = async (parts: ListParts, viewer: Viewer, ask: SeriesListAsk): Promise<PageOf<Series>> => {
  const { order, window } = ask;
  const match = await matchIn(wordReads(parts, viewer), ask.fullTextSearch, ask.searchField);
  const filter = await filterIn(parts, viewer, ask);
  if (filter === undefined) return { ...window, items: [], total: 0 };
  const page = { viewer, ...filter, match, includeHidden: false, order, window };
  return rowsOf(parts, SERIES, page, seriesByKeys);
};

/** The keys of a whole list, in its order. */
export const keysOfSeries = async (
  parts: ListParts,
  viewer: Viewer,
  ask: Omit<SeriesListAsk, 'window'>,
): Promise<readonly number[]> => {
  const match = await matchIn(wordReads(parts, viewer), ask.fullTextSearch, ask.searchField);
  const filter = await filterIn(parts, viewer, ask);
  if (filter === undefined) return [];
  const list = { viewer, ...filter, match, includeHidden: false, order: ask.order, window: WHOLE_LIST };
  return (await pageOf(parts, SERIES, list)).keys;
};

const FIRST_BY_NAME = {
  match: null,
  includeHidden: false,
  order: { sort: 'name', descending: false },
  window: { page: 1, pageSize: 1 },
} as const;

export const countSeries = async (parts: ListParts, viewer: Viewer, ask: SeriesFilter): Promise<number> => {
  const filter = await filterIn(parts, viewer, ask);
  return filter === undefined ? 0 : totalIn(parts, SERIES, { viewer, ...filter, ...FIRST_BY_NAME });
};

/** Whether a series matches the filter; one without books may. */
export const meetsFilter = async (
  parts: ListParts,
  viewer: Viewer,
  ask: SeriesFilter,
  seriesKey: number,
): Promise<boolean> => {
  const filter = await filterIn(parts, viewer, ask);
  if (filter === undefined) return false;
  const { bits, inverted } = await setOf(parts, SERIES, viewer, filter);
  return hasKey(bits, seriesKey) !== inverted;
};

const WITH_PAGES: Sets = { set: { in: 'pages' } };

/** The keys of the first series, by name, that have pages. */
export const seriesWithPages = async (
  parts: ListParts,
  viewer: Viewer,
  ask: SeriesFilter,
  count: number,
): Promise<readonly number[]> => {
  const filter = await filterIn(parts, viewer, ask);
  if (filter === undefined) return [];
  const sets: Sets = { all: filter.sets === undefined ? [WITH_PAGES] : [filter.sets, WITH_PAGES] };
  const window = { page: 1, pageSize: count };
  return (await pageOf(parts, SERIES, { viewer, scope: filter.scope, sets, ...FIRST_BY_NAME, window })).keys;
};

/** The ids of the first series, by name. */
export const firstIds = async (
  parts: ListParts,
  viewer: Viewer,
  ask: SeriesFilter,
  count: number,
): Promise<readonly string[]> => {
  const filter = await filterIn(parts, viewer, ask);
  if (filter === undefined) return [];
  const window = { page: 1, pageSize: count };
  const { keys } = await pageOf(parts, SERIES, { viewer, ...filter, ...FIRST_BY_NAME, window });
  const hex = await listReads(parts, viewer).json<string[]>(
    `SELECT json_group_array(lower(hex(s.uuid))) FROM (SELECT * FROM json_each(?) ORDER BY key) j CROSS JOIN series s ON s.id = j.value`,
    [keyList(keys)],
  );
  return hex.map(uuidOfHex);
};

export interface LetterGroup {
  readonly group: string;
  readonly count: number;
}

/** Which series are in a list, by their keys. */
const membersOf = async (
  parts: ListParts,
  viewer: Viewer,
  ask: SeriesFilter & Pick<SeriesListAsk, 'fullTextSearch'>,
): Promise<(key: number) => boolean> => {
  if ((ask.fullTextSearch ?? '').trim() !== '') {
    const found = new Set(await keysOfSeries(parts, viewer, { ...ask, order: FIRST_BY_NAME.order }));
    return (key) => found.has(key);
  }
  const filter = await filterIn(parts, viewer, ask);
  if (filter === undefined) return () => false;
  const { bits, inverted } = await setOf(parts, SERIES, viewer, filter);
  return (key) => hasKey(bits, key) !== inverted;
};

/** Counts by the first character of the sort name, so that each letter matches the place of its series in the list. */
export const seriesByLetter = async (
  parts: ListParts,
  viewer: Viewer,
  ask: SeriesFilter & Pick<SeriesListAsk, 'fullTextSearch'>,
): Promise<readonly LetterGroup[]> => {
  const isListed = await membersOf(parts, viewer, ask);
  const rows = await keysByLetter(listReads(parts, viewer));
  const groups = new Map<string, number>();
  for (const [letter, keys] of rows) {
    const group = letter === '' ? NO_LETTER : letter;
    const count = keys.filter(isListed).length;
    if (count > 0) groups.set(group, (groups.get(group) ?? 0) + count);
  }
  return [...groups].map(([group, count]) => ({ group, count })).sort((a, b) => (a.group < b.group ? -1 : 1));
};
