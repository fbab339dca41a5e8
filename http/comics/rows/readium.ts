// What apps that show text need of a book: its manifests, positions and parts, and where the caller is in it.
import Type from 'typebox';
import { readEpub, readPublication } from '../../../core/pages/publication.js';
import { addressesOf } from '../../readium/addresses.js';
import { PROFILES } from '../../readium/choice.js';
import { TYPES } from '../../readium/link.js';
import { positionListView } from '../../readium/positions.js';
import { progressionRows } from '../../readium/progression-rows.js';
import {
  documentReply,
  MANIFEST,
  manifestReply,
  PART,
  POSITION_LIST,
  partReply,
  type Where,
} from '../../readium/reply.js';
import { BOOK_FAULTS } from '../../surface/failures.js';
import { ask } from '../../surface/request-parts.js';
import { type Ctx, type Route, route } from '../../surface/route.js';
import { compactId } from '../../surface/schemas.js';
import { asMissing } from '../missing.js';
import { byId } from '../schemas/requests.js';
import { idText } from '../views/text.js';

const FAULTS = ['PreconditionFailed', ...BOOK_FAULTS] as const;

type Ask = Ctx<unknown>;

const wanted = ({ viewer, request }: Ask, bookId: string) => ({ viewer, bookId, ...ask(request) });

/** Apps cut what is in the list of positions out of the addresses of a manifest: both have the same form of the id. */
const whereOf = ({ base, prefix }: Ask, bookId: string): Where => ({
  root: `${base()}${prefix}/api/v1`,
  bookId: idText(bookId),
  isEpubFirst: true,
  hasRawPages: true,
});

const DOCUMENTS: readonly Route[] = [
  route({
    id: 'comics.books.manifest',
    method: 'GET',
    path: '/api/v1/books/{id}/manifest',
    access: 'PagesRead',
    params: byId,
    reply: MANIFEST,
    fails: FAULTS,
    about: 'The Readium manifest of a book: the PDF or the EPUB profile for such books, Divina for others.',
    run: async (ctx, { params: { id } }) =>
      manifestReply(await readPublication(ctx.app, wanted(ctx, id)), null, whereOf(ctx, id), ctx.request),
  }),
  route({
    id: 'comics.books.manifest.profile',
    method: 'GET',
    path: '/api/v1/books/{id}/manifest/{profile}',
    access: 'PagesRead',
    params: Type.Object({ id: compactId, profile: Type.Enum([...PROFILES]) }),
    reply: MANIFEST,
    fails: FAULTS,
    about: 'The manifest of a book in one profile; 400 if the book has none in that profile.',
    run: async (ctx, { params: { id, profile } }) =>
      manifestReply(await readPublication(ctx.app, wanted(ctx, id)), profile, whereOf(ctx, id), ctx.request),
  }),
  route({
    id: 'comics.books.positions',
    method: 'GET',
    path: '/api/v1/books/{id}/positions',
    access: 'PagesRead',
    params: byId,
    reply: POSITION_LIST,
    fails: FAULTS,
    about: 'The positions of an EPUB; 404 for other books.',
    run: async (ctx, { params: { id } }) =>
      documentReply(
        TYPES.positions,
        positionListView(await readEpub(ctx.app.pages, wanted(ctx, id)).catch(asMissing), (path) => path),
        ctx.request,
      ),
  }),
  route({
    id: 'comics.books.resource',
    method: 'GET',
    path: '/api/v1/books/{id}/resource/{path*}',
    access: 'PagesRead',
    params: Type.Object({ id: compactId, path: Type.String({ minLength: 1, maxLength: 4096 }) }),
    reply: PART,
    fails: FAULTS,
    about: 'A file inside an EPUB, by its path in the archive.',
    run: (ctx, { params: { id, path } }) => {
      const content = ctx.app.pages.part({ ...wanted(ctx, id), path });
      return partReply(content instanceof Promise ? content.catch(asMissing) : content, ctx.request);
    },
  }),
];

export const READIUM_ROWS: readonly Route[] = [
  ...DOCUMENTS,
  ...progressionRows({
    id: 'comics.books.progression',
    path: '/api/v1/books/{id}/progression',
    params: byId,
    addresses: (ctx, id) => {
      const { root, bookId } = whereOf(ctx, id);
      return addressesOf(root, bookId);
    },
  }),
];
