// What is granted to a user: their own sharing tags, their access groups, and what follows from both.
import Type from 'typebox';
import { grantsOf, userRecord } from '../../../core/access/user-records.js';
import { effectiveGrants } from '../../../core/sharing/effective.js';
import { removeGrant, setGrant } from '../../../core/sharing/grants.js';
import { groupsOf } from '../../../core/sharing/groups.js';
import { EMPTY, ok } from '../../surface/replies.js';
import { json, noContent } from '../../surface/reply.js';
import { actorOf } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import { SOME_ID, uuid } from '../../surface/schemas.js';
import {
  AccessGroupSummary,
  EffectiveGrants,
  forceQuery,
  SharingTagGrants,
  UNLESS_FORCED,
} from '../schemas/sharing.js';
import { GRANT_MODES, SharingTagGrant } from '../schemas/users.js';
import { effectiveView, grantsView, groupSummaryView } from '../views/sharing.js';
import { grantView } from '../views/users.js';

const byUser = Type.Object({ user_id: uuid });

export const grantBody = Type.Object({
  sharingTagId: uuid,
  accessMode: Type.Enum([...GRANT_MODES], { expected: `one of ${GRANT_MODES.join(', ')}` }),
});

export const USER_GRANT_ROUTES: readonly Route[] = [
  route({
    id: 'user.grants',
    method: 'GET',
    path: '/user/sharing-tags',
    access: 'user',
    reply: ok(SharingTagGrants),
    about: 'The sharing tags granted to the caller, by name; not those of groups.',
    run: async ({ app, caller }) => {
      const { key, id } = caller.user;
      return json(200, grantsView(id, await grantsOf(app.db, 'user', key)));
    },
  }),
  route({
    id: 'users.grants.list',
    method: 'GET',
    path: '/users/{user_id}/sharing-tags',
    access: 'SystemAdmin',
    administrator: true,
    params: byUser,
    reply: ok(SharingTagGrants),
    about: 'The sharing tags granted to a user, by name; not those of groups.',
    run: async ({ app }, { params }) => {
      const { key, id } = await userRecord(app.db, params.user_id);
      return json(200, grantsView(id, await grantsOf(app.db, 'user', key)));
    },
  }),
  route({
    id: 'users.grants.put',
    method: 'PUT',
    path: '/users/{user_id}/sharing-tags',
    access: 'SystemAdmin',
    administrator: true,
    params: byUser,
    query: forceQuery,
    body: grantBody,
    example: { sharingTagId: SOME_ID, accessMode: 'deny' },
    reply: ok(SharingTagGrant),
    fails: ['Conflict'],
    about: `Grants one sharing tag to a user, or changes how it is granted; other grants stay as they are. ${UNLESS_FORCED}`,
    run: async (ctx, { params, query, body }) => {
      const grant = { tagId: body.sharingTagId, mode: body.accessMode, force: query.force ?? false };
      return json(200, grantView(await setGrant(ctx.app, actorOf(ctx), 'user', params.user_id, grant)));
    },
  }),
  route({
    id: 'users.grants.remove',
    method: 'DELETE',
    path: '/users/{user_id}/sharing-tags/{tag_id}',
    access: 'SystemAdmin',
    administrator: true,
    params: Type.Object({ user_id: uuid, tag_id: uuid }),
    query: forceQuery,
    reply: EMPTY,
    fails: ['Conflict'],
    about: `Removes the grant of a sharing tag from a user. ${UNLESS_FORCED}`,
    run: async (ctx, { params, query }) => {
      const grant = { tagId: params.tag_id, force: query.force ?? false };
      await removeGrant(ctx.app, actorOf(ctx), 'user', params.user_id, grant);
      return noContent();
    },
  }),
  route({
    id: 'users.groups',
    method: 'GET',
    path: '/users/{user_id}/access-groups',
    access: 'SystemAdmin',
    administrator: true,
    params: byUser,
    reply: ok(Type.Array(AccessGroupSummary)),
    about: 'The access groups a user is in, by name, as a plain array.',
    run: async ({ app }, { params }) => {
      const { key } = await userRecord(app.db, params.user_id);
      return json(200, (await groupsOf(app.db, key)).map(groupSummaryView));
    },
  }),
  route({
    id: 'users.grants.effective',
    method: 'GET',
    path: '/users/{user_id}/effective-grants',
    access: 'SystemAdmin',
    administrator: true,
    params: byUser,
    reply: ok(EffectiveGrants),
    about: 'What is granted to a user altogether, with where each grant comes from: the user, or a group.',
    run: async ({ app }, { params }) => {
      const { key, id } = await userRecord(app.db, params.user_id);
      return json(200, effectiveView(id, await effectiveGrants(app.db, key)));
    },
  }),
];
