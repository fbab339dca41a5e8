// Users: finding one, and checking a password.
import { AppError } from '../model/errors.js';
import { bytesOfUuid } from '../model/ids.js';
import { userNameKey } from '../model/name-key.js';
import type { Role } from '../model/permissions.js';
import type { Bind, Db, Reader } from '../store/db.js';
import { packed } from '../store/packed.js';
import type { Passwords } from './passwords.js';

export interface User {
  readonly key: number;
  readonly id: string;
  readonly username: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly role: Role;
  /** The user's own permissions, beyond those of the role. */
  readonly permissions: readonly string[];
  readonly active: boolean;
}

export const USER_FIELDS: Parameters<typeof packed<User>>[0] = {
  key: { sql: 'u.id' },
  id: { sql: 'u.uuid', as: 'uuid' },
  username: { sql: 'u.username' },
  email: { sql: 'u.email' },
  emailVerified: { sql: 'u.email_verified', as: 'boolean' },
  role: { sql: 'u.role' },
  permissions: { sql: 'u.permissions', as: 'json' },
  active: { sql: 'u.active', as: 'boolean' },
};

const COLUMNS = packed<User>(USER_FIELDS);

/** An account with what its password is compared with. */
export interface Account {
  readonly user: User;
  readonly passwordHash: string;
}

const find = async (db: Reader, where: string, binds: readonly Bind[]): Promise<Account | undefined> => {
  const [row] = await db.all<{ row: string; hash: string }>(
    `SELECT ${COLUMNS.expression} AS row, u.password_hash AS hash FROM user u WHERE ${where}`,
    binds,
  );
  return row === undefined
    ? undefined
    : { user: COLUMNS.read(JSON.parse(row.row) as unknown[]), passwordHash: row.hash };
};

/**
 * By name or e-mail address; a name comes first. Not by an address that waits for its confirmation: whoever registers with one that is taken
 * must not learn that by signing in with it.
 */
export const userByName = (db: Reader, name: string): Promise<Account | undefined> =>
  find(
    db,
    'u.username_key = ?1 OR (u.email_key = ?1 AND u.unconfirmed = 0) ORDER BY u.username_key = ?1 DESC LIMIT 1',
    [userNameKey(name)],
  );

export const userById = async (db: Reader, id: string): Promise<User | undefined> =>
  (await find(db, 'u.uuid = ?', [bytesOfUuid(id)]))?.user;

/** Throws when the account was deleted or disabled. */
export const activeUser = async (db: Reader, id: string): Promise<User> => {
  const user = await userById(db, id);
  if (user === undefined) throw new AppError('Unauthorized', 'User not found');
  if (!user.active) throw new AppError('Unauthorized', 'User account is inactive');
  return user;
};

/** The stored hash; null for nobody. */
export const passwordOf = async (db: Reader, userKey: number): Promise<string | null> => {
  const [row] = await db.all<{ hash: string }>('SELECT password_hash AS hash FROM user WHERE id = ?', [userKey]);
  return row?.hash ?? null;
};

const LAST_SIGNED_IN = 'SELECT user_id FROM session ORDER BY created_at DESC, user_id LIMIT 1';

/** Whoever signed in last, or the first user when nobody has a session; undefined when there is no user. */
export const likelyUser = async (db: Db): Promise<User | undefined> =>
  (await find(db, `u.id = coalesce((${LAST_SIGNED_IN}), (SELECT min(id) FROM user))`, []))?.user;

export const hasUsers = async (db: Reader): Promise<boolean> => {
  const [row] = await db.all<{ n: number }>('SELECT EXISTS (SELECT 1 FROM user) AS n');
  return row?.n === 1;
};

/** By name or e-mail and password. An unknown user and a wrong password give the same error and cost the same work. */
export const authenticate = async (
  db: Reader,
  passwords: Passwords,
  username: string,
  password: string,
): Promise<Account> => {
  const found = await userByName(db, username);
  const isRight = await passwords.matches(found?.passwordHash ?? null, password);
  if (found === undefined || !isRight) throw wrongLogin();
  if (!found.user.active) throw new AppError('Unauthorized', 'Account is inactive', { reason: 'inactive' });
  return found;
};

export const wrongLogin = (): AppError => new AppError('Unauthorized', 'Invalid credentials');
