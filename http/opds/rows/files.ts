// Files and covers that feeds link to.
import Type from 'typebox';
import { coverOfSeries } from '../../../core/pages/covers.js';
import { FILE_FAULTS } from '../../surface/failures.js';
import { fileReply } from '../../surface/file-reply.js';
import { IMAGE, media } from '../../surface/replies.js';
import { contentReply, sendContent } from '../../surface/reply.js';
import { ask } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import { byId, uuid } from '../../surface/schemas.js';
import { offeredName } from '../books.js';
import { FILE_TYPES } from '../media-types.js';

const FILE = media('application/octet-stream', ...Object.values(FILE_TYPES));

const coverRow = (name: string, path: string): Route =>
  route({
    id: `${name}.cover`,
    method: 'GET',
    path,
    access: 'BooksRead',
    params: byId,
    reply: IMAGE,
    fails: ['PreconditionFailed', ...FILE_FAULTS],
    about: 'The cover of a book as a JPEG.',
    run: ({ app, viewer, request }, { params }) =>
      sendContent(app.pages.cover({ viewer, bookId: params.id, ...ask(request) }), request),
  });

const fileRow = (name: string, path: string, params: typeof byId | typeof named): Route =>
  route({
    id: `${name}.file`,
    method: 'GET',
    path,
    access: 'BooksRead',
    params,
    reply: { 200: FILE, 206: FILE, 304: null },
    fails: ['PreconditionFailed', 'RangeNotSatisfiable', ...FILE_FAULTS],
    about: 'The file of a book, whole or as a byte range.',
    run: async ({ app, viewer, request }, { params: { id } }) => {
      const found = await app.pages.file({ viewer, bookId: id, ...ask(request) });
      return fileReply(found, request, { name: offeredName(found.book), types: FILE_TYPES });
    },
  });

/** The name is for apps that take it, or the type of the file, from the address. */
const named = Type.Object({ id: uuid, name: Type.String({ maxLength: 1000, expected: 'the name of a file' }) });

export const fileRows = (name: string): readonly Route[] => [
  coverRow(name, '/books/{id}/thumbnail'),
  coverRow(name, '/books/{id}/thumbnail/small'),
  route({
    id: `${name}.series.cover`,
    method: 'GET',
    path: '/series/{id}/thumbnail',
    access: 'SeriesRead',
    params: byId,
    reply: IMAGE,
    fails: ['PreconditionFailed', ...FILE_FAULTS],
    about: 'The cover of a series as a JPEG.',
    run: async ({ app, viewer, request }, { params }) =>
      contentReply(await coverOfSeries(app.db, app.pages, viewer, params.id, ask(request)), request),
  }),
  fileRow(name, '/books/{id}/file', byId),
  fileRow(name, '/books/{id}/file/{name}', named),
];
