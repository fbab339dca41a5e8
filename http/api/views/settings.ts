// Settings and their history in the wire format.
import type { SettingChange } from '../../../core/settings/setting-changes.js';
import { ruleOf, shownValue } from '../../../core/settings/setting-keys.js';
import { type Setting, settingId } from '../../../core/settings/settings.js';
import type { Wire } from '../../surface/wire.js';
import type { SettingChange as SettingChangeSchema, Setting as SettingSchema } from '../schemas/settings.js';
import { instant } from './time.js';

/** SettingDto. Secrets are masked. */
export const settingView = (setting: Setting): Wire<typeof SettingSchema> => {
  const { type, category, say, min, max, isSecret } = ruleOf(setting.key);
  return {
    id: setting.id,
    key: setting.key,
    value: shownValue(setting.key, setting.value),
    valueType: type,
    category,
    description: say,
    isSensitive: isSecret,
    defaultValue: shownValue(setting.key, setting.defaultValue),
    minValue: min,
    maxValue: max,
    updatedAt: instant(setting.updatedAt),
    updatedBy: setting.updatedBy,
    version: setting.version,
  };
};

/** SettingHistoryDto. */
export const settingChangeView = (change: SettingChange): Wire<typeof SettingChangeSchema> => ({
  id: change.id,
  settingId: settingId(change.key),
  key: change.key,
  oldValue: change.oldValue,
  newValue: change.newValue,
  changedBy: change.changedBy,
  changedAt: instant(change.changedAt),
  changeReason: change.reason,
  ipAddress: change.address,
});
