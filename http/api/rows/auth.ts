// Set-up, login, refreshing it, me, logout.
import Type from 'typebox';
import type { Caller } from '../../../core/access/caller.js';
import { createFirstUser } from '../../../core/access/new-users.js';
import type { SignedIn } from '../../../core/access/sessions.js';
import type { User } from '../../../core/access/users.js';
import { authenticate, hasUsers } from '../../../core/access/users.js';
import { AppError } from '../../../core/model/errors.js';
import type { Reply } from '../../server/adapter.js';
import { COOKIE, clearedCookies, cookieIn, loginCookies, REFRESH_COOKIE } from '../../surface/cookies.js';
import { refreshCookie } from '../../surface/credentials.js';
import { ok } from '../../surface/replies.js';
import { json } from '../../surface/reply.js';
import { clientOf } from '../../surface/request-parts.js';
import { type Ctx, type Route, route } from '../../surface/route.js';
import type { Wire } from '../../surface/wire.js';
import { Login, Me, Message, SessionStatus, SetUp, SetupStatus } from '../schemas/user.js';
import { loginView, meView } from '../views/user.js';

const text = (max: number) => Type.String({ maxLength: max, expected: `text of at most ${max} characters` });

/** Also sets the cookies. */
export const loginReply = (ctx: Ctx<unknown>, user: User, signedIn: SignedIn, isKept: boolean): Reply =>
  json(200, loginView(user, signedIn, isKept), loginCookies(signedIn, isKept, ctx));

/** Null for a cookie that is not there, or signs nobody in. */
const known = async (text: string, callerOf: (text: string) => Caller | Promise<Caller>): Promise<Caller | null> => {
  if (text === '') return null;
  try {
    return await callerOf(text);
  } catch (thrown) {
    if (thrown instanceof AppError && thrown.kind === 'Unauthorized') return null;
    throw thrown;
  }
};

export const asCookie = Type.Optional(
  Type.Boolean({
    expected: 'true or false',
    description: 'Whether the refresh token goes into an HttpOnly cookie instead of the answer, for web pages.',
  }),
);
const refreshToken = Type.Optional(text(200));

export const AUTH_ROUTES: readonly Route[] = [
  route({
    id: 'setup.status',
    method: 'GET',
    path: '/setup/status',
    access: 'public',
    reply: ok(SetupStatus),
    about: 'Whether the first user still has to be created, and what people can do who are not signed in.',
    run: async ({ app }) => {
      const has = await hasUsers(app.db);
      const shown: Wire<typeof SetupStatus> = {
        setupRequired: !has,
        hasUsers: has,
        registrationEnabled: app.isRegistrationOpen(),
        passwordResetEnabled: app.mails.isSending,
      };
      return json(200, shown);
    },
  }),
  route({
    id: 'setup.initialize',
    method: 'POST',
    path: '/setup/initialize',
    access: 'public',
    body: Type.Object({ username: text(100), email: text(254), password: text(1024), cookie: asCookie }),
    example: { username: 'ann', email: 'ann@example.org', password: 'fog over the harbour 7' },
    reply: ok(SetUp),
    about: 'Creates the first user, an administrator. Works only once.',
    run: async (ctx, { body: { cookie = false, ...wanted } }) => {
      const { app } = ctx;
      const { user, signedIn } = await createFirstUser(app, wanted, clientOf(ctx));
      app.markSetUp();
      const message = 'The server is set up.';
      const shown: Wire<typeof SetUp> = { ...loginView(user, signedIn, cookie), message };
      return json(200, shown, loginCookies(signedIn, cookie, ctx));
    },
  }),
  route({
    id: 'auth.session',
    method: 'GET',
    path: '/auth/session',
    access: 'public',
    reply: ok(SessionStatus),
    about:
      'Who is signed in by the cookies of this browser, if anybody. For a page that starts: nobody is an answer here, and no error.',
    run: async ({ app, request }) => {
      const caller = await known(cookieIn(request, COOKIE), (text) => app.callers.byToken(text));
      const owner = await known(caller === null ? cookieIn(request, REFRESH_COOKIE) : '', (text) =>
        app.sessions.ownerOfRefreshToken(text),
      );
      const shown: Wire<typeof SessionStatus> = {
        user: caller === null ? null : meView(caller.user),
        isRenewable: owner !== null,
      };
      return json(200, shown);
    },
  }),
  route({
    id: 'auth.login',
    method: 'POST',
    path: '/auth/login',
    access: 'public',
    body: Type.Object({ username: text(254), password: text(4096), cookie: asCookie }),
    example: { username: 'ann', password: 'fog over the harbour 7' },
    reply: ok(Login),
    fails: ['Unauthorized'],
    about:
      'Exchanges a user name (or e-mail address) and password for an access token, and a refresh token to get the next one.',
    run: async (ctx, { body: { username, password, cookie = false } }) => {
      const { app } = ctx;
      const tried = { name: username, address: ctx.clientAddress(), surface: 'API' };
      const found = await app.throttle.attempt(tried, () => authenticate(app.db, app.passwords, username, password));
      return loginReply(ctx, found.user, await app.sessions.signIn(found, clientOf(ctx)), cookie);
    },
  }),
  route({
    id: 'auth.refresh',
    method: 'POST',
    path: '/auth/refresh',
    access: 'public',
    body: Type.Optional(Type.Object({ refreshToken, refresh_token: refreshToken, cookie: asCookie })),
    example: { refreshToken: 'gaqRnLpSGuYeEUDL2JOXALt-34Blt3unT3q-k3GpoZ0' },
    reply: ok(Login),
    fails: ['Unauthorized'],
    about:
      'Exchanges a refresh token, of the body or of the cookie, for a new pair. Each is used once: one that comes again ends the session. What came in a cookie goes into one.',
    run: async (ctx, { body }) => {
      const sent = body.refreshToken ?? body.refresh_token;
      const isKept = sent === undefined || body.cookie === true;
      const text = sent ?? cookieIn(ctx.request, REFRESH_COOKIE);
      const { user, ...signedIn } = await ctx.app.sessions.refresh(text, clientOf(ctx), sent === undefined);
      return loginReply(ctx, user, signedIn, isKept);
    },
  }),
  route({
    id: 'auth.logout',
    method: 'POST',
    path: '/auth/logout',
    access: 'user',
    signIn: refreshCookie,
    onUnauthorized: clearedCookies,
    body: Type.Optional(Type.Object({ refreshToken, refresh_token: refreshToken })),
    example: {},
    reply: ok(Message),
    about:
      'Ends the session of the caller and, if one is sent in the body or the cookie, that of their refresh token; the refresh cookie alone also authenticates this request. All tokens of these sessions become invalid. Clears the cookies, even if the answer is 401.',
    run: async (ctx, { body }) => {
      const inCookie = cookieIn(ctx.request, REFRESH_COOKIE);
      const sent = body.refreshToken ?? body.refresh_token ?? (inCookie === '' ? null : inCookie);
      await ctx.app.sessions.close(ctx.caller, sent);
      return json(200, { message: 'Logged out.' } satisfies Wire<typeof Message>, clearedCookies(ctx));
    },
  }),
  route({
    id: 'auth.me',
    method: 'GET',
    path: '/auth/me',
    access: 'user',
    reply: ok(Me),
    about: 'The account of the caller.',
    run: ({ caller }) => json(200, meView(caller.user)),
  }),
];
