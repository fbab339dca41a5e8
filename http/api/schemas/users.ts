// Users as administrators and they themselves see them, and the audit log, as answers show them.
import Type from 'typebox';
import { AGE_MAX, LIBRARIES_MAX } from '../../../core/access/user-limits.js';
import { ROLES } from '../../../core/model/permissions.js';
import { uuid } from '../../surface/schemas.js';
import { anyObject, id, orNull, record, text, time, whole, word, yes } from '../../surface/wire.js';
import { pageOf } from './paging.js';

const UNRATED = ['allow', 'hide'] as const;

const AgeLimit = record('AgeLimit', {
  max: whole(12, 'The highest age rating that the user sees.'),
  unrated: word(UNRATED, 'What happens to series without a rating.'),
});

const userFields = {
  id: id(),
  username: text('ann'),
  email: text('ann@example.org'),
  role: word(ROLES),
  permissions: Type.Array(text('LibrariesWrite'), { description: 'Those of the user, beyond those of the role.' }),
  isActive: yes(true, 'Whether the user may sign in.'),
  libraryIds: orNull(Type.Array(id(), { description: 'The only libraries that exist for the user; null: all.' })),
  ageLimit: orNull(AgeLimit),
  lastLoginAt: orNull(time()),
  createdAt: time(),
  updatedAt: time(),
};

/** What an administrator may limit a user to. */
export const limitFields = {
  libraryIds: Type.Optional(
    Type.Union([Type.Array(uuid, { maxItems: LIBRARIES_MAX }), Type.Null()], {
      expected: `a list of at most ${LIBRARIES_MAX} uuids, or null`,
    }),
  ),
  ageLimit: Type.Optional(
    Type.Union(
      [
        Type.Object({
          max: Type.Integer({ minimum: 0, maximum: AGE_MAX }),
          unrated: Type.Optional(Type.Enum([...UNRATED])),
        }),
        Type.Null(),
      ],
      { expected: `an object with max (0 to ${AGE_MAX}) and unrated (${UNRATED.join(' or ')}), or null` },
    ),
  ),
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
