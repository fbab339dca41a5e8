// Lists for a start page: what is being read, what comes next, what is new. Each for all libraries and for one.
import Type from 'typebox';
import type { Caller } from '../../../core/access/caller.js';
import { adjacentBooks } from '../../../core/catalog/adjacent.js';
import type { Book } from '../../../core/catalog/books.js';
import { libraryFor } from '../../../core/catalog/libraries.js';
import { listBooks } from '../../../core/catalog/list-books.js';
import { listReads } from '../../../core/catalog/list-reads.js';
import { listSeries } from '../../../core/catalog/list-series.js';
import type { ListParts } from '../../../core/catalog/query/page.js';
import type { Series } from '../../../core/catalog/series.js';
import { boundedByCount } from '../../../core/model/bounded-map.js';
import type { PageOf, Window } from '../../../core/model/paging.js';
import type { Viewer } from '../../../core/model/viewer.js';
import { booksInProgress, seriesInProgress } from '../../../core/reading/in-progress.js';
import { booksOnDeck } from '../../../core/reading/on-deck.js';
import { recentlyRead } from '../../../core/reading/recent.js';
import type { Reply } from '../../server/adapter.js';
import { ok, type Replies } from '../../surface/replies.js';
import { json } from '../../surface/reply.js';
import { partsFor } from '../../surface/request-parts.js';
import { type Ctx, type Route, route } from '../../surface/route.js';
import { byId, uuid } from '../../surface/schemas.js';
import type { Wire } from '../../surface/wire.js';
import { booksPage, booksReply, fullField, seriesReply } from '../full.js';
import { AdjacentBooks, BookPage, Book as BookSchema } from '../schemas/book.js';
import { FullBook, FullBookPage } from '../schemas/book-metadata.js';
import { firstOf, limitFields, pagingFields, windowOf } from '../schemas/fields.js';
import { FullSeries, Series as SeriesSchema } from '../schemas/series.js';
import { bookView } from '../views/book.js';
import { pageReply } from '../views/paging.js';

type Find<T> = (parts: ListParts, viewer: Viewer, libraryId: string | undefined, window: Window) => Promise<T>;

/**
 * A list: `paged` ones answer with the envelope, the others with a plain array of the first N items. `ofReader`: of what the caller has read,
 * so it is empty for somebody who has read nothing.
 */
type List = { readonly path: string; readonly about: string; readonly ofReader?: true } & (
  | { readonly of: 'books'; readonly paged: Find<PageOf<Book>> }
  | { readonly of: 'books'; readonly plain: Find<readonly Book[]> }
  | { readonly of: 'series'; readonly plain: Find<readonly Series[]> }
);

const newest =
  (sort: 'date_added' | 'date_updated'): Find<readonly Series[]> =>
  async (parts, viewer, libraryId, window) =>
    (await listSeries(parts, viewer, { libraryId, order: { sort, descending: true }, window })).items;

const LISTS: readonly List[] = [
  {
    of: 'books',
    ofReader: true,
    path: 'in-progress',
    about: 'Books the caller has begun and not finished, most recently read first.',
    paged: (parts, viewer, ...asked) => booksInProgress(listReads(parts, viewer), viewer, ...asked, parts.rows ?? null),
  },
  {
    of: 'books',
    ofReader: true,
    path: 'on-deck',
    about:
      'The next book of each series with a finished book and none in progress: the first unread one that can be read. The most recently read series come first.',
    paged: (parts, viewer, ...asked) => booksOnDeck(listReads(parts, viewer), viewer, ...asked, parts.rows ?? null),
  },
  {
    of: 'books',
    path: 'recently-added',
    about: 'Books, most recently added first.',
    paged: (parts, viewer, libraryId, window) =>
      listBooks(parts, viewer, { libraryId, order: { sort: 'created_at', descending: true }, window }),
  },
  {
    of: 'books',
    ofReader: true,
    path: 'recently-read',
    about: 'Books the caller has read in, most recently read first, as a plain array.',
    plain: (parts, viewer, libraryId, { pageSize }) =>
      recentlyRead(listReads(parts, viewer), viewer, libraryId, pageSize),
  },
  {
    of: 'series',
    ofReader: true,
    path: 'in-progress',
    about: 'Series with a book the caller has begun and not finished, by name, as a plain array.',
    plain: (parts, viewer, libraryId, { pageSize }) =>
      seriesInProgress(listReads(parts, viewer), viewer, libraryId, pageSize),
  },
  {
    of: 'series',
    path: 'recently-added',
    about: 'Series, most recently added first, as a plain array.',
    plain: newest('date_added'),
  },
  {
    of: 'series',
    path: 'recently-updated',
    about: 'Series, most recently changed first, as a plain array.',
    plain: newest('date_updated'),
  },
];

/** Whoever reads nothing for long asks for empty lists: from the second on, they take no query. */
const noteEmpty = async (list: List, { app, viewer }: Ctx<Caller>, found: readonly unknown[]): Promise<void> => {
  if (list.ofReader === true && found.length === 0) await app.unreadUsers.look(viewer.userKey);
};

const read = async (list: List, ctx: Ctx<Caller>, libraryId: string | undefined, asked: Asked): Promise<Reply> => {
  const { viewer } = ctx;
  const parts = partsFor(ctx);
  const window = windowFor(list, asked);
  if ('paged' in list) {
    const found = await list.paged(parts, viewer, libraryId, window);
    await noteEmpty(list, ctx, found.items);
    return booksPage(ctx, asked, found);
  }
  if (list.of === 'books') {
    const found = await list.plain(parts, viewer, libraryId, window);
    await noteEmpty(list, ctx, found);
    return booksReply(ctx, asked, found);
  }
  const found = await list.plain(parts, viewer, libraryId, window);
  await noteEmpty(list, ctx, found);
  return seriesReply(ctx, asked, found);
};

/** Empty answers by address. Making one takes as long as all the rest of its request. */
const emptyReplies = boundedByCount<string, Reply>(64);
const QUERY_MAX = 64;

const emptyReply = (list: List, ctx: Pick<Ctx<Caller>, 'request' | 'settings'>, asked: Asked): Reply => {
  if (!('paged' in list)) return json(200, []);
  const { path, query } = ctx.request;
  const key = `${ctx.settings.subPath}${path}?${query}`;
  const known = emptyReplies.get(key);
  if (known !== undefined) return known;
  const reply = pageReply(ctx, { ...windowFor(list, asked), items: [], total: 0 }, (row) => row);
  if (query.length <= QUERY_MAX) emptyReplies.set(key, reply);
  return reply;
};

/** Without a promise where the list is known to be empty. */
const answer = (list: List, ctx: Ctx<Caller>, libraryId: string | undefined, asked: Asked): Reply | Promise<Reply> =>
  list.ofReader === true && ctx.app.unreadUsers.has(ctx.viewer.userKey)
    ? emptyReply(list, ctx, asked)
    : read(list, ctx, libraryId, asked);

const replyOf = (list: List): Replies => {
  if ('paged' in list) return ok(Type.Union([BookPage, FullBookPage]));
  const [row, full] = list.of === 'books' ? [BookSchema, FullBook] : [SeriesSchema, FullSeries];
  return ok(Type.Union([Type.Array(row), Type.Array(full)]));
};

const fieldsOf = (list: List) => ({ ...('paged' in list ? pagingFields : limitFields), ...fullField });

/** The fields above, whichever kind the list is. */
type Asked = {
  readonly page?: number;
  readonly pageSize?: number;
  readonly page_size?: number;
  readonly limit?: number;
  readonly full?: boolean;
};

const windowFor = (list: List, asked: Asked): Window => ('paged' in list ? windowOf(asked) : firstOf(asked));

const rowsOf = (list: List): readonly Route[] => [
  route({
    id: `${list.of}.${list.path}`,
    method: 'GET',
    path: `/${list.of}/${list.path}`,
    access: list.of === 'books' ? 'BooksRead' : 'SeriesRead',
    kept: true,
    query: Type.Object({
      ...fieldsOf(list),
      library_id: Type.Optional(uuid),
      libraryId: Type.Optional(uuid),
    }),
    reply: replyOf(list),
    about: list.about,
    run: (ctx, { query }) => answer(list, ctx, query.library_id ?? query.libraryId, query as Asked),
  }),
  route({
    id: `libraries.${list.of}.${list.path}`,
    method: 'GET',
    path: `/libraries/{id}/${list.of}/${list.path}`,
    access: list.of === 'books' ? 'BooksRead' : 'SeriesRead',
    kept: true,
    params: byId,
    query: Type.Object(fieldsOf(list)),
    reply: replyOf(list),
    about: `For one library: ${list.about}`,
    run: async (ctx, { params, query }) => {
      const library = await libraryFor(ctx.app.db, ctx.viewer, params.id);
      return answer(list, ctx, library.id, query as Asked);
    },
  }),
];

export const READING_LIST_ROUTES: readonly Route[] = [
  ...LISTS.flatMap(rowsOf),
  route({
    id: 'books.adjacent',
    method: 'GET',
    path: '/books/{id}/adjacent',
    access: 'BooksRead',
    params: byId,
    query: Type.Object({
      skipRead: Type.Optional(Type.Boolean({ expected: 'true or false' })),
      skipDuplicates: Type.Optional(Type.Boolean({ expected: 'true or false' })),
    }),
    reply: ok(AdjacentBooks),
    about:
      'The previous and next book in the series, as prev and next; left out where there is none. With skipRead, books that the caller has read are passed over; with skipDuplicates, duplicates and other editions of this book, or of one that the caller has read.',
    run: async ({ app, caller, viewer }, { params, query }) => {
      const { prev, next } = await adjacentBooks(app.db, viewer, params.id, query);
      const asBook = bookView(caller.user.id);
      const shown: Wire<typeof AdjacentBooks> = { prev: prev && asBook(prev), next: next && asBook(next) };
      return json(200, shown);
    },
  }),
];
