// Users: creating the first one, finding one, checking a password. Other user routes come with their own rows.
import type { Clock } from '../engine/clock.js';
import { AppError } from '../model/errors.js';
import { bytesOfUuid, newId, uuidOfHex } from '../model/ids.js';
import { userNameKey } from '../model/name-key.js';
import type { Role } from '../model/permissions.js';
import type { Bind, Db } from '../store/db.js';
import { ASPECTS, created, type PublicRow, SYSTEM, updated } from '../store/feed.js';
import { packed } from '../store/packed.js';
import { checkPassword, type Passwords } from './passwords.js';

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

const COLUMNS = packed<User>({
  key: { sql: 'u.id' },
  id: { sql: 'u.uuid', as: 'uuid' },
  username: { sql: 'u.username' },
  email: { sql: 'u.email' },
  emailVerified: { sql: 'u.email_verified', as: 'boolean' },
  role: { sql: 'u.role' },
  permissions: { sql: 'u.permissions', as: 'json' },
  active: { sql: 'u.active', as: 'boolean' },
});

interface Found {
  readonly user: User;
  readonly passwordHash: string;
}

const find = async (db: Db, where: string, binds: readonly Bind[]): Promise<Found | undefined> => {
  const [row] = await db.all<{ row: string; hash: string }>(
    `SELECT ${COLUMNS.expression} AS row, u.password_hash AS hash FROM user u WHERE ${where}`,
    binds,
  );
  return row === undefined
    ? undefined
    : { user: COLUMNS.read(JSON.parse(row.row) as unknown[]), passwordHash: row.hash };
};

const findByName = (db: Db, name: string): Promise<Found | undefined> =>
  find(db, 'u.username_key = ?1 OR u.email_key = ?1 ORDER BY u.username_key = ?1 DESC LIMIT 1', [userNameKey(name)]);

export const userById = async (db: Db, id: string): Promise<User | undefined> =>
  (await find(db, 'u.uuid = ?', [bytesOfUuid(id)]))?.user;

const LAST_SIGNED_IN = 'SELECT user_id FROM session ORDER BY created_at DESC, user_id LIMIT 1';

/** Whoever signed in last, or the first user when nobody has a session; undefined when there is no user. */
export const likelyUser = async (db: Db): Promise<User | undefined> =>
  (await find(db, `u.id = coalesce((${LAST_SIGNED_IN}), (SELECT min(id) FROM user))`, []))?.user;

export const hasUsers = async (db: Db): Promise<boolean> => {
  const [row] = await db.all<{ n: number }>('SELECT EXISTS (SELECT 1 FROM user) AS n');
  return row?.n === 1;
};

export interface NewUser {
  readonly username: string;
  readonly email: string;
  readonly password: string;
}

const EMAIL = /^[^\s@]{1,64}@[^\s@.]+(?:\.[^\s@.]+)+$/;
const NAME_MAX = 100;

const checkNewUser = ({ username, email, password }: NewUser): void => {
  const faults = [
    ...(username.trim() === '' || username.length > NAME_MAX
      ? [{ path: 'username', message: `must have 1 to ${NAME_MAX} characters` }]
      : []),
    ...(email.length <= 254 && EMAIL.test(email)
      ? []
      : [{ path: 'email', message: 'must look like an e-mail address' }]),
  ];
  if (faults.length > 0)
    throw new AppError('BadRequest', faults.map(({ path, message }) => `The ${path} ${message}.`).join(' '), faults);
  checkPassword(password);
};

/** Creates the administrator, but only while there is no user: of several concurrent callers exactly one succeeds. */
export const createFirstUser = async (db: Db, clock: Clock, passwords: Passwords, user: NewUser): Promise<User> => {
  const taken = new AppError('BadRequest', 'The server is already set up. Log in instead.');
  const refuseSecond = async (): Promise<void> => {
    if (await hasUsers(db)) throw taken;
  };
  await refuseSecond();
  checkNewUser(user);
  const passwordHash = await passwords.hash(user.password, refuseSecond);
  const now = clock.now();
  const id = uuidOfHex(newId(now));
  const made = await db.write(SYSTEM, 'interactive', async (tx) => {
    const rows = await tx.all<PublicRow>(
      `INSERT INTO user (uuid, username, username_key, email, email_key, password_hash, role, created_at, updated_at)
       SELECT ?1, ?2, ?3, ?4, ?5, ?6, 'admin', ?7, ?7 WHERE NOT EXISTS (SELECT 1 FROM user) RETURNING id, hex(uuid) AS hex`,
      [
        bytesOfUuid(id),
        user.username.trim(),
        userNameKey(user.username),
        user.email.trim(),
        userNameKey(user.email),
        passwordHash,
        now,
      ],
    );
    tx.report(created('user', rows));
    return rows.length;
  });
  if (made === 0) throw taken;
  const first = await userById(db, id);
  if (first === undefined) throw new AppError('Internal', 'The first user vanished after it was created.');
  return first;
};

/** Signs in by name or e-mail. An unknown user and a wrong password give the same error and cost the same work. */
export const authenticate = async (
  db: Db,
  clock: Clock,
  passwords: Passwords,
  username: string,
  password: string,
): Promise<User> => {
  const found = await findByName(db, username);
  const isRight = await passwords.matches(found?.passwordHash ?? null, password);
  if (found === undefined || !isRight) throw new AppError('Unauthorized', 'Invalid credentials');
  if (!found.user.active) throw new AppError('Unauthorized', 'Account is inactive');
  await db.write(found.user.key, 'interactive', (tx) => {
    tx.report({ ...updated('user', [found.user.key], ASPECTS.details), userKey: found.user.key });
    return tx.run('UPDATE user SET last_login_at = ? WHERE id = ?', [clock.now(), found.user.key]);
  });
  return found.user;
};

/** Sets a new password and ends every session of the user. */
export const resetPassword = async (
  db: Db,
  clock: Clock,
  passwords: Passwords,
  username: string,
  password: string,
): Promise<void> => {
  const found = await findByName(db, username);
  if (found === undefined) throw new AppError('NotFound', `There is no user named ${username}.`);
  checkPassword(password);
  const passwordHash = await passwords.hash(password);
  await db.write(SYSTEM, 'interactive', async (tx) => {
    await tx.run('UPDATE user SET password_hash = ?, updated_at = ? WHERE id = ?', [
      passwordHash,
      clock.now(),
      found.user.key,
    ]);
    await tx.run('DELETE FROM session WHERE user_id = ?', [found.user.key]);
    tx.report(updated('user', [found.user.key], ASPECTS.details));
    tx.report(updated('session', [found.user.key], ASPECTS.details));
  });
};
