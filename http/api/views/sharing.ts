// Sharing tags, their grants, and access groups as shown on the wire.
import type { Grant } from '../../../core/access/user-records.js';
import type { EffectiveGrant, GrantSource } from '../../../core/sharing/effective.js';
import type { Group, GroupSummary } from '../../../core/sharing/groups.js';
import type { Mapping } from '../../../core/sharing/mappings.js';
import type { Member } from '../../../core/sharing/members.js';
import type { SharingTag, TagSummary } from '../../../core/sharing/tags.js';
import type { Wire } from '../../surface/wire.js';
import type {
  AccessGroup,
  AccessGroupDetail,
  AccessGroupGrant,
  AccessGroupMapping,
  AccessGroupMember,
  AccessGroupSummary,
  EffectiveGrants,
  SharingTagGrants,
  SharingTag as SharingTagSchema,
  SharingTagSummary,
} from '../schemas/sharing.js';
import { instant } from './time.js';
import { grantView } from './users.js';

export const tagSummaryView = ({ id, name, description }: TagSummary): Wire<typeof SharingTagSummary> => ({
  id,
  name,
  description,
});

export const tagView = (tag: SharingTag): Wire<typeof SharingTagSchema> => ({
  ...tagSummaryView(tag),
  seriesCount: tag.seriesCount,
  userCount: tag.userCount,
  createdAt: instant(tag.createdAt),
  updatedAt: instant(tag.updatedAt),
});

export const grantsView = (userId: string, grants: readonly Grant[]): Wire<typeof SharingTagGrants> => ({
  userId,
  grants: grants.map(grantView),
});

export const groupSummaryView = ({ id, name, description }: GroupSummary): Wire<typeof AccessGroupSummary> => ({
  id,
  name,
  description,
});

export const groupView = (group: Group): Wire<typeof AccessGroup> => ({
  ...groupSummaryView(group),
  memberCount: group.memberCount,
  grantCount: group.grantCount,
  createdAt: instant(group.createdAt),
  updatedAt: instant(group.updatedAt),
});

export const groupGrantView = ({ id: _, ...grant }: Grant): Wire<typeof AccessGroupGrant> => ({
  sharingTagId: grant.tagId,
  sharingTagName: grant.tagName,
  accessMode: grant.mode,
  createdAt: instant(grant.createdAt),
});

export const memberView = (member: Member): Wire<typeof AccessGroupMember> => ({
  userId: member.userId,
  username: member.username,
  source: member.provider === null ? 'manual' : 'oidc',
  createdAt: instant(member.createdAt),
});

export const mappingView = (mapping: Mapping): Wire<typeof AccessGroupMapping> => ({
  id: mapping.id,
  oidcGroupName: mapping.groupName,
  createdAt: instant(mapping.createdAt),
});

export interface GroupParts {
  readonly group: Group;
  readonly grants: readonly Grant[];
  readonly members: readonly Member[];
  readonly mappings: readonly Mapping[];
}

export const groupDetailView = ({ group, grants, members, mappings }: GroupParts): Wire<typeof AccessGroupDetail> => ({
  ...groupSummaryView(group),
  grants: grants.map(groupGrantView),
  members: members.map(memberView),
  oidcMappings: mappings.map(mappingView),
  createdAt: instant(group.createdAt),
  updatedAt: instant(group.updatedAt),
});

const sourceView = (source: GrantSource) => ({
  kind: source === null ? ('user' as const) : ('group' as const),
  groupId: source?.id ?? null,
  groupName: source?.name ?? null,
});

export const effectiveView = (userId: string, grants: readonly EffectiveGrant[]): Wire<typeof EffectiveGrants> => ({
  userId,
  grants: grants.map((grant) => ({
    sharingTagId: grant.tagId,
    sharingTagName: grant.tagName,
    accessMode: grant.mode,
    sources: grant.sources.map(sourceView),
  })),
});
