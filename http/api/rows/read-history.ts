// The caller's read-throughs, and the exact position inside a book.

import Type from 'typebox';
import type { RowKind } from '../../../core/model/row-kind.js';
import { clearAllHistory, clearHistory, deleteCompletion, readHistory } from '../../../core/reading/history.js';
import { readPosition, storePosition } from '../../../core/reading/position.js';
import { addressesOf } from '../../readium/addresses.js';
import { progressionView } from '../../readium/progression.js';
import { progressionBody, timeOf } from '../../readium/progression-body.js';
import { readerOf } from '../../surface/device.js';
import { EMPTY, ok } from '../../surface/replies.js';
import { json, noContent } from '../../surface/reply.js';
import { partsFor } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import { byId, uuid } from '../../surface/schemas.js';
import { History, Progression } from '../schemas/reading.js';
import { historyView } from '../views/reading.js';

const historyRows = (kind: RowKind): readonly Route[] => {
  const table = kind === 'book' ? 'books' : 'series';
  return [
    route({
      id: `${table}.history.get`,
      method: 'GET',
      path: `/${table}/{id}/read-history`,
      access: 'ProgressRead',
      kept: true,
      params: byId,
      reply: ok(History),
      about: `Every time the caller read ${kind === 'book' ? 'a book' : 'a book of a series'} to its end, newest first.`,
      run: async (ctx, { params }) =>
        json(200, historyView(await readHistory(partsFor(ctx), ctx.viewer, kind, params.id))),
    }),
    route({
      id: `${table}.history.delete`,
      method: 'DELETE',
      path: `/${table}/{id}/read-history`,
      access: 'ProgressWrite',
      params: byId,
      reply: EMPTY,
      about: `Deletes the read history of a ${kind}; progress stays.`,
      run: async ({ app, viewer }, { params }) => {
        await clearHistory(app.db, viewer, kind, params.id);
        return noContent();
      },
    }),
  ];
};

const positionRows: readonly Route[] = [
  route({
    id: 'progression.get',
    method: 'GET',
    path: '/books/{id}/progression',
    access: ['BooksRead', 'ProgressRead'],
    params: byId,
    reply: { 200: Progression, 204: null },
    about:
      'Where the caller is in a book: the progression document that a reading app stored, unchanged, or one made of what was read elsewhere since; 204 when nothing was read.',
    run: async ({ app, viewer, base, prefix }, { params }) => {
      const found = await readPosition(app.db, viewer, params.id);
      if (found === undefined) return noContent();
      return json(200, progressionView(found, addressesOf(base() + prefix, params.id)));
    },
  }),
  route({
    id: 'progression.put',
    method: 'PUT',
    path: '/books/{id}/progression',
    access: ['BooksRead', 'ProgressWrite'],
    params: byId,
    body: progressionBody,
    example: {
      modified: '2026-01-31T12:00:00Z',
      locator: { href: 'chapter1.xhtml', locations: { position: 12, totalProgression: 0.25 } },
    },
    reply: EMPTY,
    about:
      'Stores a Readium progression document and sets the progress to its position; a document older than the stored progress changes nothing.',
    run: async (ctx, { params, body }) => {
      await storePosition(ctx.app, readerOf(ctx), params.id, {
        document: body,
        at: timeOf(body),
      });
      return noContent();
    },
  }),
];

export const READ_HISTORY_ROUTES: readonly Route[] = [
  ...historyRows('book'),
  ...historyRows('series'),
  route({
    id: 'books.history.remove',
    method: 'DELETE',
    path: '/books/{id}/read-history/{completion_id}',
    access: 'ProgressWrite',
    params: Type.Object({ id: uuid, completion_id: uuid }),
    reply: EMPTY,
    about: 'Deletes one read-through from the history.',
    run: async ({ app, viewer }, { params }) => {
      await deleteCompletion(app.db, viewer, params.id, params.completion_id);
      return noContent();
    },
  }),
  route({
    id: 'user.history.delete',
    method: 'DELETE',
    path: '/user/read-history',
    access: 'ProgressWrite',
    reply: EMPTY,
    about: 'Deletes the read history of the caller for all books.',
    run: async ({ app, viewer }) => {
      await clearAllHistory(app.db, viewer);
      return noContent();
    },
  }),
  ...positionRows,
];
