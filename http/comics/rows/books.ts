// One book: itself, its cover.
import { bookById } from '../../../core/catalog/books.js';
import type { Content } from '../../../core/pages/content.js';
import type { Reply } from '../../server/adapter.js';
import { FILE_FAULTS } from '../../surface/failures.js';
import { IMAGE, ok } from '../../surface/replies.js';
import { contentReply } from '../../surface/reply.js';
import { ask } from '../../surface/request-parts.js';
import { type Ctx, type Route, route } from '../../surface/route.js';
import { bookAnswer } from '../lists.js';
import { Book } from '../schemas/book.js';
import { byId } from '../schemas/requests.js';

/** Stays synchronous when the content is available at once. */
export const sendContent = (
  content: Content | Promise<Content>,
  { request }: Pick<Ctx<unknown>, 'request'>,
): Reply | Promise<Reply> =>
  content instanceof Promise ? content.then((ready) => contentReply(ready, request)) : contentReply(content, request);

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
    about: 'The cover of a book.',
    run: (ctx, { params }) =>
      sendContent(ctx.app.pages.cover({ viewer: ctx.viewer, bookId: params.id, ...ask(ctx.request) }), ctx),
  }),
];
