// Storing new users, and creating the first one.
import type { Clock } from '../engine/clock.js';
import { AppError } from '../model/errors.js';
import { bytesOfUuid, newId, uuidOfHex } from '../model/ids.js';
import { userNameKey } from '../model/name-key.js';
import type { Role } from '../model/permissions.js';
import type { Db, Tx } from '../store/db.js';
import { created, type PublicRow, SYSTEM } from '../store/feed.js';
import { audited } from './audit.js';
import type { Client } from './caller.js';
import { checkFirstPassword, type Passwords } from './passwords.js';
import type { Sessions, SignedIn } from './sessions.js';
import { checkUserFields, cleanUserName } from './user-fields.js';
import { hasUsers, type User, userById } from './users.js';

export interface NewUser {
  readonly username: string;
  readonly email: string;
  readonly password: string;
}

/** A new user whose fields were checked. */
export interface CheckedUser extends Omit<NewUser, 'password'> {
  readonly passwordHash: string;
  readonly role: Role;
  /** `verified` unless told. `unverified`: nobody has shown that the address is theirs. `unconfirmed`: closed until somebody has. */
  readonly standing?: 'verified' | 'unverified' | 'unconfirmed';
}

/** A key is never used again: what is kept about somebody, or still under way, must not become somebody else's. */
const UNUSED_KEY =
  '1 + max(coalesce((SELECT max(id) FROM user), 0), coalesce((SELECT max(user_id) FROM own_change), 0))';

const INSERT = `INSERT INTO user (id, uuid, username, username_key, email, email_key, password_hash, role, created_at, updated_at,
  active, email_verified, unconfirmed)
  VALUES (${UNUSED_KEY}, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?8, ?9, ?10, ?11) RETURNING id, hex(uuid) AS hex`;

export const insertUser = async (tx: Tx, user: CheckedUser, nowMs: number): Promise<User> => {
  const id = uuidOfHex(newId(nowMs));
  const username = cleanUserName(user.username);
  const { email, passwordHash, role, standing = 'verified' } = user;
  const binds = [
    bytesOfUuid(id),
    username,
    userNameKey(username),
    email,
    userNameKey(email),
    passwordHash,
    role,
    nowMs,
    Number(standing !== 'unconfirmed'),
    Number(standing === 'verified'),
    Number(standing === 'unconfirmed'),
  ];
  tx.report(created('user', await tx.all<PublicRow>(INSERT, binds)));
  const made = await userById(tx, id);
  if (made === undefined) throw new AppError('Internal', 'A user vanished after it was stored.');
  return made;
};

export interface FirstUserParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly passwords: Passwords;
}

/** Creates the administrator and signs in, but only while there is no user: of several concurrent callers exactly one succeeds. */
export const createFirstUser = async (
  { db, clock, passwords, sessions }: FirstUserParts & { readonly sessions: Sessions },
  { username, email, password }: NewUser,
  client: Client,
): Promise<{ readonly user: User; readonly signedIn: SignedIn }> => {
  const refuseSecond = async (from: Pick<Db, 'all'> = db): Promise<void> => {
    if (await hasUsers(from)) throw new AppError('BadRequest', 'The server is already set up. Log in instead.');
  };
  await refuseSecond();
  checkUserFields({ username, email });
  checkFirstPassword(password);
  const passwordHash = await passwords.hash(password, refuseSecond);
  const now = clock.now();
  return db.write(SYSTEM, 'interactive', async (tx) => {
    await refuseSecond(tx);
    const user = await insertUser(tx, { username, email, passwordHash, role: 'admin' }, now);
    const target = { kind: 'user', id: user.id, name: user.username };
    const details = { role: user.role };
    await audited(tx, {
      at: now,
      by: { caller: null, address: client.address },
      action: 'user.create',
      target,
      details,
    });
    return { user, signedIn: await sessions.openIn(tx, user, client) };
  });
};
