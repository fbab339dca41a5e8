// The caller's preferences, stored for their clients.
import Type from 'typebox';
import {
  deletePreference,
  PREFERENCE_KEY,
  PREFERENCE_KEY_EXPECTS,
  PREFERENCE_KEY_MAX,
  PREFERENCES_MAX,
  preferenceByKey,
  preferenceSizes,
  preferencesByKeys,
  storePreferences,
} from '../../../core/settings/preferences.js';
import { ok } from '../../surface/replies.js';
import { json } from '../../surface/reply.js';
import { listReads } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import { rowsReply } from '../../surface/rows-reply.js';
import type { Wire } from '../../surface/wire.js';
import { DeletedPreference, Preference, Preferences, StoredPreferences } from '../schemas/preferences.js';
import { preferenceView } from '../views/preferences.js';

const byKey = Type.Object({
  key: Type.String({ pattern: PREFERENCE_KEY, maxLength: PREFERENCE_KEY_MAX, expected: PREFERENCE_KEY_EXPECTS }),
});

/** JSON around the value of a preference. */
const FRAME_BYTES = 128;

export const PREFERENCE_ROUTES: readonly Route[] = [
  route({
    id: 'preferences.list',
    method: 'GET',
    path: '/user/preferences',
    access: 'user',
    reply: ok(Preferences),
    about: "The caller's stored preferences, by key. The server has no defaults.",
    run: async (ctx) => {
      const reads = listReads(ctx);
      const sizes = await preferenceSizes(reads, ctx.viewer);
      const bytes = sizes.reduce((sum, one) => sum + one.bytes + one.key.length + FRAME_BYTES, 0);
      return rowsReply(ctx, {
        size: { rows: sizes.length, bytes },
        from: sizes.map(({ key }) => key),
        make: async (keys) =>
          (await preferencesByKeys(reads, ctx.viewer, keys)).map((one) => JSON.stringify(preferenceView(one))),
        empty: () => json(200, { preferences: [] } satisfies Wire<typeof Preferences>),
      });
    },
  }),
  route({
    id: 'preferences.put-many',
    method: 'PUT',
    path: '/user/preferences',
    access: 'user',
    body: Type.Object({
      preferences: Type.Record(Type.String(), Type.Unknown(), {
        maxProperties: PREFERENCES_MAX,
        expected: `an object with at most ${PREFERENCES_MAX} keys`,
      }),
    }),
    example: { preferences: { 'reader.page_fit': 'width', 'library.default_page_size': 24 } },
    reply: ok(StoredPreferences),
    fails: ['Conflict'],
    about: "Stores several of the caller's preferences, all or none; others stay unchanged.",
    run: async ({ app, viewer }, { body }) => {
      const stored = await storePreferences(app, viewer, Object.entries(body.preferences));
      const shown: Wire<typeof StoredPreferences> = {
        updated: stored.length,
        preferences: stored.map(preferenceView),
      };
      return json(200, shown);
    },
  }),
  route({
    id: 'preferences.get',
    method: 'GET',
    path: '/user/preferences/{key}',
    access: 'user',
    params: byKey,
    reply: ok(Preference),
    about: "One of the caller's preferences; 404 if it is not set.",
    run: async ({ app, viewer }, { params }) =>
      json(200, preferenceView(await preferenceByKey(app.db, viewer, params.key))),
  }),
  route({
    id: 'preferences.put',
    method: 'PUT',
    path: '/user/preferences/{key}',
    access: 'user',
    params: byKey,
    body: Type.Object({ value: Type.Unknown({ description: 'Any JSON of at most 64 kB, null included.' }) }),
    example: { value: 'width' },
    reply: ok(Preference),
    fails: ['Conflict'],
    about: `Stores one of the caller's preferences, of which there can be ${PREFERENCES_MAX}.`,
    run: async ({ app, viewer }, { params, body }) => {
      const [stored] = await storePreferences(app, viewer, [[params.key, body.value]]);
      return json(200, stored === undefined ? null : preferenceView(stored));
    },
  }),
  route({
    id: 'preferences.delete',
    method: 'DELETE',
    path: '/user/preferences/{key}',
    access: 'user',
    params: byKey,
    reply: ok(DeletedPreference),
    about:
      "Deletes one of the caller's preferences, so that clients use their own default; succeeds even if it was not set.",
    run: async ({ app, viewer }, { params: { key } }) => {
      const deleted = await deletePreference(app.db, viewer, key);
      const message = deleted ? `Preference '${key}' was reset to default` : `Preference '${key}' was not set`;
      return json(200, { deleted, message } satisfies Wire<typeof DeletedPreference>);
    },
  }),
];
