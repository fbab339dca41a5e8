// Where the caller is in a publication, as a Readium progression document for apps that found its address in a feed.
import { readPosition, storeNewerPosition } from '../../../core/reading/position.js';
import { addressesOf } from '../../readium/addresses.js';
import { TYPES } from '../../readium/link.js';
import { strictProgressionView } from '../../readium/progression.js';
import { timeOf, wholeProgressionBody } from '../../readium/progression-body.js';
import { documentReply } from '../../readium/reply.js';
import { readerOf } from '../../surface/device.js';
import { EMPTY, media } from '../../surface/replies.js';
import { noContent } from '../../surface/reply.js';
import { type Route, route } from '../../surface/route.js';
import { byId } from '../../surface/schemas.js';
import { NATIVE, placeOf } from '../place.js';

const PATH = '/books/{id}/progression';

export const PROGRESSION_ROWS: readonly Route[] = [
  route({
    id: 'opds2.progression.get',
    method: 'GET',
    path: PATH,
    access: ['BooksRead', 'ProgressRead'],
    params: byId,
    reply: { 200: media(TYPES.progression), 204: null, 304: null },
    fails: ['PreconditionFailed'],
    about: 'Where the caller is in a book, as a progression document; 204 if nothing was read.',
    run: async (ctx, { params: { id } }) => {
      const found = await readPosition(ctx.app.db, ctx.viewer, id);
      if (found === undefined) return noContent();
      const document = strictProgressionView(found, addressesOf(placeOf(ctx).server + NATIVE, id));
      return documentReply(TYPES.progression, document, ctx.request);
    },
  }),
  route({
    id: 'opds2.progression.put',
    method: 'PUT',
    path: PATH,
    access: ['BooksRead', 'ProgressWrite'],
    params: byId,
    body: wholeProgressionBody,
    example: {
      modified: '2026-01-31T12:00:00Z',
      device: { id: 'reader-1', name: 'Reader' },
      locator: { href: 'chapter1.xhtml', locations: { position: 12, totalProgression: 0.25 } },
    },
    reply: EMPTY,
    fails: ['Conflict', 'PayloadTooLarge'],
    about: 'Stores where the caller is in a book; 409 if the document is older than the stored one.',
    run: async (ctx, { params: { id }, body }) => {
      const reader = { ...readerOf(ctx), device: body.device };
      await storeNewerPosition(ctx.app, reader, id, { document: body, at: timeOf(body) });
      return noContent();
    },
  }),
];
