// Series: books, cover, analysis.
import Type from 'typebox';
import { bookKeysOfSeries } from '../../../core/catalog/books.js';
import { seriesById } from '../../../core/catalog/series.js';
import { coverOfSeries } from '../../../core/pages/covers.js';
import { analyseSeries } from '../../../core/scan/asked-analyses.js';
import { FILE_FAULTS } from '../../surface/failures.js';
import { IMAGE, ok } from '../../surface/replies.js';
import { coverReply, json } from '../../surface/reply.js';
import { askCover, listReads } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import { byId } from '../../surface/schemas.js';
import { allBooksReply, fullField } from '../full.js';
import { Book } from '../schemas/book.js';
import { FullBook } from '../schemas/book-metadata.js';
import { Task } from '../schemas/tasks.js';
import { taskView } from '../views/tasks.js';

export const SERIES_ROUTES: readonly Route[] = [
  route({
    id: 'series.books',
    method: 'GET',
    path: '/series/{id}/books',
    access: 'BooksRead',
    kept: true,
    params: byId,
    query: Type.Object({ includeDeleted: Type.Optional(Type.Boolean()), ...fullField }),
    reply: ok(Type.Union([Type.Array(Book), Type.Array(FullBook)])),
    about: 'All books of a series in reading order, as a plain array.',
    run: async (ctx, { params, query }) => {
      const { app, viewer } = ctx;
      const series = await seriesById(app.db, viewer, params.id);
      return allBooksReply(
        ctx,
        query,
        await bookKeysOfSeries(listReads(ctx), viewer, series.key, { includeDeleted: query.includeDeleted ?? false }),
      );
    },
  }),
  route({
    id: 'series.thumbnail',
    method: 'GET',
    path: '/series/{id}/thumbnail',
    access: 'SeriesRead',
    params: byId,
    reply: IMAGE,
    fails: ['PreconditionFailed', ...FILE_FAULTS],
    about: 'The cover of the first book.',
    run: async ({ app, viewer, request }, { params }) =>
      coverReply(await coverOfSeries(app.db, app.pages, viewer, params.id, askCover(request)), request),
  }),
  route({
    id: 'series.analyze',
    method: 'POST',
    path: '/series/{id}/analyze',
    access: 'SeriesWrite',
    params: byId,
    reply: ok(Task),
    about: 'Analyses all books of a series again.',
    run: async ({ app, viewer }, { params }) => json(200, taskView(await analyseSeries(app, viewer, params.id))),
  }),
];
