// Lists of books and series: by query parameters, by a condition in the body, by a search text, and within a library.
import Type, { type Static, type TSchema } from 'typebox';
import { libraryFor } from '../../../core/catalog/libraries.js';
import { listBooks } from '../../../core/catalog/list-books.js';
import { listSeries, seriesByLetter } from '../../../core/catalog/list-series.js';
import { BOOK_SORTS, RELEVANCE, SERIES_SORTS } from '../../../core/catalog/sorts.js';
import { AppError } from '../../../core/model/errors.js';
import { ok } from '../../surface/replies.js';
import { json } from '../../surface/reply.js';
import { partsFor } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import { byId, uuid } from '../../surface/schemas.js';
import { booksPage, fullField, seriesPage, seriesReply } from '../full.js';
import { BookPage } from '../schemas/book.js';
import { FullBookPage } from '../schemas/book-metadata.js';
import { bookCondition, seriesCondition } from '../schemas/conditions.js';
import { orderOf, pagingFields, sortFields, windowOf } from '../schemas/fields.js';
import { FullSeries, FullSeriesPage, Letter, Series, SeriesPage } from '../schemas/series.js';

const libraryFields = { library_id: Type.Optional(uuid), libraryId: Type.Optional(uuid) };
const booksQuery = { ...pagingFields, ...fullField, ...sortFields(BOOK_SORTS) };
const names = Type.Optional(Type.String({ maxLength: 2000, expected: 'names separated by commas' }));
const seriesQuery = { ...pagingFields, ...fullField, ...sortFields(SERIES_SORTS), genres: names, tags: names };

/** Lists that can be searched can be sorted by relevance. */
const FOUND_BOOKS = { ...BOOK_SORTS, ...RELEVANCE };
const FOUND_SERIES = { ...SERIES_SORTS, ...RELEVANCE };
const { page_size: _onGetOnly, ...postPaging } = pagingFields;

/** The condition is validated against the fields of the listed rows, with the path of each fault. */
const listBodyOf = (condition: TSchema) =>
  Type.Object({
    condition: Type.Optional(condition),
    fullTextSearch: Type.Optional(Type.Union([Type.String(), Type.Null()], { expected: 'text or null' })),
    includeDeleted: Type.Optional(Type.Boolean({ expected: 'true or false' })),
  });

const FILTER = {
  condition: {
    allOf: [{ genre: { operator: 'is', value: 'Adventure' } }, { readStatus: { operator: 'is', value: 'unread' } }],
  },
};

const bookBody = listBodyOf(bookCondition);
const seriesBody = listBodyOf(seriesCondition);

/** Only validated fields: a body may contain more. */
const filterIn = ({ condition, fullTextSearch, includeDeleted }: Static<ReturnType<typeof listBodyOf>>) => ({
  condition,
  fullTextSearch,
  includeDeleted,
});

const searchBody = Type.Object({
  query: Type.String({ expected: 'text of at most 1000 characters' }),
  libraryId: Type.Optional(Type.Union([uuid, Type.Null()], { expected: 'a uuid or null' })),
  ...fullField,
});

/** Rows as lists show them, or full records with full=true. */
const BOOKS = Type.Union([BookPage, FullBookPage]);
const SERIES = Type.Union([SeriesPage, FullSeriesPage]);

/** As many as the contract's ranked search returns. */
const SEARCH_RESULTS = 100;

const namesOf = (list: string | undefined): readonly string[] =>
  (list ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** Search results are sorted by relevance unless a sort is given; without a search there is nothing to rank by. */
const foundOrder = <S extends string>(
  query: { readonly sort?: string; readonly order?: string },
  text: string | null | undefined,
  sorts: Readonly<Record<string, S>>,
  fallback: S,
): { readonly sort: S | 'relevance'; readonly descending: boolean } => {
  const isSearch = (text ?? '').trim() !== '';
  const order = orderOf<S | 'relevance'>(query, { ...sorts, ...RELEVANCE }, isSearch ? 'relevance' : fallback);
  if (order.sort !== 'relevance' || isSearch) return order;
  const message = `must be one of ${Object.keys(sorts).join(', ')} when there is no search text`;
  throw new AppError('BadRequest', `Invalid query: sort ${message}.`, [{ path: 'sort', message }]);
};

const seriesFilterOf = (query: { readonly genres?: string; readonly tags?: string }) => ({
  genres: namesOf(query.genres),
  tags: namesOf(query.tags),
});

const libraryOf = (query: Static<ReturnType<typeof libraryQuery>>): string | undefined =>
  query.library_id ?? query.libraryId;
const libraryQuery = () => Type.Object(libraryFields);

const seriesRow = (id: string, path: string, about: string, isFull: boolean): Route =>
  route({
    id,
    method: 'GET',
    path,
    access: 'SeriesRead',
    kept: true,
    query: Type.Object({ ...seriesQuery, ...libraryFields }),
    reply: ok(isFull ? FullSeriesPage : SERIES),
    about,
    run: async (ctx, { query }) => {
      const order = orderOf(query, SERIES_SORTS, 'name');
      const filter = { libraryId: libraryOf(query), ...seriesFilterOf(query) };
      const found = await listSeries(partsFor(ctx), ctx.viewer, { ...filter, order, window: windowOf(query) });
      return seriesPage(ctx, isFull ? { full: true } : query, found);
    },
  });

const GETS: readonly Route[] = [
  route({
    id: 'books.list',
    method: 'GET',
    path: '/books',
    access: 'BooksRead',
    kept: true,
    query: Type.Object({
      ...booksQuery,
      ...libraryFields,
      series_id: Type.Optional(uuid),
      seriesId: Type.Optional(uuid),
    }),
    reply: ok(BOOKS),
    about: 'Books, optionally of one library or series.',
    run: async (ctx, { query }) => {
      const found = await listBooks(partsFor(ctx), ctx.viewer, {
        libraryId: libraryOf(query),
        seriesId: query.series_id ?? query.seriesId,
        order: orderOf(query, BOOK_SORTS, 'title'),
        window: windowOf(query),
      });
      return booksPage(ctx, query, found);
    },
  }),
  route({
    id: 'libraries.books',
    method: 'GET',
    path: '/libraries/{id}/books',
    access: 'BooksRead',
    kept: true,
    params: byId,
    query: Type.Object(booksQuery),
    reply: ok(BOOKS),
    about: 'Books of a library.',
    run: async (ctx, { params, query }) => {
      const { id } = await libraryFor(ctx.app.db, ctx.viewer, params.id);
      const order = orderOf(query, BOOK_SORTS, 'title');
      const found = await listBooks(partsFor(ctx), ctx.viewer, { libraryId: id, order, window: windowOf(query) });
      return booksPage(ctx, query, found);
    },
  }),
  seriesRow(
    'series.list',
    '/series',
    'Series that have books; optionally of one library, or only those with all the given genres and tags.',
    false,
  ),
  seriesRow('series.list.full', '/series/full', 'The same with full records.', true),
  route({
    id: 'libraries.series',
    method: 'GET',
    path: '/libraries/{id}/series',
    access: 'SeriesRead',
    kept: true,
    params: byId,
    query: Type.Object(seriesQuery),
    reply: ok(SERIES),
    about: 'Series of a library.',
    run: async (ctx, { params, query }) => {
      const { id } = await libraryFor(ctx.app.db, ctx.viewer, params.id);
      const order = orderOf(query, SERIES_SORTS, 'name');
      const filter = { libraryId: id, ...seriesFilterOf(query) };
      const found = await listSeries(partsFor(ctx), ctx.viewer, { ...filter, order, window: windowOf(query) });
      return seriesPage(ctx, query, found);
    },
  }),
];

const POSTS: readonly Route[] = [
  route({
    id: 'books.filter',
    method: 'POST',
    path: '/books/list',
    access: 'BooksRead',
    kept: true,
    query: Type.Object({ ...postPaging, ...fullField, ...sortFields(FOUND_BOOKS) }),
    body: bookBody,
    example: FILTER,
    reply: ok(BOOKS),
    about:
      'Books that meet a condition and contain the words of a search. A negated condition also includes books without a value.',
    run: async (ctx, { query, body }) => {
      const order = foundOrder(query, body.fullTextSearch, BOOK_SORTS, 'title');
      const found = await listBooks(partsFor(ctx), ctx.viewer, {
        ...filterIn(body),
        order,
        window: windowOf(query),
      });
      return booksPage(ctx, query, found);
    },
  }),
  route({
    id: 'series.filter',
    method: 'POST',
    path: '/series/list',
    access: 'SeriesRead',
    kept: true,
    query: Type.Object({ ...postPaging, ...fullField, ...sortFields(FOUND_SERIES) }),
    body: seriesBody,
    example: FILTER,
    reply: ok(SERIES),
    about:
      'Series that meet a condition and contain the words of a search. A negated condition also includes series without a value.',
    run: async (ctx, { query, body }) => {
      const order = foundOrder(query, body.fullTextSearch, SERIES_SORTS, 'name');
      const found = await listSeries(partsFor(ctx), ctx.viewer, {
        ...filterIn(body),
        order,
        window: windowOf(query),
      });
      return seriesPage(ctx, query, found);
    },
  }),
  route({
    id: 'series.search',
    method: 'POST',
    path: '/series/search',
    access: 'SeriesRead',
    kept: true,
    body: searchBody,
    example: { query: 'harbor' },
    reply: ok(Type.Union([Type.Array(Series), Type.Array(FullSeries)])),
    about: `The ${SEARCH_RESULTS} series that best match a text, as a plain array.`,
    run: async (ctx, { body }) => {
      if (body.query.trim() === '') return json(200, []);
      const found = await listSeries(partsFor(ctx), ctx.viewer, {
        libraryId: body.libraryId ?? undefined,
        fullTextSearch: body.query,
        searchField: 'query',
        order: { sort: 'relevance', descending: false },
        window: { page: 1, pageSize: SEARCH_RESULTS },
      });
      return seriesReply(ctx, body, found.items);
    },
  }),
  route({
    id: 'series.letters',
    method: 'POST',
    path: '/series/list/alphabetical-groups',
    access: 'SeriesRead',
    kept: true,
    body: seriesBody,
    example: FILTER,
    reply: ok(Type.Array(Letter)),
    about: 'The number of series, among those that meet a condition, that begin with each character.',
    run: async (ctx, { body }) =>
      json(200, await seriesByLetter(partsFor(ctx), ctx.viewer, { condition: body.condition })),
  }),
];

export const LIST_ROUTES: readonly Route[] = [...GETS, ...POSTS];
