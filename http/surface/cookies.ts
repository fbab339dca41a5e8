// The cookie that carries a token, for images that a browser loads by itself (RFC 6265).
import type { Token } from '../../core/access/sessions.js';
import { COOKIE } from './credentials.js';
import type { HttpSettings } from './route.js';

const attributes = (settings: HttpSettings): string =>
  `; Path=/; HttpOnly; SameSite=Lax${settings.cookieSecure ? '; Secure' : ''}`;

export const loginCookie = (token: Token, settings: HttpSettings): readonly [string, string] => [
  'Set-Cookie',
  `${COOKIE}=${token.text}; Max-Age=${token.expiresInS}${attributes(settings)}`,
];

export const clearedCookie = (settings: HttpSettings): readonly [string, string] => [
  'Set-Cookie',
  `${COOKIE}=; Max-Age=0${attributes(settings)}`,
];
