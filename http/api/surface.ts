// The API as a surface, and the root of the server: the health probe there, and everything that nothing else claims.
import { basic, bearer, cookie, keyHeader } from '../surface/credentials.js';
import { envelope } from '../surface/errors.js';
import type { Surface } from '../surface/surface.js';
import { ROOT_HEALTH } from './rows/health.js';
import { ROUTES } from './rows/index.js';

const shared = {
  credentials: { ways: [bearer, basic, keyHeader, cookie], challenge: null },
  errorView: envelope,
  headers: [],
  cors: true,
} as const;

export const API: Surface = {
  ...shared,
  name: 'API',
  prefix: '/api/v1',
  rows: ROUTES,
  notIds: ['/books/bulk/**', '/series/bulk/**', '/series/external-index'],
};

export const ROOT: Surface = { ...shared, name: 'root', prefix: '', rows: ROOT_HEALTH };
