// Collections of series and read lists of books, and what is in them.
import Type from 'typebox';
import type { Caller } from '../../../core/access/caller.js';
import { bookById, booksByKeys } from '../../../core/catalog/books.js';
import type { Condition } from '../../../core/catalog/conditions/tree.js';
import { keysOfBooks } from '../../../core/catalog/list-books.js';
import { keysOfSeries } from '../../../core/catalog/list-series.js';
import { seriesByKeys } from '../../../core/catalog/series.js';
import { AppError } from '../../../core/model/errors.js';
import type { Window } from '../../../core/model/paging.js';
import { appList, appListKeys, withQueue } from '../../../core/reading/app-lists.js';
import { markFirst, readCounts } from '../../../core/reading/trackers.js';
import { readerOf } from '../../surface/device.js';
import { EMPTY, ok } from '../../surface/replies.js';
import { json, noContent } from '../../surface/reply.js';
import { listReads, partsFor } from '../../surface/request-parts.js';
import { type Ctx, type Route, route } from '../../surface/route.js';
import { compactId } from '../../surface/schemas.js';
import { bookAnswer, booksAnswer, seriesAnswer } from '../lists.js';
import { orderIn, pagingFields, requestedPage, sortField } from '../query.js';
import { Book, BookPage } from '../schemas/book.js';
import { Collection, CollectionPage, ReadList, ReadListPage } from '../schemas/lists.js';
import { SeriesPage } from '../schemas/series.js';
import { ListTrack } from '../schemas/tracking.js';
import { BOOK_SEARCH, SERIES_SEARCH, withFields } from '../search-fields.js';
import { answerBooks, BOOK_SORTS, filterFields as bookFilterFields, filterOf as bookFilterOf } from './book-lists.js';
import { idIn, type ListRows, listParams, memberOrder, rowsOf } from './list-rows.js';
import { firstBooks, listTrackView } from './progress.js';
import { answerSeries, filterFields, filterOf, SERIES_SORTS } from './series-lists.js';

const COLLECTIONS: ListRows = {
  kind: 'collection',
  path: 'collections',
  members: 'seriesIds',
  of: 'series',
  read: 'CollectionsRead',
  readMember: 'SeriesRead',
  write: 'CollectionsWrite',
  remove: 'CollectionsDelete',
  ordered: false,
  list: Collection,
  page: CollectionPage,
};

const READ_LISTS: ListRows = {
  kind: 'read_list',
  path: 'readlists',
  members: 'bookIds',
  of: 'books',
  read: 'ReadListsRead',
  readMember: 'BooksRead',
  write: 'ReadListsWrite',
  remove: 'ReadListsDelete',
  ordered: true,
  list: ReadList,
  page: ReadListPage,
};

const pageOfKeys = (keys: readonly number[], { page, pageSize }: Window): readonly number[] =>
  keys.slice((page - 1) * pageSize, page * pageSize);

/** The books before and after one in a read list. */
const besideRow = (word: 'next' | 'previous', step: 1 | -1): Route =>
  route({
    id: `comics.readlists.${word}`,
    method: 'GET',
    path: `/api/v1/readlists/{id}/books/{bookId}/${word}`,
    access: ['ReadListsRead', 'BooksRead'],
    kept: true,
    params: Type.Object({ ...listParams.properties, bookId: compactId }),
    reply: ok(Book),
    about: `The ${word} book of a read list.`,
    run: async (ctx, { params }) => {
      const { memberIds } = await appList(partsFor(ctx), 'read_list', ctx.viewer, idIn(params.id));
      const at = memberIds.indexOf(params.bookId);
      const id = at < 0 ? undefined : memberIds[at + step];
      if (id === undefined) throw new AppError('NotFound', `The read list has no ${word} book.`);
      return bookAnswer(ctx, await bookById(ctx.app.db, ctx.viewer, id));
    },
  });

const seriesIn = async (
  ctx: Ctx<Caller>,
  id: string,
  query: Parameters<typeof filterOf>[0] & Parameters<typeof memberOrder>[0],
): Promise<readonly number[]> => {
  const parts = partsFor(ctx);
  const keys = await appListKeys(parts, 'collection', ctx.viewer, id, memberOrder(query));
  const where = filterOf(query);
  const isFiltered = 'allOf' in where && where.allOf.length > 0;
  if (!isFiltered && query.search === undefined) return keys;
  const order = { sort: 'name', descending: false } as const;
  const named = withFields(query.search, where, SERIES_SEARCH);
  const ask = { where: named.where, fullTextSearch: named.words, searchField: 'search', order };
  const found = new Set(await keysOfSeries(parts, ctx.viewer, ask));
  return keys.filter((key) => found.has(key));
};

const booksIn = async (
  ctx: Ctx<Caller>,
  id: string,
  query: Parameters<typeof bookFilterOf>[0] & Parameters<typeof memberOrder>[0],
): Promise<readonly number[]> => {
  const parts = partsFor(ctx);
  const keys = await appListKeys(parts, 'read_list', ctx.viewer, id, memberOrder(query));
  const where = bookFilterOf(query);
  const isFiltered = 'allOf' in where && where.allOf.length > 0;
  if (!isFiltered && query.search === undefined) return keys;
  const order = { sort: 'title', descending: false } as const;
  const named = withFields(query.search, where, BOOK_SEARCH);
  const ask = { where: named.where, fullTextSearch: named.words, order };
  const found = new Set(await keysOfBooks(parts, ctx.viewer, ask));
  return keys.filter((key) => found.has(key));
};

const memberOf = <F extends string>(field: F, id: string): Condition<F> => ({
  field,
  test: { kind: 'ids', values: [id] },
  negated: false,
});

const TRACKS: readonly Route[] = [
  route({
    id: 'comics.readlists.track.get',
    method: 'GET',
    path: '/api/v1/readlists/{id}/read-progress/tachiyomi',
    access: ['ReadListsRead', 'ProgressRead'],
    kept: true,
    params: listParams,
    reply: ok(ListTrack),
    about: 'How many books of a read list are read, and how many of the first without a gap.',
    run: async (ctx, { params }) =>
      json(200, listTrackView(await readCounts(listReads(ctx), ctx.viewer, 'read_list', idIn(params.id)))),
  }),
  route({
    id: 'comics.readlists.track.put',
    method: 'PUT',
    path: '/api/v1/readlists/{id}/read-progress/tachiyomi',
    access: ['ReadListsRead', 'ProgressWrite'],
    params: listParams,
    body: firstBooks,
    reply: EMPTY,
    about: 'Marks the first books of a read list as read, up to the given count.',
    run: async (ctx, { params, body }) => {
      await markFirst(ctx.app, readerOf(ctx), 'read_list', idIn(params.id), body.lastBookRead);
      return noContent();
    },
  }),
];

export const LIST_ROWS: readonly Route[] = [
  ...rowsOf(COLLECTIONS),
  ...rowsOf(READ_LISTS),
  route({
    id: 'comics.collections.series',
    method: 'GET',
    path: '/api/v1/collections/{id}/series',
    access: ['CollectionsRead', 'SeriesRead'],
    kept: true,
    params: listParams,
    query: Type.Object({ ...pagingFields, ...sortField, ...filterFields }),
    reply: ok(SeriesPage),
    about: 'The series of a collection in its order, or those that match filters.',
    run: async (ctx, { params, query }) => {
      const id = idIn(params.id);
      const keys = await seriesIn(ctx, id, query);
      if (orderIn(query, SERIES_SORTS) !== undefined)
        return answerSeries(ctx, query, { allOf: [memberOf('collectionId', id), filterOf(query)] }, query.search);
      return seriesAnswer(ctx, requestedPage(query), {
        page: async (window) => {
          const items = await seriesByKeys(listReads(ctx), ctx.viewer, pageOfKeys(keys, window));
          return { ...window, items, total: keys.length };
        },
        keys: async () => keys,
      });
    },
  }),
  route({
    id: 'comics.readlists.books',
    method: 'GET',
    path: '/api/v1/readlists/{id}/books',
    access: ['ReadListsRead', 'BooksRead'],
    kept: true,
    params: listParams,
    query: Type.Object({ ...pagingFields, ...sortField, ...bookFilterFields }),
    reply: ok(BookPage),
    about: 'The books of a read list in its order, or those that match filters.',
    run: async (ctx, { params, query }) => {
      const id = idIn(params.id);
      const keys = await booksIn(ctx, id, query);
      if (orderIn(query, BOOK_SORTS) !== undefined) {
        const asked = { allOf: [memberOf('readListId', id), bookFilterOf(query)] };
        const where = await withQueue(partsFor(ctx), 'read_list', ctx.viewer, asked);
        return answerBooks(ctx, query, { where, fullTextSearch: query.search });
      }
      return booksAnswer(ctx, requestedPage(query), {
        page: async (window) => {
          const items = await booksByKeys(listReads(ctx), ctx.viewer, pageOfKeys(keys, window));
          return { ...window, items, total: keys.length };
        },
        keys: async () => keys,
      });
    },
  }),
  besideRow('next', 1),
  besideRow('previous', -1),
  ...TRACKS,
];
