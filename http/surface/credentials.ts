// Who makes a request: the ways of signing in, each a value that a surface lists.
import type { Caller } from '../../core/access/caller.js';
import { isMarkedAsKey, keyTextOf } from '../../core/access/key-text.js';
import { AppError } from '../../core/model/errors.js';
import type { App } from '../../core/start.js';
import type { Request } from '../server/adapter.js';
import { COOKIE, cookieIn, REFRESH_COOKIE } from './cookies.js';

/** What a way of signing in may look at. */
export interface Knock {
  readonly app: App;
  readonly request: Request;
  readonly clientAddress: () => string;
  /** The name of the surface that received the request. */
  readonly surface: string;
  /** Whether a page of another site sends the request. */
  readonly isForeign: () => boolean;
}

/**
 * Undefined when the request does not sign in this way. Throws Unauthorized when it does and is wrong. Synchronous for a caller who is
 * known, otherwise after looking them up.
 */
export type SignIn = (knock: Knock) => Caller | Promise<Caller> | undefined;

const BEARER = /^Bearer +/i;
const BASIC = /^Basic +([A-Za-z0-9+/]+={0,2}) *$/i;

/** `Authorization: Bearer TOKEN` (RFC 6750 2.1), where the token may also be an API key. */
export const bearer: SignIn = ({ app, request }) => {
  const header = request.header('authorization');
  const scheme = BEARER.exec(header)?.[0];
  if (scheme === undefined) return undefined;
  const token = header.slice(scheme.length).trimEnd(); // up to 16 kB: no regular expression walks over them
  if (token === '' || token.includes(' ')) return undefined;
  return isMarkedAsKey(token) ? app.callers.byKey(token) : app.callers.byToken(token);
};

/** The name under which clients send an API key as a password. */
const KEY_NAME = 'api';

/** `Authorization: Basic …` (RFC 7617), in UTF-8: a name and a password, or an API key as the password of any name. */
export const basic: SignIn = ({ app, request, clientAddress, surface }) => {
  const encoded = BASIC.exec(request.header('authorization'))?.[1];
  if (encoded === undefined) return undefined;
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  if (colon < 0) return undefined;
  const [name, password] = [pair.slice(0, colon), pair.slice(colon + 1)];
  if (name === KEY_NAME || keyTextOf(password) !== undefined) return app.callers.byKey(password);
  return app.callers.byPassword({ name, password, address: clientAddress, surface });
};

/** `X-API-Key: KEY`. */
export const keyHeader: SignIn = ({ app, request }) => {
  if (request.header('authorization') !== '') return undefined;
  const key = request.header('x-api-key');
  return key === '' ? undefined : app.callers.byKey(key);
};

const READS = new Set(['GET', 'HEAD']);

/** The cookie, which browsers also send for pages of other sites: it reads nothing for those, and a write of theirs is refused. */
export const cookie: SignIn = ({ app, request, isForeign }) => {
  if (request.header('authorization') !== '' || request.header('x-api-key') !== '') return undefined;
  const token = cookieIn(request, COOKIE);
  if (token === '') return undefined;
  if (!isForeign()) return app.callers.byToken(token);
  if (READS.has(request.method)) return undefined;
  throw new AppError('Forbidden', 'Pages of other sites may not change anything with the cookie of this one.');
};

/** The refresh token cookie, for rows below its path that ask for it. They have already refused requests from pages of other sites. */
export const refreshCookie: SignIn = ({ app, request }) => {
  const text = cookieIn(request, REFRESH_COOKIE);
  return text === '' ? undefined : app.sessions.ownerOfRefreshToken(text);
};

/** The first way that the request uses. A header that is wrong, or that none of them understands, is never a reason to look on. */
export const identify = (ways: readonly SignIn[], knock: Knock): Caller | Promise<Caller> => {
  for (const way of ways) {
    const caller = way(knock);
    if (caller !== undefined) return caller;
  }
  throw new AppError('Unauthorized');
};
