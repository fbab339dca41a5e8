// Reader profiles: how a user wants to read everything, a library or a series, on one kind of device or on any. Stored for their clients;
// the server does not interpret them.
import { resolve } from '../catalog/public-ids.js';
import { andInVisible, andVisibleLibrary } from '../catalog/visibility.js';
import type { Clock } from '../engine/clock.js';
import { AppError } from '../model/errors.js';
import { bytesOfUuid, newId, uuidOfHex } from '../model/ids.js';
import { offsetOf, type PageOf, type Window } from '../model/paging.js';
import type { Viewer } from '../model/viewer.js';
import type { Bind, Db, Reader, Reads, Tx } from '../store/db.js';
import { ASPECTS, updated } from '../store/feed.js';
import { packed, rowsAndTotal } from '../store/packed.js';

/** A kind of device, named by clients. */
export const DEVICE = '^[a-z0-9][a-z0-9_-]{0,31}$';
export const PROFILES_MAX = 10_000;
const VALUE_BYTES_MAX = 8 * 1024;

export interface ProfileParts {
  readonly db: Db;
  readonly clock: Clock;
}

/** What a profile is for: a series, a library or, without an id, everything. */
export interface ProfileScope {
  readonly seriesId: string | null;
  readonly libraryId: string | null;
}

export interface ReaderProfile extends ProfileScope {
  readonly id: string;
  /** Null for any. */
  readonly device: string | null;
  readonly value: unknown;
  readonly createdAt: number;
  readonly updatedAt: number;
}

const COLUMNS = packed<ReaderProfile>({
  id: { sql: 'p.uuid', as: 'uuid' },
  seriesId: { sql: '(SELECT uuid FROM series WHERE id = p.series_id)', as: 'uuid' },
  libraryId: { sql: '(SELECT uuid FROM library WHERE id = p.library_id)', as: 'uuid' },
  device: { sql: "nullif(p.device, '')" },
  value: { sql: 'p.value', as: 'json' },
  createdAt: { sql: 'p.created_at' },
  updatedAt: { sql: 'p.updated_at' },
});

/** A profile for something hidden from the viewer does not exist. */
const andVisibleProfile = ({ scope }: Viewer): string =>
  ` AND (p.series_id IS NULL OR (true${andInVisible(scope, 'p.series_id')}))
    AND (p.library_id IS NULL OR EXISTS (SELECT 1 FROM library l WHERE l.id = p.library_id${andVisibleLibrary(scope, 'l')}))`;

interface ScopeKeys {
  readonly seriesKey: number;
  readonly libraryKey: number;
}

const EVERYWHERE: ScopeKeys = { seriesKey: 0, libraryKey: 0 };

const refuseBoth = ({ seriesId, libraryId }: ProfileScope): void => {
  if (seriesId !== null && libraryId !== null)
    throw new AppError('BadRequest', 'A profile is for a series or for a library, not for both.');
};

/** For a series, the key of its library too. */
const scopeKeysOf = async (from: Reader, viewer: Viewer, wanted: ProfileScope): Promise<ScopeKeys> => {
  refuseBoth(wanted);
  if (wanted.seriesId !== null) {
    const { seriesKey, libraryKey } = await resolve(from, 'series', wanted.seriesId, viewer);
    return { seriesKey, libraryKey };
  }
  if (wanted.libraryId === null) return EVERYWHERE;
  return { seriesKey: 0, libraryKey: (await resolve(from, 'library', wanted.libraryId, viewer)).libraryKey };
};

/** A scope, on one kind of device or on any. */
export interface ProfileTarget extends ProfileScope {
  readonly device: string | null;
}

export interface ProfileFilter extends ProfileTarget {
  /** Those that apply to the series of this book. */
  readonly bookId: string | null;
}

const filteredKeys = async (from: Reader, viewer: Viewer, filter: ProfileFilter): Promise<ScopeKeys> => {
  if (filter.bookId === null) return scopeKeysOf(from, viewer, filter);
  if (filter.seriesId !== null || filter.libraryId !== null)
    throw new AppError('BadRequest', 'Profiles are listed for a book, for a series or for a library, not for several.');
  const { seriesKey, libraryKey } = await resolve(from, 'book', filter.bookId, viewer);
  return { seriesKey, libraryKey };
};

const ON_DEVICE = `(?2 IS NULL OR p.device IN (?2, ''))`;
const BY_SCOPE = 'coalesce(p.series_id, 0), coalesce(p.library_id, 0), p.device';

/** All profiles of a user: for everything first, then for libraries, then for series. */
const allOf = async (from: Reads, viewer: Viewer, device: string | null, window: Window) => {
  const rest = `FROM reader_profile p WHERE p.user_id = ?1 AND ${ON_DEVICE}${andVisibleProfile(viewer)}`;
  const binds: Bind[] = [viewer.userKey, device];
  const rows = `SELECT json_group_array(json(row)) FROM (SELECT ${COLUMNS.expression} AS row ${rest} ORDER BY ${BY_SCOPE} LIMIT ?3 OFFSET ?4)`;
  const page = { sql: rows, binds: [...binds, window.pageSize, offsetOf(window)] };
  return rowsAndTotal(from, COLUMNS, page, { sql: `SELECT count(*) ${rest}`, binds: [] });
};

/** The profiles that apply to a series or library, most specific first. */
const applying = async (from: Reads, viewer: Viewer, { seriesKey, libraryKey }: ScopeKeys, device: string | null) => {
  const scopes = [...(seriesKey === 0 ? [] : [[seriesKey, 0]]), ...(libraryKey === 0 ? [] : [[0, libraryKey]]), [0, 0]];
  const rows = await from.json<unknown[][]>(
    `SELECT json_group_array(json(row)) FROM (SELECT ${COLUMNS.expression} AS row FROM json_each(?3) j CROSS JOIN reader_profile p
       ON p.user_id = ?1 AND coalesce(p.series_id, 0) = j.value ->> 0 AND coalesce(p.library_id, 0) = j.value ->> 1
     WHERE ${ON_DEVICE} ORDER BY j.key, p.device = '', p.device)`,
    [viewer.userKey, device, JSON.stringify(scopes)],
  );
  return rows.map(COLUMNS.read);
};

export const readerProfiles = async (
  from: Reads,
  viewer: Viewer,
  filter: ProfileFilter,
  window: Window,
): Promise<PageOf<ReaderProfile>> => {
  const keys = await filteredKeys(from, viewer, filter);
  if (keys === EVERYWHERE) return { ...window, ...(await allOf(from, viewer, filter.device, window)) };
  const found = await applying(from, viewer, keys, filter.device);
  const start = offsetOf(window);
  return { ...window, items: found.slice(start, start + window.pageSize), total: found.length };
};

const unknownProfile = (): AppError => new AppError('NotFound', 'There is no reader profile with this id.');

const profileWhere = async (from: Reads, viewer: Viewer, where: string, bind: Bind): Promise<ReaderProfile> => {
  const rows = await from.json<unknown[][]>(
    `SELECT json_group_array(json(row)) FROM (SELECT ${COLUMNS.expression} AS row FROM reader_profile p
     WHERE p.user_id = ?1 AND ${where}${andVisibleProfile(viewer)})`,
    [viewer.userKey, bind],
  );
  const [found] = rows.map(COLUMNS.read);
  if (found === undefined) throw unknownProfile();
  return found;
};

export const readerProfile = (from: Reads, viewer: Viewer, id: string): Promise<ReaderProfile> =>
  profileWhere(from, viewer, 'p.uuid = ?2', bytesOfUuid(id));

const reportProfiles = (tx: Tx, userKey: number): void =>
  tx.report({ ...updated('reader_profile', [userKey], ASPECTS.details), userKey });

const STORE = `INSERT INTO reader_profile (uuid, user_id, series_id, library_id, device, value, created_at, updated_at)
  VALUES (?1, ?2, nullif(?3, 0), nullif(?4, 0), ?5, ?6, ?7, ?7)
  ON CONFLICT (user_id, coalesce(series_id, 0), coalesce(library_id, 0), device)
  DO UPDATE SET value = excluded.value, updated_at = excluded.updated_at RETURNING id`;

const textOf = (value: unknown): string => {
  const text = JSON.stringify(value);
  if (Buffer.byteLength(text) <= VALUE_BYTES_MAX) return text;
  const message = `must have at most ${VALUE_BYTES_MAX} bytes of JSON`;
  throw new AppError('BadRequest', `The value of a profile ${message}.`, [{ path: 'value', message }]);
};

/** Replaces the profile with the same scope and device, if there is one. */
export const storeProfile = async (
  { db, clock }: ProfileParts,
  viewer: Viewer,
  wanted: ProfileTarget & { readonly value: unknown },
): Promise<ReaderProfile> => {
  const text = textOf(wanted.value);
  const now = clock.now();
  const key = await db.write(viewer.userKey, 'interactive', async (tx) => {
    const { seriesKey, libraryKey } = await scopeKeysOf(tx, viewer, wanted);
    const uuid = bytesOfUuid(uuidOfHex(newId(now)));
    const own = seriesKey === 0 ? libraryKey : 0;
    const binds = [uuid, viewer.userKey, seriesKey, own, wanted.device ?? '', text, now];
    const [row] = await tx.all<{ id: number }>(STORE, binds);
    const [count] = await tx.all<{ n: number }>('SELECT count(*) AS n FROM reader_profile WHERE user_id = ?', [
      viewer.userKey,
    ]);
    if ((count?.n ?? 0) > PROFILES_MAX)
      throw new AppError('Conflict', `A user can have at most ${PROFILES_MAX} reader profiles.`);
    reportProfiles(tx, viewer.userKey);
    return row?.id ?? 0;
  });
  return profileWhere(db, viewer, 'p.id = ?2', key);
};

/** A profile for something hidden is kept. */
export const deleteProfile = async (db: Db, viewer: Viewer, id: string): Promise<void> => {
  await db.write(viewer.userKey, 'interactive', async (tx) => {
    const gone = await tx.run(
      `DELETE FROM reader_profile WHERE id IN (SELECT p.id FROM reader_profile p
       WHERE p.user_id = ?1 AND p.uuid = ?2${andVisibleProfile(viewer)})`,
      [viewer.userKey, bytesOfUuid(id)],
    );
    if (gone === 0) throw unknownProfile();
    reportProfiles(tx, viewer.userKey);
  });
};
