// Users and entries of the audit log as shown on the wire.
import type { AuditEntry } from '../../../core/access/audit.js';
import type { Grant, UserDetail, UserRecord } from '../../../core/access/user-records.js';
import type { Wire } from '../../surface/wire.js';
import type { AuditEntrySchema, User, UserDetail as UserDetailSchema } from '../schemas/users.js';
import { instant, instantOrNull } from './time.js';

/** UserDto. */
export const userView = (user: UserRecord): Wire<typeof User> => ({
  id: user.id,
  username: user.username,
  email: user.email,
  role: user.role,
  permissions: user.permissions,
  isActive: user.active,
  libraryIds: user.libraryIds,
  ageLimit: user.ageLimit,
  lastLoginAt: instantOrNull(user.lastLoginAt),
  createdAt: instant(user.createdAt),
  updatedAt: instant(user.updatedAt),
});

export const grantView = (grant: Grant) => ({
  id: grant.id,
  sharingTagId: grant.tagId,
  sharingTagName: grant.tagName,
  accessMode: grant.mode,
  createdAt: instant(grant.createdAt),
});

/** UserDetailDto. */
export const userDetailView = (user: UserDetail): Wire<typeof UserDetailSchema> => ({
  ...userView(user),
  sharingTags: user.grants.map(grantView),
});

export const auditView = (entry: AuditEntry): Wire<AuditEntrySchema> => {
  const { actorId, actorName, targetKind, targetId, targetName } = entry;
  return {
    id: entry.id,
    at: instant(entry.at),
    actor: actorId === null ? null : { id: actorId, username: actorName ?? '' },
    apiKey: entry.keyName,
    address: entry.address,
    action: entry.action,
    target: targetId === null ? null : { kind: targetKind ?? '', id: targetId, name: targetName ?? '' },
    details: entry.details,
  };
};
