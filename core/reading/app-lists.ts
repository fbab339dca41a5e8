// Collections and read lists as reader apps see them: with the ids of all that is in them, and with the queue of what a user wants to read as
// the first list of either kind, under an id of its own.
import { automaticSeen, automaticWith, refuseUnseen } from '../catalog/collections/automatic.js';
import { contentsOf, memberKeys } from '../catalog/collections/contents.js';
import { areInLibraries, listsInLibraries } from '../catalog/collections/in-libraries.js';
import type { ListKind } from '../catalog/collections/kinds.js';
import { allLists, type List, listById, listsWith } from '../catalog/collections/lists.js';
import { MEMBERS_MAX, type MemberOrder } from '../catalog/collections/members.js';
import { type Condition, opposite } from '../catalog/conditions/tree.js';
import { listReads } from '../catalog/list-reads.js';
import type { Place } from '../catalog/places.js';
import { resolve } from '../catalog/public-ids.js';
import type { ListParts } from '../catalog/query/page.js';
import type { Order } from '../catalog/sorts.js';
import { nameTest } from '../model/search-names.js';
import { sortKey } from '../model/sort-key.js';
import type { Viewer } from '../model/viewer.js';
import { type Wanted, wantedInOrder, wantedList } from './want-to-read.js';

export const WANTED_ID = 'want-to-read';
const WANTED_NAME = 'Want to Read';
const WANTED_SUMMARY = {
  collection: 'The series that you want to read, in your order.',
  read_list: 'The books that you want to read, in your order.',
} as const satisfies Record<ListKind, string>;

export interface AppList {
  /** A uuid, or that of the queue. */
  readonly id: string;
  readonly name: string;
  readonly summary: string;
  readonly ordered: boolean;
  readonly memberIds: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

const idIn = (kind: ListKind, { bookId, seriesId }: Wanted): string | null =>
  kind === 'collection' ? seriesId : bookId;

const wanted = async (parts: ListParts, kind: ListKind, viewer: Viewer): Promise<AppList> => {
  const all = await wantedList(listReads(parts, viewer), viewer, 'custom');
  const own = all.filter((one) => idIn(kind, one) !== null);
  const times = own.map(({ addedAt }) => addedAt);
  return {
    id: WANTED_ID,
    name: WANTED_NAME,
    summary: WANTED_SUMMARY[kind],
    ordered: true,
    memberIds: own.flatMap((one) => idIn(kind, one) ?? []),
    createdAt: times.length === 0 ? 0 : Math.min(...times),
    updatedAt: times.length === 0 ? 0 : Math.max(...times),
  };
};

const filled = async (parts: ListParts, kind: ListKind, viewer: Viewer, list: List): Promise<AppList> => ({
  id: list.id,
  name: list.name,
  summary: list.summary ?? '',
  ordered: list.ordered,
  memberIds: await contentsOf(parts, kind, viewer, list),
  createdAt: list.createdAt,
  updatedAt: list.updatedAt,
});

export const appList = async (parts: ListParts, kind: ListKind, viewer: Viewer, id: string): Promise<AppList> => {
  if (id === WANTED_ID) return wanted(parts, kind, viewer);
  const list = await listById(listReads(parts, viewer), kind, viewer, id);
  await refuseUnseen(parts, viewer, list);
  return filled(parts, kind, viewer, list);
};

export type AppListSort = 'name' | 'createdAt' | 'updatedAt';

export interface AppListsAsk {
  /** Words of a name, or parts of them; without any, every name has them. */
  readonly search: string | undefined;
  /** Only lists that show something from one of these libraries, by their public ids. */
  readonly libraryIds?: readonly string[] | undefined;
  /** Without it, the queue is first and the others are in the order of their names. */
  readonly order?: Order<AppListSort> | undefined;
  readonly start: number;
  readonly count: number;
}

const LISTS_MAX = 10_000;

/** A page of lists. What is in each is read when its turn comes: a list may hold 10,000 ids, and a page 10,000 lists. */
export interface AppListsPage {
  readonly count: number;
  readonly total: number;
  readonly items: () => AsyncGenerator<AppList>;
}

type Named = Pick<AppList, 'name' | 'createdAt' | 'updatedAt'>;

const comparing = ({ sort, descending }: Order<AppListSort>): ((a: Named, b: Named) => number) => {
  const keyOf = (list: Named): string | number => (sort === 'name' ? sortKey(list.name) : list[sort]);
  const sign = descending ? -1 : 1;
  return (a, b) => {
    const [left, right] = [keyOf(a), keyOf(b)];
    return left === right ? 0 : left < right ? -sign : sign;
  };
};

/** The queue, if it is asked for. */
const wantedFor = async (
  parts: ListParts,
  kind: ListKind,
  viewer: Viewer,
  { search = '', libraryIds }: AppListsAsk,
): Promise<AppList[]> => {
  if (nameTest(search)?.(WANTED_NAME) === false) return [];
  const rows = kind === 'collection' ? 'series' : 'book';
  const reads = listReads(parts, viewer);
  if (
    libraryIds !== undefined &&
    !(await areInLibraries(reads, rows, await wantedInOrder(reads, viewer, rows), libraryIds))
  )
    return [];
  return [await wanted(parts, kind, viewer)];
};

export const appLists = async (
  parts: ListParts,
  kind: ListKind,
  viewer: Viewer,
  ask: AppListsAsk,
): Promise<AppListsPage> => {
  const { search = '', libraryIds, order, start, count } = ask;
  const has = nameTest(search);
  const isPlain = has === undefined && libraryIds === undefined && order === undefined;
  const pageSize = isPlain ? Math.min(start + count, LISTS_MAX) : LISTS_MAX;
  const automatic = await automaticSeen(parts, kind, viewer);
  const found = await allLists(parts, kind, viewer, { page: 1, pageSize }, { automatic });
  const named = has === undefined ? found.items : found.items.filter(({ name }) => has(name));
  const shown = libraryIds === undefined ? named : await listsInLibraries(parts, kind, viewer, named, libraryIds);
  const queue = await wantedFor(parts, kind, viewer, ask);
  const all: (List | AppList)[] = [...queue, ...shown];
  const page = (order === undefined ? all : all.sort(comparing(order))).slice(start, start + count);
  async function* items(): AsyncGenerator<AppList> {
    for (const list of page) yield 'memberIds' in list ? list : await filled(parts, kind, viewer, list);
  }
  return { count: page.length, total: (isPlain ? found.total : shown.length) + queue.length, items };
};

/** The keys of what is in a list, in its order or another one. */
export const appListKeys = async (
  parts: ListParts,
  kind: ListKind,
  viewer: Viewer,
  id: string,
  order: MemberOrder<'position'>,
): Promise<readonly number[]> => {
  const reads = listReads(parts, viewer);
  if (id === WANTED_ID) {
    const keys = await wantedInOrder(reads, viewer, kind === 'collection' ? 'series' : 'book');
    return order.descending ? keys.toReversed() : keys;
  }
  const list = await listById(reads, kind, viewer, id);
  await refuseUnseen(parts, viewer, list);
  return memberKeys(parts, kind, viewer, list, order, MEMBERS_MAX);
};

/** The lists that hold a book or series, without the queue. What else is in each is read when its turn comes. */
export const appListsWith = async (
  parts: ListParts,
  kind: ListKind,
  viewer: Viewer,
  memberId: string,
): Promise<AsyncGenerator<AppList>> => {
  const { key } = await resolve(parts.db, kind === 'collection' ? 'series' : 'book', memberId, viewer);
  const automatic = kind === 'collection' ? await automaticWith(parts, viewer, key) : [];
  const lists = await listsWith(listReads(parts, viewer), kind, viewer, key, automatic);
  async function* items(): AsyncGenerator<AppList> {
    for (const list of lists) yield await filled(parts, kind, viewer, list);
  }
  return items();
};

const LIST_FIELDS = { collection: 'collectionId', read_list: 'readListId' } as const satisfies Record<ListKind, string>;

const asksFor = <F extends string>(condition: Condition<F>, list: string): boolean => {
  if ('allOf' in condition) return condition.allOf.some((part) => asksFor(part, list));
  if ('anyOf' in condition) return condition.anyOf.some((part) => asksFor(part, list));
  return condition.field === list && condition.test.kind === 'ids' && condition.test.values.includes(WANTED_ID);
};

const inQueue = <F extends string>(
  condition: Condition<F>,
  list: string,
  memberIds: readonly string[],
): Condition<F | 'id'> => {
  if ('allOf' in condition) return { allOf: condition.allOf.map((part) => inQueue(part, list, memberIds)) };
  if ('anyOf' in condition) return { anyOf: condition.anyOf.map((part) => inQueue(part, list, memberIds)) };
  const { field, test, negated } = condition;
  if (test.kind !== 'ids' || !asksFor(condition, list)) return condition;
  const others = test.values.filter((id) => id !== WANTED_ID);
  const any: Condition<F | 'id'> = {
    anyOf: [
      { field, test: { kind: 'ids', values: others }, negated: false },
      { field: 'id', test: { kind: 'ids', values: memberIds }, negated: false },
    ],
  };
  return negated ? opposite(any) : any;
};

/** Turns a condition on the want-to-read list into one on the ids of its members; other conditions stay as they are. */
export const withQueue = async <F extends string>(
  parts: ListParts,
  kind: ListKind,
  viewer: Viewer,
  condition: Condition<F>,
): Promise<Condition<F | 'id'>> => {
  const list = LIST_FIELDS[kind];
  return asksFor(condition, list) ? inQueue(condition, list, (await wanted(parts, kind, viewer)).memberIds) : condition;
};

/** The same for a place. */
export const placeWithQueue = async (parts: ListParts, viewer: Viewer, place: Place): Promise<Place> => {
  const { collectionId, readListId, ...others } = place;
  const membersOf = async (kind: ListKind): Promise<readonly string[]> => (await wanted(parts, kind, viewer)).memberIds;
  return {
    ...others,
    ...(collectionId === WANTED_ID ? { seriesIds: await membersOf('collection') } : { collectionId }),
    ...(readListId === WANTED_ID ? { bookIds: await membersOf('read_list') } : { readListId }),
  };
};
