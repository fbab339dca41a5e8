// Lists of books and series as screens show them. The API has two shapes of rows; the one for `full` is never requested here.
import { type Addition, additionsOf } from './added.js';
import {
  type Book,
  type BookCondition,
  type BookDetail,
  type BookPage,
  booksAdjacent,
  booksFilter,
  booksGet,
  booksInProgress,
  booksOnDeck,
  booksRecentlyAdded,
  type FullSeries,
  type Letter,
  type Library,
  librariesList,
  type Series,
  type SeriesCondition,
  type SeriesPage,
  seriesBooks,
  seriesFilter,
  seriesGet,
  seriesLetters,
  seriesList,
  wantedList,
} from './api.js';
import { conditionOf, type Group, type WallOf } from './filters.js';
import { firstItems } from './first-items.js';

const SHELF_SIZE = 24;

export interface RequestOptions {
  readonly signal: AbortSignal;
}

export const inProgress = async (opts: RequestOptions): Promise<readonly Book[]> =>
  ((await booksInProgress({ pageSize: SHELF_SIZE }, opts)) as BookPage).data;

export const onDeck = async (opts: RequestOptions): Promise<readonly Book[]> =>
  ((await booksOnDeck({ pageSize: SHELF_SIZE }, opts)) as BookPage).data;

const newestBooks = async (pageSize: number, opts: RequestOptions): Promise<readonly Addition<Book>[]> => {
  const { data } = (await booksRecentlyAdded({ pageSize }, opts)) as BookPage;
  return additionsOf(data, data.length < pageSize);
};

/** After whole series have been added, the shelf is filled from this many books at once, and no more than so often. */
const ADDED_PAGE = 240;
const ADDED_PAGES_MAX = 10;

export interface RecentlyAdded {
  readonly additions: readonly Addition<Book>[];
  /** Whether more books have to be fetched to fill the shelf, or to count those of the last card. */
  readonly isShort: boolean;
}

export const recentlyAdded = async (opts: RequestOptions): Promise<RecentlyAdded> => {
  const additions = await newestBooks(SHELF_SIZE, opts);
  const isEnough =
    additions.every(({ books, isCut }) => !isCut || books.length === 1) && additions.length > SHELF_SIZE / 2;
  return { additions, isShort: !isEnough && additions.some(({ isCut }) => isCut) };
};

/** For a shelf that is short: the same cards, the last of them now with its full number of books, and more. */
export const moreRecentlyAdded = async (opts: RequestOptions): Promise<readonly Addition<Book>[]> => {
  const books: Book[] = [];
  for (let page = 1; ; page += 1) {
    const { data } = (await booksRecentlyAdded({ page, pageSize: ADDED_PAGE }, opts)) as BookPage;
    books.push(...data);
    const isAll = data.length < ADDED_PAGE;
    const additions = additionsOf(books, isAll);
    if (isAll || additions.length > SHELF_SIZE / 2 || page === ADDED_PAGES_MAX) return additions.slice(0, SHELF_SIZE);
  }
};

export const allLibraries = async (opts: RequestOptions): Promise<readonly Library[]> =>
  (await librariesList({ pageSize: 500 }, opts)).data;

/** How many books of a library cannot be read. */
export const unreadableIn = async (libraryId: string, opts: RequestOptions): Promise<number> => {
  const condition = {
    allOf: [{ libraryId: { operator: 'is', value: libraryId } }, { hasError: { operator: 'isTrue' } }],
  } as BookCondition;
  return ((await booksFilter({ pageSize: 1, body: { condition } }, opts)) as BookPage).total;
};

export const bookOf = async (id: string, opts: RequestOptions): Promise<BookDetail> =>
  (await booksGet({ id }, opts)) as BookDetail;

export const neighboursOf = (id: string, opts: RequestOptions) => booksAdjacent({ id }, opts);

export const seriesOf = async (id: string, opts: RequestOptions): Promise<FullSeries> =>
  (await seriesGet({ id, full: true }, opts)) as FullSeries;

export const booksOf = async (seriesId: string, opts: RequestOptions): Promise<readonly Book[]> =>
  (await seriesBooks({ id: seriesId }, opts)) as Book[];

/** The newest entries of the want-to-read list, as books and series. Some may have gone meanwhile. */
export const wanted = async (opts: RequestOptions): Promise<readonly (Book | Series)[]> => {
  const { items } = await wantedList({ sort: 'newest' }, opts);
  const found = await Promise.allSettled(
    items
      .slice(0, SHELF_SIZE)
      .map(({ bookId, seriesId }) =>
        bookId === null ? seriesGet({ id: seriesId ?? '' }, opts) : booksGet({ id: bookId }, opts),
      ),
  );
  return found.flatMap((one) => (one.status === 'fulfilled' ? [one.value as Book | Series] : []));
};

export const isBook = (item: Book | Series): item is Book => 'seriesId' in item;

/** Which series or books a wall shows, and in what order. */
export interface WallCriteria {
  readonly libraryId?: string | undefined;
  readonly author?: string | undefined;
  readonly genre?: string | undefined;
  readonly tag?: string | undefined;
  readonly publisher?: string | undefined;
  readonly status?: string | undefined;
  /** A condition of the person's own, which has to hold too. */
  readonly filter?: Group | undefined;
  readonly sort: string;
}

const FIELDS = {
  libraryId: 'libraryId',
  author: 'author',
  genre: 'genre',
  tag: 'tag',
  publisher: 'publisher',
} as const;

/** Author and publisher are asked of series alone. */
const bodyOf = (criteria: WallCriteria): { condition?: SeriesCondition & BookCondition } => {
  const own = criteria.filter === undefined ? null : conditionOf(criteria.filter);
  const allOf = [
    ...Object.values(FIELDS)
      .filter((field) => criteria[field])
      .map((field) => ({ [field]: { operator: 'is', value: criteria[field] } })),
    ...(criteria.status ? [{ readStatus: { operator: 'is', value: criteria.status } }] : []),
    ...(own === null ? [] : [own]),
  ] as (SeriesCondition & BookCondition)[];
  return allOf.length === 0 ? {} : { condition: { allOf } };
};

/** How many one request returns while the user scrolls. */
export const BLOCK = 120;

/** How many one request can return. */
const BLOCK_MAX = 500;

const pageOf = (criteria: WallCriteria, block: number, pageSize: number) => ({
  page: block + 1,
  pageSize,
  sort: criteria.sort,
  body: bodyOf(criteria),
});

type ToBlock = (criteria: WallCriteria, block: number, opts: RequestOptions, size?: number) => Promise<MemberPage>;
type MemberPage = SeriesPage | BookPage;

/** By GET, which a browser can request before the client runs, where nothing but a library is chosen. */
const isPlain = ({ libraryId: _library, sort: _sort, ...criteria }: WallCriteria): boolean =>
  bodyOf({ ...criteria, sort: '' }).condition === undefined;

const BLOCKS: Readonly<Record<WallOf, ToBlock>> = {
  series: async (criteria, block, opts, size = BLOCK) => {
    const { libraryId, sort } = criteria;
    const paging = { page: block + 1, pageSize: size, sort };
    return (await (isPlain(criteria)
      ? seriesList({ ...paging, ...(libraryId === undefined ? {} : { libraryId }) }, opts)
      : seriesFilter({ ...paging, body: bodyOf(criteria) }, opts))) as SeriesPage;
  },
  books: async (criteria, block, opts, size = BLOCK) =>
    (await booksFilter(pageOf(criteria, block, size), opts)) as BookPage,
};

export const blockOf = (of: WallOf, ...asked: Parameters<ToBlock>): Promise<MemberPage> => BLOCKS[of](...asked);

/** The first items of a wall, at most `count`. */
export const firstOf = (of: WallOf, criteria: WallCriteria, count: number, opts: RequestOptions) =>
  firstItems<Series | Book>((block) => BLOCKS[of](criteria, block, opts, BLOCK_MAX), count, BLOCK_MAX);

export const lettersOf = (criteria: WallCriteria, opts: RequestOptions): Promise<Letter[]> =>
  seriesLetters({ body: bodyOf(criteria) }, opts);
