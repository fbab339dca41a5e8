// The caller's own sync secret, which e-readers sign in with.
import Type from 'typebox';
import { ownSyncSecret, removeOwnSyncSecret, setOwnSyncSecret } from '../../../core/access/own-sync-secret.js';
import { EMPTY, ok } from '../../surface/replies.js';
import { json, noContent } from '../../surface/reply.js';
import { actorOf } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import { MadeSyncSecret, SyncSecret } from '../schemas/sync-secret.js';
import { madeSyncSecretView, syncSecretView } from '../views/sync-secret.js';

/** Core checks what it may be; this only refuses absurd values. */
const secret = Type.String({ maxLength: 10_000, expected: 'text of 12 to 200 characters' });

export const SYNC_SECRET_ROUTES: readonly Route[] = [
  route({
    id: 'user.sync-secret',
    method: 'GET',
    path: '/user/sync-secret',
    access: 'user',
    reply: ok(SyncSecret),
    about: 'Whether the caller has a secret for e-reader sync, and since when. Nobody can find it out.',
    run: async (ctx) => json(200, syncSecretView(await ownSyncSecret(ctx.app, actorOf(ctx)))),
  }),
  route({
    id: 'user.sync-secret.put',
    method: 'PUT',
    path: '/user/sync-secret',
    access: 'user',
    body: Type.Optional(Type.Object({ secret: Type.Optional(secret) })),
    example: {},
    reply: ok(MadeSyncSecret),
    about:
      'Sets the secret for e-reader sync: a generated one, which only this answer shows, or the one in the body. It takes the place of the one before. Not with an API key.',
    run: async (ctx, { body }) =>
      json(200, madeSyncSecretView(await setOwnSyncSecret(ctx.app, actorOf(ctx), body?.secret))),
  }),
  route({
    id: 'user.sync-secret.remove',
    method: 'DELETE',
    path: '/user/sync-secret',
    access: 'user',
    reply: EMPTY,
    about: 'Removes the secret for e-reader sync: devices are no longer signed in by it. Not with an API key.',
    run: async (ctx) => {
      await removeOwnSyncSecret(ctx.app, actorOf(ctx));
      return noContent();
    },
  }),
];
