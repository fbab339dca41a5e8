// What is left of rows that are gone: how much there is, and its removal, for administrators.
import Type from 'typebox';
import { ok } from '../../surface/replies.js';
import { json } from '../../surface/reply.js';
import { type Route, route } from '../../surface/route.js';
import { CleanupBegun, CleanupResult, OrphanStats } from '../schemas/orphans.js';
import { cleanupView, orphanStatsView } from '../views/orphans.js';

const WHAT = 'files of uploaded covers that no cover has, and images in the cache of books and series that are gone';

export const ORPHAN_ROUTES: readonly Route[] = [
  route({
    id: 'orphans.stats',
    method: 'GET',
    path: '/admin/cleanup-orphans/stats',
    access: 'SystemAdmin',
    query: Type.Object({ includeFiles: Type.Optional(Type.Boolean()) }),
    reply: ok(OrphanStats),
    fails: ['StorageFailed'],
    about: `What a clean-up would remove: ${WHAT}. With includeFiles the first thousand of them by name.`,
    run: async ({ app, request }, { query: { includeFiles = false } }) =>
      json(200, orphanStatsView(await app.orphans.find(request.signal), includeFiles)),
  }),
  route({
    id: 'orphans.enqueue',
    method: 'POST',
    path: '/admin/cleanup-orphans',
    access: 'SystemAdmin',
    reply: ok(CleanupBegun),
    about: `Enqueues the removal of ${WHAT}. Uploads that are younger than thirty days go as well, which the server keeps when it tidies up by itself: a database that a restore has put aside may know them.`,
    run: async ({ app }) => json(200, { message: 'The clean-up is enqueued.', taskId: await app.orphans.add() }),
  }),
  route({
    id: 'orphans.delete',
    method: 'DELETE',
    path: '/admin/cleanup-orphans',
    access: 'SystemAdmin',
    reply: ok(CleanupResult),
    fails: ['StorageFailed'],
    about: 'The same at once, without a task. It ends when the client leaves; what was removed by then is gone.',
    run: async ({ app, request }) => json(200, cleanupView(await app.orphans.clean(request.signal))),
  }),
];
