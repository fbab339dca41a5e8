// The caller's queue of books and series to read.

import Type from 'typebox';
import { AppError } from '../../../core/model/errors.js';
import type { RowKind } from '../../../core/model/row-kind.js';
import {
  addManyWanted,
  addWanted,
  orderWanted,
  removeWanted,
  type WantedOrder,
  wantedList,
} from '../../../core/reading/want-to-read.js';
import { EMPTY, made, ok } from '../../surface/replies.js';
import { json, noContent } from '../../surface/reply.js';
import { listReads } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import { byId, SOME_ID, uuid } from '../../surface/schemas.js';
import type { Wire } from '../../surface/wire.js';
import { WantedList, WantedMany, Wanted as WantedSchema } from '../schemas/reading.js';
import { wantedView } from '../views/reading.js';

const LIST_MAX = 1000;
const ORDER_MAX = 10_000;

const ids = (maxItems: number) => Type.Array(uuid, { maxItems, expected: `a list of at most ${maxItems} ids` });

/** Sorts of the queue, under each of their names. */
const SORTS: Readonly<Record<string, WantedOrder>> = {
  newest: 'newest',
  'added_at:desc': 'newest',
  desc: 'newest',
  oldest: 'oldest',
  'added_at:asc': 'oldest',
  asc: 'oldest',
  custom: 'custom',
  position: 'custom',
};

const removeRow = (kind: RowKind): Route => {
  const table = kind === 'book' ? 'books' : 'series';
  return route({
    id: `wanted.${table}.remove`,
    method: 'DELETE',
    path: `/want-to-read/${table}/{id}`,
    access: 'ProgressWrite',
    params: byId,
    reply: EMPTY,
    about: `Removes a ${kind} from the queue; also succeeds when it is not queued or does not exist.`,
    run: async ({ app, viewer }, { params }) => {
      await removeWanted(app.db, viewer, kind, params.id);
      return noContent();
    },
  });
};

export const WANT_TO_READ_ROUTES: readonly Route[] = [
  route({
    id: 'wanted.list',
    method: 'GET',
    path: '/want-to-read',
    access: 'ProgressRead',
    kept: true,
    query: Type.Object({ sort: Type.Optional(Type.Enum(Object.keys(SORTS))) }),
    reply: ok(WantedList),
    about:
      'The whole queue: newest first, oldest first, or in the order the caller set (custom); each sort has other names too.',
    run: async (ctx, { query }) => {
      const items = await wantedList(listReads(ctx), ctx.viewer, SORTS[query.sort ?? ''] ?? 'newest');
      return json(200, { items: items.map(wantedView), total: items.length } satisfies Wire<typeof WantedList>);
    },
  }),
  route({
    id: 'wanted.add',
    method: 'POST',
    path: '/want-to-read',
    access: 'ProgressWrite',
    body: Type.Object({ bookId: Type.Optional(uuid), seriesId: Type.Optional(uuid) }),
    example: { bookId: SOME_ID },
    reply: made(WantedSchema),
    fails: ['Conflict', 'NotFound'],
    about: 'Adds a book or a series to the end of the queue; returns the existing entry when it is already queued.',
    run: async ({ app, viewer }, { body: { bookId, seriesId } }) => {
      const id = bookId ?? seriesId;
      if (id === undefined || (bookId !== undefined && seriesId !== undefined))
        throw new AppError('BadRequest', 'The body must have exactly one of bookId and seriesId.');
      const kind = bookId === undefined ? 'series' : 'book';
      return json(201, wantedView(await addWanted(app, viewer, kind, id)));
    },
  }),
  route({
    id: 'wanted.bulk',
    method: 'POST',
    path: '/want-to-read/bulk',
    access: 'ProgressWrite',
    body: Type.Object({ bookIds: Type.Optional(ids(LIST_MAX)), seriesIds: Type.Optional(ids(LIST_MAX)) }),
    example: { bookIds: [SOME_ID] },
    reply: ok(WantedMany),
    fails: ['Conflict'],
    about: 'Adds books and series to the queue; unknown ids are skipped.',
    run: async ({ app, viewer }, { body }) => {
      const lists = { book: body.bookIds ?? [], series: body.seriesIds ?? [] };
      const { added, present } = await addManyWanted(app, viewer, lists);
      return json(200, { added, alreadyPresent: present } satisfies Wire<typeof WantedMany>);
    },
  }),
  route({
    id: 'wanted.order',
    method: 'PUT',
    path: '/want-to-read/order',
    access: 'ProgressWrite',
    body: Type.Object({ entryIds: ids(ORDER_MAX) }),
    example: { entryIds: [SOME_ID] },
    reply: EMPTY,
    about: 'Puts the listed entries in this order, within the positions they occupy; the others stay where they are.',
    run: async ({ app, viewer }, { body }) => {
      await orderWanted(app.db, viewer, body.entryIds);
      return noContent();
    },
  }),
  removeRow('book'),
  removeRow('series'),
];
