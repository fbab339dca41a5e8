// What a caller may do with API keys: their own, and those of others. In no way does a key get more permissions than its creator has.
import { AppError } from '../model/errors.js';
import type { Permission } from '../model/permissions.js';
import type { Caller } from './caller.js';
import { isAdministrator, notAdministrator } from './rights.js';

const FOREIGN = { read: 'UsersRead', change: 'UsersWrite', delete: 'UsersDelete' } as const satisfies Record<
  string,
  Permission
>;

/** Keys of others are part of user administration: this needs the permission and an administrator's account. */
export const refuseForeignKey = ({ user, permissions }: Caller, ownerKey: number, deed: keyof typeof FOREIGN): void => {
  if (ownerKey === user.key) return;
  if (!permissions.has(FOREIGN[deed])) throw new AppError('Forbidden', `Missing required permission: ${FOREIGN[deed]}`);
  if (!isAdministrator(user)) throw notAdministrator();
};

export const keyOfOwner = (): AppError =>
  new AppError('Forbidden', 'An API key cannot change the account of its owner. Sign in instead.');

/** A key may have been given to a device, or lost with it: `id` is an account that is to change. */
export const refuseOwner = ({ user, via }: Caller, id: string): void => {
  if (via.kind === 'api-key' && id === user.id) throw keyOfOwner();
};

/** A key could otherwise live on in one that it makes, or make itself last longer. */
export const refuseLonger = ({ via }: Caller, expiresAt: number | null): void => {
  if (via.kind !== 'api-key' || via.expiresAt === null) return;
  if (expiresAt === null || expiresAt > via.expiresAt)
    throw new AppError('Forbidden', 'An API key that expires cannot give a key a later expiry than its own.');
};

/** Intersected when the key is used, so this only says so early. */
export const refuseBeyondOwner = (owner: ReadonlySet<Permission>, given: Iterable<Permission>): void => {
  for (const permission of given)
    if (!owner.has(permission))
      throw new AppError('Forbidden', `The owner of the key lacks a permission given to it: ${permission}`);
};

/** The permissions of a key that its owner has as well. */
export const heldBy = (owner: ReadonlySet<Permission>, words: readonly string[]): ReadonlySet<Permission> => {
  const named = new Set(words);
  return new Set([...owner].filter((permission) => named.has(permission)));
};
