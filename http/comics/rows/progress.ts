// What has been read: pages and whole books, series, and what trackers ask for and write.
import Type from 'typebox';
import { reportFromApp } from '../../../core/reading/app-progress.js';
import { markSeriesRead, markSeriesUnread } from '../../../core/reading/mark.js';
import { clearProgress } from '../../../core/reading/progress.js';
import { markFirst, markUpToNumber, type ReadCounts, readCounts, seriesTrack } from '../../../core/reading/trackers.js';
import { readerOf } from '../../surface/device.js';
import { EMPTY, ok } from '../../surface/replies.js';
import { json, noContent } from '../../surface/reply.js';
import { listReads } from '../../surface/request-parts.js';
import { type Method, type Route, route } from '../../surface/route.js';
import { byId } from '../schemas/requests.js';
import { ListTrack, SeriesTrack } from '../schemas/tracking.js';

const WRITE_BOOK = ['BooksRead', 'ProgressWrite'] as const;
const READ_SERIES = ['SeriesRead', 'ProgressRead'] as const;
const WRITE_SERIES = ['SeriesRead', 'ProgressWrite'] as const;

const PAGE_MAX = 2 ** 31 - 1;

const report = Type.Object({
  page: Type.Optional(
    Type.Union([Type.Integer({ minimum: -PAGE_MAX, maximum: PAGE_MAX }), Type.Null()], { expected: 'a page number' }),
  ),
  completed: Type.Optional(Type.Union([Type.Boolean(), Type.Null()], { expected: 'true or false' })),
});

const countsView = ({ books, read, unread, inProgress }: ReadCounts) => ({
  booksCount: books,
  booksReadCount: read,
  booksUnreadCount: unread,
  booksInProgressCount: inProgress,
});

export const listTrackView = (counts: ReadCounts) => ({
  ...countsView(counts),
  lastReadContinuousIndex: counts.readInARow,
});

/** As many first books as the client has read. */
export const firstBooks = Type.Object({ lastBookRead: Type.Integer({ minimum: -PAGE_MAX, maximum: PAGE_MAX }) });

/** Apps know of one method, or of the other. */
const markSeries = (method: Method): Route =>
  route({
    id: `comics.series.progress.${method.toLowerCase()}`,
    method,
    path: '/api/v1/series/{id}/read-progress',
    access: WRITE_SERIES,
    params: byId,
    body: Type.Optional(Type.Object({ completed: Type.Optional(Type.Boolean()) })),
    reply: EMPTY,
    about: 'Marks the books of a series as read, or as unread with {"completed": false}.',
    run: async (ctx, { params, body }) => {
      if (body?.completed === false) await markSeriesUnread(ctx.app, ctx.viewer, params.id);
      else await markSeriesRead(ctx.app, readerOf(ctx), params.id);
      return noContent();
    },
  });

const BOOK_PROGRESS_ROWS: readonly Route[] = [
  route({
    id: 'comics.books.progress.patch',
    method: 'PATCH',
    path: '/api/v1/books/{id}/read-progress',
    access: WRITE_BOOK,
    params: byId,
    body: report,
    reply: EMPTY,
    fails: ['Conflict'],
    about: 'Stores the page reached, or marks the book as finished: {"completed": true} needs no page.',
    run: async (ctx, { params, body }) => {
      await reportFromApp(ctx.app, readerOf(ctx), params.id, body);
      return noContent();
    },
  }),
  route({
    id: 'comics.books.progress.delete',
    method: 'DELETE',
    path: '/api/v1/books/{id}/read-progress',
    access: WRITE_BOOK,
    params: byId,
    reply: EMPTY,
    about: 'Marks a book as unread.',
    run: async (ctx, { params }) => {
      await clearProgress(ctx.app, ctx.viewer, params.id);
      return noContent();
    },
  }),
];

const TRACKER_ROWS: readonly Route[] = [
  route({
    id: 'comics.series.track.get',
    method: 'GET',
    path: '/api/v2/series/{id}/read-progress/tachiyomi',
    access: READ_SERIES,
    kept: true,
    params: byId,
    reply: ok(SeriesTrack),
    about: 'How many books of a series are read, and the number of the last one before the first gap.',
    run: async (ctx, { params }) => {
      const track = await seriesTrack(listReads(ctx), ctx.viewer, params.id);
      const { lastNumber, maxNumber } = track;
      return json(200, {
        ...countsView(track),
        lastReadContinuousNumberSort: lastNumber,
        maxNumberSort: maxNumber,
      });
    },
  }),
  route({
    id: 'comics.series.track.put',
    method: 'PUT',
    path: '/api/v2/series/{id}/read-progress/tachiyomi',
    access: WRITE_SERIES,
    params: byId,
    body: Type.Object({ lastBookNumberSortRead: Type.Number() }),
    reply: EMPTY,
    about: 'Marks the books up to a number as read. It never marks books as unread.',
    run: async (ctx, { params, body }) => {
      await markUpToNumber(ctx.app, readerOf(ctx), params.id, body.lastBookNumberSortRead);
      return noContent();
    },
  }),
  route({
    id: 'comics.series.index.get',
    method: 'GET',
    path: '/api/v1/series/{id}/read-progress/tachiyomi',
    access: READ_SERIES,
    kept: true,
    params: byId,
    reply: ok(ListTrack),
    about: 'The same, with a count of books instead of their numbers.',
    run: async (ctx, { params }) =>
      json(200, listTrackView(await readCounts(listReads(ctx), ctx.viewer, 'series', params.id))),
  }),
  route({
    id: 'comics.series.index.put',
    method: 'PUT',
    path: '/api/v1/series/{id}/read-progress/tachiyomi',
    access: WRITE_SERIES,
    params: byId,
    body: firstBooks,
    reply: EMPTY,
    about: 'Marks the first books of a series as read, up to the given count.',
    run: async (ctx, { params, body }) => {
      await markFirst(ctx.app, readerOf(ctx), 'series', params.id, body.lastBookRead);
      return noContent();
    },
  }),
];

export const PROGRESS_ROWS: readonly Route[] = [
  ...BOOK_PROGRESS_ROWS,
  markSeries('POST'),
  markSeries('PATCH'),
  route({
    id: 'comics.series.progress.delete',
    method: 'DELETE',
    path: '/api/v1/series/{id}/read-progress',
    access: WRITE_SERIES,
    params: byId,
    reply: EMPTY,
    about: 'Marks the books of a series as unread.',
    run: async (ctx, { params }) => {
      await markSeriesUnread(ctx.app, ctx.viewer, params.id);
      return noContent();
    },
  }),
  ...TRACKER_ROWS,
];
