// The settings that administrators can change while the server runs: types, bounds and descriptions. Pure. Only settings that have an
// effect are listed.
import { patternFault, zoneFault } from '../engine/cron.js';
import { PASSWORD_CHARS_MAX, PASSWORDS_MAX, passwordsIn } from '../model/archive-passwords.js';
import { AppError } from '../model/errors.js';

export interface SettingRule {
  readonly type: 'String' | 'Integer' | 'Boolean';
  readonly category: string;
  readonly say: string;
  readonly min: number | null;
  readonly max: number | null;
  /** Its value is only shown to the code that uses it: answers, the history and the audit log have `shownValue`. */
  readonly isSecret: boolean;
  /** For text: what is wrong with it. */
  readonly fault: (text: string, nowMs: number) => string | undefined;
}

const NO_BOUNDS = { min: null, max: null, isSecret: false, fault: () => undefined } as const;

const flag = (category: string, say: string): SettingRule => ({ ...NO_BOUNDS, type: 'Boolean', category, say });

const whole = (category: string, say: string, min: number, max: number): SettingRule => ({
  ...NO_BOUNDS,
  type: 'Integer',
  category,
  say,
  min,
  max,
});

const text = (category: string, say: string, fault: SettingRule['fault']): SettingRule => ({
  ...NO_BOUNDS,
  type: 'String',
  category,
  say,
  fault,
});

const HIDDEN = /^\*{3} \(\d+\)$/;

/** What is shown of a secret: how many lines it has. */
const hidden = (value: string): string => (value === '' ? '' : `*** (${passwordsIn(value).length})`);

const passwordsFault = (given: string): string | undefined => {
  if (HIDDEN.test(given))
    return 'is only the placeholder for the stored passwords; enter the passwords themselves, one per line';
  const all = passwordsIn(given);
  const isFine =
    all.length <= PASSWORDS_MAX && all.every((one) => one.length <= PASSWORD_CHARS_MAX && !/\p{Cc}/u.test(one));
  return isFine
    ? undefined
    : `must be at most ${PASSWORDS_MAX} lines of at most ${PASSWORD_CHARS_MAX} characters, without control characters`;
};

const NAME_MAX = 100;
const TEMPLATE_BYTES_MAX = 16 * 1024;

const nameFault = (given: string): string | undefined =>
  given.trim() === given && given !== '' && given.length <= NAME_MAX && !/\p{Cc}/u.test(given)
    ? undefined
    : `must be one line of 1 to ${NAME_MAX} characters, without leading or trailing spaces`;

const templateFault = (given: string): string | undefined =>
  Buffer.byteLength(given) <= TEMPLATE_BYTES_MAX ? undefined : `must have at most ${TEMPLATE_BYTES_MAX} bytes`;

const cronFault = (given: string, nowMs: number): string | undefined =>
  given === '' ? undefined : patternFault(given, nowMs);

/** Days; `disabled`: nothing is measured. */
export const RETENTIONS: readonly string[] = ['disabled', '7', '30', '90', '180'];

const retentionFault = (given: string): string | undefined =>
  RETENTIONS.includes(given) ? undefined : `must be one of ${RETENTIONS.join(', ')}`;

export const SETTINGS = {
  'application.name': text('Application', 'Name of this server, shown by clients.', nameFault),
  'archive.passwords': {
    ...text(
      'Archives',
      'Passwords for encrypted zip archives, one per line; they are never shown again.',
      passwordsFault,
    ),
    isSecret: true,
  },
  'auth.registration_enabled': flag('Authentication', 'Let people register their own accounts, as readers.'),
  'backup.cron_schedule': text('Backup', 'Cron schedule for making backups; empty for none.', cronFault),
  'backup.retention_count': whole('Backup', 'How many scheduled backups to keep; older ones are deleted.', 1, 1000),
  'deduplication.cron_schedule': text(
    'Deduplication',
    'Cron schedule for searching for duplicates; empty for none.',
    cronFault,
  ),
  'deduplication.enabled': flag('Deduplication', 'Search for duplicates on the schedule.'),
  'display.custom_metadata_template': text(
    'Display',
    'Template with which clients render the custom metadata of series; empty for their own.',
    templateFault,
  ),
  'events.unnamed': flag('Events', 'Send events without names and ids, for clients that only read data lines.'),
  'metrics.task_retention_days': text(
    'Metrics',
    'How many days task metrics are kept: 7, 30, 90 or 180; with disabled, no new ones are recorded.',
    retentionFault,
  ),
  'pdf_cache.cron_schedule': text(
    'PDF',
    'Cron schedule for removing old cached pages of PDF documents; empty for none.',
    cronFault,
  ),
  'pdf_cache.max_age_days': whole(
    'PDF',
    'Age in days from which a clean-up removes cached pages of PDF documents.',
    0,
    365,
  ),
  'scheduler.timezone': text('Scheduler', 'Default time zone of schedules.', zoneFault),
  'thumbnail.book_cron_schedule': text(
    'Thumbnail',
    'Cron schedule for generating missing covers of books; empty for none.',
    cronFault,
  ),
  'thumbnail.jpeg_quality': whole('Thumbnail', 'Quality of cover thumbnails.', 50, 100),
  'thumbnail.max_dimension': whole('Thumbnail', 'Longest side of a cover thumbnail, in pixels.', 100, 2000),
  'thumbnail.series_cron_schedule': text(
    'Thumbnail',
    'Cron schedule for generating missing covers of series; empty for none.',
    cronFault,
  ),
} as const satisfies Record<string, SettingRule>;

export type SettingKey = keyof typeof SETTINGS;

export const SETTING_KEYS = Object.keys(SETTINGS) as readonly SettingKey[];

export const isSettingKey = (key: string): key is SettingKey => Object.hasOwn(SETTINGS, key);

/** Widened to the common type. */
export const ruleOf = (key: SettingKey): SettingRule => SETTINGS[key];

/** A value as it is shown; secrets are hidden. */
export const shownValue = (key: SettingKey, value: string): string => (ruleOf(key).isSecret ? hidden(value) : value);

const WHOLE = /^-?\d{1,15}$/;

const faultOf = ({ type, min, max, fault }: SettingRule, value: string, nowMs: number): string | undefined => {
  if (type === 'Boolean') return value === 'true' || value === 'false' ? undefined : `Invalid boolean value: ${value}`;
  if (type === 'String') return fault(value, nowMs);
  if (!WHOLE.test(value)) return `Invalid integer value: ${value}`;
  if (min !== null && Number(value) < min) return `Value ${Number(value)} is below minimum ${min}`;
  if (max !== null && Number(value) > max) return `Value ${Number(value)} is above maximum ${max}`;
  return undefined;
};

const SHOWN_MAX = 100;

/** The value to store; throws BadRequest if the setting cannot have it. */
export const checkedValue = (key: SettingKey, given: string, nowMs: number): string => {
  const rule = ruleOf(key);
  const shown = given.length > SHOWN_MAX && rule.type !== 'String' ? given.slice(0, SHOWN_MAX) : given;
  const fault = faultOf(rule, shown, nowMs);
  if (fault !== undefined) {
    const message = rule.type === 'String' ? `The value of ${key} ${fault}.` : fault;
    throw new AppError('BadRequest', message, [{ path: key, message: fault }]);
  }
  return rule.type === 'Integer' ? String(Number(given)) : given;
};
