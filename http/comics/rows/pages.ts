// Pages of a book.
import Type from 'typebox';
import { FORMATS } from '../../../core/model/formats.js';
import type { Content } from '../../../core/pages/content.js';
import type { PageWish } from '../../../core/pages/form.js';
import type { Reply } from '../../server/adapter.js';
import { BOOK_FAULTS } from '../../surface/failures.js';
import { IMAGE, media, ok } from '../../surface/replies.js';
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
const wanted = ({ viewer, request }: Ctx<unknown>, { id, number }: Named, isFromZero = false) =>
  ({
    viewer,
    bookId: id,
    pageNumber: isFromZero ? number + 1 : number,
    outside: 'BadRequest',
    ...ask(request),
  }) as const;

/** Stays synchronous when the page is available at once. */
const send = (
  { app, request }: Ctx<unknown>,
  { id }: Named,
  get: () => Content | Promise<Content>,
): Reply | Promise<Reply> => {
  const reply = (ready: Content): Reply => datedReply(ready, request, app.pages.modifiedMs(id));
  try {
    const content = get();
    return content instanceof Promise ? content.then(reply).catch(asUnreadable) : reply(content);
  } catch (thrown) {
    return asUnreadable(thrown);
  }
};

const image = (
  ctx: Ctx<unknown>,
  page: Named,
  { zero_based }: { readonly zero_based?: boolean | undefined },
  wish: PageWish,
): Reply | Promise<Reply> => {
  const accepted = acceptedImages(ctx.request);
  const request = { ...wanted(ctx, page, zero_based), wish: { ...wish, accepted } };
  return send(ctx, page, () => ctx.app.pages.page(request));
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
  route({
    id: 'comics.pages.raw',
    method: 'GET',
    path: '/api/v1/books/{id}/pages/{number}/raw',
    access: 'PagesRead',
    params: pageParams,
    query: Type.Object(fromZero),
    reply: { 200: media(FORMATS.pdf.mediaType), 304: null },
    fails: ['PreconditionFailed', ...BOOK_FAULTS],
    about: 'One page of a PDF, as a PDF of one page; 400 for books of other formats.',
    run: (ctx, { params, query }) =>
      send(ctx, params, () => ctx.app.pages.single(wanted(ctx, params, query.zero_based))),
  }),
];
