// Settings as answers show them: to administrators, to everybody who is signed in, and to everybody.
import Type from 'typebox';
import { id, orNull, record, text, time, whole, word, yes } from '../../surface/wire.js';

/** SettingDto. */
export const Setting = record('Setting', {
  id: id(),
  key: text('application.name'),
  value: text('Longbox', 'Whatever its type, as text.'),
  valueType: word(['String', 'Integer', 'Boolean']),
  category: text('Application'),
  description: text('Name of this server that clients show.'),
  isSensitive: yes(false),
  defaultValue: text('Longbox', 'What the configuration says: a reset leads to it.'),
  minValue: orNull(whole(100)),
  maxValue: orNull(whole(2000)),
  updatedAt: time('When it was changed; while it never was, when the server started.'),
  updatedBy: orNull(id('The user who changed it.')),
  version: whole(1, 'Grows by one with each change.'),
});

/** SettingHistoryDto. */
export const SettingChange = record('SettingChange', {
  id: id(),
  settingId: id(),
  key: text('application.name'),
  oldValue: text('Longbox'),
  newValue: text('Reading room'),
  changedBy: id('The user who changed it.'),
  changedAt: time(),
  changeReason: orNull(text('We have moved.')),
  ipAddress: orNull(text('192.0.2.7')),
});

/** By key. */
export const PublicSettings = Type.Record(
  Type.String(),
  record('PublicSetting', { key: text('application.name'), value: text('Longbox') }),
);

export const Branding = record('Branding', { applicationName: text('Longbox') });

/** AppInfoDto. */
export const AppInfo = record('AppInfo', { name: text('longbox'), version: text('0.1.0') });

export const SetUpSettings = record('SetUpSettings', {
  message: text('2 settings were changed.'),
  settingsConfigured: whole(2),
});
