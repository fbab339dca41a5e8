// Settings that administrators change while the server runs, and those that other users can read.
import Type from 'typebox';
import {
  changeSetting,
  changeSettings,
  HISTORY_MAX,
  knownKey,
  resetSetting,
  settingHistory,
} from '../../../core/settings/setting-changes.js';
import { ruleOf, type SettingKey } from '../../../core/settings/setting-keys.js';
import { ok } from '../../surface/replies.js';
import { json } from '../../surface/reply.js';
import { actorOf, listReads } from '../../surface/request-parts.js';
import { type Route, route } from '../../surface/route.js';
import type { Wire } from '../../surface/wire.js';
import { AppInfo, Branding, PublicSettings, Setting, SettingChange, SetUpSettings } from '../schemas/settings.js';
import { settingChangeView, settingView } from '../views/settings.js';

const byKey = Type.Object({ key: Type.String({ maxLength: 255 }) });

const VALUE_MAX = 65_536;
const REASON_MAX = 1000;
/** More than there are settings. */
const UPDATES_MAX = 100;

const value = Type.String({
  maxLength: VALUE_MAX,
  expected: `text of at most ${VALUE_MAX} characters, whatever the type of the setting`,
});
const changeReason = Type.Optional(
  Type.String({ maxLength: REASON_MAX, expected: `text of at most ${REASON_MAX} characters` }),
);

const FOR_ADMINISTRATORS = { access: 'SystemAdmin', administrator: true } as const;

const reads: readonly Route[] = [
  route({
    id: 'settings.list',
    method: 'GET',
    path: '/admin/settings',
    ...FOR_ADMINISTRATORS,
    query: Type.Object({ category: Type.Optional(Type.String({ maxLength: 255 })) }),
    reply: ok(Type.Array(Setting)),
    about:
      'The settings that can be changed while the server runs, sorted by category and key. Stored values override the configuration.',
    run: ({ app }, { query: { category } }) => {
      const shown = app.settings.all().filter(({ key }) => category === undefined || ruleOf(key).category === category);
      return json(200, shown.map(settingView));
    },
  }),
  route({
    id: 'settings.get',
    method: 'GET',
    path: '/admin/settings/{key}',
    ...FOR_ADMINISTRATORS,
    params: byKey,
    reply: ok(Setting),
    about: 'One of the settings that can be changed while the server runs.',
    run: ({ app }, { params }) => json(200, settingView(app.settings.get(knownKey(params.key)))),
  }),
  route({
    id: 'settings.history',
    method: 'GET',
    path: '/admin/settings/{key}/history',
    ...FOR_ADMINISTRATORS,
    params: byKey,
    query: Type.Object({
      limit: Type.Optional(Type.Integer({ minimum: 1, expected: 'a whole number from 1' })),
    }),
    reply: ok(Type.Array(SettingChange)),
    about: `Who changed a setting, when, from where and why, newest first; the latest ${HISTORY_MAX} changes are kept.`,
    run: async (ctx, { params, query }) => {
      const changes = await settingHistory(listReads(ctx), params.key, query.limit);
      return json(200, changes.map(settingChangeView));
    },
  }),
];

const writes: readonly Route[] = [
  route({
    id: 'settings.put',
    method: 'PUT',
    path: '/admin/settings/{key}',
    ...FOR_ADMINISTRATORS,
    params: byKey,
    body: Type.Object({ value, changeReason }),
    example: { value: 'Reading room', changeReason: 'We have moved.' },
    reply: ok(Setting),
    about: 'Changes a setting. It takes effect at once.',
    run: async (ctx, { params: { key }, body }) =>
      json(
        200,
        settingView(await changeSetting(ctx.app, actorOf(ctx), { key, value: body.value }, body.changeReason ?? null)),
      ),
  }),
  route({
    id: 'settings.bulk',
    method: 'POST',
    path: '/admin/settings/bulk',
    ...FOR_ADMINISTRATORS,
    body: Type.Object({
      updates: Type.Array(Type.Object({ key: Type.String({ maxLength: 255 }), value }), {
        maxItems: UPDATES_MAX,
        expected: `a list of at most ${UPDATES_MAX} keys with values`,
      }),
      changeReason,
    }),
    example: { updates: [{ key: 'application.name', value: 'Reading room' }] },
    reply: ok(Type.Array(Setting)),
    about: 'Changes several settings, all or none.',
    run: async (ctx, { body }) => {
      const changed = await changeSettings(ctx.app, actorOf(ctx), body.updates, body.changeReason ?? null);
      return json(200, changed.map(settingView));
    },
  }),
  route({
    id: 'settings.reset',
    method: 'POST',
    path: '/admin/settings/{key}/reset',
    ...FOR_ADMINISTRATORS,
    params: byKey,
    reply: ok(Setting),
    about: 'Deletes the stored value of a setting, so that the configuration applies again.',
    run: async (ctx, { params }) => json(200, settingView(await resetSetting(ctx.app, actorOf(ctx), params.key))),
  }),
  route({
    id: 'setup.settings',
    method: 'PATCH',
    path: '/setup/settings',
    ...FOR_ADMINISTRATORS,
    body: Type.Object({
      settings: Type.Record(Type.String(), value, {
        maxProperties: UPDATES_MAX,
        expected: `an object with at most ${UPDATES_MAX} texts by key`,
      }),
      skipConfiguration: Type.Boolean(),
    }),
    example: { settings: { 'application.name': 'Reading room' }, skipConfiguration: false },
    reply: ok(SetUpSettings),
    about: 'Changes settings at the end of the set-up, all or none. With skipConfiguration, changes nothing.',
    run: async (ctx, { body: { settings, skipConfiguration } }) => {
      const updates = skipConfiguration ? [] : Object.entries(settings).map(([key, given]) => ({ key, value: given }));
      const changed = await changeSettings(ctx.app, actorOf(ctx), updates, 'Set-up settings');
      const message = `${changed.length} ${changed.length === 1 ? 'setting was' : 'settings were'} changed.`;
      return json(200, { message, settingsConfigured: changed.length } satisfies Wire<typeof SetUpSettings>);
    },
  }),
];

/** What clients need to present the server as configured. */
const PUBLIC: readonly SettingKey[] = ['application.name', 'display.custom_metadata_template', 'scheduler.timezone'];

const forOthers: readonly Route[] = [
  route({
    id: 'settings.public',
    method: 'GET',
    path: '/settings/public',
    access: 'user',
    reply: ok(PublicSettings),
    about: 'The settings that clients need to present the server as configured, by key.',
    run: ({ app }) => {
      const shown = PUBLIC.map((key) => [key, { key, value: app.settings.value(key) }] as const);
      return json(200, Object.fromEntries(shown));
    },
  }),
  route({
    id: 'settings.branding',
    method: 'GET',
    path: '/settings/branding',
    access: 'public',
    reply: ok(Branding),
    about: 'The name of this server, for the sign-in page.',
    run: ({ app }) =>
      json(200, { applicationName: app.settings.value('application.name') } satisfies Wire<typeof Branding>),
  }),
  route({
    id: 'info',
    method: 'GET',
    path: '/info',
    access: 'public',
    reply: ok(AppInfo),
    about: 'The name and version of the program.',
    run: ({ settings }) => json(200, { name: 'longbox', version: settings.version } satisfies Wire<typeof AppInfo>),
  }),
];

export const SETTING_ROUTES: readonly Route[] = [...reads, ...writes, ...forOthers];
