// Sharing tags, their grants, and access groups as answers show them, and what requests about them have in common.
import Type from 'typebox';
import { DESCRIPTION_MAX } from '../../../core/sharing/names.js';
import { id, orNull, record, text, time, whole, word } from '../../surface/wire.js';
import { pageOf } from './paging.js';
import { GRANT_MODES, SharingTagGrant } from './users.js';

const summaryFields = {
  id: id(),
  name: text('Kids'),
  description: orNull(text('For the youngest')),
};

const times = { createdAt: time(), updatedAt: time() };

/** SharingTagSummaryDto. */
export const SharingTagSummary = record('SharingTagSummary', summaryFields);

/** SharingTagDto. */
export const SharingTag = record('SharingTag', {
  ...summaryFields,
  seriesCount: whole(12, 'Series that carry it.'),
  userCount: whole(3, 'Users to whom it is granted themselves, not through a group.'),
  ...times,
});

export const SharingTagPage = pageOf('SharingTagPage', SharingTag);

/** UserSharingTagGrantsResponse. */
export const SharingTagGrants = record('SharingTagGrants', {
  userId: id(),
  grants: Type.Array(SharingTagGrant),
});

const groupFields = {
  id: id(),
  name: text('Family'),
  description: orNull(text('Everybody at home')),
};

/** AccessGroupSummaryDto. */
export const AccessGroupSummary = record('AccessGroupSummary', groupFields);

/** AccessGroupDto. */
export const AccessGroup = record('AccessGroup', {
  ...groupFields,
  memberCount: whole(4),
  grantCount: whole(2),
  ...times,
});

/** AccessGroupGrantDto. */
export const AccessGroupGrant = record('AccessGroupGrant', {
  sharingTagId: id(),
  sharingTagName: text('Kids'),
  accessMode: word(GRANT_MODES),
  createdAt: time(),
});

/** AccessGroupMemberDto. */
export const AccessGroupMember = record('AccessGroupMember', {
  userId: id(),
  username: text('ann'),
  source: word(['manual', 'oidc'], 'Who put the user in: an administrator, or a sign-on provider.'),
  createdAt: time(),
});

/** AccessGroupOidcMappingDto. */
export const AccessGroupMapping = record('AccessGroupMapping', {
  id: id(),
  oidcGroupName: text('family@example.org'),
  createdAt: time(),
});

/** AccessGroupDetailDto. */
export const AccessGroupDetail = record('AccessGroupDetail', {
  ...groupFields,
  grants: Type.Array(AccessGroupGrant),
  members: Type.Array(AccessGroupMember),
  oidcMappings: Type.Array(AccessGroupMapping),
  ...times,
});

const GrantSource = record('GrantSource', {
  kind: word(['user', 'group']),
  groupId: orNull(id()),
  groupName: orNull(text('Family')),
});

/** EffectiveGrantsResponse. */
export const EffectiveGrants = record('EffectiveGrants', {
  userId: id(),
  grants: Type.Array(
    record('EffectiveGrant', {
      sharingTagId: id(),
      sharingTagName: text('Kids'),
      accessMode: word(GRANT_MODES),
      sources: Type.Array(GrantSource),
    }),
    { description: 'One for each tag and mode. A tag that is denied anywhere is denied.' },
  ),
});

/** Core checks the length and what a name may contain; this only refuses absurd values. */
export const nameField = Type.String({ maxLength: 10_000, expected: 'text of 1 to 255 characters' });

export const descriptionField = Type.Optional(
  Type.Union([Type.String({ maxLength: DESCRIPTION_MAX }), Type.Null()], {
    expected: `text of at most ${DESCRIPTION_MAX} characters, or null`,
  }),
);

export const namedChange = Type.Object({
  name: Type.Optional(Type.Union([nameField, Type.Null()], { expected: 'text of 1 to 255 characters' })),
  description: descriptionField,
});

export const forceQuery = Type.Object({
  force: Type.Optional(
    Type.Boolean({ expected: 'true or false', description: 'Whether to do it even if somebody sees more then.' }),
  ),
});

export const UNLESS_FORCED =
  'If this would let anyone see more series, the answer is 409 with their names in details.users, unless force is true.';
