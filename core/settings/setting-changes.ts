// Changes settings, all or nothing, and keeps the history of changes.
import { audited } from '../access/audit.js';
import { byOf, type KnownActor } from '../access/caller.js';
import { stillAdministrates } from '../access/still-signed-in.js';
import type { Clock } from '../engine/clock.js';
import { AppError } from '../model/errors.js';
import { bytesOfUuid, newId, uuidOfHex } from '../model/ids.js';
import type { Db, Reader, Tx } from '../store/db.js';
import { ASPECTS, updated } from '../store/feed.js';
import { checkedValue, isSettingKey, type SettingKey, shownValue } from './setting-keys.js';
import { type Setting, type Settings, type StoredSetting, settingId, storedSettings } from './settings.js';

export interface SettingParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly settings: Settings;
}

/** A value for a setting; null resets it. */
interface Wanted {
  readonly key: SettingKey;
  readonly value: string | null;
}

/** Per setting; older ones are deleted. */
export const HISTORY_MAX = 1000;

const unknownKey = (key: string): string => `Setting '${key}' not found`;

export const knownKey = (key: string): SettingKey => {
  if (!isSettingKey(key)) throw new AppError('NotFound', unknownKey(key));
  return key;
};

const STORE = `INSERT INTO setting (key, value, version, updated_at, updated_by) VALUES (?1, ?2, 2, ?3, ?4)
  ON CONFLICT (key) DO UPDATE SET value = excluded.value, version = version + 1, updated_at = excluded.updated_at,
    updated_by = excluded.updated_by
  RETURNING id, version`;

const NOTE = `INSERT INTO setting_change (uuid, key, old_value, new_value, changed_by, changed_at, reason, address)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?)`;

const FORGET = `DELETE FROM setting_change WHERE key = ?1
  AND id <= (SELECT id FROM setting_change WHERE key = ?1 ORDER BY id DESC LIMIT 1 OFFSET ${HISTORY_MAX})`;

interface Why {
  readonly by: KnownActor;
  readonly at: number;
  readonly reason: string | null;
}

/** The audit log shortens values; the history has them in full. */
const ENTERED_MAX = 200;

const store = async (
  tx: Tx,
  settings: Settings,
  before: string,
  { key, value }: Wanted,
  { by, at, reason }: Why,
): Promise<StoredSetting> => {
  const { user } = by.caller;
  const userId = bytesOfUuid(user.id);
  const [row] = await tx.all<{ id: number; version: number }>(STORE, [key, value, at, userId]);
  const was = shownValue(key, before);
  const now = shownValue(key, value ?? settings.configured(key));
  await tx.run(NOTE, [bytesOfUuid(uuidOfHex(newId(at))), key, was, now, userId, at, reason, by.address]);
  await tx.run(FORGET, [key]);
  tx.report(updated('setting', [row?.id ?? 0], ASPECTS.details));
  const target = { kind: 'setting', id: settingId(key), name: key };
  const action = value === null ? 'setting.reset' : 'setting.update';
  await audited(tx, { at, by, action, target, details: { value: now.slice(0, ENTERED_MAX) } });
  return { key, value, version: row?.version ?? 0, updatedAt: at, updatedBy: user.id };
};

const change = async (
  { db, clock, settings }: SettingParts,
  by: KnownActor,
  wanted: readonly Wanted[],
  reason: string | null,
): Promise<readonly Setting[]> => {
  const at = clock.now();
  const stored = await db.write(byOf(by), 'interactive', async (tx) => {
    await stillAdministrates(tx, by.caller, at);
    const values = new Map((await storedSettings(tx)).map(({ key, value }) => [key, value] as const));
    const done: StoredSetting[] = [];
    for (const one of wanted) {
      const before = values.get(one.key) ?? settings.configured(one.key);
      done.push(await store(tx, settings, before, one, { by, at, reason }));
    }
    return done;
  });
  settings.take(stored);
  return wanted.map(({ key }) => settings.get(key));
};

const only = (settings: readonly Setting[]): Setting => {
  const [one] = settings;
  if (one === undefined) throw new AppError('Internal');
  return one;
};

export const changeSetting = async (
  parts: SettingParts,
  by: KnownActor,
  { key, value }: { readonly key: string; readonly value: string },
  reason: string | null,
): Promise<Setting> => {
  const known = knownKey(key);
  return only(await change(parts, by, [{ key: known, value: checkedValue(known, value, parts.clock.now()) }], reason));
};

export const RESET_REASON = 'Reset to default via admin API';

export const resetSetting = async (parts: SettingParts, by: KnownActor, key: string): Promise<Setting> =>
  only(await change(parts, by, [{ key: knownKey(key), value: null }], RESET_REASON));

/** All or nothing. Returns the new settings, in the same order. */
export const changeSettings = async (
  parts: SettingParts,
  by: KnownActor,
  given: readonly { readonly key: string; readonly value: string }[],
  reason: string | null,
): Promise<readonly Setting[]> => {
  const wanted = new Map<SettingKey, string>();
  for (const { key, value } of given) {
    const fault = !isSettingKey(key) ? unknownKey(key) : wanted.has(key) ? `${key} is given twice.` : undefined;
    if (fault !== undefined) throw new AppError('BadRequest', fault, [{ path: key.slice(0, 255), message: fault }]);
    if (isSettingKey(key)) wanted.set(key, checkedValue(key, value, parts.clock.now()));
  }
  const list = [...wanted].map(([key, value]) => ({ key, value }));
  return list.length === 0 ? [] : change(parts, by, list, reason);
};

export interface SettingChange {
  readonly id: string;
  readonly key: SettingKey;
  readonly oldValue: string;
  readonly newValue: string;
  readonly changedBy: string;
  readonly changedAt: number;
  readonly reason: string | null;
  readonly address: string | null;
}

/** Newest first. */
export const settingHistory = async (
  from: Reader,
  given: string,
  limit: number = HISTORY_MAX,
): Promise<readonly SettingChange[]> => {
  const key = knownKey(given);
  const rows = await from.all<SettingChange>(
    `SELECT hex(uuid) AS id, key, old_value AS oldValue, new_value AS newValue, hex(changed_by) AS changedBy, changed_at AS changedAt,
       reason, address
     FROM setting_change c WHERE key = ? ORDER BY c.id DESC LIMIT ?`,
    [key, Math.min(limit, HISTORY_MAX)],
  );
  return rows.map((row) => ({ ...row, id: uuidOfHex(row.id), changedBy: uuidOfHex(row.changedBy) }));
};
