// The first pages of lists, made as for a request without sending them: afterwards their code is compiled, their statements are prepared
// on every reader, and their rows are in the memory of one.
import { likelyUser, type User } from '../../core/access/users.js';
import { allLibraries } from '../../core/catalog/libraries.js';
import type { Step, WarmUp } from '../../core/engine/warm-up.js';
import { faultOf, KINDS } from '../../core/model/errors.js';
import type { App } from '../../core/start.js';
import type { Request } from '../server/adapter.js';
import { inputOf } from '../surface/dispatch.js';
import type { HttpSettings } from '../surface/route.js';
import type { Router } from '../surface/router.js';

/** What a client shows first. */
const LISTS = [
  '/libraries',
  '/books',
  '/series',
  '/books/on-deck',
  '/books/in-progress',
  '/books/recently-added',
  '/books/recently-read',
  '/series/in-progress',
  '/series/recently-added',
  '/series/recently-updated',
];
const LETTERS = '/series/list/alphabetical-groups';
const LIBRARIES_MAX = 4;

const ofLibrary = (id: string): string[] => [`/libraries/${id}/books`, `/libraries/${id}/series`];

const requestOf = (address: string, signal: AbortSignal): Request => {
  const [path = '', query = ''] = address.split('?');
  const isPost = path === LETTERS;
  return {
    method: isPost ? 'POST' : 'GET',
    path: `/api/v1${path}`,
    query,
    header: (name) => (isPost && name === 'content-type' ? 'application/json' : ''),
    has: (name) => isPost && name === 'content-type',
    remoteAddress: '127.0.0.1',
    body: Buffer.from(isPost ? '{}' : ''),
    signal,
  };
};

/** A library may have been removed since it was listed. */
const unlessMissing = (thrown: unknown): void => {
  if (KINDS[faultOf(thrown).kind].blame !== 'client') throw thrown;
};

/** For the likeliest user, but without restrictions: that makes the statements of almost everybody, and shows nothing to anyone. */
export const firstPages = (app: App, router: Router, settings: HttpSettings): WarmUp['steps'] => {
  const step =
    (address: string, user: User): Step =>
    async (signal) => {
      const request = requestOf(address, signal);
      const match = router.find(request.method, request.path);
      const ctx = {
        // Every statement has to be prepared: no row is one that is kept.
        app: { ...app, rows: null, db: { ...app.db, ...app.db.spare(signal) } },
        caller: { user, permissions: new Set<never>(), via: { kind: 'password' as const, storedHash: '' } },
        viewer: app.viewers.unrestricted(user.key),
        request,
        clientAddress: () => request.remoteAddress,
        isOverTls: () => false,
        base: () => '',
        prefix: match.compiled.surface.prefix,
        settings,
      };
      await Promise.resolve(match.compiled.route.run(ctx, inputOf(match.compiled, match, request))).catch(
        unlessMissing,
      );
    };
  return async () => {
    const user = await likelyUser(app.db);
    if (user === undefined) return [];
    const libraries = (await allLibraries(app.db)).slice(0, LIBRARIES_MAX);
    const addresses = [...LISTS, ...libraries.flatMap(({ id }) => ofLibrary(id)), LETTERS];
    return [() => app.sessions.rehearse(user), ...addresses.map((address) => step(address, user))];
  };
};
