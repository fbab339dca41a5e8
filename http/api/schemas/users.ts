// Users as administrators and they themselves see them, and the audit log, as answers show them.
import Type from 'typebox';
import { ROLES } from '../../../core/model/permissions.js';
import { anyObject, id, orNull, record, text, time, word, yes } from '../../surface/wire.js';
import { pageOf } from './paging.js';

const userFields = {
  id: id(),
  username: text('ann'),
  email: text('ann@example.org'),
  role: word(ROLES),
  permissions: Type.Array(text('LibrariesWrite'), { description: 'Those of the user, beyond those of the role.' }),
  isActive: yes(true, 'Whether the user may sign in.'),
  lastLoginAt: orNull(time()),
  createdAt: time(),
  updatedAt: time(),
};

/** UserDto. */
export const User = record('User', userFields);

export const UserPage = pageOf('UserPage', User);

export const GRANT_MODES = ['allow', 'deny'] as const;

/** UserSharingTagGrantDto. */
export const SharingTagGrant = record('SharingTagGrant', {
  id: id(),
  sharingTagId: id(),
  sharingTagName: text('Kids'),
  accessMode: word(GRANT_MODES),
  createdAt: time(),
});

/** UserDetailDto. */
export const UserDetail = record('UserDetail', {
  ...userFields,
  sharingTags: Type.Array(SharingTagGrant, { description: 'Granted to the user, not to a group.' }),
});

const AuditEntry = record('AuditEntry', {
  id: id(),
  at: time(),
  actor: orNull(record('AuditActor', { id: id(), username: text('ann') })),
  apiKey: orNull(text('Tablet', 'The name of the API key that was used.')),
  address: orNull(text('192.0.2.7')),
  action: text('user.update'),
  target: orNull(record('AuditTarget', { kind: text('user'), id: id(), name: text('bob') })),
  details: anyObject('What changed; never a secret.'),
});

export const AuditPage = pageOf('AuditPage', AuditEntry);
export type AuditEntrySchema = typeof AuditEntry;
