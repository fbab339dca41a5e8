// The permissions and what each role holds. Effective permissions are the role's plus the user's own.

export const PERMISSIONS = [
  'LibrariesRead',
  'LibrariesWrite',
  'LibrariesDelete',
  'SeriesRead',
  'SeriesWrite',
  'SeriesDelete',
  'BooksRead',
  'BooksWrite',
  'BooksDelete',
  'PagesRead',
  'ProgressRead',
  'ProgressWrite',
  'UsersRead',
  'UsersWrite',
  'UsersDelete',
  'ApiKeysRead',
  'ApiKeysWrite',
  'ApiKeysDelete',
  'TasksRead',
  'TasksWrite',
  'SystemHealth',
  'SystemAdmin',
] as const;

export type Permission = (typeof PERMISSIONS)[number];
export type Role = 'reader' | 'maintainer' | 'admin';

const READER: readonly Permission[] = [
  'LibrariesRead',
  'SeriesRead',
  'BooksRead',
  'PagesRead',
  'ProgressRead',
  'ProgressWrite',
  'ApiKeysRead',
  'ApiKeysWrite',
  'ApiKeysDelete',
  'SystemHealth',
];

const MAINTAINER: readonly Permission[] = [
  ...READER,
  'LibrariesWrite',
  'SeriesWrite',
  'SeriesDelete',
  'BooksWrite',
  'BooksDelete',
  'TasksRead',
  'TasksWrite',
];

export const ROLE_PERMISSIONS = {
  reader: READER,
  maintainer: MAINTAINER,
  admin: PERMISSIONS,
} as const satisfies Record<Role, readonly Permission[]>;

const isPermission = (word: string): word is Permission => (PERMISSIONS as readonly string[]).includes(word);

/** Words that are not permissions (any more) are dropped: they add nothing. */
export const effectivePermissions = (role: Role, own: readonly string[]): ReadonlySet<Permission> =>
  new Set([...ROLE_PERMISSIONS[role], ...own.filter(isPermission)]);
