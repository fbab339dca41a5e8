// Books, their pages, files and covers.
import Type from 'typebox';
import { SHEET } from '../../../core/model/page-sheet.js';
import { analyseBook } from '../../../core/scan/asked-analyses.js';
import { BOOK_FAULTS, FILE_FAULTS } from '../../surface/failures.js';
import { fileReply } from '../../surface/file-reply.js';
import { BOOK_FILE, IMAGE, ok } from '../../surface/replies.js';
import { json, sendContent, sendCover } from '../../surface/reply.js';
import { acceptedImages, ask, askCover } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import { byId, uuid } from '../../surface/schemas.js';
import { PageOfBook } from '../schemas/book.js';
import { Task } from '../schemas/tasks.js';
import { pagesView } from '../views/book.js';
import { taskView } from '../views/tasks.js';

const side = Type.Optional(
  Type.Integer({ minimum: 1, maximum: 6000, expected: 'a whole number of pixels from 1 to 6000' }),
);

const crop = Type.Optional(Type.Enum(['0', '1']));

const imageQuery = Type.Object({
  width: side,
  height: side,
  format: Type.Optional(Type.Enum(['jpeg', 'png', 'webp'])),
  crop,
});

const imageParams = Type.Object({ book_id: uuid, page_number: Type.Integer({ expected: 'a page number' }) });

export const BOOK_ROUTES: readonly Route[] = [
  route({
    id: 'books.thumbnail',
    method: 'GET',
    path: '/books/{id}/thumbnail',
    access: 'BooksRead',
    params: byId,
    reply: IMAGE,
    fails: ['PreconditionFailed', ...FILE_FAULTS],
    about: 'The cover of a book as a JPEG; a title card is an SVG if `Accept` names that.',
    run: (ctx, { params }) =>
      sendCover(ctx.app.pages.cover({ viewer: ctx.viewer, bookId: params.id, ...askCover(ctx.request) }), ctx.request),
  }),
  route({
    id: 'books.analyze',
    method: 'POST',
    path: '/books/{id}/analyze',
    access: 'BooksWrite',
    params: byId,
    reply: ok(Task),
    about: 'Analyses a book again.',
    run: async ({ app, viewer }, { params }) => json(200, taskView(await analyseBook(app, viewer, params.id))),
  }),
  route({
    id: 'books.file',
    method: 'GET',
    path: '/books/{id}/file',
    access: 'BooksRead',
    params: byId,
    reply: { 200: BOOK_FILE, 206: BOOK_FILE, 304: null },
    fails: ['PreconditionFailed', 'RangeNotSatisfiable', ...FILE_FAULTS],
    about: 'The file of a book, whole or as a byte range.',
    run: async ({ app, viewer, request }, { params }) =>
      fileReply(await app.pages.file({ viewer, bookId: params.id, ...ask(request) }), request),
  }),
  route({
    id: 'pages.list',
    method: 'GET',
    path: '/books/{id}/pages',
    access: 'PagesRead',
    params: byId,
    query: Type.Object({ crop }),
    reply: ok(Type.Array(PageOfBook)),
    fails: BOOK_FAULTS,
    about:
      'The pages of a book in reading order; empty until it has been analysed. With crop=1 the answer waits until the borders of all pages are known, and each page has its contentBox, in pixels of the page; a page without borders has the whole.',
    run: async ({ app, viewer, request }, { params, query }) => {
      const asked = { viewer, bookId: params.id };
      const found =
        query.crop === '1'
          ? await app.pages.bordered({ ...asked, ...ask(request) })
          : { table: await app.pages.table(asked) };
      return json(200, pagesView(params.id, found));
    },
  }),
  route({
    id: 'pages.overview',
    method: 'GET',
    path: '/books/{id}/pages/overview',
    access: 'PagesRead',
    params: byId,
    query: Type.Object({ sheet: Type.Optional(Type.Integer({ minimum: 1, expected: 'a number from 1 on' })) }),
    reply: IMAGE,
    fails: ['PreconditionFailed', ...BOOK_FAULTS],
    about: `Up to ${SHEET.pages} pages on one sheet, as WebP: ${SHEET.columns} in a row, each in the middle of a cell of ${SHEET.cell.width} × ${SHEET.cell.height} pixels. Of a strip, the top is shown; the cell of a page that cannot be shown is empty.`,
    run: (ctx, { params, query }) =>
      sendContent(
        ctx.app.pages.sheet({ viewer: ctx.viewer, bookId: params.id, sheet: query.sheet ?? 1, ...ask(ctx.request) }),
        ctx.request,
      ),
  }),
  route({
    id: 'pages.image',
    method: 'GET',
    path: '/books/{book_id}/pages/{page_number}',
    access: 'PagesRead',
    params: imageParams,
    query: imageQuery,
    reply: IMAGE,
    fails: ['PreconditionFailed', ...BOOK_FAULTS],
    about:
      'One page: the original bytes, or resized and converted on request. With crop=1 without the even borders around it, if there are any.',
    run: (ctx, { params, query: { crop: cropped, width, height, format } }) =>
      sendContent(
        ctx.app.pages.page({
          viewer: ctx.viewer,
          bookId: params.book_id,
          pageNumber: params.page_number,
          wish: { width, height, format, accepted: acceptedImages(ctx.request) },
          isCropped: cropped === '1',
          ...ask(ctx.request),
        }),
        ctx.request,
      ),
  }),
];
