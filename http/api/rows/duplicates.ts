// Duplicates: equal files, editions of one work, and series with equal titles.
import Type from 'typebox';
import { bookGroups, dismissGroup, type SeriesGroup, seriesGroups } from '../../../core/catalog/duplicates/groups.js';
import { AppError } from '../../../core/model/errors.js';
import { EMPTY, ok } from '../../surface/replies.js';
import { json, noContent } from '../../surface/reply.js';
import { partsFor } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import { byId } from '../../surface/schemas.js';
import { DuplicateList, DuplicateScanBegun, SeriesDuplicateList } from '../schemas/duplicates.js';
import { pagingFields, SIZE_MAX, wholeWindow } from '../schemas/fields.js';
import { duplicatesView, seriesDuplicatesView } from '../views/duplicates.js';

const PAGED = `Answers the first ${SIZE_MAX} groups; page and pageSize reach the others.`;

const KINDS = ['file', 'edition'] as const;
const NO_SERIES: readonly SeriesGroup[] = [];

/** A word of the client's that is in no list is refused in these words, whatever its case. */
const seriesType = (given: string | undefined): 'title' | 'external_id' | undefined => {
  if (given === undefined || given === 'title' || given === 'external_id') return given;
  throw new AppError('BadRequest', 'matchType must be one of external_id, title', [
    { path: 'matchType', message: 'must be one of external_id, title' },
  ]);
};

export const DUPLICATE_ROUTES: readonly Route[] = [
  route({
    id: 'duplicates.list',
    method: 'GET',
    path: '/duplicates',
    access: 'BooksRead',
    query: Type.Object({ kind: Type.Optional(Type.Enum([...KINDS])), ...pagingFields }),
    reply: ok(DuplicateList),
    about: `Books whose files are identical, as found by the last search; with kind=edition, books that seem to be the same work in another format or quality. ${PAGED}`,
    run: async (ctx, { query }) =>
      json(200, duplicatesView(await bookGroups(partsFor(ctx), ctx.viewer, query.kind ?? 'file', wholeWindow(query)))),
  }),
  route({
    id: 'duplicates.scan',
    method: 'POST',
    path: '/duplicates/scan',
    access: 'BooksWrite',
    reply: ok(DuplicateScanBegun),
    fails: ['Conflict'],
    about: 'Enqueues a search for duplicates. 409 while one is waiting or running.',
    run: async ({ app, viewer }) =>
      json(200, {
        message: 'Duplicate detection scan has been queued',
        taskId: await app.duplicates.begin(viewer.userKey),
      }),
  }),
  route({
    id: 'duplicates.series',
    method: 'GET',
    path: '/duplicates/series',
    access: 'SeriesRead',
    query: Type.Object({ matchType: Type.Optional(Type.String({ maxLength: 100 })), ...pagingFields }),
    reply: ok(SeriesDuplicateList),
    about: `Series of one library with equal titles, ignoring case, accents and punctuation. matchType is title or external_id; series have no external ids here, so there are no groups by them. ${PAGED}`,
    run: async (ctx, { query }) => {
      const isListed = seriesType(query.matchType) !== 'external_id';
      const found = await seriesGroups(partsFor(ctx), ctx.viewer, wholeWindow(query));
      return json(200, seriesDuplicatesView(isListed ? found : { ...found, groups: NO_SERIES }, isListed));
    },
  }),
  ...(['books', 'series'] as const).map((of) =>
    route({
      id: of === 'books' ? 'duplicates.dismiss' : 'duplicates.series.dismiss',
      method: 'DELETE',
      path: of === 'books' ? '/duplicates/{id}' : '/duplicates/series/{id}',
      access: of === 'books' ? 'BooksWrite' : 'SeriesWrite',
      params: byId,
      reply: EMPTY,
      about: 'Dismisses a group until its members change.',
      run: async ({ app, viewer }, { params }) => {
        await dismissGroup(app.db, viewer, of, params.id);
        return noContent();
      },
    }),
  ),
];
