// Bulk marking: books or series, marked as read or unread by the caller.
import Type from 'typebox';
import { markManyRead, markManyUnread } from '../../../core/reading/mark.js';
import { readerOf } from '../../surface/device.js';
import { ok } from '../../surface/replies.js';
import { type Route, route } from '../../surface/route.js';
import { SOME_ID, uuid } from '../../surface/schemas.js';
import { Marked } from '../schemas/reading.js';
import { markedReply } from './progress.js';

const IDS_MAX = 1000;

const ids = Type.Array(uuid, { maxItems: IDS_MAX, expected: `a list of at most ${IDS_MAX} ids` });

/** The same as for a single book. */
const WRITE = ['BooksRead', 'ProgressWrite'] as const;

export const BULK_READING_ROUTES: readonly Route[] = [
  route({
    id: 'books.bulk-read',
    method: 'POST',
    path: '/books/bulk/read',
    access: WRITE,
    body: Type.Object({ bookIds: ids }),
    example: { bookIds: [SOME_ID] },
    reply: ok(Marked),
    about: 'Marks books as read, skipping unknown ids and books not yet analysed. Returns how many changed.',
    run: async (ctx, { body }) => markedReply(await markManyRead(ctx.app, readerOf(ctx), 'book', body.bookIds), 'read'),
  }),
  route({
    id: 'books.bulk-unread',
    method: 'POST',
    path: '/books/bulk/unread',
    access: WRITE,
    body: Type.Object({ bookIds: ids }),
    example: { bookIds: [SOME_ID] },
    reply: ok(Marked),
    about: 'Marks books as unread, skipping unknown ids. Returns how many had progress.',
    run: async ({ app, viewer }, { body }) =>
      markedReply(await markManyUnread(app, viewer, 'book', body.bookIds), 'unread'),
  }),
  route({
    id: 'series.bulk-read',
    method: 'POST',
    path: '/series/bulk/read',
    access: WRITE,
    body: Type.Object({ seriesIds: ids }),
    example: { seriesIds: [SOME_ID] },
    reply: ok(Marked),
    about: 'Marks the books of series as read, skipping unknown ids and books not yet analysed.',
    run: async (ctx, { body }) =>
      markedReply(await markManyRead(ctx.app, readerOf(ctx), 'series', body.seriesIds), 'read'),
  }),
  route({
    id: 'series.bulk-unread',
    method: 'POST',
    path: '/series/bulk/unread',
    access: WRITE,
    body: Type.Object({ seriesIds: ids }),
    example: { seriesIds: [SOME_ID] },
    reply: ok(Marked),
    about: 'Marks the books of series as unread, skipping unknown ids. Returns how many had progress.',
    run: async ({ app, viewer }, { body }) =>
      markedReply(await markManyUnread(app, viewer, 'series', body.seriesIds), 'unread'),
  }),
];
