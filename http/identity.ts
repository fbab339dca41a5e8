// Who makes a request: the bearer token in the Authorization header, or the cookie where the row allows it.
import type { Caller } from '../core/access/sessions.js';
import { AppError } from '../core/model/errors.js';
import type { App } from '../core/start.js';
import type { Request } from './adapter.js';

export const COOKIE = 'auth_token';
const BEARER = /^Bearer +(\S+) *$/i;

const cookieOf = (header: string): string | undefined => {
  for (const pair of header.split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === COOKIE) return pair.slice(at + 1).trim();
  }
  return undefined;
};

/** A header that is present but not understood is an error; it never falls back to the cookie. */
const tokenOf = (request: Request, cookieAllowed: boolean): string => {
  const header = request.header('authorization');
  if (header !== '') {
    const token = BEARER.exec(header)?.[1];
    if (token === undefined) throw new AppError('Unauthorized');
    return token;
  }
  const cookie = cookieAllowed ? cookieOf(request.header('cookie')) : undefined;
  if (cookie === undefined || cookie === '') throw new AppError('Unauthorized');
  return cookie;
};

/** Synchronous for a cached token, otherwise after looking up its session. */
export const identify = (app: App, request: Request, cookieAllowed: boolean): Caller | Promise<Caller> => {
  const token = tokenOf(request, cookieAllowed);
  return app.sessions.remembered(token) ?? app.sessions.verify(token);
};
