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
  'CollectionsRead',
  'CollectionsWrite',
  'CollectionsDelete',
  'ReadListsRead',
  'ReadListsWrite',
  'ReadListsDelete',
  'UsersRead',
  'UsersWrite',
  'UsersDelete',
  'ApiKeysRead',
  'ApiKeysWrite',
  'ApiKeysDelete',
  'TasksRead',
  'TasksWrite',
  'PluginsManage',
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
  'CollectionsRead',
  'ReadListsRead',
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
  'CollectionsWrite',
  'CollectionsDelete',
  'ReadListsWrite',
  'ReadListsDelete',
  'TasksRead',
  'TasksWrite',
];

export const ROLE_PERMISSIONS = {
  reader: READER,
  maintainer: MAINTAINER,
  admin: PERMISSIONS,
} as const satisfies Record<Role, readonly Permission[]>;

export const ROLES = Object.keys(ROLE_PERMISSIONS) as readonly Role[];

/** The role that a client names, in any case; undefined for a word that names none. */
export const roleNamed = (word: string): Role | undefined => ROLES.find((role) => role === word.toLowerCase());

const isPermission = (word: string): word is Permission => (PERMISSIONS as readonly string[]).includes(word);

/** Clients write `BooksRead`, `books-read` or `books:read`. */
const folded = (word: string): string => word.replace(/[-:]/g, '').toLowerCase();

const BY_WORD: ReadonlyMap<string, Permission> = new Map(PERMISSIONS.map((one) => [folded(one), one]));

/** The permission that a client names; undefined for a word that names none. */
export const permissionNamed = (word: string): Permission | undefined => BY_WORD.get(folded(word));

/** Words that are not permissions (any more) are dropped: they add nothing. */
export const effectivePermissions = (role: Role, own: readonly string[]): ReadonlySet<Permission> =>
  new Set([...ROLE_PERMISSIONS[role], ...own.filter(isPermission)]);
