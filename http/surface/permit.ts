// Whether a caller may use a row. The only place where a permission is checked.
import { AppError } from '../../core/model/errors.js';
import type { Permission } from '../../core/model/permissions.js';
import type { Access } from './route.js';

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
