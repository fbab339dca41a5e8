// How apps of the comic-server API stay signed in: with the cookies that its server gave them, or with a header that names the session. They
// hold tokens of an ordinary session, so that they end with a sign-out, a new password, or a disabled account.
import type { Caller } from '../../core/access/caller.js';
import { AppError } from '../../core/model/errors.js';
import type { Reply, Request } from '../server/adapter.js';
import { attributes, type CookiePlace, cookieIn } from '../surface/cookies.js';
import type { Knock, SignIn } from '../surface/credentials.js';
import { isFromElsewhere } from '../surface/origins.js';
import { clientOf } from '../surface/request-parts.js';
import type { Ctx } from '../surface/route.js';

const SESSION = 'KOMGA-SESSION';
const REMEMBERED = 'komga-remember-me';

const READS = new Set(['GET', 'HEAD']);

const isUnauthorized = (thrown: unknown): boolean => thrown instanceof AppError && thrown.kind === 'Unauthorized';

/** The session, and once that has ended what it was remembered by. */
const ownerOf = async ({ app }: Knock, session: string, remembered: string): Promise<Caller> => {
  if (session === '') return app.sessions.ownerOfRefreshToken(remembered);
  try {
    return await app.callers.byToken(session);
  } catch (thrown) {
    if (remembered === '' || !isUnauthorized(thrown)) throw thrown;
    return app.sessions.ownerOfRefreshToken(remembered);
  }
};

/** Apps that keep no cookies send it: empty to be given a session, with the session afterwards. */
const TOKEN = 'X-Auth-Token';
const hasTokenHeader = (request: Request): boolean => request.has(TOKEN.toLowerCase());

/** The session that a client sends, in the header or in the cookie. */
export const sentSession = (request: Request): string =>
  hasTokenHeader(request) ? request.header(TOKEN.toLowerCase()) : cookieIn(request, SESSION);

const namesItself = (request: Request): boolean =>
  request.header('authorization') !== '' || request.header('x-api-key') !== '';

/** The session in the header, which no browser adds by itself. */
export const tokenHeader: SignIn = ({ app, request }) => {
  if (namesItself(request)) return undefined;
  const text = request.header(TOKEN.toLowerCase());
  return text === '' ? undefined : app.callers.byToken(text);
};

/** The cookies: as for that of the native API, nothing is read and nothing changed for pages of other sites. */
export const appCookies: SignIn = (knock) => {
  const { app, request, isForeign } = knock;
  if (namesItself(request)) return undefined;
  const [session, remembered] = [cookieIn(request, SESSION), cookieIn(request, REMEMBERED)];
  if (session === '' && remembered === '') return undefined;
  if (isForeign()) {
    if (READS.has(request.method)) return undefined;
    throw new AppError('Forbidden', 'Pages of other sites cannot change anything with the cookies of this site.');
  }
  return remembered === '' ? app.callers.byToken(session) : ownerOf(knock, session, remembered);
};

type Header = readonly [string, string];

const cookieOf = (name: string, text: string, ageS: number | null, place: CookiePlace): Header => {
  const age = ageS === null ? '' : `Max-Age=${ageS}; `;
  return ['Set-Cookie', `${name}=${text}; ${age}Path=${place.settings.subPath || '/'}; ${attributes(place)}`];
};

/** A session as the client keeps it: in the header that it sent, or in a cookie that ends when the app does. */
export const sessionHeader = (text: string, ctx: Ctx<Caller>): Header =>
  hasTokenHeader(ctx.request) ? [TOKEN, text] : cookieOf(SESSION, text, null, ctx);

/** The session from the header, as a cookie, for apps that open pages in a web view, which does not send the header. */
export const cookieFromHeader = (ctx: Ctx<Caller>): Reply['headers'] => {
  const session = ctx.request.header(TOKEN.toLowerCase());
  return ctx.caller.via.kind === 'session' && session !== '' && !namesItself(ctx.request)
    ? [cookieOf(SESSION, session, null, ctx)]
    : [];
};

/**
 * After a password: a session that is remembered, for apps that send the password once. A key needs none. Links may contain a password: a
 * page of another site must not sign its visitors in here.
 */
export const rememberedHeaders = async (ctx: Ctx<Caller>): Promise<Reply['headers']> => {
  const { app, caller } = ctx;
  if (caller.via.kind !== 'password' || isFromElsewhere(ctx.request)) return [];
  const account = { user: caller.user, passwordHash: caller.via.storedHash };
  const { text, refresh } = await app.sessions.signIn(account, clientOf(ctx));
  const isKept = refresh !== null && refresh !== 'unchanged';
  return [sessionHeader(text, ctx), ...(isKept ? [cookieOf(REMEMBERED, refresh.text, refresh.expiresInS, ctx)] : [])];
};

export const signedOutHeaders = (place: CookiePlace): Reply['headers'] => [
  cookieOf(SESSION, '', 0, place),
  cookieOf(REMEMBERED, '', 0, place),
];

/** Ends the session of the request, whether it came by itself or beside a password. A link on a page of another site does not. */
export const signOut = async ({ app, caller, request }: Ctx<Caller>): Promise<void> => {
  if (isFromElsewhere(request) && request.header('sec-fetch-mode') === 'navigate')
    throw new AppError('Forbidden', 'Pages of other sites cannot sign anyone out.');
  const remembered = cookieIn(request, REMEMBERED);
  await app.sessions.close(caller, remembered === '' ? null : remembered);
  const session = sentSession(request);
  if (caller.via.kind === 'session' || session === '') return;
  try {
    const other = await app.callers.byToken(session);
    if (other.user.key === caller.user.key) await app.sessions.close(other, null);
  } catch (thrown) {
    if (!isUnauthorized(thrown)) throw thrown; // it has ended already
  }
};

const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i;

/** The name that was typed: apps compare it with what they are told. */
export const typedName = (request: Request): string | undefined => {
  const encoded = BASIC.exec(request.header('authorization'))?.[1];
  if (encoded === undefined) return undefined;
  const name = Buffer.from(encoded, 'base64').toString('utf8').split(':', 1)[0];
  return name === '' ? undefined : name;
};
