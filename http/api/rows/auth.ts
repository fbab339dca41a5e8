// Set-up, login, me, logout.
import Type from 'typebox';
import { createFirstUser } from '../../../core/access/new-users.js';
import { authenticate, hasUsers } from '../../../core/access/users.js';
import { clearedCookie, loginCookie } from '../../surface/cookies.js';
import { ok } from '../../surface/replies.js';
import { json } from '../../surface/reply.js';
import { type Route, route } from '../../surface/route.js';
import type { Wire } from '../../surface/wire.js';
import { Login, Me, Message, SetUp, SetupStatus } from '../schemas/user.js';
import { loginView, meView } from '../views/user.js';

const text = (max: number) => Type.String({ maxLength: max, expected: `text of at most ${max} characters` });

export const AUTH_ROUTES: readonly Route[] = [
  route({
    id: 'setup.status',
    method: 'GET',
    path: '/setup/status',
    access: 'public',
    reply: ok(SetupStatus),
    about: 'Whether the first user still has to be created.',
    run: async ({ app }) => {
      const has = await hasUsers(app.db);
      const shown: Wire<typeof SetupStatus> = { setupRequired: !has, hasUsers: has, registrationEnabled: false };
      return json(200, shown);
    },
  }),
  route({
    id: 'setup.initialize',
    method: 'POST',
    path: '/setup/initialize',
    access: 'public',
    body: Type.Object({ username: text(100), email: text(254), password: text(1024) }),
    example: { username: 'ann', email: 'ann@example.org', password: 'fog over the harbour 7' },
    reply: ok(SetUp),
    about: 'Creates the first user, an administrator. Works only once.',
    run: async ({ app, settings, clientAddress }, { body }) => {
      const user = await createFirstUser(app, body, clientAddress());
      app.markSetUp();
      const token = await app.sessions.open(user);
      const shown: Wire<typeof SetUp> = { ...loginView(user, token), message: 'The server is set up.' };
      return json(200, shown, [loginCookie(token, settings)]);
    },
  }),
  route({
    id: 'auth.login',
    method: 'POST',
    path: '/auth/login',
    access: 'public',
    body: Type.Object({ username: text(254), password: text(4096) }),
    example: { username: 'ann', password: 'fog over the harbour 7' },
    reply: ok(Login),
    fails: ['Unauthorized'],
    about: 'Exchanges a user name (or e-mail address) and password for a bearer token.',
    run: async ({ app, settings, clientAddress }, { body }) => {
      const user = await app.throttle.attempt(body.username, clientAddress(), () =>
        authenticate(app.db, app.clock, app.passwords, body.username, body.password),
      );
      const token = await app.sessions.open(user);
      return json(200, loginView(user, token), [loginCookie(token, settings)]);
    },
  }),
  route({
    id: 'auth.logout',
    method: 'POST',
    path: '/auth/logout',
    access: 'user',
    cookie: true,
    reply: ok(Message),
    about: 'Ends the session of the token, which is invalid from then on.',
    run: async ({ app, caller, settings }) => {
      await app.sessions.close(caller);
      return json(200, { message: 'Logged out.' } satisfies Wire<typeof Message>, [clearedCookie(settings)]);
    },
  }),
  route({
    id: 'auth.me',
    method: 'GET',
    path: '/auth/me',
    access: 'user',
    cookie: true,
    reply: ok(Me),
    about: 'The account of the caller.',
    run: ({ caller }) => json(200, meView(caller.user)),
  }),
];
