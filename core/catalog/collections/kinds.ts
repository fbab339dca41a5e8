// The two kinds of lists: collections of series, and read lists of books. Their tables, and which rows of those a user sees.
import type { Permission } from '../../model/permissions.js';
import type { RowKind } from '../../model/row-kind.js';
import { isLimited, type Viewer } from '../../model/viewer.js';
import { shown } from './shown.js';

export type ListKind = 'collection' | 'read_list';

interface Shape {
  readonly word: string;
  readonly member: RowKind;
  /** Table that joins lists and members. */
  readonly links: string;
  /** Whether a condition can replace manual members. */
  readonly conditional: boolean;
  readonly write: Permission;
}

export const SHAPES = {
  collection: {
    word: 'collection',
    member: 'series',
    links: 'collection_series',
    conditional: true,
    write: 'CollectionsWrite',
  },
  read_list: {
    word: 'read list',
    member: 'book',
    links: 'read_list_book',
    conditional: false,
    write: 'ReadListsWrite',
  },
} as const satisfies Record<ListKind, Shape>;

/**
 * FROM over the links of a list (`m`) and its members (`x`). SQLite plans by the last statistics: a table that was tiny then would be
 * walked once for every member of a list that has grown since. So the index of the links is named, and members are looked up by key.
 */
export const linked = (kind: ListKind): string => {
  const { member, links } = SHAPES[kind];
  return `FROM ${links} m INDEXED BY ${links}_by_position CROSS JOIN ${member} x NOT INDEXED ON x.id = m.${member}_id`;
};

/** FROM and WHERE over the members of a list that the viewer sees. `list` is SQL for the key of the list. */
export const seenMembers = (kind: ListKind, viewer: Viewer, list: string, join = ''): string =>
  `${linked(kind)} ${join} WHERE m.${kind}_id = ${list} AND ${shown(SHAPES[kind].member, 'x', viewer)}`;

/** Limited users see lists that show them something, since a name may reveal what is hidden; those who fill lists see all. */
export const seesEmpty = (kind: ListKind, { scope, permissions }: Viewer): boolean =>
  !isLimited(scope) || permissions.has(SHAPES[kind].write);

/** SQL over a list `l`. */
export const showsMembers = (kind: ListKind, viewer: Viewer): string =>
  `EXISTS (SELECT 1 ${seenMembers(kind, viewer, 'l.id')})`;
