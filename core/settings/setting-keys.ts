// The settings that administrators change while the server runs: type, bounds and what their values mean. Pure. A key is here only if the
// server does something with it.
import { patternFault, zoneFault } from '../engine/cron.js';
import { AppError } from '../model/errors.js';

export interface SettingRule {
  readonly type: 'String' | 'Integer' | 'Boolean';
  readonly category: string;
  readonly say: string;
  readonly min: number | null;
  readonly max: number | null;
  /** Of a text: what is wrong with it. */
  readonly fault: (text: string, nowMs: number) => string | undefined;
}

const NO_BOUNDS = { min: null, max: null, fault: () => undefined } as const;

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

const NAME_MAX = 100;
const TEMPLATE_BYTES_MAX = 16 * 1024;

const nameFault = (given: string): string | undefined =>
  given.trim() === given && given !== '' && given.length <= NAME_MAX && !/\p{Cc}/u.test(given)
    ? undefined
    : `must be one line of 1 to ${NAME_MAX} characters, without spaces around it`;

const templateFault = (given: string): string | undefined =>
  Buffer.byteLength(given) <= TEMPLATE_BYTES_MAX ? undefined : `must have at most ${TEMPLATE_BYTES_MAX} bytes`;

const cronFault = (given: string, nowMs: number): string | undefined =>
  given === '' ? undefined : patternFault(given, nowMs);

export const SETTINGS = {
  'application.name': text('Application', 'Name of this server that clients show.', nameFault),
  'auth.registration_enabled': flag('Authentication', 'Let people create accounts for themselves, as readers.'),
  'display.custom_metadata_template': text(
    'Display',
    'Template by which clients show the custom metadata of series; empty: their own.',
    templateFault,
  ),
  'events.unnamed': flag('Events', 'Send events without names and ids, for clients that read only their data.'),
  'scheduler.timezone': text('Scheduler', 'Time zone of schedules that name none.', zoneFault),
  'thumbnail.book_cron_schedule': text(
    'Thumbnail',
    'When the missing covers of all books are made (cron); empty: at no set time.',
    cronFault,
  ),
  'thumbnail.jpeg_quality': whole('Thumbnail', 'Quality of cover thumbnails.', 50, 100),
  'thumbnail.max_dimension': whole('Thumbnail', 'Longest side of a cover thumbnail, in pixels.', 100, 2000),
  'thumbnail.series_cron_schedule': text(
    'Thumbnail',
    'When the missing covers of the books that represent series are made (cron); empty: at no set time.',
    cronFault,
  ),
} as const satisfies Record<string, SettingRule>;

export type SettingKey = keyof typeof SETTINGS;

export const SETTING_KEYS = Object.keys(SETTINGS) as readonly SettingKey[];

export const isSettingKey = (key: string): key is SettingKey => Object.hasOwn(SETTINGS, key);

/** Widened, so that all can be treated alike. */
export const ruleOf = (key: SettingKey): SettingRule => SETTINGS[key];

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

/** The value as it is stored; throws BadRequest where it is none of this setting. */
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
