// The rows of progression documents, for surfaces whose apps read only whole seconds.
import type { TObject, TString } from 'typebox';
import { readPosition, storeNewerPosition } from '../../core/reading/position.js';
import { readerOf } from '../surface/device.js';
import { EMPTY, media } from '../surface/replies.js';
import { noContent } from '../surface/reply.js';
import { type Ctx, type Route, route } from '../surface/route.js';
import type { Addresses } from './addresses.js';
import { TYPES } from './link.js';
import { strictProgressionView } from './progression.js';
import { timeOf, wholeProgressionBody } from './progression-body.js';
import { documentReply } from './reply.js';

interface Place {
  /** What the ids of the rows begin with. */
  readonly id: string;
  readonly path: string;
  readonly params: TObject<{ id: TString }>;
  readonly addresses: (ctx: Ctx<unknown>, bookId: string) => Addresses;
}

export const progressionRows = ({ id: rowId, path, params, addresses }: Place): readonly Route[] => [
  route({
    id: `${rowId}.get`,
    method: 'GET',
    path,
    access: ['BooksRead', 'ProgressRead'],
    params,
    reply: { 200: media(TYPES.progression), 204: null, 304: null },
    fails: ['PreconditionFailed'],
    about: 'Where the caller is in a book, as a progression document; 204 if the book has not been begun.',
    run: async (ctx, { params: { id } }) => {
      const found = await readPosition(ctx.app.db, ctx.viewer, id);
      if (found === undefined) return noContent();
      return documentReply(TYPES.progression, strictProgressionView(found, addresses(ctx, id)), ctx.request);
    },
  }),
  route({
    id: `${rowId}.put`,
    method: 'PUT',
    path,
    access: ['BooksRead', 'ProgressWrite'],
    params,
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
