// One series with its metadata, changing it, resetting it, and its locks.
import Type, { type Static } from 'typebox';
import { titlesOfKey } from '../../../core/catalog/alternate-titles.js';
import { seriesById } from '../../../core/catalog/series.js';
import {
  changeSeriesLocks,
  changeSeriesMetadata,
  resetSeriesMetadata,
  type SeriesChange,
  type SeriesLockChange,
} from '../../../core/catalog/series-metadata.js';
import { seriesMetadata } from '../../../core/catalog/series-record.js';
import { termsOfKey } from '../../../core/catalog/taxonomy.js';
import { AppError } from '../../../core/model/errors.js';
import { FACT_LIMITS } from '../../../core/model/fact-limits.js';
import { SERIES_STATUSES } from '../../../core/model/metadata.js';
import type { Viewer } from '../../../core/model/viewer.js';
import { fullSeries } from '../../../core/reading/full-records.js';
import type { App } from '../../../core/start.js';
import type { Reply } from '../../server/adapter.js';
import { ok } from '../../surface/replies.js';
import { json } from '../../surface/reply.js';
import { type Route, route } from '../../surface/route.js';
import { byId } from '../../surface/schemas.js';
import type { Wire } from '../../surface/wire.js';
import { DIRECTIONS } from '../schemas/book.js';
import {
  authorsField,
  authorsOf,
  customField,
  flags,
  numberField,
  present,
  textField,
  trimmed,
  wholeField,
  wordField,
} from '../schemas/metadata.js';
import {
  ChangedSeries,
  FullSeries as FullSeriesSchema,
  SERIES_LOCK_NAMES,
  SeriesDetail,
  SeriesLocks,
  SeriesMetadata,
  SeriesUpdate,
} from '../schemas/series.js';
import {
  changedSeriesView,
  type SeriesParts,
  seriesDetailView,
  seriesFullView,
  seriesLocksView,
  seriesMetadataView,
} from '../views/series.js';
import { instant } from '../views/time.js';

const metadataBody = Type.Object({
  title: textField(FACT_LIMITS.name),
  titleSort: textField(FACT_LIMITS.name),
  summary: textField(FACT_LIMITS.summary),
  publisher: textField(FACT_LIMITS.name),
  imprint: textField(FACT_LIMITS.name),
  status: wordField(SERIES_STATUSES),
  year: wholeField(1, 9999),
  language: textField(35),
  ageRating: wholeField(0, 120),
  readingDirection: wordField(DIRECTIONS),
  totalVolumeCount: wholeField(0),
  totalChapterCount: numberField(),
  authors: authorsField(),
  customMetadata: customField(),
});

const titleBody = Type.Object({ title: textField(FACT_LIMITS.name) });

const seriesChange = (body: Static<typeof metadataBody>): SeriesChange => {
  const fields = trimmed(metadataBody, body);
  return { ...fields, authors: authorsOf(fields.authors) };
};

const partsOf = async ({ db }: App, viewer: Viewer, id: string): Promise<SeriesParts> => {
  const metadata = await seriesMetadata(db, viewer, id);
  const [genres, tags, titles] = await Promise.all([
    termsOfKey(db, 'genre', 'series', metadata.key),
    termsOfKey(db, 'tag', 'series', metadata.key),
    titlesOfKey(db, metadata.key),
  ]);
  return { metadata, genres, tags, titles };
};

const metadataReply = async (app: App, viewer: Viewer, id: string): Promise<Reply> =>
  json(200, seriesMetadataView(await partsOf(app, viewer, id)));

const fullReply = async (app: App, viewer: Viewer, id: string): Promise<Reply> => {
  const [full] = await fullSeries(app.db, viewer, [await seriesById(app.db, viewer, id)]);
  if (full === undefined) throw new AppError('NotFound', 'There is no series with this id.');
  return json(200, seriesFullView(full));
};

/** Omitted fields are cleared. */
const replacing = (named: SeriesChange): SeriesChange => ({
  ...Object.fromEntries(Object.keys(metadataBody.properties).map((field) => [field, null])),
  ...named,
});

const ABOUT = {
  PATCH:
    'Changes metadata: an absent field stays unchanged, null clears it until the books have a new value, a value sets and locks it.',
  PUT: 'Replaces metadata: a value sets and locks its field, every other field is cleared; the next analysis may fill unlocked ones.',
} as const;

const updateRow = (method: 'PUT' | 'PATCH'): Route =>
  route({
    id: `series.metadata.${method.toLowerCase()}`,
    method,
    path: '/series/{id}/metadata',
    access: 'SeriesWrite',
    params: byId,
    body: metadataBody,
    example: { summary: 'A harbour town in winter.', status: 'ongoing', year: 2019, language: 'en' },
    reply: ok(ChangedSeries),
    about: `${ABOUT[method]} A series without a title shows its folder name.`,
    run: async ({ app, viewer }, { params, body }) => {
      const named = present(seriesChange(body));
      const change = method === 'PUT' ? replacing(named) : named;
      const leftOut = new Set(Object.keys(change).filter((field) => !Object.hasOwn(named, field)));
      const series = await changeSeriesMetadata(app.db, app.clock, viewer, params.id, change, leftOut);
      return json(200, changedSeriesView(series));
    },
  });

const lockChange = (body: Readonly<Record<string, boolean | undefined>>): SeriesLockChange =>
  Object.fromEntries([...SERIES_LOCK_NAMES].map(([name, lock]) => [lock, body[name]]));

export const SERIES_METADATA_ROUTES: readonly Route[] = [
  route({
    id: 'series.get',
    method: 'GET',
    path: '/series/{id}',
    access: 'SeriesRead',
    kept: true,
    params: byId,
    query: Type.Object({ full: Type.Optional(Type.Boolean()) }),
    reply: ok(Type.Union([SeriesDetail, FullSeriesSchema])),
    about: 'One series with its metadata; full=true returns the full record.',
    run: async ({ app, viewer }, { params, query }) => {
      if (query.full === true) return fullReply(app, viewer, params.id);
      const series = await seriesById(app.db, viewer, params.id);
      return json(200, seriesDetailView(series, await seriesMetadata(app.db, viewer, params.id)));
    },
  }),
  route({
    id: 'series.full',
    method: 'GET',
    path: '/series/{id}/full',
    access: 'SeriesRead',
    kept: true,
    params: byId,
    reply: ok(FullSeriesSchema),
    about: 'One series with all metadata, locks, genres and tags.',
    run: ({ app, viewer }, { params }) => fullReply(app, viewer, params.id),
  }),
  route({
    id: 'series.patch',
    method: 'PATCH',
    path: '/series/{id}',
    access: 'SeriesWrite',
    params: byId,
    body: titleBody,
    example: { title: 'Amber Harbor' },
    reply: ok(SeriesUpdate),
    about: 'Sets and locks the title; null restores the folder name.',
    run: async ({ app, viewer }, { params, body }) => {
      const series = await changeSeriesMetadata(app.db, app.clock, viewer, params.id, trimmed(titleBody, body));
      const shown: Wire<typeof SeriesUpdate> = {
        id: series.id,
        title: series.title,
        updatedAt: instant(series.updatedAt),
      };
      return json(200, shown);
    },
  }),
  route({
    id: 'series.metadata.get',
    method: 'GET',
    path: '/series/{id}/metadata',
    access: 'SeriesRead',
    kept: true,
    params: byId,
    reply: ok(SeriesMetadata),
    about: 'The metadata of a series with locks, genres, tags, alternate titles and links.',
    run: ({ app, viewer }, { params }) => metadataReply(app, viewer, params.id),
  }),
  updateRow('PUT'),
  updateRow('PATCH'),
  route({
    id: 'series.metadata.delete',
    method: 'DELETE',
    path: '/series/{id}/metadata',
    access: 'SeriesWrite',
    params: byId,
    reply: ok(SeriesMetadata),
    about:
      'Deletes all metadata, entered or read from files, including locks and alternate titles. Genres, tags and age rating become those of the books again; other fields return with the next analysis.',
    run: async ({ app, viewer }, { params }) => {
      await resetSeriesMetadata(app.db, app.clock, viewer, params.id);
      return metadataReply(app, viewer, params.id);
    },
  }),
  route({
    id: 'series.locks.get',
    method: 'GET',
    path: '/series/{id}/metadata/locks',
    access: 'SeriesRead',
    kept: true,
    params: byId,
    reply: ok(SeriesLocks),
    about: 'Which fields of a series are locked against changes by analyses.',
    run: async ({ app, viewer }, { params }) =>
      json(200, seriesLocksView((await seriesMetadata(app.db, viewer, params.id)).locks)),
  }),
  route({
    id: 'series.locks.put',
    method: 'PUT',
    path: '/series/{id}/metadata/locks',
    access: 'SeriesWrite',
    params: byId,
    body: flags([...SERIES_LOCK_NAMES.keys()]),
    example: { title: true, summary: false },
    reply: ok(SeriesLocks),
    about:
      'Locks and unlocks fields; an absent flag stays unchanged. An unlocked field shows the value from the books at once.',
    run: async ({ app, viewer }, { params, body }) =>
      json(
        200,
        seriesLocksView((await changeSeriesLocks(app.db, app.clock, viewer, params.id, lockChange(body))).locks),
      ),
  }),
];
