// E-reader sync as a surface.
import { basic, bearer, keyHeader } from '../surface/credentials.js';
import type { Surface } from '../surface/surface.js';
import { deviceHeaders } from './credentials.js';
import { syncErrorView } from './faults.js';
import { syncRows } from './rows.js';

/** What people type into their e-readers. */
export const SYNC_PATH = '/koreader';

/** `registration`: whether devices may create accounts. `below`: a path in front of its own; '' for none. */
export const syncSurface = ({ registration }: { readonly registration: boolean }, below = ''): Surface => ({
  name: 'e-reader sync',
  prefix: below + SYNC_PATH,
  credentials: { ways: [deviceHeaders, bearer, basic, keyHeader], challenge: null },
  errorView: syncErrorView,
  headers: [],
  cors: false,
  rows: syncRows(registration),
});
