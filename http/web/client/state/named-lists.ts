// Collections and read lists: the same to a screen, though one holds series and the other books.
import {
  type Book,
  booksReadlists,
  type Collection,
  collectionsCreate,
  collectionsDelete,
  collectionsGet,
  collectionsList,
  collectionsPatch,
  collectionsSeriesAdd,
  collectionsSeriesList,
  collectionsSeriesOrder,
  collectionsSeriesRemove,
  type ReadList,
  type ReadListPlace,
  readlistsBooksAdd,
  readlistsBooksList,
  readlistsBooksOrder,
  readlistsBooksRemove,
  readlistsCreate,
  readlistsDelete,
  readlistsGet,
  readlistsList,
  readlistsPatch,
  readlistsPlace,
  type Series,
  seriesCollections,
} from './api.js';
import { statusOf } from './api-errors.js';
import { firstItems } from './first-items.js';
import type { RequestOptions } from './lists.js';

export type ListKind = 'collection' | 'readList';
export type Member = Book | Series;

export interface NamedList {
  readonly kind: ListKind;
  readonly id: string;
  readonly name: string;
  readonly summary: string | null;
  /** Whether it has an order of its own. */
  readonly ordered: boolean;
  /** Filled by a condition: nothing is added or removed by hand. */
  readonly isAutomatic: boolean;
  readonly count: number;
  readonly updatedAt: string;
}

export interface ListWords {
  readonly name: string;
  readonly summary: string | null;
  readonly ordered: boolean;
}

interface Page {
  readonly page: number;
  readonly pageSize: number;
}

export const ofCollection = ({ seriesCount, automatic, ...rest }: Collection): NamedList => ({
  ...rest,
  kind: 'collection',
  count: seriesCount,
  isAutomatic: automatic,
});

export const ofReadList = ({ bookCount, ...rest }: ReadList): NamedList => ({
  ...rest,
  kind: 'readList',
  count: bookCount,
  isAutomatic: false,
});

interface Rows {
  list(page: Page, opts: RequestOptions): Promise<{ readonly items: readonly NamedList[]; readonly total: number }>;
  get(id: string, opts?: RequestOptions): Promise<NamedList>;
  create(body: ListWords): Promise<NamedList>;
  change(id: string, body: ListWords): Promise<NamedList>;
  remove(id: string): Promise<unknown>;
  members(id: string, asked: Page & { readonly sort?: string }, opts: RequestOptions): Promise<readonly Member[]>;
  add(id: string, ids: string[]): Promise<unknown>;
  order(id: string, ids: string[]): Promise<unknown>;
  drop(id: string, memberId: string): Promise<unknown>;
  /** Those that have a member. */
  containing(memberId: string, opts: RequestOptions): Promise<readonly NamedList[]>;
}

const ROWS: Readonly<Record<ListKind, Rows>> = {
  collection: {
    list: async (page, opts) => {
      const { items, total } = await collectionsList(page, opts);
      return { items: items.map(ofCollection), total };
    },
    get: async (id, opts) => ofCollection(await collectionsGet({ id }, opts)),
    create: async (body) => ofCollection(await collectionsCreate({ body })),
    change: async (id, body) => ofCollection(await collectionsPatch({ id, body })),
    remove: (id) => collectionsDelete({ id }),
    members: (id, asked, opts) => collectionsSeriesList({ id, ...asked }, opts),
    add: (id, seriesIds) => collectionsSeriesAdd({ id, body: { seriesIds } }),
    order: (id, seriesIds) => collectionsSeriesOrder({ id, body: { seriesIds } }),
    drop: (id, memberId) => collectionsSeriesRemove({ id, memberId }),
    containing: async (id, opts) => (await seriesCollections({ id }, opts)).items.map(ofCollection),
  },
  readList: {
    list: async (page, opts) => {
      const { items, total } = await readlistsList(page, opts);
      return { items: items.map(ofReadList), total };
    },
    get: async (id, opts) => ofReadList(await readlistsGet({ id }, opts)),
    create: async (body) => ofReadList(await readlistsCreate({ body })),
    change: async (id, body) => ofReadList(await readlistsPatch({ id, body })),
    remove: (id) => readlistsDelete({ id }),
    members: (id, asked, opts) => readlistsBooksList({ id, ...asked }, opts),
    add: (id, bookIds) => readlistsBooksAdd({ id, body: { bookIds } }),
    order: (id, bookIds) => readlistsBooksOrder({ id, body: { bookIds } }),
    drop: (id, memberId) => readlistsBooksRemove({ id, memberId }),
    containing: async (id, opts) => (await booksReadlists({ id }, opts)).items.map(ofReadList),
  },
};

export const rowsOf = (kind: ListKind): Rows => ROWS[kind];

const PAGE_MAX = 500;

/** Page after page, until there is no more. */
const whole = async <T>(page: (page: Page) => Promise<readonly T[]>): Promise<readonly T[]> => {
  const found: T[] = [];
  for (let number = 1; ; number += 1) {
    const items = await page({ page: number, pageSize: PAGE_MAX });
    found.push(...items);
    if (items.length < PAGE_MAX) return found;
  }
};

/** All of a kind, by name. */
export const allNamedLists = (kind: ListKind, opts: RequestOptions): Promise<readonly NamedList[]> =>
  whole(async (page) => (await rowsOf(kind).list(page, opts)).items);

/** All members, in the order of the list. */
export const allMembers = (list: NamedList, opts: RequestOptions): Promise<readonly Member[]> =>
  whole((page) => rowsOf(list.kind).members(list.id, page, opts));

/** The first members in the given order; null means the list's own order. */
export const firstMembers = (
  { kind, id }: NamedList,
  sort: string | null,
  count: number,
  opts: RequestOptions,
): Promise<readonly Member[]> =>
  firstItems(
    async (page) => ({
      data: await rowsOf(kind).members(
        id,
        { page: page + 1, pageSize: PAGE_MAX, ...(sort === null ? {} : { sort }) },
        opts,
      ),
    }),
    count,
    PAGE_MAX,
  );

/** Adds removed members again, each at its place in the former order. */
export const restoreTo = async (list: NamedList, ids: string[], before: string[]): Promise<void> => {
  await rowsOf(list.kind).add(list.id, ids);
  if (list.ordered) await rowsOf(list.kind).order(list.id, before);
};

/** A book as one of a read list. */
export interface InList {
  readonly list: NamedList;
  readonly place: ReadListPlace;
}

const REFUSED: ReadonlySet<number> = new Set([400, 403, 404]);

/** Null if there is no such list, or the book is not in it. */
export const placeIn = async (listId: string | null, bookId: string, opts: RequestOptions): Promise<InList | null> => {
  if (listId === null) return null;
  try {
    const [list, place] = await Promise.all([
      rowsOf('readList').get(listId, opts),
      readlistsPlace({ id: listId, bookId }, opts),
    ]);
    return { list, place };
  } catch (thrown) {
    if (REFUSED.has(statusOf(thrown))) return null;
    throw thrown;
  }
};

/** Who may change lists of a kind. */
export const WRITES: Readonly<Record<ListKind, string>> = {
  collection: 'CollectionsWrite',
  readList: 'ReadListsWrite',
};
export const DELETES: Readonly<Record<ListKind, string>> = {
  collection: 'CollectionsDelete',
  readList: 'ReadListsDelete',
};
