// API keys as stored: those of a user, one by its id, and the owner of the key in a request.
import { timingSafeEqual } from 'node:crypto';
import type { Clock } from '../engine/clock.js';
import { AppError } from '../model/errors.js';
import { bytesOfUuid } from '../model/ids.js';
import { offsetOf, type PageOf, type Window } from '../model/paging.js';
import type { Bind, Db, Reader, Reads } from '../store/db.js';
import { packed, rowsAndTotal } from '../store/packed.js';
import type { Caller } from './caller.js';
import { heldBy, refuseForeignKey } from './key-rights.js';
import { hashOfSecret, keyTextOf } from './key-text.js';
import type { LastUse } from './last-use.js';
import { rightsOf } from './rights.js';
import { USER_FIELDS, type User } from './users.js';

export interface ApiKey {
  readonly id: string;
  readonly userKey: number;
  readonly userId: string;
  readonly name: string;
  readonly prefix: string;
  readonly permissions: readonly string[];
  readonly active: boolean;
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

const KEY = packed<ApiKey>({
  id: { sql: 'k.uuid', as: 'uuid' },
  userKey: { sql: 'k.user_id' },
  userId: { sql: 'u.uuid', as: 'uuid' },
  name: { sql: 'k.name' },
  prefix: { sql: 'k.prefix' },
  permissions: { sql: 'k.permissions', as: 'json' },
  active: { sql: 'k.active', as: 'boolean' },
  expiresAt: { sql: 'k.expires_at' },
  lastUsedAt: { sql: 'k.last_used_at' },
  createdAt: { sql: 'k.created_at' },
  updatedAt: { sql: 'k.updated_at' },
});
const USER = packed<User>(USER_FIELDS);
const FROM = 'FROM api_key k CROSS JOIN user u ON u.id = k.user_id';

export interface KeyParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly lastUse: LastUse;
}

export const withLastUse = (lastUse: LastUse, key: ApiKey): ApiKey => ({
  ...key,
  lastUsedAt: lastUse.of('api-key', key.id, key.lastUsedAt),
});

/** The most that one user may have. */
export const KEYS_MAX = 1000;

/** The caller's own, the newest first. */
export const listKeys = async (
  { db, lastUse }: { readonly db: Reads; readonly lastUse: LastUse },
  { user }: Caller,
  window: Window,
): Promise<PageOf<ApiKey>> => {
  const rows = `SELECT json_group_array(json(row)) FROM (SELECT ${KEY.expression} AS row ${FROM} WHERE k.user_id = ?
    ORDER BY k.id DESC LIMIT ? OFFSET ?)`;
  const page = { sql: rows, binds: [user.key, window.pageSize, offsetOf(window)] };
  const total = { sql: 'SELECT count(*) FROM api_key WHERE user_id = ?', binds: [user.key] };
  const found = await rowsAndTotal(db, KEY, page, total);
  return { ...window, ...found, items: found.items.map((key) => withLastUse(lastUse, key)) };
};

export interface Owned {
  readonly key: ApiKey;
  readonly owner: User;
}

interface OwnedRow {
  readonly key: string;
  readonly owner: string;
}

const readOwned = ({ key, owner }: OwnedRow): Owned => ({
  key: KEY.read(JSON.parse(key) as unknown[]),
  owner: USER.read(JSON.parse(owner) as unknown[]),
});

const find = async (from: Reader, where: string, binds: readonly Bind[]): Promise<Owned | undefined> => {
  const sql = `SELECT ${KEY.expression} AS key, ${USER.expression} AS owner ${FROM} WHERE ${where}`;
  const [row] = await from.all<OwnedRow>(sql, binds);
  return row === undefined ? undefined : readOwned(row);
};

export const keyById = async (from: Reader, id: string): Promise<Owned> => {
  const found = await find(from, 'k.uuid = ?', [bytesOfUuid(id)]);
  if (found === undefined) throw new AppError('NotFound', 'There is no API key with this id.');
  return found;
};

export const readKey = async ({ db, lastUse }: KeyParts, caller: Caller, id: string): Promise<ApiKey> => {
  const { key } = await keyById(db, id);
  refuseForeignKey(caller, key.userKey, 'read');
  return withLastUse(lastUse, key);
};

/** Throws when the key or its owner may not sign in. */
const callerOfKey = ({ key, owner }: Owned, nowMs: number): Caller => {
  const { id, name, expiresAt } = key;
  if (!key.active) throw new AppError('Unauthorized', 'Invalid API key');
  if (expiresAt !== null && expiresAt <= nowMs) throw new AppError('Unauthorized', 'API key has expired');
  if (!owner.active) throw new AppError('Unauthorized', 'User account is inactive');
  return {
    user: owner,
    permissions: heldBy(rightsOf(owner), key.permissions),
    via: { kind: 'api-key', id, name, expiresAt },
  };
};

/** The owner of a key that was recognised before. */
export const ownerOfKeyId = async (from: Reader, id: string, nowMs: number): Promise<Caller> => {
  const found = await find(from, 'k.uuid = ?', [bytesOfUuid(id)]);
  if (found === undefined) throw new AppError('Unauthorized', 'Invalid API key');
  return callerOfKey(found, nowMs);
};

const WITH_HASH = `SELECT ${KEY.expression} AS key, ${USER.expression} AS owner, k.secret_hash AS hash ${FROM} WHERE k.prefix = ?`;

/** Whose key it is. An unknown prefix and a wrong secret are the same to a client. */
export const ownerOfKey = async (db: Reader, text: string, nowMs: number): Promise<Caller> => {
  const parts = keyTextOf(text);
  if (parts === undefined) throw new AppError('Unauthorized', 'Invalid API key format');
  const [row] = await db.all<OwnedRow & { hash: Buffer }>(WITH_HASH, [parts.prefix]);
  const hash = hashOfSecret(parts.secret);
  if (row === undefined || !timingSafeEqual(hash, row.hash)) throw new AppError('Unauthorized', 'Invalid API key');
  return callerOfKey(readOwned(row), nowMs);
};
