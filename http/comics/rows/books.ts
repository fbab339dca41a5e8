// One book: itself, its neighbours, its cover and its file.
import Type, { type TObject } from 'typebox';
import { adjacentBooks } from '../../../core/catalog/adjacent.js';
import { bookById } from '../../../core/catalog/books.js';
import { AppError } from '../../../core/model/errors.js';
import { FILE_FAULTS } from '../../surface/failures.js';
import { fileReply } from '../../surface/file-reply.js';
import { BOOK_FILE, IMAGE, ok } from '../../surface/replies.js';
import { sendContent } from '../../surface/reply.js';
import { ask } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import { bookAnswer } from '../lists.js';
import { Book } from '../schemas/book.js';
import { byId } from '../schemas/requests.js';

const beside = (name: 'next' | 'previous', about: string): Route =>
  route({
    id: `comics.books.${name}`,
    method: 'GET',
    path: `/api/v1/books/{id}/${name}`,
    access: 'BooksRead',
    kept: true,
    params: byId,
    reply: ok(Book),
    about,
    run: async (ctx, { params }) => {
      const found = await adjacentBooks(ctx.app.db, ctx.viewer, params.id, { byNumber: true });
      const book = name === 'next' ? found.next : found.prev;
      if (book === undefined) throw new AppError('NotFound', `There is no ${name} book in this series.`);
      return bookAnswer(ctx, book);
    },
  });

/** Apps may add the name under which they save it. */
const file = (name: string, path: string, params: TObject<typeof byId.properties>): Route =>
  route({
    id: `comics.books.${name}`,
    method: 'GET',
    path,
    access: 'BooksRead',
    params,
    reply: { 200: BOOK_FILE, 206: BOOK_FILE, 304: null },
    fails: ['PreconditionFailed', 'RangeNotSatisfiable', ...FILE_FAULTS],
    about: 'The file of a book, whole or as a byte range.',
    run: async ({ app, viewer, request }, { params: { id } }) =>
      fileReply(await app.pages.file({ viewer, bookId: id, ...ask(request) }), request),
  });

const byName = Type.Object({ ...byId.properties, name: Type.String({ maxLength: 1000 }) });

export const BOOK_ROWS: readonly Route[] = [
  route({
    id: 'comics.books.get',
    method: 'GET',
    path: '/api/v1/books/{id}',
    access: 'BooksRead',
    kept: true,
    params: byId,
    reply: ok(Book),
    about: 'One book.',
    run: async (ctx, { params }) => bookAnswer(ctx, await bookById(ctx.app.db, ctx.viewer, params.id)),
  }),
  route({
    id: 'comics.books.thumbnail',
    method: 'GET',
    path: '/api/v1/books/{id}/thumbnail',
    access: 'BooksRead',
    params: byId,
    reply: IMAGE,
    fails: ['PreconditionFailed', ...FILE_FAULTS],
    about: 'The cover of a book; a title card if it has no picture.',
    run: (ctx, { params }) =>
      sendContent(ctx.app.pages.cover({ viewer: ctx.viewer, bookId: params.id, ...ask(ctx.request) }), ctx.request),
  }),
  beside('next', 'The next book of the series; 404 after the last one.'),
  beside('previous', 'The previous book of the series; 404 before the first one.'),
  file('file', '/api/v1/books/{id}/file', byId),
  file('file.named', '/api/v1/books/{id}/file/{name}', byName),
];
