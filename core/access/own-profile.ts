// What users can change in their own account.
import { AppError } from '../model/errors.js';
import { userNameKey } from '../model/name-key.js';
import { audited } from './audit.js';
import type { KnownActor } from './caller.js';
import { keyOfOwner } from './key-rights.js';
import { stillSignedIn } from './still-signed-in.js';
import type { Throttle } from './throttle.js';
import type { UserParts } from './user-admin.js';
import { checkOwnNames } from './user-fields.js';
import { refuseTaken, storeNames } from './user-names.js';
import { type UserDetail, userDetail, userRecord } from './user-records.js';
import { passwordOf } from './users.js';

export interface OwnParts extends UserParts {
  readonly throttle: Throttle;
}

/** Only a person who signed in changes an account: a key may have been given to a device, or lost with it. */
export const refuseKey = ({ caller }: KnownActor): void => {
  if (caller.via.kind === 'api-key') throw keyOfOwner();
};

/** Only administrators who have signed in may read the log. */
export const refuseLogToKey = ({ caller }: KnownActor): void => {
  if (caller.via.kind === 'api-key') throw new AppError('Forbidden', 'API keys cannot read the log. Sign in instead.');
};

/** Everything is in a backup: other people's addresses, and the hashes of their passwords. */
export const refuseBackupsToKey = ({ caller }: KnownActor): void => {
  if (caller.via.kind === 'api-key') throw new AppError('Forbidden', 'API keys cannot use backups. Sign in instead.');
};

const wrongPassword = (message: string): AppError =>
  new AppError('BadRequest', `currentPassword ${message}.`, [{ path: 'currentPassword', message }]);

/** Guesses count like those at a login. */
export const isOwnPassword = async (
  { db, passwords, throttle }: OwnParts,
  { caller: { user }, address }: KnownActor,
  text: string,
): Promise<boolean> => {
  const compare = async (): Promise<true> => {
    if (await passwords.matches(await passwordOf(db, user.key), text)) return true;
    throw new AppError('Unauthorized');
  };
  return throttle
    .attempt({ name: user.username, address: address ?? '', surface: 'own password' }, compare)
    .catch((thrown: unknown) => {
      if (thrown instanceof AppError && thrown.kind === 'Unauthorized') return false;
      throw thrown;
    });
};

/**
 * Makes sure that whoever has the session is the owner of the account. A wrong password is not Unauthorized: clients would take that for the
 * end of their session.
 */
export const confirmPassword = async (parts: OwnParts, by: KnownActor, password: string | undefined): Promise<void> => {
  if (password === undefined || password === '') throw wrongPassword('is required');
  if (!(await isOwnPassword(parts, by, password))) throw wrongPassword('is wrong');
};

export interface ProfileChange {
  readonly username?: string | undefined;
  readonly email?: string | undefined;
  /** Needed for another address: mail that opens the account goes there. */
  readonly currentPassword?: string | undefined;
}

/** Returns the account as now stored. A new address is not verified. */
export const changeProfile = async (
  parts: OwnParts,
  by: KnownActor,
  { username, email, currentPassword }: ProfileChange,
): Promise<UserDetail> => {
  const { db, clock } = parts;
  const { user } = by.caller;
  refuseKey(by);
  checkOwnNames({ username: username === user.username ? undefined : username, email });
  const old = await userRecord(db, user.id);
  const next = {
    username: username === old.username ? undefined : username,
    email: email === old.email ? undefined : email,
  };
  const isOther = next.email !== undefined && userNameKey(next.email) !== userNameKey(old.email);
  if (isOther) await confirmPassword(parts, by, currentPassword);
  const now = clock.now();
  await db.write(user.key, 'interactive', async (tx) => {
    await stillSignedIn(tx, by.caller, now);
    const { username: name } = await userRecord(tx, user.id);
    await refuseTaken(tx, next, user.key);
    const changed = await storeNames(tx, user.key, { ...next, emailVerified: false }, now);
    if (changed.length === 0) return;
    const target = { kind: 'user', id: user.id, name };
    await audited(tx, { at: now, by, action: 'user.update', target, ownOf: user.id, details: { changed } });
  });
  return userDetail(db, user.id);
};
