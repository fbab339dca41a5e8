// Orphaned files: statistics and removal, for administrators.
import Type from 'typebox';
import { ok } from '../../surface/replies.js';
import { json } from '../../surface/reply.js';
import { type Route, route } from '../../surface/route.js';
import { CleanupBegun, CleanupResult, OrphanStats } from '../schemas/orphans.js';
import { cleanupView, orphanStatsView } from '../views/orphans.js';

const WHAT = 'uploaded covers without a record, and cached images of books and series that are gone';

export const ORPHAN_ROUTES: readonly Route[] = [
  route({
    id: 'orphans.stats',
    method: 'GET',
    path: '/admin/cleanup-orphans/stats',
    access: 'SystemAdmin',
    query: Type.Object({ includeFiles: Type.Optional(Type.Boolean()) }),
    reply: ok(OrphanStats),
    fails: ['StorageFailed'],
    about: `What a clean-up would remove: ${WHAT}. With includeFiles, lists the first thousand of them.`,
    run: async ({ app, request }, { query: { includeFiles = false } }) =>
      json(200, orphanStatsView(await app.orphans.find(request.signal), includeFiles)),
  }),
  route({
    id: 'orphans.enqueue',
    method: 'POST',
    path: '/admin/cleanup-orphans',
    access: 'SystemAdmin',
    reply: ok(CleanupBegun),
    about: `Enqueues the removal of ${WHAT}. This includes uploads less than thirty days old, which the automatic clean-up keeps because a database set aside by a restore may refer to them.`,
    run: async ({ app, viewer }) =>
      json(200, { message: 'The clean-up has been enqueued.', taskId: await app.orphans.add(viewer) }),
  }),
  route({
    id: 'orphans.delete',
    method: 'DELETE',
    path: '/admin/cleanup-orphans',
    access: 'SystemAdmin',
    reply: ok(CleanupResult),
    fails: ['StorageFailed'],
    about:
      'Does the same at once, without a task. It stops if the client disconnects; files removed by then stay removed.',
    run: async ({ app, request }) => json(200, cleanupView(await app.orphans.clean(request.signal))),
  }),
];
