// The API of the comic server that many reader apps were made for, as a surface: its paths below a prefix, or at the root of a port of its own.
import { basic, bearer, cookie, keyHeader } from '../surface/credentials.js';
import type { Surface } from '../surface/surface.js';
import { passwordSessions } from './password-session.js';
import { ROWS } from './rows/index.js';
import { SCREEN_ROWS } from './rows/screens.js';
import { appCookies, tokenHeader } from './sign-in.js';
import { failureView } from './views/errors.js';

export const COMICS_PREFIX = '/komga';

/** `prefix` as in addresses: '' or with a slash before it. */
export const comicsAt = (prefix: string): Surface => ({
  name: 'comic-server API',
  prefix,
  // Apps send a password only when they are asked for one.
  credentials: {
    ways: [basic, keyHeader, bearer, tokenHeader, appCookies, cookie],
    challenge: 'Basic realm="Longbox", charset="UTF-8"',
    onPassword: passwordSessions(),
  },
  errorView: failureView,
  headers: [],
  cors: true,
  // Some apps remember the ids of the server that they used before.
  hasOpaqueIds: true,
  rows: prefix === '' ? ROWS : [...ROWS, ...SCREEN_ROWS],
});
