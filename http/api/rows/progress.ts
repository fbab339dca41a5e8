// Reading progress of the caller: in one book, over all books, and whole series marked as read or unread.
import Type, { type Static } from 'typebox';
import type { Window } from '../../../core/model/paging.js';
import type { ProgressChange } from '../../../core/reading/completion.js';
import { type Marked, markSeriesRead, markSeriesUnread } from '../../../core/reading/mark.js';
import {
  clearProgress,
  markBookRead,
  type Progress,
  readProgress,
  updateProgress,
} from '../../../core/reading/progress.js';
import { progressRecords } from '../../../core/reading/records.js';
import type { Reply } from '../../server/adapter.js';
import { readerOf } from '../../surface/device.js';
import { EMPTY, ok, type Replies } from '../../surface/replies.js';
import { json, noContent } from '../../surface/reply.js';
import { listReads } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import { byId } from '../../surface/schemas.js';
import type { Wire } from '../../surface/wire.js';
import { Progress as ProgressSchema } from '../schemas/book.js';
import { pagingQuery, timeField, timeIn, windowOf } from '../schemas/fields.js';
import { Marked as MarkedSchema, ProgressRecords } from '../schemas/reading.js';
import { progressView } from '../views/book.js';

/** Progress in a book reveals the book, so BooksRead is required too. */
const READ = ['BooksRead', 'ProgressRead'] as const;
const WRITE = ['BooksRead', 'ProgressWrite'] as const;

const pageNumber = Type.Optional(Type.Integer({ maximum: 2 ** 31 - 1, expected: 'a page number' }));
const flag = Type.Optional(Type.Boolean());
const share = Type.Optional(Type.Number({ minimum: 0, maximum: 1, expected: 'a number from 0 to 1' }));
const time = Type.Optional(timeField);

/** Every spelling that clients use. */
const body = Type.Object({
  current_page: pageNumber,
  currentPage: pageNumber,
  page_offset: share,
  pageOffset: share,
  is_completed: flag,
  isCompleted: flag,
  completed: flag,
  progress_percentage: share,
  progressPercentage: share,
  updated_at: time,
  updatedAt: time,
  client_time: time,
  clientTime: time,
  modified: time,
});

const sentProgress = (sent: Static<typeof body>): ProgressChange => ({
  currentPage: sent.current_page ?? sent.currentPage,
  pageOffset: sent.page_offset ?? sent.pageOffset,
  isCompleted: sent.is_completed ?? sent.isCompleted ?? sent.completed,
  percentage: sent.progress_percentage ?? sent.progressPercentage,
  at: timeIn(sent, ['client_time', 'clientTime', 'modified', 'updated_at', 'updatedAt']),
});

/** Everything, unless a page is requested; `total` tells a user who has read more. */
const RECORDS_MAX = 10_000;
const CURRENTLY_MAX = 50;

const recordsWindow = (query: Static<typeof pagingQuery>): Window =>
  Object.keys(query).length === 0 ? { page: 1, pageSize: RECORDS_MAX } : windowOf(query);

export const markedReply = ({ marked, skipped }: Marked, word: string): Reply => {
  const rest = skipped === 0 ? '' : `. ${skipped} not yet analysed were left unchanged.`;
  const shown: Wire<typeof MarkedSchema> = { count: marked, message: `Marked ${marked} books as ${word}${rest}` };
  return json(200, shown);
};

/** 204: there is none. */
const RECORD: Replies = { 200: ProgressSchema, 204: null };

const recordReply = (userId: string, progress: Progress | undefined): Reply =>
  progress === undefined ? noContent() : json(200, progressView(userId, progress));

const recordsReply = (userId: string, items: readonly Progress[], total: number): Reply => {
  const shown: Wire<typeof ProgressRecords> = { progress: items.map((one) => progressView(userId, one)), total };
  return json(200, shown);
};

const bookRows: readonly Route[] = [
  route({
    id: 'progress.get',
    method: 'GET',
    path: '/books/{id}/progress',
    access: READ,
    params: byId,
    reply: RECORD,
    about: "The caller's progress in a book; 204 when there is none.",
    run: async ({ app, caller, viewer }, { params }) =>
      recordReply(caller.user.id, await readProgress(app.db, viewer, params.id)),
  }),
  route({
    id: 'progress.put',
    method: 'PUT',
    path: '/books/{id}/progress',
    access: WRITE,
    params: byId,
    body,
    example: { currentPage: 12, modified: '2026-01-31T12:00:00Z' },
    reply: RECORD,
    about:
      'Sets the page the caller is on, or the fraction of an EPUB that was read, and whether the book is finished. pageOffset, sent with a page, is the share of the page that is above the window; with it and isCompleted false, the last page does not finish the book. If modified (or clientTime, or updatedAt), the time of reading, is older than the stored progress or its clearing, nothing changes: the stored record is returned, or 204 if there is none.',
    run: async (ctx, { params, body: sent }) =>
      recordReply(ctx.caller.user.id, await updateProgress(ctx.app, readerOf(ctx), params.id, sentProgress(sent))),
  }),
  route({
    id: 'progress.delete',
    method: 'DELETE',
    path: '/books/{id}/progress',
    access: WRITE,
    params: byId,
    reply: EMPTY,
    about: "Clears the caller's progress in a book; also succeeds when there is none.",
    run: async ({ app, viewer }, { params }) => {
      await clearProgress(app, viewer, params.id);
      return noContent();
    },
  }),
  route({
    id: 'books.read',
    method: 'POST',
    path: '/books/{id}/read',
    access: WRITE,
    params: byId,
    reply: RECORD,
    fails: ['Conflict'],
    about: 'Marks a book as read; 409 until it has been analysed.',
    run: async (ctx, { params }) =>
      recordReply(ctx.caller.user.id, await markBookRead(ctx.app, readerOf(ctx), params.id)),
  }),
  route({
    id: 'books.unread',
    method: 'POST',
    path: '/books/{id}/unread',
    access: WRITE,
    params: byId,
    reply: EMPTY,
    about: 'Marks a book as unread; what was finished before stays in the read history.',
    run: async ({ app, viewer }, { params }) => {
      await clearProgress(app, viewer, params.id);
      return noContent();
    },
  }),
];

const seriesRows: readonly Route[] = [
  route({
    id: 'series.read',
    method: 'POST',
    path: '/series/{id}/read',
    access: WRITE,
    params: byId,
    reply: ok(MarkedSchema),
    about: 'Marks the books of a series as read, except those not yet analysed; returns how many changed.',
    run: async (ctx, { params }) => markedReply(await markSeriesRead(ctx.app, readerOf(ctx), params.id), 'read'),
  }),
  route({
    id: 'series.unread',
    method: 'POST',
    path: '/series/{id}/unread',
    access: WRITE,
    params: byId,
    reply: ok(MarkedSchema),
    about: 'Marks the books of a series as unread; returns how many had progress.',
    run: async ({ app, viewer }, { params }) => markedReply(await markSeriesUnread(app, viewer, params.id), 'unread'),
  }),
];

const recordRows: readonly Route[] = [
  route({
    id: 'progress.list',
    method: 'GET',
    path: '/progress',
    access: READ,
    kept: true,
    query: pagingQuery,
    reply: ok(ProgressRecords),
    about: `All progress of the caller, newest first: at most ${RECORDS_MAX} records, or a page of them when page or pageSize is given.`,
    run: async (ctx, { query }) => {
      const { items, total } = await progressRecords(listReads(ctx), ctx.viewer, false, recordsWindow(query));
      return recordsReply(ctx.caller.user.id, items, total);
    },
  }),
  route({
    id: 'progress.current',
    method: 'GET',
    path: '/progress/currently-reading',
    access: READ,
    kept: true,
    reply: ok(ProgressRecords),
    about: `Progress in books that are not finished, newest first: at most ${CURRENTLY_MAX} records.`,
    run: async (ctx) => {
      const window = { page: 1, pageSize: CURRENTLY_MAX };
      const { items, total } = await progressRecords(listReads(ctx), ctx.viewer, true, window);
      return recordsReply(ctx.caller.user.id, items, total);
    },
  }),
];

export const PROGRESS_ROUTES: readonly Route[] = [...bookRows, ...seriesRows, ...recordRows];
