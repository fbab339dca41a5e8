// Preferences: any JSON that a user stores under a key for their clients. The server does not interpret it.
import type { Clock } from '../engine/clock.js';
import { AppError } from '../model/errors.js';
import type { Viewer } from '../model/viewer.js';
import type { Db, Reader, Tx } from '../store/db.js';
import { ASPECTS, updated } from '../store/feed.js';

/** Segments of letters, digits and underscores, separated by dots. */
export const PREFERENCE_KEY = '^[A-Za-z0-9_]+(?:\\.[A-Za-z0-9_]+)*$';
export const PREFERENCE_KEY_MAX = 255;
export const PREFERENCE_KEY_EXPECTS =
  'at most 255 letters, digits and underscores, separated by dots, such as reader.page_fit';

const VALUE_BYTES_MAX = 64 * 1024;
/** Bounded because all of them are returned at once. */
export const PREFERENCES_MAX = 500;

export interface PreferenceParts {
  readonly db: Db;
  readonly clock: Clock;
}

export interface Preference {
  readonly key: string;
  readonly value: unknown;
  readonly updatedAt: number;
}

interface Row {
  readonly key: string;
  readonly value: string;
  readonly updatedAt: number;
}

const COLUMNS = 'key, value, updated_at AS updatedAt';

const preferenceOf = ({ key, value, updatedAt }: Row): Preference => ({ key, value: JSON.parse(value), updatedAt });

export interface PreferenceSize {
  readonly key: string;
  readonly bytes: number;
}

/** Sorted by key. All values together may be large, so they are read in slices. */
export const preferenceSizes = (from: Reader, { userKey }: Viewer): Promise<PreferenceSize[]> =>
  from.all<PreferenceSize>(
    'SELECT key, octet_length(value) AS bytes FROM user_preference WHERE user_id = ? ORDER BY key',
    [userKey],
  );

/** The stored ones among these keys, in the order of the keys. */
export const preferencesByKeys = async (
  from: Reader,
  { userKey }: Viewer,
  keys: readonly string[],
): Promise<readonly Preference[]> => {
  const rows = await from.all<Row>(
    `SELECT ${COLUMNS} FROM user_preference WHERE user_id = ? AND key IN (SELECT value FROM json_each(?))`,
    [userKey, JSON.stringify(keys)],
  );
  const found = new Map(rows.map((row) => [row.key, row]));
  return keys.flatMap((key) => {
    const row = found.get(key);
    return row === undefined ? [] : [preferenceOf(row)];
  });
};

export const preferenceByKey = async (from: Reader, viewer: Viewer, key: string): Promise<Preference> => {
  const [found] = await preferencesByKeys(from, viewer, [key]);
  if (found === undefined) throw new AppError('NotFound', `Preference '${key}' not found`);
  return found;
};

const faultOf = (key: string, text: string): string | undefined => {
  if (key.length > PREFERENCE_KEY_MAX || !new RegExp(PREFERENCE_KEY).test(key))
    return `The key of a preference must be ${PREFERENCE_KEY_EXPECTS}.`;
  return Buffer.byteLength(text) > VALUE_BYTES_MAX
    ? `The value of ${key} is too large: the limit is ${VALUE_BYTES_MAX} bytes of JSON.`
    : undefined;
};

const textOf = ([key, value]: readonly [string, unknown]): readonly [string, string] => {
  const text = JSON.stringify(value);
  const fault = faultOf(key, text);
  if (fault === undefined) return [key, text];
  throw new AppError('BadRequest', fault, [{ path: key.slice(0, PREFERENCE_KEY_MAX), message: fault }]);
};

const reportPreferences = (tx: Tx, userKey: number): void =>
  tx.report({ ...updated('preference', [userKey], ASPECTS.details), userKey });

const STORE = `INSERT INTO user_preference (user_id, key, value, updated_at)
  SELECT ?1, value ->> 0, value ->> 1, ?2 FROM json_each(?3) WHERE true
  ON CONFLICT (user_id, key) DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at`;

/** All or nothing. Returns them as stored. */
export const storePreferences = async (
  { db, clock }: PreferenceParts,
  { userKey }: Viewer,
  given: readonly (readonly [string, unknown])[],
): Promise<readonly Preference[]> => {
  const rows = given.map(textOf);
  const now = clock.now();
  if (rows.length > 0)
    await db.write(userKey, 'interactive', async (tx) => {
      await tx.run(STORE, [userKey, now, JSON.stringify(rows)]);
      const [count] = await tx.all<{ n: number }>('SELECT count(*) AS n FROM user_preference WHERE user_id = ?', [
        userKey,
      ]);
      if ((count?.n ?? 0) > PREFERENCES_MAX)
        throw new AppError('Conflict', `A user can have at most ${PREFERENCES_MAX} preferences.`);
      reportPreferences(tx, userKey);
    });
  return given.map(([key, value]) => ({ key, value, updatedAt: now }));
};

/** False if there was none. */
export const deletePreference = (db: Db, { userKey }: Viewer, key: string): Promise<boolean> =>
  db.write(userKey, 'interactive', async (tx) => {
    const gone = await tx.run('DELETE FROM user_preference WHERE user_id = ? AND key = ?', [userKey, key]);
    if (gone > 0) reportPreferences(tx, userKey);
    return gone > 0;
  });
