// Read lists: books in their intended reading order, across series.

import Type from 'typebox';
import { bookById } from '../../../core/catalog/books.js';
import { listsWith } from '../../../core/catalog/collections/lists.js';
import { booksOfReadList, MEMBER_SORTS } from '../../../core/catalog/collections/members.js';
import { placeInReadList } from '../../../core/catalog/collections/place.js';
import { coverOfReadList } from '../../../core/pages/covers.js';
import { FILE_FAULTS } from '../../surface/failures.js';
import { IMAGE, ok } from '../../surface/replies.js';
import { coverReply, json } from '../../surface/reply.js';
import { askCover, listReads, partsFor } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import { byId, uuid } from '../../surface/schemas.js';
import type { Wire } from '../../surface/wire.js';
import { booksArray } from '../full.js';
import { Book } from '../schemas/book.js';
import { ReadList, ReadListItems, ReadListPlace } from '../schemas/collections.js';
import { wholeWindow } from '../schemas/fields.js';
import { bookView } from '../views/book.js';
import { readListView } from '../views/collections.js';
import { listRows, memberOrder, memberQuery, UNPAGED } from './collection-rows.js';

const SORTS = Object.keys(MEMBER_SORTS.read_list) as (keyof typeof MEMBER_SORTS.read_list)[];

export const READ_LIST_ROUTES: readonly Route[] = [
  ...listRows({
    kind: 'read_list',
    path: '/readlists',
    members: 'books',
    read: 'ReadListsRead',
    write: 'ReadListsWrite',
    remove: 'ReadListsDelete',
    ordered: true,
    fields: {},
    list: ReadList,
    items: ReadListItems,
    view: readListView,
  }),
  route({
    id: 'readlists.books.list',
    method: 'GET',
    path: '/readlists/{id}/books',
    access: ['ReadListsRead', 'BooksRead'],
    kept: true,
    params: byId,
    query: memberQuery(SORTS),
    reply: ok(Type.Array(Book)),
    about: `The books of a read list as a plain array: ${UNPAGED} By default an ordered list is sorted by position, any other by release date.`,
    run: async (ctx, { params, query }) => {
      const order = memberOrder(query, SORTS);
      const found = await booksOfReadList(partsFor(ctx), ctx.viewer, params.id, order, wholeWindow(query));
      return booksArray(ctx, found);
    },
  }),
  route({
    id: 'readlists.place',
    method: 'GET',
    path: '/readlists/{id}/place',
    access: ['ReadListsRead', 'BooksRead'],
    params: byId,
    query: Type.Object({
      bookId: Type.Optional(uuid),
      skipRead: Type.Optional(Type.Boolean({ expected: 'true or false' })),
      skipDuplicates: Type.Optional(Type.Boolean({ expected: 'true or false' })),
    }),
    reply: ok(ReadListPlace),
    about:
      'Where a book is in a read list, with the books before and after it in the order of the list; 404 if it is not in the list. Without bookId, the book to continue with: the first one in progress, else the first unread one, else the first. With skipRead, books that the caller has read are passed over; with skipDuplicates, duplicates and other editions of this book, or of one that the caller has read.',
    run: async (ctx, { params, query }) => {
      const { book, prev, next, ...place } = await placeInReadList(partsFor(ctx), ctx.viewer, params.id, query);
      const asBook = bookView(ctx.caller.user.id);
      const shown: Wire<typeof ReadListPlace> = {
        ...place,
        book: book && asBook(book),
        prev: prev && asBook(prev),
        next: next && asBook(next),
      };
      return json(200, shown);
    },
  }),
  route({
    id: 'readlists.thumbnail',
    method: 'GET',
    path: '/readlists/{id}/thumbnail',
    access: 'ReadListsRead',
    params: byId,
    reply: IMAGE,
    fails: ['PreconditionFailed', ...FILE_FAULTS],
    about: 'The cover of the first book that has one.',
    run: async (ctx, { params }) => {
      const { app, viewer, request } = ctx;
      return coverReply(await coverOfReadList(partsFor(ctx), app.pages, viewer, params.id, askCover(request)), request);
    },
  }),
  route({
    id: 'books.readlists',
    method: 'GET',
    path: '/books/{id}/readlists',
    access: ['ReadListsRead', 'BooksRead'],
    kept: true,
    params: byId,
    reply: ok(ReadListItems),
    about: 'The read lists a book is in, sorted by name, as {"items": [...], "total": n}.',
    run: async (ctx, { params }) => {
      const { app, viewer } = ctx;
      const book = await bookById(app.db, viewer, params.id);
      const items = (await listsWith(listReads(ctx), 'read_list', viewer, book.key)).map(readListView);
      return json(200, { items, total: items.length } satisfies Wire<typeof ReadListItems>);
    },
  }),
];
