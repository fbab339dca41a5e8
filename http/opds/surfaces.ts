// The catalogues as surfaces: OPDS 1.2 at two addresses, and OPDS 2.0.
import type { Route } from '../surface/route.js';
import type { Surface } from '../surface/surface.js';
import { ATOM } from './atom/dialect.js';
import { ATOM_ROWS } from './atom/rows.js';
import { authenticationRow, signingIn } from './authentication.js';
import type { Dialect } from './dialect.js';
import { FEEDS } from './feeds/index.js';
import { JSON_DIALECT, JSON_ROWS } from './json/rows.js';
import { fileRows } from './rows/files.js';
import { pageRows } from './rows/pages.js';

export interface OpdsOptions {
  /** Whether pages that apps fetch move the progress of their readers on. */
  readonly recordsProgress: boolean;
}

const rowsIn = (dialect: Dialect, own: readonly Route[], { recordsProgress }: OpdsOptions): readonly Route[] => [
  ...FEEDS.flatMap((rows) => rows(dialect)),
  ...own,
  ...fileRows(dialect.name),
  ...pageRows({ name: dialect.name, recordsProgress }),
  authenticationRow(dialect.name),
];

const surfaceOf = (name: string, prefix: string, rows: readonly Route[]): Surface => ({
  ...signingIn(prefix),
  name,
  prefix,
  headers: [],
  cors: true,
  isAbsolute: true,
  rows,
});

/** What people type into their apps. */
export const OPDS_PATH = '/opds/v1.2/catalog';
export const OPDS2_PATH = '/opds/v2';

/** `below`: a path in front of their own; '' for none. */
export const opdsSurfaces = (options: OpdsOptions, below = ''): readonly Surface[] => {
  const first = rowsIn(ATOM, ATOM_ROWS, options);
  return [
    surfaceOf('OPDS 1.2', `${below}/opds/v1.2`, first),
    surfaceOf('OPDS', `${below}/opds`, first),
    surfaceOf('OPDS 2.0', below + OPDS2_PATH, rowsIn(JSON_DIALECT, JSON_ROWS, options)),
  ];
};
