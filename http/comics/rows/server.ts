// What apps ask about the server, and work that they start on it.
import Type from 'typebox';
import type { Caller } from '../../../core/access/caller.js';
import { hasUsers } from '../../../core/access/users.js';
import { libraryFor, libraryToKeep } from '../../../core/catalog/libraries.js';
import type { Permission } from '../../../core/model/permissions.js';
import { analyseBook, analyseSeries } from '../../../core/scan/asked-analyses.js';
import { enqueueTask } from '../../../core/scan/new-tasks.js';
import { purgeDeleted } from '../../../core/scan/purge.js';
import { cancelAll } from '../../../core/tasks/control.js';
import { deleteFinished } from '../../../core/tasks/finished.js';
import { ok, type Replies } from '../../surface/replies.js';
import { json } from '../../surface/reply.js';
import { type Ctx, type Route, route } from '../../surface/route.js';
import { pagingFields, requestedPage } from '../query.js';
import { pageOf } from '../schemas/page.js';
import { byId } from '../schemas/requests.js';
import { Announcements, Claim, NoSettings, ServerInfo } from '../schemas/server.js';
import { pageView } from '../views/paging.js';

const NONE = { kind: 'none' } as const;
const ACCEPTED: Replies = { 202: null };

interface Work {
  readonly path: string;
  readonly access: Permission;
  readonly about: string;
  readonly start: (ctx: Ctx<Caller>, id: string, isDeep: boolean) => Promise<unknown>;
}

/** Work that goes on after the answer. */
const workRow = ({ path, access, about, start }: Work): Route =>
  route({
    id: `comics.${path.replace('/{id}/', '.').replaceAll('/', '.')}`,
    method: 'POST',
    path: `/api/v1/${path}`,
    access,
    params: byId,
    query: Type.Object({ deep: Type.Optional(Type.Boolean()) }),
    reply: ACCEPTED,
    fails: ['Conflict'],
    about,
    run: async (ctx, { params, query }) => {
      await start(ctx, params.id, query.deep ?? false);
      return { status: 202, headers: [], body: NONE };
    },
  });

const WORK: readonly Work[] = [
  {
    path: 'libraries/{id}/scan',
    access: 'LibrariesWrite',
    about: 'Scans a library. With deep=true, every file is read again.',
    start: async ({ app, viewer }, id, isDeep) => {
      const library = await libraryToKeep(app.db, viewer, id);
      const mode = isDeep ? 'deep' : 'normal';
      await app.scans.start(library, { mode, part: null, by: viewer.userKey });
    },
  },
  {
    path: 'libraries/{id}/analyze',
    access: 'LibrariesWrite',
    about: 'Analyses every book of a library again.',
    start: ({ app, viewer }, id) => app.libraryAnalyses.add(viewer, id, false),
  },
  {
    path: 'libraries/{id}/metadata/refresh',
    access: 'LibrariesWrite',
    about: 'The same, since metadata is read during the analysis.',
    start: ({ app, viewer }, id) => app.libraryAnalyses.add(viewer, id, false),
  },
  {
    path: 'libraries/{id}/empty-trash',
    access: 'LibrariesWrite',
    about: 'Deletes the records of books whose files are gone, with their reading progress and edits.',
    start: async ({ app, viewer, request }, id) => {
      const { key } = await libraryFor(app.db, viewer, id);
      await purgeDeleted(app.db, viewer.userKey, { libraryKey: key, scope: viewer.scope }, request.signal);
    },
  },
  {
    path: 'books/{id}/analyze',
    access: 'BooksWrite',
    about: 'Analyses a book again.',
    start: ({ app, viewer }, id) => analyseBook(app, viewer, id),
  },
  {
    path: 'books/{id}/metadata/refresh',
    access: 'BooksWrite',
    about: 'The same, since metadata is read during the analysis.',
    start: ({ app, viewer }, id) => analyseBook(app, viewer, id),
  },
  {
    path: 'series/{id}/analyze',
    access: 'SeriesWrite',
    about: 'Analyses the books of a series again.',
    start: ({ app, viewer }, id) => analyseSeries(app, viewer, id),
  },
  {
    path: 'series/{id}/metadata/refresh',
    access: 'SeriesWrite',
    about: 'The same, since metadata is read during the analysis.',
    start: ({ app, viewer }, id) => analyseSeries(app, viewer, id),
  },
];

const COVERS = route({
  id: 'comics.books.covers.generate',
  method: 'PUT',
  path: '/api/v1/books/thumbnails',
  access: 'BooksWrite',
  reply: ACCEPTED,
  about: 'Generates the covers of all books again.',
  run: async ({ app, viewer }) => {
    await enqueueTask(app, viewer, 'generate_thumbnails', { force: true }, {});
    return { status: 202, headers: [], body: NONE };
  },
});

const noSettings = (whose: 'global' | 'user'): Route =>
  route({
    id: `comics.client-settings.${whose}`,
    method: 'GET',
    path: `/api/v1/client-settings/${whose}/list`,
    access: 'user',
    reply: ok(NoSettings),
    about: 'Settings that apps store on the server; always none.',
    run: () => json(200, {}),
  });

const EmptyPage = pageOf('ComicEmptyPage', Type.Object({}));

/** What that server records and this one does not do: changes to files, and pages to be removed from them. */
const emptyPage = (path: string, about: string): Route =>
  route({
    id: `comics.${path.replace('/', '.')}`,
    method: 'GET',
    path: `/api/v1/${path}`,
    access: 'SystemAdmin',
    query: Type.Object(pagingFields),
    reply: ok(EmptyPage),
    about,
    run: (_, { query }) => {
      const { window } = requestedPage(query);
      return json(200, pageView({ page: window.page - 1, size: window.pageSize, count: 0, total: 0, isSorted: true }));
    },
  });

export const SERVER_ROWS: readonly Route[] = [
  ...WORK.map(workRow),
  COVERS,
  route({
    id: 'comics.claim',
    method: 'GET',
    path: '/api/v1/claim',
    access: 'user',
    reply: ok(Claim),
    about: 'Whether the server has any user.',
    run: async ({ app }) => json(200, { isClaimed: await hasUsers(app.db) }),
  }),
  route({
    id: 'comics.providers',
    method: 'GET',
    path: '/api/v1/oauth2/providers',
    access: 'user',
    reply: ok(Type.Array(Type.Object({ registrationId: Type.String(), name: Type.String() }))),
    about: 'Sign-on providers for apps; always none, since their redirects lead to the web client.',
    run: () => json(200, []),
  }),
  noSettings('global'),
  noSettings('user'),
  emptyPage('history', 'Files that the server deleted or converted; always none.'),
  emptyPage('page-hashes', 'Pages that are to be removed from files; always none.'),
  emptyPage('page-hashes/unknown', 'Duplicate pages that nobody has dealt with yet; always none.'),
  route({
    id: 'comics.releases',
    method: 'GET',
    path: '/api/v1/releases',
    access: 'SystemAdmin',
    reply: ok(Type.Array(Type.Object({ version: Type.String() }))),
    about: 'Releases of that server; always none.',
    run: () => json(200, []),
  }),
  route({
    id: 'comics.fonts',
    method: 'GET',
    path: '/api/v1/fonts/families',
    access: 'user',
    reply: ok(Type.Array(Type.String())),
    about: 'Fonts for readers of text; always none.',
    run: () => json(200, []),
  }),
  route({
    id: 'comics.server',
    method: 'GET',
    path: '/actuator/info',
    access: 'user',
    reply: ok(ServerInfo),
    about: 'The version of the server.',
    run: ({ settings }) =>
      json(200, { build: { artifact: 'longbox', name: 'longbox', version: settings.version, group: 'longbox' } }),
  }),
  route({
    id: 'comics.announcements',
    method: 'GET',
    path: '/api/v1/announcements',
    access: 'SystemAdmin',
    reply: ok(Announcements),
    about: 'A feed without entries.',
    run: () => json(200, { version: 'https://jsonfeed.org/version/1.1', title: 'Announcements', items: [] }),
  }),
  route({
    id: 'comics.tasks.delete',
    method: 'DELETE',
    path: '/api/v1/tasks',
    access: 'SystemAdmin',
    reply: ok(Type.Integer()),
    about: 'Cancels every task and deletes the finished ones; returns how many.',
    run: async ({ app, viewer }) => {
      await cancelAll(app, app.clock.now());
      return json(200, await deleteFinished(app.db, viewer.userKey, app.clock.now() + 1));
    },
  }),
];
