// Libraries.
import Type from 'typebox';
import { type Library as LibraryOfCore, libraryFor, listLibraries } from '../../../core/catalog/libraries.js';
import { rootShown } from '../../../core/catalog/shown-paths.js';
import type { Viewer } from '../../../core/model/viewer.js';
import { coverOfLibrary } from '../../../core/pages/covers.js';
import { FILE_FAULTS } from '../../surface/failures.js';
import { IMAGE, ok } from '../../surface/replies.js';
import { contentReply, json } from '../../surface/reply.js';
import { ask } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import { Library } from '../schemas/library.js';
import { byId } from '../schemas/requests.js';
import { libraryView } from '../views/library.js';

/** More than anybody has. */
const ALL = { page: 1, pageSize: 10_000 };

const viewFor = (viewer: Viewer) => (library: LibraryOfCore) => libraryView(library, rootShown(viewer, library));

export const LIBRARY_ROWS: readonly Route[] = [
  route({
    id: 'comics.libraries.list',
    method: 'GET',
    path: '/api/v1/libraries',
    access: 'LibrariesRead',
    kept: true,
    reply: ok(Type.Array(Library)),
    about: 'All libraries by name.',
    run: async ({ app, viewer }) => json(200, (await listLibraries(app.db, viewer, ALL)).items.map(viewFor(viewer))),
  }),
  route({
    id: 'comics.libraries.get',
    method: 'GET',
    path: '/api/v1/libraries/{id}',
    access: 'LibrariesRead',
    kept: true,
    params: byId,
    reply: ok(Library),
    about: 'One library.',
    run: async ({ app, viewer }, { params }) => json(200, viewFor(viewer)(await libraryFor(app.db, viewer, params.id))),
  }),
  route({
    id: 'comics.libraries.thumbnail',
    method: 'GET',
    path: '/api/v1/libraries/{id}/thumbnail',
    access: 'LibrariesRead',
    params: byId,
    reply: IMAGE,
    fails: ['PreconditionFailed', ...FILE_FAULTS],
    about: 'The cover of a library: that of its first series.',
    run: async ({ app, viewer, request }, { params }) =>
      contentReply(await coverOfLibrary(app.db, app.pages, viewer, params.id, ask(request)), request),
  }),
];
