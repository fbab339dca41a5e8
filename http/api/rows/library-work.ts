// Tasks on books, series and libraries: analyses, numbers, titles, covers; and purging deleted books.
import Type from 'typebox';
import { libraryFor } from '../../../core/catalog/libraries.js';
import { resolve } from '../../../core/catalog/public-ids.js';
import { AppError } from '../../../core/model/errors.js';
import type { Permission } from '../../../core/model/permissions.js';
import { analyseBook, analyseSeries } from '../../../core/scan/asked-analyses.js';
import { enqueueTask, type TaskFields } from '../../../core/scan/new-tasks.js';
import { purgeDeleted } from '../../../core/scan/purge.js';
import { ok } from '../../surface/replies.js';
import { json } from '../../surface/reply.js';
import { listReads } from '../../surface/request-parts.js';
import { type Ctx, type Route, route } from '../../surface/route.js';
import { byId, SOME_ID } from '../../surface/schemas.js';
import { whole } from '../../surface/wire.js';
import { optionalId, optionalIds, Reprocessed, Task, TaskMade } from '../schemas/tasks.js';
import { reprocessedView, taskView, titlesView } from '../views/tasks.js';

type Id = 'libraryId' | 'seriesId' | 'bookId';

const WORDS: Readonly<Record<Id, { readonly path: string; readonly access: Permission }>> = {
  libraryId: { path: '/libraries', access: 'LibrariesWrite' },
  seriesId: { path: '/series', access: 'SeriesWrite' },
  bookId: { path: '/books', access: 'BooksWrite' },
};

const forced = Type.Optional(Type.Object({ force: Type.Optional(Type.Boolean()) }));

interface Covers {
  readonly id: string;
  readonly of: Id;
  readonly under: string;
  readonly type: string;
  readonly about: string;
}

/** Generates the covers of one book, series or library. */
const coversRow = ({ id, of, under, type, about }: Covers): Route =>
  route({
    id,
    method: 'POST',
    path: `${WORDS[of].path}/{id}${under}`,
    access: WORDS[of].access,
    params: byId,
    body: forced,
    example: { force: true },
    reply: ok(TaskMade),
    about: `${about} With force, existing ones are regenerated.`,
    run: async ({ app, viewer }, { params, body }) =>
      json(200, { taskId: await enqueueTask(app, viewer, type, { [of]: params.id, force: body.force }, {}) }),
  });

const COVERS: readonly Route[] = [
  route({
    id: 'books.covers.generate',
    method: 'POST',
    path: '/books/thumbnails/generate',
    access: 'BooksWrite',
    body: Type.Optional(
      Type.Object({
        bookIds: optionalIds,
        libraryId: optionalId,
        seriesId: optionalId,
        seriesIds: optionalIds,
        force: Type.Optional(Type.Boolean()),
      }),
    ),
    example: { seriesId: SOME_ID },
    reply: ok(TaskMade),
    fails: ['NotFound'],
    about: 'Generates missing covers of the given books, or of all books. With force, existing ones are regenerated.',
    run: async ({ app, viewer }, { body }) =>
      json(200, { taskId: await enqueueTask(app, viewer, 'generate_thumbnails', body, {}) }),
  }),
  route({
    id: 'series.covers.generate',
    method: 'POST',
    path: '/series/thumbnails/generate',
    access: 'SeriesWrite',
    body: Type.Optional(
      Type.Object({ libraryId: optionalId, seriesIds: optionalIds, force: Type.Optional(Type.Boolean()) }),
    ),
    example: { libraryId: SOME_ID },
    reply: ok(TaskMade),
    fails: ['NotFound'],
    about: 'Generates missing covers of the given series, or of all series. With force, existing ones are regenerated.',
    run: async ({ app, viewer }, { body }) =>
      json(200, { taskId: await enqueueTask(app, viewer, 'generate_series_thumbnails', body, {}) }),
  }),
  coversRow({
    id: 'books.cover.generate',
    of: 'bookId',
    under: '/thumbnail/generate',
    type: 'generate_thumbnail',
    about: 'Generates the cover of a book if it is missing.',
  }),
  coversRow({
    id: 'series.cover.generate',
    of: 'seriesId',
    under: '/thumbnail/generate',
    type: 'generate_series_thumbnail',
    about:
      'Generates the cover of a series, taken from the pages of the book that represents it, if it is missing. A cover that was uploaded or chosen, or a file beside the books, is still shown instead.',
  }),
  coversRow({
    id: 'libraries.books.covers.generate',
    of: 'libraryId',
    under: '/books/thumbnails/generate',
    type: 'generate_thumbnails',
    about: 'Generates missing covers of the books of a library.',
  }),
  coversRow({
    id: 'libraries.series.covers.generate',
    of: 'libraryId',
    under: '/series/thumbnails/generate',
    type: 'generate_series_thumbnails',
    about: 'Generates missing covers of the series of a library.',
  }),
];

const ANALYSES: readonly Route[] = [
  route({
    id: 'books.analyzeUnanalyzed',
    method: 'POST',
    path: '/books/{id}/analyze-unanalyzed',
    access: 'BooksWrite',
    params: byId,
    reply: ok(Task),
    about: 'Analyses a book that has never been analysed; 400 if it has been.',
    run: async ({ app, viewer }, { params }) =>
      json(200, taskView(await analyseBook(app, viewer, params.id, { isUnanalysedOnly: true }))),
  }),
  route({
    id: 'series.analyzeUnanalyzed',
    method: 'POST',
    path: '/series/{id}/analyze-unanalyzed',
    access: 'SeriesWrite',
    params: byId,
    reply: ok(Task),
    about: 'Analyses the books of a series that have never been analysed.',
    run: async ({ app, viewer }, { params }) =>
      json(200, taskView(await analyseSeries(app, viewer, params.id, { isUnanalysedOnly: true }))),
  }),
  ...[false, true].map((isUnanalysedOnly) =>
    route({
      id: isUnanalysedOnly ? 'libraries.analyzeUnanalyzed' : 'libraries.analyze',
      method: 'POST',
      path: `/libraries/{id}/analyze${isUnanalysedOnly ? '-unanalyzed' : ''}`,
      access: 'LibrariesWrite',
      params: byId,
      reply: ok(TaskMade),
      about: `Analyses ${isUnanalysedOnly ? 'the books of a library that have never been analysed' : 'every book of a library again'}.`,
      run: async ({ app, viewer }, { params }) =>
        json(200, { taskId: await app.libraryAnalyses.add(viewer, params.id, isUnanalysedOnly) }),
    }),
  ),
];

const dryRun = Type.Optional(Type.Object({ dryRun: Type.Optional(Type.Boolean()) }));

interface Retitled {
  readonly fields: TaskFields;
  readonly type: 'reprocess_series_title' | 'reprocess_series_titles';
  readonly isDryRun: boolean | undefined;
}

const retitle = async (ctx: Ctx<unknown>, { fields, type, isDryRun }: Retitled) => {
  const { app, viewer } = ctx;
  if (isDryRun !== true) return json(200, reprocessedView(await enqueueTask(app, viewer, type, fields, {})));
  const [kind, id] =
    fields.seriesId == null ? (['library', fields.libraryId] as const) : (['series', fields.seriesId] as const);
  await resolve(app.db, kind, id ?? '', viewer);
  const about = { target: { kind, id: id ?? '' } };
  return json(200, titlesView(await app.seriesTasks.preview(listReads(ctx), about, viewer.scope)));
};

const TITLES: readonly Route[] = [
  route({
    id: 'series.title.reprocess',
    method: 'POST',
    path: '/series/{id}/title/reprocess',
    access: 'SeriesWrite',
    params: byId,
    body: dryRun,
    example: { dryRun: true },
    reply: ok(Reprocessed),
    about:
      'Derives the title of a series again from its folder name, by the title rules of the library, unless it is locked. A dry run only returns the title it would get.',
    run: (ctx, { params, body }) =>
      retitle(ctx, { fields: { seriesId: params.id }, type: 'reprocess_series_title', isDryRun: body.dryRun }),
  }),
  route({
    id: 'series.titles.reprocess',
    method: 'POST',
    path: '/series/titles/reprocess',
    access: 'SeriesWrite',
    body: Type.Object({ libraryId: optionalId, seriesIds: optionalIds }),
    example: { libraryId: SOME_ID },
    reply: ok(Reprocessed),
    fails: ['NotFound'],
    about: 'Derives the titles of the given series, or of those of a library, again from their folder names.',
    run: (ctx, { body }) => {
      const { libraryId, seriesIds } = body;
      if (libraryId == null && seriesIds == null)
        throw new AppError('BadRequest', 'Name a library (libraryId) or series (seriesIds).');
      return retitle(ctx, { fields: { libraryId, seriesIds }, type: 'reprocess_series_titles', isDryRun: false });
    },
  }),
  route({
    id: 'libraries.titles.reprocess',
    method: 'POST',
    path: '/libraries/{id}/series/titles/reprocess',
    access: 'LibrariesWrite',
    params: byId,
    body: dryRun,
    example: { dryRun: true },
    reply: ok(Reprocessed),
    about:
      'Derives the titles of all series of a library again from their folder names. A dry run only returns which would change.',
    run: (ctx, { params, body }) =>
      retitle(ctx, { fields: { libraryId: params.id }, type: 'reprocess_series_titles', isDryRun: body.dryRun }),
  }),
];

export const LIBRARY_WORK_ROUTES: readonly Route[] = [
  ...COVERS,
  ...ANALYSES,
  ...TITLES,
  route({
    id: 'series.renumber',
    method: 'POST',
    path: '/series/{id}/renumber',
    access: 'SeriesWrite',
    params: byId,
    reply: ok(TaskMade),
    about: 'Renumbers the books of a series by the number strategy of its library.',
    run: async ({ app, viewer }, { params }) =>
      json(200, { taskId: await enqueueTask(app, viewer, 'renumber_series', { seriesId: params.id }, {}) }),
  }),
  route({
    id: 'libraries.purgeDeleted',
    method: 'DELETE',
    path: '/libraries/{id}/purge-deleted',
    access: 'LibrariesWrite',
    params: byId,
    reply: ok(whole(3)),
    about:
      'Deletes the records of books whose files are gone, with their reading progress and edits. Returns how many.',
    run: async ({ app, viewer, request }, { params }) => {
      const { key } = await libraryFor(app.db, viewer, params.id);
      const what = { libraryKey: key, scope: viewer.scope };
      return json(200, await purgeDeleted(app.db, viewer.userKey, what, request.signal));
    },
  }),
  route({
    id: 'series.purgeDeleted',
    method: 'DELETE',
    path: '/series/{id}/purge-deleted',
    access: 'SeriesWrite',
    params: byId,
    reply: ok(whole(3)),
    about:
      'Deletes the records of books of a series whose files are gone, with their reading progress and edits. Returns how many.',
    run: async ({ app, viewer, request }, { params }) => {
      const { key, libraryKey } = await resolve(app.db, 'series', params.id, viewer);
      const what = { libraryKey, seriesKey: key, scope: viewer.scope };
      return json(200, await purgeDeleted(app.db, viewer.userKey, what, request.signal));
    },
  }),
];
