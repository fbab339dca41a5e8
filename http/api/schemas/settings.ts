// Settings, as returned to administrators, to signed-in users and to anyone.
import Type from 'typebox';
import { id, orNull, record, text, time, whole, word, yes } from '../../surface/wire.js';

/** SettingDto. */
export const Setting = record('Setting', {
  id: id(),
  key: text('application.name'),
  value: text('Longbox', 'As text, whatever its type.'),
  valueType: word(['String', 'Integer', 'Boolean']),
  category: text('Application'),
  description: text('Name of this server, shown by clients.'),
  isSensitive: yes(false),
  defaultValue: text('Longbox', 'The configured value, which a reset restores.'),
  minValue: orNull(whole(100)),
  maxValue: orNull(whole(2000)),
  updatedAt: time('The last change; if there was none, the start of the server.'),
  updatedBy: orNull(id('The user who changed it.')),
  version: whole(1, 'Incremented with each change.'),
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
