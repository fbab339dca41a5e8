// What nobody may do to accounts, whatever their permissions: grant rights that they lack, or leave the server without an administrator.
import { AppError } from '../model/errors.js';
import { effectivePermissions, type Permission } from '../model/permissions.js';
import type { Reader, Tx } from '../store/db.js';
import type { Caller } from './caller.js';
import type { User } from './users.js';

/** What an account may do, without the limits of a key. */
export const rightsOf = ({ role, permissions }: Pick<User, 'role' | 'permissions'>): ReadonlySet<Permission> =>
  effectivePermissions(role, permissions);

/** Whoever can sign in as somebody has that person's rights; so this holds for passwords and addresses as for roles. */
export const refuseMore = ({ permissions }: Pick<Caller, 'permissions'>, given: ReadonlySet<Permission>): void => {
  for (const permission of given)
    if (!permissions.has(permission))
      throw new AppError('Forbidden', `You cannot give a role or permission that you lack: ${permission}`);
};

export const notAdministrator = (): AppError => new AppError('Forbidden', 'Only an administrator may do this.');

/** An account that administers others: an active one with the role. Permissions of its own do not make one. */
export const isAdministrator = ({ role, active }: Pick<User, 'role' | 'active'>): boolean => role === 'admin' && active;

/** An active administrator besides this user. */
export const hasOtherAdministrator = async (from: Reader, userKey: number): Promise<boolean> =>
  (await from.all("SELECT 1 FROM user WHERE role = 'admin' AND active = 1 AND id <> ? LIMIT 1", [userKey])).length > 0;

/** Call this at the end of the transaction that may have taken the last one away. */
export const keepAdministrator = async (tx: Tx): Promise<void> => {
  const rows = await tx.all("SELECT 1 FROM user WHERE role = 'admin' AND active = 1 LIMIT 1");
  if (rows.length === 0)
    throw new AppError('Conflict', 'This is the last active administrator. Make somebody else one first.');
};
