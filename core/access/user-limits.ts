// The libraries and the age rating a user is limited to, as administrators read and set them. What follows for lists is in restrictions.ts.
import { AppError } from '../model/errors.js';
import { hexOfUuid, uuidOfHex } from '../model/ids.js';
import { keyList } from '../store/by-key.js';
import type { Reader, Tx } from '../store/db.js';
import { ASPECTS, updated } from '../store/feed.js';
import type { Column } from '../store/packed.js';

export interface AgeLimit {
  readonly max: number;
  /** What happens to series without a rating. */
  readonly unrated: 'allow' | 'hide';
}

export interface UserLimits {
  /** Null: all libraries. */
  readonly libraryIds: readonly string[] | null;
  /** Null: no limit. */
  readonly ageLimit: AgeLimit | null;
}

export const UNLIMITED: UserLimits = { libraryIds: null, ageLimit: null };

/** For a query over users `u`. A library that is being removed is not listed. With `|| ''` it is text, which is quoted in the row. */
export const LIMIT_COLUMNS: { readonly [K in keyof UserLimits]: Column } = {
  libraryIds: {
    sql: `(SELECT CASE r.all_libraries WHEN 0 THEN (SELECT json_group_array(hex(uuid)) FROM (
        SELECT l.uuid FROM user_library o CROSS JOIN library l ON l.id = o.library_id
        WHERE o.user_id = u.id AND l.removing = 0 ORDER BY l.id)) || '' END
      FROM user_restriction r WHERE r.user_id = u.id)`,
    as: 'uuids',
  },
  ageLimit: {
    sql: `(SELECT CASE WHEN r.age_limit IS NOT NULL
        THEN json_object('max', r.age_limit, 'unrated', iif(r.show_unrated = 1, 'allow', 'hide')) || '' END
      FROM user_restriction r WHERE r.user_id = u.id)`,
    as: 'json',
  },
};

/** As many as a user may be limited to. */
export const LIBRARIES_MAX = 500;
/** As high as a rating can be. */
export const AGE_MAX = 120;

/** Absent means unchanged. */
export type LimitsChange = { readonly [K in keyof UserLimits]?: UserLimits[K] | undefined };

/** Keys of the libraries; all that do not exist are refused at once. */
const libraryKeys = async (from: Reader, ids: readonly string[]): Promise<readonly number[]> => {
  const rows = await from.all<{ id: number; hex: string }>(
    'SELECT id, hex(uuid) AS hex FROM library WHERE removing = 0 AND uuid IN (SELECT unhex(value) FROM json_each(?))',
    [JSON.stringify(ids.map(hexOfUuid))],
  );
  const known = new Set(rows.map(({ hex }) => uuidOfHex(hex)));
  const faults = ids.flatMap((id, at) =>
    known.has(id.toLowerCase()) ? [] : [{ path: `libraryIds[${at}]`, message: 'names no library' }],
  );
  if (faults.length === 0) return rows.map(({ id }) => id);
  const sentence = faults.map(({ path, message }) => `${path} ${message}`).join('; ');
  throw new AppError('BadRequest', `Invalid body: ${sentence}.`, faults);
};

const storeLibraries = async (tx: Tx, userKey: number, ids: readonly string[] | null): Promise<void> => {
  const keys = await libraryKeys(tx, ids ?? []);
  await tx.run('UPDATE user_restriction SET all_libraries = ? WHERE user_id = ?', [Number(ids === null), userKey]);
  await tx.run('DELETE FROM user_library WHERE user_id = ?', [userKey]);
  await tx.run('INSERT INTO user_library (user_id, library_id) SELECT ?, value FROM json_each(?)', [
    userKey,
    keyList(keys),
  ]);
};

const isSame = (a: UserLimits, b: UserLimits): boolean =>
  a.libraryIds?.toSorted().join() === b.libraryIds?.toSorted().join() &&
  a.ageLimit?.max === b.ageLimit?.max &&
  a.ageLimit?.unrated === b.ageLimit?.unrated;

const storeAgeLimit = (tx: Tx, userKey: number, limit: AgeLimit | null): Promise<number> =>
  tx.run('UPDATE user_restriction SET age_limit = ?, show_unrated = ? WHERE user_id = ?', [
    limit?.max ?? null,
    Number(limit?.unrated === 'allow'),
    userKey,
  ]);

/** Takes effect with the next request of the user. Returns the new values of what changed. */
export const storeLimits = async (
  tx: Tx,
  { key, ...old }: UserLimits & { readonly key: number },
  change: LimitsChange,
  nowMs: number,
): Promise<Partial<UserLimits>> => {
  const libraryIds = change.libraryIds?.map((id) => id.toLowerCase()) ?? change.libraryIds;
  const { ageLimit } = change;
  const isOther = (given: Partial<UserLimits>): boolean => !isSame(old, { ...old, ...given });
  const changed = {
    ...(libraryIds !== undefined && isOther({ libraryIds }) ? { libraryIds } : {}),
    ...(ageLimit !== undefined && isOther({ ageLimit }) ? { ageLimit } : {}),
  };
  if (Object.keys(changed).length === 0) return changed;
  await tx.run(
    'INSERT INTO user_restriction (user_id, updated_at) VALUES (?1, ?2) ON CONFLICT DO UPDATE SET updated_at = ?2',
    [key, nowMs],
  );
  if (changed.libraryIds !== undefined) await storeLibraries(tx, key, changed.libraryIds);
  if (changed.ageLimit !== undefined) await storeAgeLimit(tx, key, changed.ageLimit);
  await tx.run('UPDATE user SET updated_at = ? WHERE id = ?', [nowMs, key]);
  tx.report(updated('user', [key], ASPECTS.details));
  tx.report(updated('restriction', 'all', ASPECTS.details));
  return changed;
};
