// Who is signed in, their API keys, and signing out.
import Type, { type Static } from 'typebox';
import { type ApiKey, KEYS_MAX, listKeys } from '../../../core/access/api-keys.js';
import { createAppKey } from '../../../core/access/app-keys.js';
import type { Caller } from '../../../core/access/caller.js';
import { removeKey } from '../../../core/access/key-changes.js';
import { isAdministrator } from '../../../core/access/rights.js';
import { userRecord } from '../../../core/access/user-records.js';
import { effectiveGrants } from '../../../core/sharing/effective.js';
import type { Reply } from '../../server/adapter.js';
import { EMPTY, ok } from '../../surface/replies.js';
import { json, noContent } from '../../surface/reply.js';
import { actorOf, listReads } from '../../surface/request-parts.js';
import { type Ctx, type Method, type Route, route } from '../../surface/route.js';
import { byId } from '../schemas/requests.js';
import { Key, User } from '../schemas/user.js';
import { cookieFromHeader, rememberedHeaders, signedOutHeaders, signOut, typedName } from '../sign-in.js';
import { idText, moment } from '../views/text.js';
import { userView } from '../views/user.js';

const meQuery = Type.Object({ 'remember-me': Type.Optional(Type.Boolean({ expected: 'true or false' })) });

/** Names of sharing tags tell what is hidden from others, and the caller's own what is hidden from them. */
const grantsShown = async (ctx: Ctx<Caller>) =>
  ctx.viewer.administers ? effectiveGrants(listReads(ctx), ctx.caller.user.key) : [];

const me = async (ctx: Ctx<Caller>, query: Static<typeof meQuery>): Promise<Reply> => {
  const { app, caller, request } = ctx;
  const record = await userRecord(app.db, caller.user.id);
  const shown = userView(record, {
    name: typedName(request) ?? record.email,
    administers: isAdministrator(caller.user),
    grants: await grantsShown(ctx),
  });
  return json(200, shown, query['remember-me'] === true ? await rememberedHeaders(ctx) : []);
};

const meRow = (version: 'v1' | 'v2'): Route =>
  route({
    id: `comics.me.${version}`,
    method: 'GET',
    path: `/api/${version}/users/me`,
    access: 'user',
    query: meQuery,
    reply: ok(User),
    about: 'The account of the caller. With a password, it also opens a session in a cookie.',
    run: (ctx, { query }) => me(ctx, query),
  });

const logoutRow = (method: Extract<Method, 'GET' | 'POST'>): Route =>
  route({
    id: `comics.logout.${method.toLowerCase()}`,
    method,
    path: '/api/logout',
    access: 'user',
    onUnauthorized: signedOutHeaders,
    reply: EMPTY,
    fails: ['Forbidden'],
    about: 'Ends the session of the caller and removes its cookies.',
    run: async (ctx) => {
      await signOut(ctx);
      return noContent(signedOutHeaders(ctx));
    },
  });

const keyView = (key: ApiKey, text: string) => ({
  id: idText(key.id),
  userId: idText(key.userId),
  key: text,
  comment: key.name,
  createdDate: moment(key.createdAt),
  lastModifiedDate: moment(key.updatedAt),
});

const HIDDEN = '******';
const KEYS = '/api/v2/users/me/api-keys';

export const ACCOUNT_ROWS: readonly Route[] = [
  meRow('v2'),
  meRow('v1'),
  logoutRow('POST'),
  logoutRow('GET'),
  route({
    id: 'comics.login.cookie',
    method: 'GET',
    path: '/api/v1/login/set-cookie',
    access: 'user',
    reply: EMPTY,
    about: 'Sets the session cookie to the session sent in X-Auth-Token.',
    run: (ctx) => noContent(cookieFromHeader(ctx)),
  }),
  route({
    id: 'comics.keys.list',
    method: 'GET',
    path: KEYS,
    access: 'ApiKeysRead',
    reply: ok(Type.Array(Key)),
    about: 'The API keys of the caller, newest first.',
    run: async (ctx) => {
      const keys = { db: listReads(ctx), lastUse: ctx.app.lastUse };
      const { items } = await listKeys(keys, ctx.caller, { page: 1, pageSize: KEYS_MAX });
      return json(
        200,
        items.map((key) => keyView(key, HIDDEN)),
      );
    },
  }),
  route({
    id: 'comics.keys.create',
    method: 'POST',
    path: KEYS,
    access: 'ApiKeysWrite',
    body: Type.Object({ comment: Type.String({ maxLength: 1000, expected: 'text of 1 to 100 characters' }) }),
    reply: ok(Key),
    fails: ['Conflict'],
    about: 'Creates an API key with all permissions of the caller. The key is shown once.',
    run: async (ctx, { body }) => {
      const made = await createAppKey(ctx.app, actorOf(ctx), body.comment);
      return json(200, keyView(made, made.text));
    },
  }),
  route({
    id: 'comics.keys.delete',
    method: 'DELETE',
    path: `${KEYS}/{id}`,
    access: 'ApiKeysDelete',
    params: byId,
    reply: EMPTY,
    about: 'Revokes an API key.',
    run: async (ctx, { params }) => {
      await removeKey(ctx.app, actorOf(ctx), params.id);
      return noContent();
    },
  }),
];
