// Lists of books.
import Type, { type Static } from 'typebox';
import type { Caller } from '../../../core/access/caller.js';
import type { AppBookField } from '../../../core/catalog/conditions/fields.js';
import type { Condition } from '../../../core/catalog/conditions/tree.js';
import { keysOfCopies } from '../../../core/catalog/duplicates/copies.js';
import {
  type BookFilter,
  booksAt,
  keysInSeries,
  keysOfBooks,
  listBooks,
  pageOfSeries,
} from '../../../core/catalog/list-books.js';
import { type Series, seriesById } from '../../../core/catalog/series.js';
import type { BookSort, Order } from '../../../core/catalog/sorts.js';
import { withQueue } from '../../../core/reading/app-lists.js';
import { booksOnDeck } from '../../../core/reading/on-deck.js';
import type { Reply } from '../../server/adapter.js';
import { ok } from '../../surface/replies.js';
import { listReads, partsFor } from '../../surface/request-parts.js';
import { type Ctx, type Route, route } from '../../surface/route.js';
import { listOf } from '../../surface/schemas.js';
import { anyCredit } from '../conditions/credit.js';
import { BOOKS } from '../conditions/fields.js';
import { conditionIn } from '../conditions/grammar.js';
import { anyId, anyIs, isFlag, lowerCased } from '../filters.js';
import { booksAnswer, booksAtRandom } from '../lists.js';
import { flag, ids, names, orderIn, pagingFields, requestedPage, SIZE_MAX, sortField, words } from '../query.js';
import { BookPage, MEDIA_STATUSES } from '../schemas/book.js';
import { byId } from '../schemas/requests.js';
import { BOOK_SEARCH, withFields } from '../search-fields.js';
import { READ_STATUSES } from './series-lists.js';

export const BOOK_SORTS: Readonly<Record<string, BookSort | 'random'>> = {
  random: 'random',
  series: 'series',
  'metadata.numberSort': 'sort_number',
  'metadata.number': 'sort_number',
  numberSort: 'sort_number',
  number: 'sort_number',
  'metadata.title': 'title',
  title: 'title',
  name: 'name',
  createdDate: 'created_at',
  created: 'created_at',
  lastModifiedDate: 'updated_at',
  lastModified: 'updated_at',
  fileLastModified: 'modified_at',
  'metadata.releaseDate': 'release_date',
  releaseDate: 'release_date',
  'readProgress.readDate': 'last_read',
  'readProgress.lastModified': 'last_read',
  readDate: 'last_read',
  'media.pagesCount': 'page_count',
  'metadata.pagesCount': 'page_count',
  fileSize: 'file_size',
  sizeBytes: 'file_size',
  size: 'file_size',
  url: 'path',
  fileHash: 'file_hash',
  'media.status': 'media_status',
  'media.mediaType': 'media_type',
  'media.comment': 'media_comment',
};

/** What is found best is first; without a search there is nothing to find. */
const SORTS_OF_SEARCH: typeof BOOK_SORTS = { ...BOOK_SORTS, relevance: 'relevance' };

export const filterFields = {
  search: Type.Optional(Type.String({ maxLength: 1000 })),
  library_id: ids,
  series_id: ids,
  read_status: words(READ_STATUSES),
  media_status: words(MEDIA_STATUSES),
  oneshot: flag,
  tag: names('Any of these tags.'),
  author: Type.Optional(listOf(Type.String({ maxLength: 1000 }), { commas: false })),
  deleted: flag,
};

const listQuery = Type.Object({ ...pagingFields, ...sortField, ...filterFields });

type ListQuery = Static<typeof listQuery>;

export const filterOf = (query: Omit<ListQuery, keyof typeof pagingFields | 'sort'>): Condition<AppBookField> => ({
  allOf: [
    ...anyId('libraryId', query.library_id),
    ...anyId('seriesId', query.series_id),
    ...anyIs('readStatus', lowerCased(query.read_status)),
    ...anyIs('mediaStatus', lowerCased(query.media_status)),
    ...isFlag('oneShot', query.oneshot),
    ...isFlag('deleted', query.deleted),
    ...anyIs('ownTag', query.tag),
    ...anyCredit(query.author),
  ],
});

type Search = string | null | undefined;

const isSearch = (search: Search): boolean => (search ?? '').trim() !== '';

/** The order that costs least. */
const BY_AGE = { sort: 'created_at', descending: false } as const;

const BY_SERIES: Order<BookSort> = { sort: 'series', descending: false };

/** The one series that a condition limits books to, at its outside. */
const seriesIn = (condition: Condition<AppBookField>): string | undefined => {
  if ('anyOf' in condition) return undefined;
  if ('allOf' in condition) return condition.allOf.map(seriesIn).find((id) => id !== undefined);
  const { field, test, negated } = condition;
  return field === 'seriesId' && !negated && test.kind === 'ids' && test.values.length === 1
    ? test.values[0]
    : undefined;
};

/** Whether nothing but the series limits the books. */
const isWholeSeries = ({ where, fullTextSearch }: BookFilter): boolean =>
  !isSearch(fullTextSearch) && (where === undefined || ('allOf' in where && where.allOf.length === 0));

/** Within a series, sorting by number means the order of the series. */
export const answerBooks = (
  ctx: Ctx<Caller>,
  query: ListQuery,
  asked: BookFilter,
  fallback = BY_SERIES,
  series?: Series,
): Promise<Reply> => {
  const { viewer } = ctx;
  const { words: search, where } = withFields(asked.fullTextSearch, asked.where, BOOK_SEARCH);
  const filter = { ...asked, fullTextSearch: search, where };
  const { sort, descending } =
    orderIn(query, isSearch(search) ? SORTS_OF_SEARCH : BOOK_SORTS) ??
    (isSearch(search) ? ({ sort: 'relevance', descending: false } as const) : fallback);
  const parts = partsFor(ctx);
  if (sort === 'random')
    return booksAtRandom(ctx, requestedPage(query), () => keysOfBooks(parts, viewer, { ...filter, order: BY_AGE }));
  const order = { sort, descending };
  const seriesId = filter.seriesId ?? (filter.where === undefined ? undefined : seriesIn(filter.where));
  if (seriesId !== undefined && (order.sort === 'sort_number' || order.sort === 'series')) {
    const keys = () => keysInSeries(parts, viewer, { ...filter, seriesId, descending });
    return booksAnswer(ctx, requestedPage(query), {
      keys,
      page: async (window) =>
        series !== undefined && !descending && isWholeSeries(filter)
          ? pageOfSeries(parts, viewer, series, window)
          : booksAt(parts, viewer, await keys(), window),
    });
  }
  return booksAnswer(ctx, requestedPage(query), {
    page: (window) => listBooks(parts, viewer, { ...filter, order, window }),
    keys: () => keysOfBooks(parts, viewer, { ...filter, order }),
  });
};

const body = Type.Object({
  fullTextSearch: Type.Optional(Type.Union([Type.String(), Type.Null()], { expected: 'text or null' })),
  condition: Type.Optional(Type.Unknown()),
});

export const BOOK_LIST_ROWS: readonly Route[] = [
  route({
    id: 'comics.books.list',
    method: 'GET',
    path: '/api/v1/books',
    access: 'BooksRead',
    kept: true,
    query: listQuery,
    reply: ok(BookPage),
    about: 'Books, series by series, or those that match a search and filters.',
    run: (ctx, { query }) => answerBooks(ctx, query, { where: filterOf(query), fullTextSearch: query.search }),
  }),
  route({
    id: 'comics.books.filter',
    method: 'POST',
    path: '/api/v1/books/list',
    access: 'BooksRead',
    query: listQuery,
    body: Type.Optional(body),
    reply: ok(BookPage),
    about: 'Books that meet a condition.',
    run: async (ctx, { query, body: { condition, fullTextSearch } }) => {
      const asked = { allOf: [conditionIn(condition, BOOKS, ctx.app.clock.now()), filterOf(query)] };
      const where = await withQueue(partsFor(ctx), 'read_list', ctx.viewer, asked);
      return answerBooks(ctx, query, { where, fullTextSearch: fullTextSearch ?? query.search });
    },
  }),
  route({
    id: 'comics.books.latest',
    method: 'GET',
    path: '/api/v1/books/latest',
    access: 'BooksRead',
    kept: true,
    query: listQuery,
    reply: ok(BookPage),
    about: 'Books, most recently added or changed first.',
    run: (ctx, { query }) =>
      answerBooks(
        ctx,
        query,
        { where: filterOf(query), fullTextSearch: query.search },
        { sort: 'updated_at', descending: true },
      ),
  }),
  route({
    id: 'comics.books.duplicates',
    method: 'GET',
    path: '/api/v1/books/duplicates',
    access: 'BooksRead',
    administrator: true,
    kept: true,
    query: Type.Object({ ...pagingFields, ...sortField }),
    reply: ok(BookPage),
    about: 'Books whose files are the same, copies together; of the files that have been hashed.',
    run: (ctx, { query }) => {
      const { descending } = orderIn(query, { fileHash: 'fileHash' }) ?? { descending: false };
      const keys = () => keysOfCopies(listReads(ctx), ctx.viewer, descending);
      return booksAnswer(ctx, requestedPage(query), {
        keys,
        page: async (window) => booksAt(partsFor(ctx), ctx.viewer, await keys(), window),
      });
    },
  }),
  route({
    id: 'comics.books.ondeck',
    method: 'GET',
    path: '/api/v1/books/ondeck',
    access: 'BooksRead',
    kept: true,
    query: Type.Object({ ...pagingFields, ...sortField, library_id: ids }),
    reply: ok(BookPage),
    about:
      'The first unread book of each series with a finished book and none in progress; the most recently read series first.',
    run: (ctx, { query }) => {
      const parts = partsFor(ctx);
      const { window } = requestedPage(query);
      const asked = { window: query.unpaged === true ? { page: 1, pageSize: SIZE_MAX } : window, isWhole: false };
      return booksAnswer(ctx, asked, {
        page: (wanted) => booksOnDeck(listReads(ctx), ctx.viewer, query.library_id, wanted, parts.rows ?? null),
        keys: async () => [],
      });
    },
  }),
  route({
    id: 'comics.series.books',
    method: 'GET',
    path: '/api/v1/series/{id}/books',
    access: 'BooksRead',
    kept: true,
    params: byId,
    query: listQuery,
    reply: ok(BookPage),
    about: 'The books of a series in reading order.',
    run: async (ctx, { params, query }) => {
      const series = await seriesById(listReads(ctx), ctx.viewer, params.id);
      const filter = { seriesId: params.id, where: filterOf(query), fullTextSearch: query.search };
      return answerBooks(ctx, query, filter, BY_SERIES, series);
    },
  }),
];
