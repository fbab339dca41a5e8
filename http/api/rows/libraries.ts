// Libraries.
import Type, { type Static } from 'typebox';
import {
  createLibrary,
  type LibraryChange,
  libraryFor,
  libraryToKeep,
  listLibraries,
  updateLibrary,
} from '../../../core/catalog/libraries.js';
import { type BookFormat, formatNamed } from '../../../core/model/formats.js';
import { coverOfLibrary } from '../../../core/pages/covers.js';
import { FILE_FAULTS } from '../../surface/failures.js';
import { EMPTY, IMAGE, made, ok } from '../../surface/replies.js';
import { coverReply, json, noContent } from '../../surface/reply.js';
import { askCover } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import { byId } from '../../surface/schemas.js';
import { DIRECTIONS } from '../schemas/book.js';
import { pagingQuery, windowOf } from '../schemas/fields.js';
import { Library, LibraryPage, SCAN_MODES } from '../schemas/library.js';
import { rulesOf, strategyFields } from '../schemas/library-strategies.js';
import { libraryView } from '../views/library.js';
import { pageReply } from '../views/paging.js';

const mode = Type.Enum([...SCAN_MODES]);

const zone = Type.Optional(Type.Union([Type.String({ maxLength: 100 }), Type.Null()]));

/** Both spellings of the scan configuration are accepted. */
const scanConfig = Type.Object({
  enabled: Type.Optional(Type.Boolean()),
  default_mode: Type.Optional(mode),
  scanMode: Type.Optional(mode),
  cron_schedule: Type.Optional(Type.Union([Type.String({ maxLength: 200 }), Type.Null()])),
  cronSchedule: Type.Optional(Type.Union([Type.String({ maxLength: 200 }), Type.Null()])),
  cron_timezone: zone,
  cronTimezone: zone,
  purge_deleted_on_scan: Type.Optional(Type.Boolean()),
  purgeDeletedOnScan: Type.Optional(Type.Boolean()),
  scan_on_start: Type.Optional(Type.Boolean()),
  scanOnStart: Type.Optional(Type.Boolean()),
  watch_folders: Type.Optional(Type.Boolean()),
  watchFolders: Type.Optional(Type.Boolean()),
});

export const optionalText = (maxLength: number) =>
  Type.Optional(
    Type.Union([Type.String({ maxLength }), Type.Null()], {
      expected: `text of at most ${maxLength} characters, or null`,
    }),
  );

export const allowedFormats = Type.Optional(
  Type.Union(
    [
      Type.Array(Type.String({ pattern: '^(?:[cC][bB][zZrRtT]|[eE][pP][uU][bB]|[pP][dD][fF])$' }), { maxItems: 5 }),
      Type.Null(),
    ],
    { expected: 'a list of CBZ, CBR, CBT, EPUB, PDF, or null' },
  ),
);

const changeFields = {
  description: optionalText(10_000),
  defaultReadingDirection: Type.Optional(Type.Enum([...DIRECTIONS])),
  allowedFormats,
  excludedPatterns: optionalText(10_000),
  scanning_config: Type.Optional(scanConfig),
  scanningConfig: Type.Optional(scanConfig),
  ...strategyFields,
};

const name = Type.String({ minLength: 1, maxLength: 200, expected: 'text of 1 to 200 characters' });
const path = Type.String({ minLength: 1, maxLength: 4096, expected: 'an absolute path on the server' });

const createBody = Type.Object({ name, path, scanImmediately: Type.Optional(Type.Boolean()), ...changeFields });
const updateBody = Type.Object({ name: Type.Optional(name), path: Type.Optional(path), ...changeFields });

export const formatsOf = (words: readonly string[] | null | undefined): readonly BookFormat[] | null | undefined =>
  words?.flatMap((word) => formatNamed(word) ?? []) ?? (words === undefined ? undefined : null);

const libraryChange = (body: Static<typeof updateBody>): LibraryChange => {
  const scan = body.scanning_config ?? body.scanningConfig;
  return {
    name: body.name,
    path: body.path,
    description: body.description,
    readingDirection: body.defaultReadingDirection,
    allowedFormats: formatsOf(body.allowedFormats),
    excluded: body.excludedPatterns,
    scan: scan === undefined ? undefined : scanOf(scan),
    rules: rulesOf(body),
  };
};

const scanOf = (scan: Static<typeof scanConfig>): NonNullable<LibraryChange['scan']> => {
  const cron = scan.cron_schedule === undefined ? scan.cronSchedule : scan.cron_schedule;
  const inZone = scan.cron_timezone === undefined ? scan.cronTimezone : scan.cron_timezone;
  const found = {
    enabled: scan.enabled,
    mode: scan.default_mode ?? scan.scanMode,
    cron: cron === '' ? null : cron,
    zone: inZone === '' ? null : inZone,
    purge: scan.purge_deleted_on_scan ?? scan.purgeDeletedOnScan,
    onStart: scan.scan_on_start ?? scan.scanOnStart,
    watch: scan.watch_folders ?? scan.watchFolders,
  };
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
};

const updateRow = (method: 'PUT' | 'PATCH'): Route =>
  route({
    id: `libraries.${method === 'PUT' ? 'put' : 'patch'}`,
    method,
    path: '/libraries/{id}',
    access: 'LibrariesWrite',
    params: byId,
    body: updateBody,
    example: {
      description: 'What we read',
      scanningConfig: { enabled: true, scanMode: 'normal', cronSchedule: '0 3 * * *' },
    },
    reply: ok(Library),
    fails: ['Conflict'],
    about:
      'Changes the fields in the body; the others stay unchanged. The series strategy is fixed when a library is created. A changed title or number strategy applies to new books at once, and to the others at the next deep scan.',
    run: async ({ app, viewer }, { params, body }) =>
      json(
        200,
        libraryView(await updateLibrary(app.db, app.clock, viewer, params.id, libraryChange(body), app.ownFolders)),
      ),
  });

export const LIBRARY_ROUTES: readonly Route[] = [
  route({
    id: 'libraries.list',
    method: 'GET',
    path: '/libraries',
    access: 'LibrariesRead',
    kept: true,
    query: pagingQuery,
    reply: ok(LibraryPage),
    about: 'All libraries by name.',
    run: async (ctx, { query }) =>
      pageReply(ctx, await listLibraries(ctx.app.db, ctx.viewer, windowOf(query)), libraryView),
  }),
  route({
    id: 'libraries.create',
    method: 'POST',
    path: '/libraries',
    access: 'LibrariesWrite',
    body: createBody,
    example: { name: 'Comics', path: '/library', scanImmediately: true },
    reply: made(Library),
    fails: ['Conflict'],
    about:
      'Creates a library from a folder on the server; scans it when scanImmediately is true. A scan that cannot start (a full disk or queue) is logged, and may be requested later.',
    run: async ({ app, viewer }, { body }) => {
      const change = { ...libraryChange(body), name: body.name, path: body.path };
      const library = await createLibrary(app.db, app.clock, viewer, change, app.ownFolders);
      if (body.scanImmediately === true) await app.scans.startFirst(library, viewer.userKey);
      return json(201, libraryView(library));
    },
  }),
  route({
    id: 'libraries.get',
    method: 'GET',
    path: '/libraries/{id}',
    access: 'LibrariesRead',
    kept: true,
    params: byId,
    reply: ok(Library),
    about: 'One library.',
    run: async ({ app, viewer }, { params }) => json(200, libraryView(await libraryFor(app.db, viewer, params.id))),
  }),
  updateRow('PUT'),
  updateRow('PATCH'),
  route({
    id: 'libraries.delete',
    method: 'DELETE',
    path: '/libraries/{id}',
    access: 'LibrariesDelete',
    params: byId,
    reply: EMPTY,
    about:
      'Removes a library with its series, books and progress. Once this has answered, the library and its contents are hidden from everyone, and its name and path are free; its rows are deleted in the background. Files on disk stay.',
    run: async ({ app, viewer }, { params }) => {
      await libraryToKeep(app.db, viewer, params.id);
      await app.removals.remove(params.id, viewer.userKey);
      return noContent();
    },
  }),
  route({
    id: 'libraries.thumbnail',
    method: 'GET',
    path: '/libraries/{id}/thumbnail',
    access: 'LibrariesRead',
    params: byId,
    reply: IMAGE,
    fails: ['PreconditionFailed', ...FILE_FAULTS],
    about: 'The cover of the first series.',
    run: async (ctx, { params }) =>
      coverReply(
        await coverOfLibrary(ctx.app.db, ctx.app.pages, ctx.viewer, params.id, askCover(ctx.request)),
        ctx.request,
      ),
  }),
];
