// Scans of libraries, and of single folders, series and books.
import Type from 'typebox';
import { libraryById, libraryFor, libraryToKeep } from '../../../core/catalog/libraries.js';
import { partFor, partOf } from '../../../core/scan/part.js';
import { scanAsSeen, scansAsSeen, withCovers } from '../../../core/scan/status.js';
import { EMPTY, ok } from '../../surface/replies.js';
import { json, noContent } from '../../surface/reply.js';
import { type Route, route } from '../../surface/route.js';
import { byId } from '../../surface/schemas.js';
import { SCAN_MODES, Scan } from '../schemas/library.js';
import { scanView } from '../views/library.js';

const mode = Type.Optional(Type.Enum([...SCAN_MODES]));

/** Scans the folders of a visible series or book. */
const partRow = (kind: 'series' | 'book', access: 'SeriesWrite' | 'BooksWrite', what: string): Route =>
  route({
    id: `${kind === 'book' ? 'books' : 'series'}.scan`,
    method: 'POST',
    path: `/${kind === 'book' ? 'books' : 'series'}/{id}/scan`,
    access,
    params: byId,
    query: Type.Object({ mode }),
    reply: ok(Scan),
    fails: ['Conflict'],
    about: `Scans ${what} and all subfolders. A missing folder is left to a scan of the library.`,
    run: async ({ app, viewer }, { params, query }) => {
      const { libraryId, part } = await partOf(app.db, viewer, kind, params.id);
      const library = await libraryById(app.db, libraryId);
      const status = await app.scans.start(library, { mode: query.mode ?? 'normal', part, by: viewer.userKey });
      return json(200, scanView(await scanAsSeen(app, viewer, status)));
    },
  });

export const SCAN_ROUTES: readonly Route[] = [
  route({
    id: 'libraries.scan',
    method: 'POST',
    path: '/libraries/{id}/scan',
    access: 'LibrariesWrite',
    params: byId,
    query: Type.Object({
      mode,
      acceptMissing: Type.Optional(Type.Boolean()),
      folder: Type.Optional(
        Type.String({
          maxLength: 4096,
          description:
            'Scans only this folder, a path relative to the library root; with restrictions, one in which the caller can see a book.',
        }),
      ),
    }),
    reply: ok(Scan),
    fails: ['Conflict'],
    about: 'Starts a scan; acceptMissing confirms that vanished files are really gone.',
    run: async ({ app, viewer }, { params, query }) => {
      const { mode: wanted = 'normal', acceptMissing = false, folder } = query;
      const library = await libraryToKeep(app.db, viewer, params.id);
      const part = folder === undefined ? null : await partFor(app.db, viewer, library, folder);
      const status = await app.scans.start(library, { mode: wanted, acceptMissing, part, by: viewer.userKey });
      return json(200, scanView(await withCovers(app, status)));
    },
  }),
  partRow('series', 'SeriesWrite', 'the folders of a series'),
  partRow('book', 'BooksWrite', 'the folder of a book'),
  route({
    id: 'libraries.scanStatus',
    method: 'GET',
    path: '/libraries/{id}/scan-status',
    access: 'LibrariesRead',
    params: byId,
    reply: ok(Scan),
    about: 'The status of the current or last scan of a library.',
    run: async ({ app, viewer }, { params }) =>
      json(
        200,
        scanView(await scanAsSeen(app, viewer, await app.scans.status(await libraryFor(app.db, viewer, params.id)))),
      ),
  }),
  route({
    id: 'libraries.scanCancel',
    method: 'POST',
    path: '/libraries/{id}/scan/cancel',
    access: 'LibrariesWrite',
    params: byId,
    reply: EMPTY,
    about: 'Stops the scan of a library.',
    run: async ({ app, viewer }, { params }) => {
      await app.scans.cancel((await libraryToKeep(app.db, viewer, params.id)).key);
      return noContent();
    },
  }),
  route({
    id: 'scans.active',
    method: 'GET',
    path: '/scans/active',
    access: 'LibrariesRead',
    reply: ok(Type.Array(Scan)),
    about: 'Running and pending scans.',
    run: async ({ app, viewer }) => json(200, (await scansAsSeen(app, viewer, app.scans.active())).map(scanView)),
  }),
];
