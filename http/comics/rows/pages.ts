// Pages of a book.
import Type from 'typebox';
import type { Content } from '../../../core/pages/content.js';
import type { PageWish } from '../../../core/pages/form.js';
import type { Reply } from '../../server/adapter.js';
import { BOOK_FAULTS } from '../../surface/failures.js';
import { IMAGE, ok } from '../../surface/replies.js';
import { datedReply, json } from '../../surface/reply.js';
import { acceptedImages, ask } from '../../surface/request-parts.js';
import { type Ctx, type Route, route } from '../../surface/route.js';
import { compactId } from '../../surface/schemas.js';
import { asUnreadable } from '../missing.js';
import { PageOfBook } from '../schemas/book.js';
import { byId } from '../schemas/requests.js';
import { pageViews } from '../views/book.js';

const pageParams = Type.Object({ id: compactId, number: Type.Integer({ expected: 'a page number' }) });

const fromZero = {
  zero_based: Type.Optional(
    Type.Boolean({ expected: 'true or false', description: 'Whether pages are counted from 0.' }),
  ),
};

/** Fits inside a square of so many pixels. */
const THUMBNAIL = { width: 300, height: 300, format: 'jpeg' } as const;

interface Named {
  readonly id: string;
  readonly number: number;
}

/** Clients take 404 for a book that is gone: a number that the book does not have is 400. */
const image = (
  ctx: Ctx<unknown>,
  { id, number }: Named,
  { zero_based = false }: { readonly zero_based?: boolean | undefined },
  wish: PageWish,
): Reply | Promise<Reply> => {
  const { app, viewer, request } = ctx;
  const pageNumber = zero_based ? number + 1 : number;
  const accepted = acceptedImages(request);
  const query = {
    viewer,
    bookId: id,
    pageNumber,
    wish: { ...wish, accepted },
    outside: 'BadRequest',
    ...ask(request),
  } as const;
  const send = (ready: Content): Reply => datedReply(ready, request, app.pages.modifiedMs(id));
  try {
    const content = app.pages.page(query);
    return content instanceof Promise ? content.then(send).catch(asUnreadable) : send(content);
  } catch (thrown) {
    return asUnreadable(thrown);
  }
};

export const PAGE_ROWS: readonly Route[] = [
  route({
    id: 'comics.pages.list',
    method: 'GET',
    path: '/api/v1/books/{id}/pages',
    access: 'PagesRead',
    params: byId,
    reply: ok(Type.Array(PageOfBook)),
    fails: BOOK_FAULTS,
    about: 'The pages of a book in reading order. A book that has not been analysed is analysed first.',
    run: async ({ app, viewer, request }, { params }) => {
      const table = await app.pages.readyTable({ viewer, bookId: params.id, ...ask(request) }).catch(asUnreadable);
      return json(200, table === null ? [] : pageViews(table));
    },
  }),
  route({
    id: 'comics.pages.image',
    method: 'GET',
    path: '/api/v1/books/{id}/pages/{number}',
    access: 'PagesRead',
    params: pageParams,
    query: Type.Object({ ...fromZero, convert: Type.Optional(Type.Enum(['jpeg', 'png'])) }),
    reply: IMAGE,
    fails: ['PreconditionFailed', ...BOOK_FAULTS],
    about: 'One page: the original image, or a converted one.',
    run: (ctx, { params, query }) => image(ctx, params, query, { format: query.convert }),
  }),
  route({
    id: 'comics.pages.thumbnail',
    method: 'GET',
    path: '/api/v1/books/{id}/pages/{number}/thumbnail',
    access: 'PagesRead',
    params: pageParams,
    query: Type.Object(fromZero),
    reply: IMAGE,
    fails: ['PreconditionFailed', ...BOOK_FAULTS],
    about: 'One page as a small JPEG.',
    run: (ctx, { params, query }) => image(ctx, params, query, THUMBNAIL),
  }),
];
