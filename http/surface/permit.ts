// Whether a caller may use a row: the only place where the permissions that rows name are checked. Checks that depend on the data,
// such as whose key it is or which rights are granted, are made in core/access, in the transaction.
import type { Caller } from '../../core/access/caller.js';
import { isAdministrator, notAdministrator } from '../../core/access/rights.js';
import { AppError } from '../../core/model/errors.js';
import type { Permission } from '../../core/model/permissions.js';
import type { Access, Route } from './route.js';

/** What a row requires of its caller beyond being signed in. */
export const needsOf = (access: Access): readonly Permission[] => {
  if (access === 'public' || access === 'user') return [];
  return typeof access === 'string' ? [access] : access;
};

/** Throws unless the caller has everything that is required; the message names the first missing permission. */
export const permit = (needs: readonly Permission[], permissions: ReadonlySet<Permission>): void => {
  for (const need of needs) {
    if (!permissions.has(need)) throw new AppError('Forbidden', `Missing required permission: ${need}`);
  }
};

/**
 * With an API key both count: the permissions of the key, and the account it belongs to. One without any may not even do what needs no
 * particular permission. An account always has some.
 */
export const permitCaller = (
  needs: readonly Permission[],
  { administrator }: Pick<Route, 'administrator'>,
  { user, permissions }: Pick<Caller, 'user' | 'permissions'>,
): void => {
  permit(needs, permissions);
  if (permissions.size === 0)
    throw new AppError('Forbidden', 'This API key has no permissions, so it can do nothing. Use a key that has some.');
  if (administrator && !isAdministrator(user)) throw notAdministrator();
};
