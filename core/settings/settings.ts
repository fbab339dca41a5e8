// The values of the settings: stored by an administrator, else from the configuration. They are kept in memory and read at the time of use,
// so that a change needs no restart.
import { createHash } from 'node:crypto';
import { uuidOfBytes, uuidOfHex } from '../model/ids.js';
import type { ThumbnailOptions } from '../model/jobs.js';
import type { Db, Reader } from '../store/db.js';
import { type Configured, configuredOf, type Given } from './configured.js';
import { ruleOf, SETTING_KEYS, type SettingKey } from './setting-keys.js';

/** A setting as last stored. */
export interface StoredSetting {
  readonly key: SettingKey;
  /** Null if it was reset and the configuration applies. */
  readonly value: string | null;
  readonly version: number;
  readonly updatedAt: number;
  readonly updatedBy: string | null;
}

export interface Setting {
  readonly id: string;
  readonly key: SettingKey;
  readonly value: string;
  /** The value that a reset restores. */
  readonly defaultValue: string;
  readonly version: number;
  readonly updatedAt: number;
  readonly updatedBy: string | null;
}

/** All servers have the same settings, so their ids are derived from their keys (a version 8 UUID, RFC 9562 section 5.8). */
export const settingId = (key: SettingKey): string => {
  const bytes = createHash('sha256').update(`setting ${key}`).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return uuidOfBytes(bytes);
};

const DAY_MS = 86_400_000;

interface Row extends Omit<StoredSetting, 'updatedBy'> {
  readonly updatedBy: string;
}

/** Within a transaction, its view of the settings. */
export const storedSettings = async (from: Pick<Reader, 'all'>): Promise<readonly StoredSetting[]> => {
  const rows = await from.all<Row>(
    'SELECT key, value, version, updated_at AS updatedAt, hex(updated_by) AS updatedBy FROM setting',
  );
  return rows
    .filter(({ key }) => SETTING_KEYS.includes(key)) // another version of the program may know more
    .map((row) => ({ ...row, updatedBy: row.updatedBy === '' ? null : uuidOfHex(row.updatedBy) }));
};

export class Settings {
  readonly #configured: Configured;
  readonly #stored = new Map<SettingKey, StoredSetting>();
  readonly #openedAt: number;
  readonly #listeners: (() => void)[] = [];
  /** Options for cover thumbnails: one object for the life of the server, whose values change. */
  readonly thumbnail: ThumbnailOptions;

  constructor(configured: Configured, stored: readonly StoredSetting[], openedAt: number) {
    this.#configured = configured;
    this.#openedAt = openedAt;
    this.take(stored);
    const whole = (key: SettingKey): number => Number(this.value(key));
    this.thumbnail = {
      get side() {
        return whole('thumbnail.max_dimension');
      },
      get quality() {
        return whole('thumbnail.jpeg_quality');
      },
    };
  }

  static async open(db: Pick<Db, 'all'>, given: Given, nowMs: number): Promise<Settings> {
    return new Settings(configuredOf(given), await storedSettings(db), nowMs);
  }

  value(key: SettingKey): string {
    return this.#stored.get(key)?.value ?? this.#configured[key];
  }

  /** Whether clients get events without names and ids by default. */
  get areEventsUnnamed(): boolean {
    return this.value('events.unnamed') === 'true';
  }

  /** How long measurements of tasks are kept; null: none are made. */
  readonly measuredMs = (): number | null => {
    const days = this.value('metrics.task_retention_days');
    return days === 'disabled' ? null : Number(days) * DAY_MS;
  };

  /** Whether people may register their own accounts. */
  readonly isRegistrationOpen = (): boolean => this.value('auth.registration_enabled') === 'true';

  /** The value that applies if none is stored. */
  configured(key: SettingKey): string {
    return this.#configured[key];
  }

  get(key: SettingKey): Setting {
    const stored = this.#stored.get(key);
    return {
      id: settingId(key),
      key,
      value: this.value(key),
      defaultValue: this.#configured[key],
      version: stored?.version ?? 1,
      updatedAt: stored?.updatedAt ?? this.#openedAt,
      updatedBy: stored?.updatedBy ?? null,
    };
  }

  /** Sorted by category, then by key. */
  all(): readonly Setting[] {
    const place = (key: SettingKey): string => `${ruleOf(key).category} ${key}`;
    return [...SETTING_KEYS].sort((a, b) => (place(a) < place(b) ? -1 : 1)).map((key) => this.get(key));
  }

  /** `act` is called after values have changed, and must not throw. */
  onChange(act: () => void): void {
    this.#listeners.push(act);
  }

  /** Takes what a committed transaction stored. The later version of a setting wins. */
  take(stored: readonly StoredSetting[]): void {
    for (const one of stored)
      if (one.version > (this.#stored.get(one.key)?.version ?? 0)) this.#stored.set(one.key, one);
    for (const act of this.#listeners) act();
  }
}
