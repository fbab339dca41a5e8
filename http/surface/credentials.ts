// Who makes a request: the ways of signing in, each a value that a surface lists.
import type { Caller } from '../../core/access/caller.js';
import { AppError } from '../../core/model/errors.js';
import type { App } from '../../core/start.js';
import type { Request } from '../server/adapter.js';
import type { Route } from './route.js';

/** What a way of signing in may look at. */
export interface Knock {
  readonly app: App;
  readonly request: Request;
  readonly route: Pick<Route, 'cookie'>;
  /** Whether a page of another site sends the request. */
  readonly isForeign: () => boolean;
}

/**
 * Undefined when the request does not sign in this way. Throws Unauthorized when it does and is wrong. Synchronous for a caller who is
 * remembered, otherwise after looking up the session.
 */
export type SignIn = (knock: Knock) => Caller | Promise<Caller> | undefined;

export const COOKIE = 'auth_token';
const BEARER = /^Bearer +(\S+) *$/i;

const callerOf = ({ sessions }: App, token: string): Caller | Promise<Caller> =>
  sessions.remembered(token) ?? sessions.verify(token);

/** `Authorization: Bearer TOKEN` (RFC 6750 2.1). */
export const bearer: SignIn = ({ app, request }) => {
  const token = BEARER.exec(request.header('authorization'))?.[1];
  return token === undefined ? undefined : callerOf(app, token);
};

const cookieOf = (header: string): string | undefined => {
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === COOKIE) return pair.slice(at + 1).trim();
  }
  return undefined;
};

/** The cookie, on rows for pages and images that a browser loads by itself, and never for another site. */
export const cookie: SignIn = ({ app, request, route, isForeign }) => {
  if (!route.cookie || request.header('authorization') !== '') return undefined;
  const token = cookieOf(request.header('cookie'));
  return token === undefined || token === '' || isForeign() ? undefined : callerOf(app, token);
};

/** The first way that the request uses. An Authorization header that none of them understands is an error, never a reason to look on. */
export const identify = (ways: readonly SignIn[], knock: Knock): Caller | Promise<Caller> => {
  for (const way of ways) {
    const caller = way(knock);
    if (caller !== undefined) return caller;
  }
  throw new AppError('Unauthorized');
};
