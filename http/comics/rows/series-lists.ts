// Lists of series.
import Type, { type Static } from 'typebox';
import type { Caller } from '../../../core/access/caller.js';
import type { AppSeriesField } from '../../../core/catalog/conditions/fields.js';
import type { Condition } from '../../../core/catalog/conditions/tree.js';
import { keysOfSeries, listSeries, seriesByLetter } from '../../../core/catalog/list-series.js';
import type { Order, SeriesSort } from '../../../core/catalog/sorts.js';
import { withQueue } from '../../../core/reading/app-lists.js';
import type { Reply } from '../../server/adapter.js';
import { ok } from '../../surface/replies.js';
import { json } from '../../surface/reply.js';
import { partsFor } from '../../surface/request-parts.js';
import { type Ctx, type Route, route } from '../../surface/route.js';
import { listOf } from '../../surface/schemas.js';
import { anyCredit } from '../conditions/credit.js';
import { SERIES } from '../conditions/fields.js';
import { conditionIn } from '../conditions/grammar.js';
import { anyStatus } from '../conditions/status.js';
import { anyId, anyIs, anyList, anyNumber, isFlag, lowerCased } from '../filters.js';
import { seriesAnswer, seriesAtRandom } from '../lists.js';
import { flag, ids, names, orderIn, pagingFields, requestedPage, sortField, values, words } from '../query.js';
import { Group, SERIES_STATUSES, SeriesPage } from '../schemas/series.js';
import { SERIES_SEARCH, withFields } from '../search-fields.js';

export const SERIES_SORTS: Readonly<Record<string, SeriesSort | 'random'>> = {
  random: 'random',
  'metadata.titleSort': 'name',
  titleSort: 'name',
  'metadata.title': 'name',
  name: 'name',
  createdDate: 'date_added',
  created: 'date_added',
  lastModifiedDate: 'date_updated',
  lastModified: 'date_updated',
  'booksMetadata.releaseDate': 'release_date',
  'metadata.releaseDate': 'release_date',
  releaseDate: 'release_date',
  'readProgress.lastReadDate': 'date_read',
  'readProgress.readDate': 'date_read',
  lastReadDate: 'date_read',
  readDate: 'date_read',
  booksCount: 'book_count',
  fileLastModified: 'file_time',
};

/** What is found best is first; without a search there is nothing to find. */
const SORTS_OF_SEARCH: typeof SERIES_SORTS = { ...SERIES_SORTS, relevance: 'relevance' };

export const READ_STATUSES = ['UNREAD', 'IN_PROGRESS', 'READ'] as const;

export const filterFields = {
  search: Type.Optional(Type.String({ maxLength: 1000 })),
  library_id: ids,
  collection_id: ids,
  status: words(SERIES_STATUSES),
  read_status: words(READ_STATUSES),
  publisher: names('Any of these publishers.'),
  language: names('Any of these languages.'),
  genre: names('Any of these genres.'),
  tag: names('Any of these tags.'),
  sharing_label: names('Any of these sharing tags. For administrators.'),
  complete: flag,
  author: Type.Optional(listOf(Type.String({ maxLength: 1000 }), { commas: false })),
  deleted: flag,
  oneshot: flag,
  release_year: values('Any of these years.'),
  age_rating: values('Any of these age ratings. None stands for no rating.'),
};

const listQuery = Type.Object({ ...pagingFields, ...sortField, ...filterFields });

type ListQuery = Static<typeof listQuery>;

const filterQuery = Type.Object(filterFields);

export const filterOf = (query: Static<typeof filterQuery>): Condition<AppSeriesField> => ({
  allOf: [
    ...anyId('libraryId', query.library_id),
    ...anyList('collectionId', query.collection_id),
    ...anyStatus(query.status),
    ...anyIs('readStatus', lowerCased(query.read_status)),
    ...anyIs('publisher', query.publisher),
    ...anyIs('language', query.language),
    ...anyIs('genre', query.genre),
    ...anyIs('tag', query.tag),
    ...anyCredit(query.author),
    ...anyIs('sharingTag', query.sharing_label),
    ...isFlag('completion', query.complete),
    ...isFlag('deleted', query.deleted),
    ...isFlag('oneShot', query.oneshot),
    ...anyNumber('year', query.release_year),
    ...anyNumber('ageRating', query.age_rating),
  ],
});

type Search = string | null | undefined;

const isSearch = (search: Search): boolean => (search ?? '').trim() !== '';

const orderFor = (query: Pick<ListQuery, 'sort'>, search: Search, fallback: Order<SeriesSort>) =>
  orderIn(query, isSearch(search) ? SORTS_OF_SEARCH : SERIES_SORTS) ??
  (isSearch(search) ? ({ sort: 'relevance', descending: false } as const) : fallback);

const BY_NAME = { sort: 'name', descending: false } as const;

export const answerSeries = async (
  ctx: Ctx<Caller>,
  query: ListQuery,
  condition: Condition<AppSeriesField>,
  search: Search,
  fallback = BY_NAME as Order<SeriesSort>,
): Promise<Reply> => {
  const parts = partsFor(ctx);
  const named = withFields(search, await withQueue(parts, 'collection', ctx.viewer, condition), SERIES_SEARCH);
  const { sort, descending } = orderFor(query, named.words, fallback);
  const found = { where: named.where, fullTextSearch: named.words, searchField: 'search' };
  if (sort === 'random')
    return seriesAtRandom(ctx, requestedPage(query), () =>
      keysOfSeries(parts, ctx.viewer, { ...found, order: BY_NAME }),
    );
  const ask = { ...found, order: { sort, descending } };
  return seriesAnswer(ctx, requestedPage(query), {
    page: (window) => listSeries(parts, ctx.viewer, { ...ask, window }),
    keys: () => keysOfSeries(parts, ctx.viewer, ask),
  });
};

/** Lists in an order of their own, which a client may change. */
const newest = (name: string, sort: SeriesSort, about: string, changed?: true): Route =>
  route({
    id: `comics.series.${name}`,
    method: 'GET',
    path: `/api/v1/series/${name}`,
    access: 'SeriesRead',
    kept: true,
    query: listQuery,
    reply: ok(SeriesPage),
    about,
    run: (ctx, { query }) => {
      const where = { allOf: [filterOf(query), ...isFlag('changed', changed)] };
      return answerSeries(ctx, query, where, query.search, { sort, descending: true });
    },
  });

const body = Type.Object({
  fullTextSearch: Type.Optional(Type.Union([Type.String(), Type.Null()], { expected: 'text or null' })),
  condition: Type.Optional(Type.Unknown()),
});

const letters = async (ctx: Ctx<Caller>, condition: Condition<AppSeriesField>, search: Search): Promise<Reply> => {
  const parts = partsFor(ctx);
  const { where, words } = withFields(
    search,
    await withQueue(parts, 'collection', ctx.viewer, condition),
    SERIES_SEARCH,
  );
  return json(200, await seriesByLetter(parts, ctx.viewer, { where, fullTextSearch: words }));
};

export const SERIES_LIST_ROWS: readonly Route[] = [
  route({
    id: 'comics.series.list',
    method: 'GET',
    path: '/api/v1/series',
    access: 'SeriesRead',
    kept: true,
    query: listQuery,
    reply: ok(SeriesPage),
    about: 'Series by name, or those that match a search and filters.',
    run: (ctx, { query }) => answerSeries(ctx, query, filterOf(query), query.search),
  }),
  route({
    id: 'comics.series.filter',
    method: 'POST',
    path: '/api/v1/series/list',
    access: 'SeriesRead',
    query: listQuery,
    body: Type.Optional(body),
    reply: ok(SeriesPage),
    about: 'Series that meet a condition.',
    run: (ctx, { query, body: { condition, fullTextSearch } }) => {
      const where = conditionIn(condition, SERIES, ctx.app.clock.now());
      return answerSeries(ctx, query, { allOf: [where, filterOf(query)] }, fullTextSearch ?? query.search);
    },
  }),
  newest('new', 'date_added', 'Series, most recently added first.'),
  newest(
    'updated',
    'date_updated',
    'Series that were changed after they were added, most recently changed first.',
    true,
  ),
  newest('latest', 'date_updated', 'Series, most recently added or changed first.'),
  route({
    id: 'comics.series.letters',
    method: 'GET',
    path: '/api/v1/series/alphabetical-groups',
    access: 'SeriesRead',
    kept: true,
    query: filterQuery,
    reply: ok(Type.Array(Group)),
    about: 'How many series begin with each character; with a search, of those that it finds.',
    run: (ctx, { query }) => letters(ctx, filterOf(query), query.search),
  }),
  route({
    id: 'comics.series.filter.letters',
    method: 'POST',
    path: '/api/v1/series/list/alphabetical-groups',
    access: 'SeriesRead',
    query: filterQuery,
    body: Type.Optional(body),
    reply: ok(Type.Array(Group)),
    about: 'The same, of the series that meet a condition.',
    run: (ctx, { query, body: { condition, fullTextSearch } }) => {
      const where = conditionIn(condition, SERIES, ctx.app.clock.now());
      return letters(ctx, { allOf: [where, filterOf(query)] }, fullTextSearch ?? query.search);
    },
  }),
];
