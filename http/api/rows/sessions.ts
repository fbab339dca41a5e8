// The caller's own password and sessions.
import Type from 'typebox';
import { changeOwnPassword } from '../../../core/access/own-password.js';
import { refuseKey } from '../../../core/access/own-profile.js';
import { EMPTY, ok } from '../../surface/replies.js';
import { json, noContent } from '../../surface/reply.js';
import { actorOf, clientOf } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import { byId } from '../../surface/schemas.js';
import { Login, Session } from '../schemas/user.js';
import { sessionView } from '../views/user.js';
import { asCookie, loginReply } from './auth.js';

const password = Type.String({ maxLength: 4096, expected: 'text of at most 4096 characters' });

export const SESSION_ROUTES: readonly Route[] = [
  route({
    id: 'auth.password',
    method: 'POST',
    path: '/auth/change-password',
    access: 'user',
    body: Type.Object({ currentPassword: password, newPassword: password, cookie: asCookie }),
    example: { currentPassword: 'fog over the harbour 7', newPassword: 'Gulls over the pier 4!' },
    reply: ok(Login),
    about:
      'Changes the password of the caller, ends all sessions of theirs, and answers the tokens of a new one. Their API keys remain. Not with an API key.',
    run: async (ctx, { body: { cookie = false, ...change } }) => {
      const signedIn = await changeOwnPassword(ctx.app, actorOf(ctx), change, clientOf(ctx));
      return loginReply(ctx, ctx.caller.user, signedIn, cookie);
    },
  }),
  route({
    id: 'user.sessions',
    method: 'GET',
    path: '/user/sessions',
    access: 'user',
    reply: ok(Type.Array(Session)),
    fails: ['Forbidden'],
    about: 'Where the caller is signed in, the most recently seen first. Not with an API key.',
    run: async (ctx) => {
      const { app, caller } = ctx;
      refuseKey(actorOf(ctx));
      const sessions = await app.sessions.list(caller.user.key);
      return json(
        200,
        sessions.map((session) => sessionView(session, caller)),
      );
    },
  }),
  route({
    id: 'user.sessions.end',
    method: 'DELETE',
    path: '/user/sessions/{id}',
    access: 'user',
    params: byId,
    reply: EMPTY,
    about: 'Ends a session of the caller: its tokens are invalid from then on. Not with an API key.',
    run: async (ctx, { params }) => {
      refuseKey(actorOf(ctx));
      await ctx.app.sessions.end(ctx.caller.user.key, params.id);
      return noContent();
    },
  }),
];
