// Access groups, for administrators: the groups, who is in them, what is granted to them, and what sign-on providers call them.
import Type from 'typebox';
import { grantsOf } from '../../../core/access/user-records.js';
import { removeGrant, setGrant } from '../../../core/sharing/grants.js';
import { changeGroup, createGroup, deleteGroup, groupById, listGroups } from '../../../core/sharing/groups.js';
import { addMapping, GROUP_NAME_MAX, mappingsOf, removeMapping } from '../../../core/sharing/mappings.js';
import { ADDED_MAX, addMembers, MEMBERS_SHOWN, membersOf, removeMember } from '../../../core/sharing/members.js';
import { EMPTY, made, ok } from '../../surface/replies.js';
import { json, noContent } from '../../surface/reply.js';
import { actorOf, askerOf, listReads } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import { SOME_ID, uuid } from '../../surface/schemas.js';
import {
  AccessGroup,
  AccessGroupDetail,
  AccessGroupGrant,
  AccessGroupMapping,
  AccessGroupMember,
  descriptionField,
  forceQuery,
  namedChange,
  nameField,
  UNLESS_FORCED,
} from '../schemas/sharing.js';
import { groupDetailView, groupGrantView, groupView, mappingView, memberView } from '../views/sharing.js';
import { grantBody } from './user-grants.js';

const byGroup = Type.Object({ group_id: uuid });

const GROUPS: readonly Route[] = [
  route({
    id: 'groups.list',
    method: 'GET',
    path: '/access-groups',
    access: 'SystemAdmin',
    administrator: true,
    reply: ok(Type.Array(AccessGroup)),
    about: 'All access groups by name, as a plain array.',
    run: async (ctx) => json(200, (await listGroups(listReads(ctx))).map(groupView)),
  }),
  route({
    id: 'groups.create',
    method: 'POST',
    path: '/access-groups',
    access: 'SystemAdmin',
    administrator: true,
    body: Type.Object({ name: nameField, description: descriptionField }),
    example: { name: 'Family', description: 'Everybody at home' },
    reply: made(AccessGroup),
    fails: ['Conflict'],
    about: 'Creates an access group without members. Names are unique, ignoring case.',
    run: async (ctx, { body }) => {
      const { name, description } = body;
      return json(201, groupView(await createGroup(ctx.app, actorOf(ctx), { name, description })));
    },
  }),
  route({
    id: 'groups.get',
    method: 'GET',
    path: '/access-groups/{group_id}',
    access: 'SystemAdmin',
    administrator: true,
    params: byGroup,
    reply: ok(AccessGroupDetail),
    about: `One access group with its grants, its members (at most ${MEMBERS_SHOWN}) and the names mapped to it at sign-on providers.`,
    run: async (ctx, { params }) =>
      json(
        200,
        await ctx.app.db.snapshot(async (reads) => {
          const group = await groupById(reads, params.group_id);
          const grants = await grantsOf(reads, 'access_group', group.key);
          const members = await membersOf(reads, group.key);
          return groupDetailView({ group, grants, members, mappings: await mappingsOf(reads, group.key) });
        }, askerOf(ctx)),
      ),
  }),
  route({
    id: 'groups.patch',
    method: 'PATCH',
    path: '/access-groups/{group_id}',
    access: 'SystemAdmin',
    administrator: true,
    params: byGroup,
    body: namedChange,
    example: { name: 'Household', description: null },
    reply: ok(AccessGroup),
    fails: ['Conflict'],
    about: 'Changes an access group: an absent field stays unchanged, null clears the description.',
    run: async (ctx, { params, body }) => {
      const change = { name: body.name ?? undefined, description: body.description };
      return json(200, groupView(await changeGroup(ctx.app, actorOf(ctx), params.group_id, change)));
    },
  }),
  route({
    id: 'groups.delete',
    method: 'DELETE',
    path: '/access-groups/{group_id}',
    access: 'SystemAdmin',
    administrator: true,
    params: byGroup,
    query: forceQuery,
    reply: EMPTY,
    fails: ['Conflict'],
    about: `Deletes an access group, but not its members. ${UNLESS_FORCED}`,
    run: async (ctx, { params, query }) => {
      await deleteGroup(ctx.app, actorOf(ctx), params.group_id, query.force ?? false);
      return noContent();
    },
  }),
];

const GRANTS: readonly Route[] = [
  route({
    id: 'groups.grants.set',
    method: 'POST',
    path: '/access-groups/{group_id}/grants',
    access: 'SystemAdmin',
    administrator: true,
    params: byGroup,
    query: forceQuery,
    body: grantBody,
    example: { sharingTagId: SOME_ID, accessMode: 'allow' },
    reply: ok(AccessGroupGrant),
    fails: ['Conflict'],
    about: `Grants one sharing tag to an access group, or changes how it is granted. ${UNLESS_FORCED}`,
    run: async (ctx, { params, query, body }) => {
      const grant = { tagId: body.sharingTagId, mode: body.accessMode, force: query.force ?? false };
      return json(200, groupGrantView(await setGrant(ctx.app, actorOf(ctx), 'access_group', params.group_id, grant)));
    },
  }),
  route({
    id: 'groups.grants.remove',
    method: 'DELETE',
    path: '/access-groups/{group_id}/grants/{tag_id}',
    access: 'SystemAdmin',
    administrator: true,
    params: Type.Object({ group_id: uuid, tag_id: uuid }),
    query: forceQuery,
    reply: EMPTY,
    fails: ['Conflict'],
    about: `Removes the grant of a sharing tag from an access group. ${UNLESS_FORCED}`,
    run: async (ctx, { params, query }) => {
      const grant = { tagId: params.tag_id, force: query.force ?? false };
      await removeGrant(ctx.app, actorOf(ctx), 'access_group', params.group_id, grant);
      return noContent();
    },
  }),
];

const MEMBERS: readonly Route[] = [
  route({
    id: 'groups.members.add',
    method: 'POST',
    path: '/access-groups/{group_id}/members',
    access: 'SystemAdmin',
    administrator: true,
    params: byGroup,
    body: Type.Object({
      userIds: Type.Array(uuid, { maxItems: ADDED_MAX, expected: `a list of at most ${ADDED_MAX} uuids` }),
    }),
    example: { userIds: [SOME_ID] },
    reply: ok(Type.Array(AccessGroupMember)),
    about: 'Adds users to an access group; returns its members by name, as a plain array.',
    run: async (ctx, { params, body }) =>
      json(200, (await addMembers(ctx.app, actorOf(ctx), params.group_id, body.userIds)).map(memberView)),
  }),
  route({
    id: 'groups.members.remove',
    method: 'DELETE',
    path: '/access-groups/{group_id}/members/{user_id}',
    access: 'SystemAdmin',
    administrator: true,
    params: Type.Object({ group_id: uuid, user_id: uuid }),
    query: forceQuery,
    reply: EMPTY,
    fails: ['Conflict'],
    about: `Removes a user from an access group. ${UNLESS_FORCED}`,
    run: async (ctx, { params, query }) => {
      await removeMember(ctx.app, actorOf(ctx), params.group_id, {
        userId: params.user_id,
        force: query.force ?? false,
      });
      return noContent();
    },
  }),
];

const MAPPINGS: readonly Route[] = [
  route({
    id: 'groups.mappings.add',
    method: 'POST',
    path: '/access-groups/{group_id}/oidc-mappings',
    access: 'SystemAdmin',
    administrator: true,
    params: byGroup,
    body: Type.Object({
      oidcGroupName: Type.String({ maxLength: 10_000, expected: `text of 1 to ${GROUP_NAME_MAX} characters` }),
    }),
    example: { oidcGroupName: 'family@example.org' },
    reply: ok(AccessGroupMapping),
    fails: ['Conflict'],
    about: 'Maps a group at a sign-on provider to this one: its members are added whenever they sign in.',
    run: async (ctx, { params, body }) =>
      json(200, mappingView(await addMapping(ctx.app, actorOf(ctx), params.group_id, body.oidcGroupName))),
  }),
  route({
    id: 'groups.mappings.remove',
    method: 'DELETE',
    path: '/access-groups/{group_id}/oidc-mappings/{mapping_id}',
    access: 'SystemAdmin',
    administrator: true,
    params: Type.Object({ group_id: uuid, mapping_id: uuid }),
    reply: EMPTY,
    about:
      'Removes the mapping of a group at a sign-on provider. Members added because of it remain until they sign in again.',
    run: async (ctx, { params }) => {
      await removeMapping(ctx.app, actorOf(ctx), params.group_id, params.mapping_id);
      return noContent();
    },
  }),
];

export const ACCESS_GROUP_ROUTES: readonly Route[] = [...GROUPS, ...GRANTS, ...MEMBERS, ...MAPPINGS];
