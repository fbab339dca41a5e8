// API keys: the caller's own, and with the permissions for users those of others by id.
import Type, { type Static } from 'typebox';
import { KEYS_MAX, listKeys, readKey } from '../../../core/access/api-keys.js';
import { changeKey, createKey, removeKey } from '../../../core/access/key-changes.js';
import { PERMISSIONS } from '../../../core/model/permissions.js';
import { EMPTY, made, ok } from '../../surface/replies.js';
import { json, noContent } from '../../surface/reply.js';
import { actorOf, listReads } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import { byId } from '../../surface/schemas.js';
import { ApiKey, ApiKeyPage, MadeApiKey } from '../schemas/api-keys.js';
import { isPaged, pagingQuery, timeField, timeIn, windowOf } from '../schemas/fields.js';
import { apiKeyView, madeApiKeyView } from '../views/api-keys.js';
import { pageReply } from '../views/paging.js';

const WORD_MAX = 50;
const name = Type.String({ maxLength: 1000, expected: 'text of 1 to 100 characters' });
const permissions = Type.Optional(
  Type.Array(Type.String({ maxLength: WORD_MAX }), {
    maxItems: 2 * PERMISSIONS.length,
    expected: 'a list of permissions',
    description: 'Such as BooksRead, books-read or books:read.',
  }),
);
const expiry = Type.Optional(
  Type.Union([timeField, Type.Null()], {
    expected: 'a time such as 2026-01-31T12:00:00Z, or null',
    description: 'Null: the key never expires.',
  }),
);
const expiryFields = { expires_at: expiry, expiresAt: expiry };
const flag = Type.Optional(Type.Boolean({ expected: 'true or false' }));

/** Undefined when the body says nothing about it. */
const expiryIn = (body: Static<ReturnType<typeof Type.Object<typeof expiryFields>>>): number | null | undefined => {
  const { expires_at: older, expiresAt } = body;
  if (typeof expiresAt === 'string') return timeIn({ expiresAt }, ['expiresAt']);
  if (typeof older === 'string') return timeIn({ expires_at: older }, ['expires_at']);
  return expiresAt === null || older === null ? null : undefined;
};

const changeRow = (method: 'PUT' | 'PATCH'): Route =>
  route({
    id: `keys.${method === 'PUT' ? 'put' : 'patch'}`,
    method,
    path: '/api-keys/{id}',
    access: 'ApiKeysWrite',
    params: byId,
    body: Type.Object({ name: Type.Optional(name), permissions, ...expiryFields, isActive: flag, is_active: flag }),
    example: { name: 'Tablet', isActive: false },
    reply: ok(ApiKey),
    about:
      'Changes the fields in the body; the others stay unchanged. No key gets a permission that the caller or its owner lacks. Keys of others need UsersWrite.',
    run: async (ctx, { params, body }) => {
      const change = {
        name: body.name,
        permissions: body.permissions,
        expiresAt: expiryIn(body),
        active: body.isActive ?? body.is_active,
      };
      return json(200, apiKeyView(await changeKey(ctx.app, actorOf(ctx), params.id, change)));
    },
  });

export const API_KEY_ROUTES: readonly Route[] = [
  route({
    id: 'keys.list',
    method: 'GET',
    path: '/api-keys',
    access: 'ApiKeysRead',
    query: pagingQuery,
    reply: ok(Type.Union([Type.Array(ApiKey), ApiKeyPage])),
    about: 'The keys of the caller, the newest first: all of them as a list, or a page when one is asked for.',
    run: async (ctx, { query }) => {
      const keys = { db: listReads(ctx), lastUse: ctx.app.lastUse };
      if (isPaged(query)) return pageReply(ctx, await listKeys(keys, ctx.caller, windowOf(query)), apiKeyView);
      const { items } = await listKeys(keys, ctx.caller, { page: 1, pageSize: KEYS_MAX });
      return json(200, items.map(apiKeyView));
    },
  }),
  route({
    id: 'keys.create',
    method: 'POST',
    path: '/api-keys',
    access: 'ApiKeysWrite',
    body: Type.Object({ name, permissions, ...expiryFields }),
    example: { name: 'Tablet', permissions: ['LibrariesRead', 'SeriesRead', 'BooksRead', 'PagesRead'] },
    reply: made(MadeApiKey),
    fails: ['Conflict'],
    about:
      'Makes a key for the caller, with all permissions of the caller unless some are named. Its text is shown once.',
    run: async (ctx, { body }) => {
      const wanted = { name: body.name, permissions: body.permissions, expiresAt: expiryIn(body) ?? null };
      return json(201, madeApiKeyView(await createKey(ctx.app, actorOf(ctx), wanted)));
    },
  }),
  route({
    id: 'keys.get',
    method: 'GET',
    path: '/api-keys/{id}',
    access: 'ApiKeysRead',
    params: byId,
    reply: ok(ApiKey),
    about: 'One key. Keys of others need UsersRead.',
    run: async ({ app, caller }, { params }) => json(200, apiKeyView(await readKey(app, caller, params.id))),
  }),
  changeRow('PUT'),
  changeRow('PATCH'),
  route({
    id: 'keys.delete',
    method: 'DELETE',
    path: '/api-keys/{id}',
    access: 'ApiKeysDelete',
    params: byId,
    reply: EMPTY,
    about: 'Revokes a key, from the next request on. Keys of others need UsersDelete.',
    run: async (ctx, { params }) => {
      await removeKey(ctx.app, actorOf(ctx), params.id);
      return noContent();
    },
  }),
];
