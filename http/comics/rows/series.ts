// One series: itself, its books, its cover.
import { seriesById } from '../../../core/catalog/series.js';
import { coverOfSeries } from '../../../core/pages/covers.js';
import { FILE_FAULTS } from '../../surface/failures.js';
import { IMAGE, ok } from '../../surface/replies.js';
import { contentReply } from '../../surface/reply.js';
import { ask } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import { oneSeriesAnswer } from '../lists.js';
import { byId } from '../schemas/requests.js';
import { Series } from '../schemas/series.js';

export const SERIES_ROWS: readonly Route[] = [
  route({
    id: 'comics.series.get',
    method: 'GET',
    path: '/api/v1/series/{id}',
    access: 'SeriesRead',
    kept: true,
    params: byId,
    reply: ok(Series),
    about: 'One series.',
    run: async (ctx, { params }) => oneSeriesAnswer(ctx, await seriesById(ctx.app.db, ctx.viewer, params.id)),
  }),
  route({
    id: 'comics.series.thumbnail',
    method: 'GET',
    path: '/api/v1/series/{id}/thumbnail',
    access: 'SeriesRead',
    params: byId,
    reply: IMAGE,
    fails: ['PreconditionFailed', ...FILE_FAULTS],
    about: 'The cover of a series.',
    run: async ({ app, viewer, request }, { params }) =>
      contentReply(await coverOfSeries(app.db, app.pages, viewer, params.id, ask(request)), request),
  }),
];
