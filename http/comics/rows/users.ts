// Users, for administrators.
import Type, { type Static } from 'typebox';
import { type AppUserChange, ageLimitOf, changeUserAsApp, createUserAsApp } from '../../../core/access/app-users.js';
import type { Caller } from '../../../core/access/caller.js';
import { isAdministrator } from '../../../core/access/rights.js';
import { changeUser } from '../../../core/access/user-admin.js';
import { LIBRARIES_MAX } from '../../../core/access/user-limits.js';
import { listUsers, type UserRecord } from '../../../core/access/user-records.js';
import { removeUser } from '../../../core/access/user-removal.js';
import { forgetReading } from '../../../core/reading/forget-user.js';
import { effectiveGrants } from '../../../core/sharing/effective.js';
import { EMPTY, made, ok } from '../../surface/replies.js';
import { json, noContent } from '../../surface/reply.js';
import { actorOf, listReads } from '../../surface/request-parts.js';
import { type Ctx, type Route, route } from '../../surface/route.js';
import { compactId } from '../../surface/schemas.js';
import { byId } from '../schemas/requests.js';
import { User } from '../schemas/user.js';
import { userView } from '../views/user.js';

const USERS = '/api/v2/users';
const USERS_MAX = 10_000;

const text = (expected: string) => Type.String({ maxLength: 10_000, expected });

const rights = {
  roles: Type.Optional(
    Type.Array(Type.String({ maxLength: 50 }), {
      maxItems: 50,
      expected: 'a list of roles; ADMIN makes an administrator',
    }),
  ),
  sharedLibraries: Type.Optional(
    Type.Object({
      all: Type.Boolean({ expected: 'true or false' }),
      libraryIds: Type.Optional(Type.Array(compactId, { maxItems: LIBRARIES_MAX })),
    }),
  ),
  ageRestriction: Type.Optional(
    Type.Union(
      [
        Type.Object({
          age: Type.Integer({ minimum: 0, maximum: 1000 }),
          restriction: Type.Enum(['ALLOW_ONLY', 'EXCLUDE', 'NONE']),
        }),
        Type.Null(),
      ],
      { expected: 'an age and ALLOW_ONLY, EXCLUDE or NONE, or null' },
    ),
  ),
};

const rightsBody = Type.Object(rights);

const changeIn = ({ roles, sharedLibraries, ageRestriction }: Static<typeof rightsBody>): AppUserChange => ({
  administers: roles?.includes('ADMIN'),
  libraryIds: sharedLibraries && (sharedLibraries.all ? null : (sharedLibraries.libraryIds ?? [])),
  ageLimit: ageLimitOf(ageRestriction),
});

const viewOf = async (ctx: Ctx<Caller>, record: UserRecord) =>
  userView(record, {
    name: record.email,
    administers: isAdministrator(record),
    grants: ctx.viewer.administers ? await effectiveGrants(listReads(ctx), record.key) : [],
  });

export const USER_ROWS: readonly Route[] = [
  route({
    id: 'comics.users.list',
    method: 'GET',
    path: USERS,
    access: 'UsersRead',
    administrator: true,
    reply: ok(Type.Array(User)),
    about: 'All users by name.',
    run: async (ctx) => {
      const { items } = await listUsers(listReads(ctx), {}, { page: 1, pageSize: USERS_MAX });
      const shown = [];
      for (const record of items) shown.push(await viewOf(ctx, record));
      return json(200, shown);
    },
  }),
  route({
    id: 'comics.users.create',
    method: 'POST',
    path: USERS,
    access: 'UsersWrite',
    administrator: true,
    body: Type.Object({ email: text('an e-mail address'), password: text('text of 1 to 1024 characters'), ...rights }),
    reply: made(User),
    fails: ['Conflict'],
    about: 'Creates a user named by the e-mail address, a reader unless the roles include ADMIN.',
    run: async (ctx, { body: { email, password, ...body } }) => {
      const record = await createUserAsApp(ctx.app, actorOf(ctx), { email, password, ...changeIn(body) });
      return json(201, await viewOf(ctx, record));
    },
  }),
  route({
    id: 'comics.users.change',
    method: 'PATCH',
    path: `${USERS}/{id}`,
    access: 'UsersWrite',
    administrator: true,
    params: byId,
    body: rightsBody,
    reply: EMPTY,
    fails: ['Conflict'],
    about: 'Changes whether a user is an administrator, and what they can see; fields not sent stay.',
    run: async (ctx, { params, body }) => {
      await changeUserAsApp(ctx.app, actorOf(ctx), params.id, changeIn(body));
      return noContent();
    },
  }),
  route({
    id: 'comics.users.password',
    method: 'PATCH',
    path: `${USERS}/{id}/password`,
    access: 'UsersWrite',
    administrator: true,
    params: byId,
    body: Type.Object({ password: text('text of 1 to 1024 characters') }),
    reply: EMPTY,
    fails: ['Conflict'],
    about: 'Sets the password of another user, which ends their sessions.',
    run: async (ctx, { params, body }) => {
      await changeUser(ctx.app, actorOf(ctx), params.id, { password: body.password });
      return noContent();
    },
  }),
  route({
    id: 'comics.users.delete',
    method: 'DELETE',
    path: `${USERS}/{id}`,
    access: 'UsersDelete',
    administrator: true,
    params: byId,
    reply: EMPTY,
    about: 'Deletes a user with everything that is theirs. Your own account cannot be deleted.',
    run: async (ctx, { params }) => {
      await removeUser(ctx.app, actorOf(ctx), params.id, forgetReading);
      return noContent();
    },
  }),
];
