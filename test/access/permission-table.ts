// The table of who may use which row, as written by hand in fixtures/spec/permissions.txt, and the rows it has to name.
import { readFileSync } from 'node:fs';
import { fixture } from '../../fixtures/index.js';
import { API } from '../../http/api/surface.js';
import { servedWithDocs } from '../../http/cli/surfaces.js';
import type { Route } from '../../http/surface/route.js';
import { pathOf } from '../../http/surface/surface.js';

export interface Line {
  readonly method: string;
  /** The whole path, its parameters named. */
  readonly path: string;
  /** Null: no login. */
  readonly required: readonly string[] | null;
  readonly administrator: boolean;
  /** Whether it refuses API keys. */
  readonly session: boolean;
  /** What others get who ask for a thing of one person; null where nothing is anybody's own. */
  readonly own: number | null;
}

export const shaped = (path: string): string => path.replaceAll(/\{\w+\*?\}/g, '{}');

const lineOf = (text: string): Line => {
  const [method = '', path = '', required = '', ...words] = text.split(' ');
  const own = words.find((word) => word.startsWith('own:'));
  const unknown = words.filter((word) => !/^(?:administrator|session|own:40[34])$/.test(word));
  if (unknown.length > 0) throw new Error(`permissions.txt: ${text}`);
  return {
    method,
    path: path.startsWith('//') ? path.slice(1) : pathOf(API, { path }),
    required: required === 'public' ? null : required === 'any' ? [] : required.split('+'),
    administrator: words.includes('administrator'),
    session: words.includes('session'),
    own: own === undefined ? null : Number(own.slice(4)),
  };
};

export const LINES: readonly Line[] = readFileSync(fixture('spec/permissions.txt'), 'utf8')
  .split('\n')
  .filter((line) => line !== '' && !line.startsWith('#'))
  .map(lineOf);

/** `GET /api/v1/books/{}` to its line. */
export const TABLE: ReadonlyMap<string, Line> = new Map(
  LINES.map((line) => [`${line.method} ${shaped(line.path)}`, line]),
);

export interface Served {
  readonly route: Route;
  /** As in the table. */
  readonly name: string;
}

/** Every row of every surface. */
export const SERVED_ROWS: readonly Served[] = servedWithDocs('/docs', 'test').flatMap((surface) =>
  surface.rows.map((route) => ({ route, name: `${route.method} ${shaped(pathOf(surface, route))}` })),
);

const ROLE_WORDS = {
  reader:
    'LibrariesRead SeriesRead BooksRead PagesRead ProgressRead ProgressWrite CollectionsRead ReadListsRead ApiKeysRead ApiKeysWrite ApiKeysDelete SystemHealth',
  maintainer:
    'LibrariesRead SeriesRead BooksRead PagesRead ProgressRead ProgressWrite CollectionsRead ReadListsRead ApiKeysRead ApiKeysWrite ApiKeysDelete SystemHealth LibrariesWrite SeriesWrite SeriesDelete BooksWrite BooksDelete CollectionsWrite CollectionsDelete ReadListsWrite ReadListsDelete TasksRead TasksWrite',
  admin:
    'LibrariesRead LibrariesWrite LibrariesDelete SeriesRead SeriesWrite SeriesDelete BooksRead BooksWrite BooksDelete PagesRead ProgressRead ProgressWrite UsersRead UsersWrite UsersDelete ApiKeysRead ApiKeysWrite ApiKeysDelete TasksRead TasksWrite CollectionsRead CollectionsWrite CollectionsDelete ReadListsRead ReadListsWrite ReadListsDelete PluginsManage SystemHealth SystemAdmin',
} as const;

export const ROLES = ['reader', 'maintainer', 'admin'] as const;
type Role = (typeof ROLES)[number];

/** What each role holds, by hand as well. */
export const HELD: Readonly<Record<Role, ReadonlySet<string>>> = {
  reader: new Set(ROLE_WORDS.reader.split(' ')),
  maintainer: new Set(ROLE_WORDS.maintainer.split(' ')),
  admin: new Set(ROLE_WORDS.admin.split(' ')),
};
