// Creating and changing users, for administrators. Everything is checked in the transaction that writes; what can be refused
// before a password is hashed is refused then too.
import { AppError } from '../model/errors.js';
import type { Role } from '../model/permissions.js';
import type { Tx } from '../store/db.js';
import { ASPECTS, updated } from '../store/feed.js';
import { audited } from './audit.js';
import { byOf, type KnownActor } from './caller.js';
import { refuseOwner } from './key-rights.js';
import { voidLinks } from './mail-links.js';
import { type FirstUserParts, insertUser, type NewUser } from './new-users.js';
import { endSessions, storePassword } from './password-change.js';
import { isAdministrator, keepAdministrator, refuseMore, rightsOf } from './rights.js';
import { stillAdministrates } from './still-signed-in.js';
import { checkedPermissions, checkedRole, checkUserFields } from './user-fields.js';
import { type LimitsChange, storeLimits, UNLIMITED } from './user-limits.js';
import { refuseTaken, storeNames } from './user-names.js';
import { type UserRecord, userRecord } from './user-records.js';

export type UserParts = FirstUserParts;

export const createUser = async (
  { db, clock, passwords }: UserParts,
  by: KnownActor,
  wanted: NewUser & LimitsChange & { readonly role?: string | undefined },
): Promise<UserRecord> => {
  const { username, email, password } = wanted;
  checkUserFields({ username, email, password });
  const role = checkedRole(wanted.role ?? 'reader');
  refuseMore(by.caller, rightsOf({ role, permissions: [] }));
  await refuseTaken(db, { username, email });
  const passwordHash = await passwords.hash(password);
  const now = clock.now();
  return db.write(byOf(by), 'interactive', async (tx) => {
    await stillAdministrates(tx, by.caller, now);
    await refuseTaken(tx, { username, email });
    const made = await insertUser(tx, { username, email, passwordHash, role }, now);
    const limits = await storeLimits(tx, { key: made.key, ...UNLIMITED }, wanted, now);
    const target = { kind: 'user', id: made.id, name: made.username };
    await audited(tx, { at: now, by, action: 'user.create', target, details: { role, ...limits } });
    return userRecord(tx, made.id);
  });
};

/** The fields an administrator may set; absent means unchanged. */
export interface UserChange extends LimitsChange {
  readonly username?: string | undefined;
  readonly email?: string | undefined;
  readonly password?: string | undefined;
  readonly role?: string | undefined;
  /** Those of the user's own. */
  readonly permissions?: readonly string[] | undefined;
  readonly isActive?: boolean | undefined;
}

interface Checked {
  readonly username: string | undefined;
  readonly email: string | undefined;
  readonly role: Role;
  readonly permissions: readonly string[];
  readonly active: boolean;
}

const isSame = (a: readonly string[], b: readonly string[]): boolean => a.join() === b.join();

/** What the account will be. Whoever hands it over, or opens it, must hold all its rights, those of before included. */
const checkedChange = ({ caller }: KnownActor, old: UserRecord, change: UserChange): Checked => {
  const role = change.role === undefined ? old.role : checkedRole(change.role);
  const permissions = change.permissions === undefined ? old.permissions : checkedPermissions(change.permissions);
  const active = change.isActive ?? old.active;
  const isHandedOver = change.password !== undefined || (change.email !== undefined && change.email !== old.email);
  const isOpened = active && !old.active;
  const isRaised = role !== old.role || !isSame(permissions, old.permissions);
  if (isHandedOver) refuseMore(caller, rightsOf(old));
  if (isHandedOver || isOpened || isRaised) refuseMore(caller, rightsOf({ role, permissions }));
  const { username, email } = change;
  return {
    username: username === old.username ? undefined : username,
    email: email === old.email ? undefined : email,
    role,
    permissions,
    active,
  };
};

/** New values of what may be told. */
const storeRights = async (tx: Tx, old: UserRecord, next: Checked, nowMs: number): Promise<object> => {
  const { role, permissions, active } = next;
  const changed = {
    ...(role === old.role ? {} : { role }),
    ...(isSame(permissions, old.permissions) ? {} : { permissions }),
    ...(active === old.active ? {} : { isActive: active }),
  };
  if (Object.keys(changed).length === 0) return changed;
  await tx.run(
    `UPDATE user SET role = ?1, permissions = ?2, unconfirmed = iif(active = ?3, unconfirmed, 0), active = ?3, updated_at = ?4
    WHERE id = ?5`,
    [role, JSON.stringify(permissions), Number(active), nowMs, old.key],
  );
  tx.report(updated('user', [old.key], ASPECTS.details));
  if (!active) {
    await endSessions(tx, old.key);
    await voidLinks(tx, old.key);
  }
  if (isAdministrator(old) && !isAdministrator(next)) await keepAdministrator(tx);
  return changed;
};

/** One's own account is changed where the current password is asked for. */
const refuseOwn = (
  { caller }: KnownActor,
  id: string,
  { email, password }: Pick<UserChange, 'email' | 'password'>,
): void => {
  if (id !== caller.user.id) return;
  if (password !== undefined || email !== undefined)
    throw new AppError(
      'BadRequest',
      'Change your own password with POST /auth/change-password, and your own e-mail address with PATCH /user.',
    );
};

/** Returns the user as now stored. */
export const changeUser = async (
  { db, clock, passwords }: UserParts,
  by: KnownActor,
  id: string,
  change: UserChange,
): Promise<UserRecord> => {
  const { username, email, password } = change;
  checkUserFields({ username, email, password });
  const before = await userRecord(db, id);
  refuseOwner(by.caller, before.id);
  const planned = checkedChange(by, before, change);
  refuseOwn(by, before.id, { ...planned, password });
  await refuseTaken(db, planned, before.key);
  const passwordHash = password === undefined ? null : await passwords.hash(password);
  const now = clock.now();
  return db.write(byOf(by), 'interactive', async (tx) => {
    await stillAdministrates(tx, by.caller, now);
    const old = await userRecord(tx, id);
    const next = checkedChange(by, old, change);
    await refuseTaken(tx, next, old.key);
    const names = await storeNames(tx, old.key, { ...next, emailVerified: true }, now);
    const rights = await storeRights(tx, old, next, now);
    const limits = await storeLimits(tx, old, change, now);
    if (passwordHash !== null) await storePassword(tx, old.key, passwordHash, now);
    const told = { ...rights, ...limits };
    const changed = [...names, ...Object.keys(told), ...(passwordHash === null ? [] : ['password'])];
    if (changed.length === 0) return old;
    const target = { kind: 'user', id, name: old.username };
    await audited(tx, { at: now, by, action: 'user.update', target, details: { changed, ...told } });
    return userRecord(tx, id);
  });
};
