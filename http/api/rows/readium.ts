// What reading apps need of a book beyond its pages: its manifest, its positions, and the files inside an EPUB.
import Type from 'typebox';
import { readEpub, readPublication } from '../../../core/pages/publication.js';
import { encodedPath } from '../../readium/addresses.js';
import { PROFILES } from '../../readium/choice.js';
import { TYPES } from '../../readium/link.js';
import { positionListView } from '../../readium/positions.js';
import { documentReply, MANIFEST, manifestReply, PART, POSITION_LIST, partReply } from '../../readium/reply.js';
import { BOOK_FAULTS } from '../../surface/failures.js';
import { ask } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import { byId, uuid } from '../../surface/schemas.js';

const FAULTS = ['PreconditionFailed', ...BOOK_FAULTS] as const;

export const READIUM_ROUTES: readonly Route[] = [
  route({
    id: 'books.manifest',
    method: 'GET',
    path: '/books/{id}/manifest',
    access: 'PagesRead',
    params: byId,
    reply: MANIFEST,
    fails: FAULTS,
    about:
      'A Readium manifest of a book, by its type: Divina for comics, the PDF profile, the EPUB profile. `Accept` chooses where there are two.',
    run: async (ctx, { params }) =>
      manifestReply(
        await readPublication(ctx.app, { viewer: ctx.viewer, bookId: params.id, ...ask(ctx.request) }),
        null,
        { root: ctx.base() + ctx.prefix, bookId: params.id },
        ctx.request,
      ),
  }),
  route({
    id: 'books.manifest.profile',
    method: 'GET',
    path: '/books/{id}/manifest/{profile}',
    access: 'PagesRead',
    params: Type.Object({ id: uuid, profile: Type.Enum([...PROFILES]) }),
    reply: MANIFEST,
    fails: FAULTS,
    about: 'The manifest of a book in one profile; 400 where the book has none of that kind.',
    run: async (ctx, { params }) =>
      manifestReply(
        await readPublication(ctx.app, { viewer: ctx.viewer, bookId: params.id, ...ask(ctx.request) }),
        params.profile,
        { root: ctx.base() + ctx.prefix, bookId: params.id },
        ctx.request,
      ),
  }),
  route({
    id: 'books.positions',
    method: 'GET',
    path: '/books/{id}/positions',
    access: 'PagesRead',
    params: byId,
    reply: POSITION_LIST,
    fails: FAULTS,
    about: 'The positions of an EPUB: one per 1,024 bytes of each text, one per item where the layout is fixed.',
    run: async ({ app, viewer, request }, { params }) =>
      documentReply(
        TYPES.positions,
        positionListView(await readEpub(app.pages, { viewer, bookId: params.id, ...ask(request) }), encodedPath),
        request,
      ),
  }),
  route({
    id: 'books.resource',
    method: 'GET',
    path: '/books/{id}/resource/{path*}',
    access: 'PagesRead',
    params: Type.Object({ id: uuid, path: Type.String({ minLength: 1, maxLength: 4096 }) }),
    reply: PART,
    fails: FAULTS,
    about: 'A file inside an EPUB, by its path there.',
    run: ({ app, viewer, request }, { params }) =>
      partReply(app.pages.part({ viewer, bookId: params.id, path: params.path, ...ask(request) }), request),
  }),
];
