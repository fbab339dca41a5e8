// The cookies of this server (RFC 6265): the access token, for what a browser loads by itself; the refresh token, where scripts must not
// see it; and the marks of a browser in which sign-ons began.
import type { SignedIn } from '../../core/access/sessions.js';
import type { Mark } from '../../core/sign-on/sign-on.js';
import type { Request } from '../server/adapter.js';

export const COOKIE = 'auth_token';
export const REFRESH_COOKIE = 'refresh_token';
/** Shows that a sign-on began in this browser. One for each: another tab may begin another, and no link from elsewhere may end one. */
export const signOnCookieOf = (flow: string): string => `sign_on_${flow}`;

/** Below the path under which clients reach the server. */
const REFRESH_PATH = '/api/v1/auth';

/** The value of a cookie; '' when the request has none of that name. */
export const cookieIn = (request: Request, name: string): string => {
  for (const pair of request.header('cookie').split(';')) {
    const at = pair.indexOf('=');
    if (at > 0 && pair.slice(0, at).trim() === name) return pair.slice(at + 1).trim();
  }
  return '';
};

type Header = readonly [string, string];

/** What determines the path and attributes of cookies. */
export interface CookiePlace {
  readonly settings: { readonly cookieSecure: boolean; readonly subPath: string };
  readonly isOverTls: () => boolean;
}

/** The path of an address, without a slash at its end: '' at the root of a host. */
export const subPathOf = (baseUrl: string | null): string =>
  baseUrl === null ? '' : new URL(baseUrl).pathname.replace(/\/+$/, '');

export const attributes = ({ settings, isOverTls }: CookiePlace): string =>
  `HttpOnly; SameSite=Lax${settings.cookieSecure || isOverTls() ? '; Secure' : ''}`;

const accessCookie = (text: string, ageS: number, place: CookiePlace): Header => [
  'Set-Cookie',
  `${COOKIE}=${text}; Max-Age=${ageS}; Path=${place.settings.subPath || '/'}; ${attributes(place)}`,
];

const refreshCookie = (text: string, ageS: number, place: CookiePlace): Header => [
  'Set-Cookie',
  `${REFRESH_COOKIE}=${text}; Max-Age=${ageS}; Path=${place.settings.subPath}${REFRESH_PATH}; ${attributes(place)}`,
];

const refreshCookies = (token: SignedIn['refresh'], place: CookiePlace): readonly Header[] => {
  if (token === 'unchanged') return [];
  return [token === null ? refreshCookie('', 0, place) : refreshCookie(token.text, token.expiresInS, place)];
};

/**
 * `isKept`: the refresh token, if there is one, goes into a cookie, where scripts cannot see it. Otherwise that cookie is removed: it could
 * belong to whoever used the browser before, and would sign them in again.
 */
export const loginCookies = (signedIn: SignedIn, isKept: boolean, place: CookiePlace): readonly Header[] => [
  accessCookie(signedIn.text, signedIn.expiresInS, place),
  ...refreshCookies(isKept ? signedIn.refresh : null, place),
];

/** An `ageS` of 0 removes it. */
export const signOnCookie = ({ flow, secret }: Mark, ageS: number, place: CookiePlace): Header => [
  'Set-Cookie',
  `${signOnCookieOf(flow)}=${secret}; Max-Age=${ageS}; Path=${place.settings.subPath}${REFRESH_PATH}/oidc; ${attributes(place)}`,
];

export const clearedCookies = (place: CookiePlace): readonly Header[] => [
  accessCookie('', 0, place),
  refreshCookie('', 0, place),
];
