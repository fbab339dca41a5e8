// Users, for administrators; and the caller's own account.
import Type from 'typebox';
import { changeProfile } from '../../../core/access/own-profile.js';
import { changeUser, createUser } from '../../../core/access/user-admin.js';
import { checkedRole } from '../../../core/access/user-fields.js';
import type { AgeLimit } from '../../../core/access/user-limits.js';
import { listUsers, userDetail } from '../../../core/access/user-records.js';
import { removeUser } from '../../../core/access/user-removal.js';
import { PERMISSIONS, ROLES } from '../../../core/model/permissions.js';
import { forgetReading } from '../../../core/reading/forget-user.js';
import { EMPTY, made, ok } from '../../surface/replies.js';
import { json, noContent } from '../../surface/reply.js';
import { actorOf, listReads } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import { byId } from '../../surface/schemas.js';
import { pagingFields, windowOf } from '../schemas/fields.js';
import { GRANT_MODES, limitFields, User, UserDetail, UserPage } from '../schemas/users.js';
import { pageReply } from '../views/paging.js';
import { userDetailView, userView } from '../views/users.js';

/** Core checks what a field may hold; these only refuse absurd values. */
const text = (expected: string) => Type.String({ maxLength: 10_000, expected });
const username = text('text of 1 to 100 characters');
const email = text('an e-mail address');
const password = text('text of 1 to 1024 characters');

const role = Type.String({ maxLength: 20, expected: `one of ${ROLES.join(', ')}`, description: 'In any case.' });
const WORD_MAX = 50;
const permissions = Type.Array(Type.String({ maxLength: WORD_MAX }), {
  maxItems: 2 * PERMISSIONS.length,
  expected: 'a list of permissions',
  description: 'Permissions beyond those of the role, such as LibrariesWrite, libraries-write or libraries:write.',
});

interface LimitsSent {
  readonly ageLimit?: { readonly max: number; readonly unrated?: AgeLimit['unrated'] } | null;
}

/** Series without a rating are hidden unless they are allowed. */
const withLimits = <B extends LimitsSent>({ ageLimit, ...body }: B) => ({
  ...body,
  ageLimit: ageLimit && { max: ageLimit.max, unrated: ageLimit.unrated ?? ('hide' as const) },
});

const changeRow = (method: 'PUT' | 'PATCH'): Route =>
  route({
    id: `users.${method === 'PUT' ? 'put' : 'patch'}`,
    method,
    path: '/users/{id}',
    access: 'UsersWrite',
    administrator: true,
    params: byId,
    body: Type.Object({
      username: Type.Optional(username),
      email: Type.Optional(email),
      password: Type.Optional(password),
      role: Type.Optional(role),
      permissions: Type.Optional(permissions),
      isActive: Type.Optional(Type.Boolean({ expected: 'true or false' })),
      ...limitFields,
    }),
    example: { role: 'maintainer', isActive: true },
    reply: ok(User),
    fails: ['Conflict'],
    about:
      'Changes the fields in the body; the others stay unchanged. A new password, or isActive false, ends every session of the user; a new role applies from the next request on. The libraries in libraryIds and the series rated up to ageLimit are all that exist for the user; null lifts a limit. Nobody gives a role or permission that they lack, and the last active administrator remains one.',
    run: async (ctx, { params, body }) =>
      json(200, userView(await changeUser(ctx.app, actorOf(ctx), params.id, withLimits(body)))),
  });

const administration: readonly Route[] = [
  route({
    id: 'users.list',
    method: 'GET',
    path: '/users',
    access: 'UsersRead',
    administrator: true,
    query: Type.Object({
      ...pagingFields,
      role: Type.Optional(role),
      sharingTag: Type.Optional(
        Type.String({ maxLength: 500, description: 'The name or id of a sharing tag that is granted to the user.' }),
      ),
      sharingTagMode: Type.Optional(Type.Enum([...GRANT_MODES])),
    }),
    reply: ok(UserPage),
    about: 'All users by name.',
    run: async (ctx, { query }) => {
      const { sharingTag, sharingTagMode: mode } = query;
      const filter = { role: query.role === undefined ? undefined : checkedRole(query.role), sharingTag, mode };
      return pageReply(ctx, await listUsers(listReads(ctx), filter, windowOf(query)), userView);
    },
  }),
  route({
    id: 'users.create',
    method: 'POST',
    path: '/users',
    access: 'UsersWrite',
    administrator: true,
    body: Type.Object({ username, email, password, role: Type.Optional(role), ...limitFields }),
    example: { username: 'bob', email: 'bob@example.org', password: 'gulls over the pier 4', role: 'reader' },
    reply: made(User),
    fails: ['Conflict'],
    about: 'Creates a user, a reader unless a role is given, who may sign in at once.',
    run: async (ctx, { body }) => json(201, userView(await createUser(ctx.app, actorOf(ctx), withLimits(body)))),
  }),
  route({
    id: 'users.get',
    method: 'GET',
    path: '/users/{id}',
    access: 'UsersRead',
    administrator: true,
    params: byId,
    reply: ok(UserDetail),
    about: 'One user.',
    run: async ({ app }, { params }) => json(200, userDetailView(await userDetail(app.db, params.id))),
  }),
  changeRow('PUT'),
  changeRow('PATCH'),
  route({
    id: 'users.delete',
    method: 'DELETE',
    path: '/users/{id}',
    access: 'UsersDelete',
    administrator: true,
    params: byId,
    reply: EMPTY,
    about:
      'Deletes a user with everything that is theirs: progress, history, queue, keys, sessions and grants. Your own account cannot be deleted.',
    run: async (ctx, { params }) => {
      await removeUser(ctx.app, actorOf(ctx), params.id, forgetReading);
      return noContent();
    },
  }),
];

const own: readonly Route[] = [
  route({
    id: 'user.get',
    method: 'GET',
    path: '/user',
    access: 'user',
    reply: ok(UserDetail),
    fails: ['NotFound'],
    about: 'The account of the caller.',
    run: async ({ app, caller }) => json(200, userDetailView(await userDetail(app.db, caller.user.id))),
  }),
  route({
    id: 'user.patch',
    method: 'PATCH',
    path: '/user',
    access: 'user',
    body: Type.Object({
      username: Type.Optional(username),
      email: Type.Optional(email),
      currentPassword: Type.Optional(text('text')),
    }),
    example: { email: 'ann@example.net', currentPassword: 'fog over the harbour 7' },
    reply: ok(UserDetail),
    fails: ['Conflict', 'Forbidden', 'NotFound', 'TooManyRequests'],
    about:
      'Changes the name or the e-mail address of the caller; another address needs the current password. Not with an API key.',
    run: async (ctx, { body }) => {
      const { username: name, email: address, currentPassword } = body;
      const change = { username: name, email: address, currentPassword };
      return json(200, userDetailView(await changeProfile(ctx.app, actorOf(ctx), change)));
    },
  }),
];

export const USER_ROUTES: readonly Route[] = [...administration, ...own];
