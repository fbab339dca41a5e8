// Users as administrators see them: lists of them, and one with the sharing tags granted to them.
import { AppError } from '../model/errors.js';
import { bytesOfUuid, isUuid } from '../model/ids.js';
import { listNameKey } from '../model/name-key.js';
import { offsetOf, type PageOf, type Window } from '../model/paging.js';
import type { Role } from '../model/permissions.js';
import type { Bind, Reader, Reads } from '../store/db.js';
import { packed, rowsAndTotal, whereOf } from '../store/packed.js';
import { LIMIT_COLUMNS, type UserLimits } from './user-limits.js';
import { USER_FIELDS, type User } from './users.js';

export interface UserRecord extends User, UserLimits {
  readonly lastLoginAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

const COLUMNS = packed<UserRecord>({
  ...USER_FIELDS,
  ...LIMIT_COLUMNS,
  lastLoginAt: { sql: 'u.last_login_at' },
  createdAt: { sql: 'u.created_at' },
  updatedAt: { sql: 'u.updated_at' },
});

export type GrantMode = 'allow' | 'deny';

/** A sharing tag granted to a user. */
export interface Grant {
  readonly id: string;
  readonly tagId: string;
  readonly tagName: string;
  readonly mode: GrantMode;
  readonly createdAt: number;
}

const GRANTS = packed<Grant>({
  id: { sql: 'g.uuid', as: 'uuid' },
  tagId: { sql: 't.uuid', as: 'uuid' },
  tagName: { sql: 't.name' },
  mode: { sql: 'g.access' },
  createdAt: { sql: 'g.created_at' },
});

export interface UserFilter {
  readonly role?: Role | undefined;
  /** A sharing tag that was granted to the user, by name or id. */
  readonly sharingTag?: string | undefined;
  /** How it was granted; without a tag, how any tag was. */
  readonly mode?: GrantMode | undefined;
}

interface Condition {
  readonly sql: string;
  readonly binds: readonly Bind[];
}

const grantedIn = ({ sharingTag, mode }: UserFilter): Condition => {
  const ofTag = sharingTag !== undefined && isUuid(sharingTag) ? 't.uuid = ?' : 't.name_key = ?';
  const tag = sharingTag === undefined ? [] : [isUuid(sharingTag) ? bytesOfUuid(sharingTag) : listNameKey(sharingTag)];
  const parts = [
    ...(tag.length === 0 ? [] : [`g.sharing_tag_id = (SELECT t.id FROM sharing_tag t WHERE ${ofTag})`]),
    ...(mode === undefined ? [] : ['g.access = ?']),
  ];
  // `+`: walking users by name and looking each up in the set is quicker than sorting those of a tag that half of the users have.
  const sql = `+u.id IN (SELECT g.user_id FROM user_grant g WHERE ${parts.join(' AND ')})`;
  return { sql, binds: [...tag, ...(mode === undefined ? [] : [mode])] };
};

const conditionsOf = (filter: UserFilter): readonly Condition[] => [
  ...(filter.role === undefined ? [] : [{ sql: 'u.role = ?', binds: [filter.role] }]),
  ...(filter.sharingTag === undefined && filter.mode === undefined ? [] : [grantedIn(filter)]),
];

/** By name. */
export const listUsers = async (db: Reads, filter: UserFilter, window: Window): Promise<PageOf<UserRecord>> => {
  const conditions = conditionsOf(filter);
  const from = `FROM user u${whereOf(conditions.map(({ sql }) => sql))}`;
  const binds = conditions.flatMap((condition) => condition.binds);
  const rows = `SELECT json_group_array(json(row)) FROM (SELECT ${COLUMNS.expression} AS row ${from} ORDER BY u.username_key LIMIT ? OFFSET ?)`;
  const page = { sql: rows, binds: [...binds, window.pageSize, offsetOf(window)] };
  return { ...window, ...(await rowsAndTotal(db, COLUMNS, page, { sql: `SELECT count(*) ${from}`, binds })) };
};

export const unknownUser = (): AppError => new AppError('NotFound', 'There is no user with this id.');

export const userRecord = async (from: Reader, id: string): Promise<UserRecord> => {
  const [found] = await from.all<{ row: string }>(`SELECT ${COLUMNS.expression} AS row FROM user u WHERE u.uuid = ?`, [
    bytesOfUuid(id),
  ]);
  if (found === undefined) throw unknownUser();
  return COLUMNS.read(JSON.parse(found.row) as unknown[]);
};

/** Who is granted something: also the name of the table of such rows, and of the key in it. */
export type HolderKind = 'user' | 'access_group';

/** What is granted to a user alone, or to a group, by the name of the tag. */
export const grantsOf = async (from: Reader, kind: HolderKind, key: number): Promise<readonly Grant[]> => {
  const rows = await from.all<{ row: string }>(
    `SELECT ${GRANTS.expression} AS row FROM ${kind}_grant g CROSS JOIN sharing_tag t ON t.id = g.sharing_tag_id
     WHERE g.${kind}_id = ? ORDER BY t.name_key`,
    [key],
  );
  return rows.map(({ row }) => GRANTS.read(JSON.parse(row) as unknown[]));
};

export interface UserDetail extends UserRecord {
  readonly grants: readonly Grant[];
}

export const userDetail = async (db: Reads, id: string): Promise<UserDetail> => {
  const user = await userRecord(db, id);
  return { ...user, grants: await grantsOf(db, 'user', user.key) };
};
