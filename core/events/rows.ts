// The ids of changed rows and their parents, read in the same snapshot that decides who gets the events.
import { bitsOf, patched } from '../catalog/query/key-set.js';
import { keysFrom, recheckOf } from '../catalog/sql/predicates.js';
import { visibleSeries } from '../catalog/visibility.js';
import { uuidOfHex } from '../model/ids.js';
import type { Scope } from '../model/viewer.js';
import { keyList } from '../store/by-key.js';
import type { Reads } from '../store/db.js';

export interface SeriesPlace {
  readonly key: number;
  readonly id: string;
  readonly libraryKey: number;
}

export interface BookPlace extends SeriesPlace {
  readonly seriesKey: number;
  readonly neverReadable: boolean;
}

interface Row {
  readonly key: number;
  readonly hex: string;
  readonly libraryKey: number;
  readonly seriesKey: number;
  readonly neverReadable: number;
}

const readRow = ({ hex, neverReadable, ...row }: Row): BookPlace => ({
  ...row,
  id: uuidOfHex(hex),
  neverReadable: neverReadable === 1,
});

const BOOK =
  'b.id AS key, hex(b.uuid) AS hex, b.library_id AS libraryKey, b.series_id AS seriesKey, b.never_readable AS neverReadable';

const LISTED = 'FROM json_each(?) j CROSS JOIN';

export const booksByKey = async (from: Reads, keys: readonly number[]): Promise<readonly BookPlace[]> => {
  if (keys.length === 0) return [];
  const sql = `SELECT ${BOOK} ${LISTED} book b ON b.id = j.value`;
  return (await from.all<Row>(sql, [keyList(keys)])).map(readRow);
};

/** Live books of these series, up to a limit. */
export const booksOfSeries = async (
  from: Reads,
  seriesKeys: readonly number[],
  limit: number,
): Promise<readonly BookPlace[]> => {
  if (seriesKeys.length === 0) return [];
  const sql = `SELECT ${BOOK}
    ${LISTED} book b ON b.series_id = j.value WHERE b.deleted = 0 LIMIT ?`;
  return (await from.all<Row>(sql, [keyList(seriesKeys), limit])).map(readRow);
};

export const seriesByKey = async (from: Reads, keys: readonly number[]): Promise<readonly SeriesPlace[]> => {
  if (keys.length === 0) return [];
  const sql = `SELECT s.id AS key, hex(s.uuid) AS hex, s.library_id AS libraryKey, s.id AS seriesKey, 0 AS neverReadable ${LISTED} series s ON s.id = j.value`;
  return (await from.all<Row>(sql, [keyList(keys)])).map(readRow);
};

/** The series of many books, without ids. */
export const seriesOf = async (from: Reads, bookKeys: readonly number[]): Promise<readonly SeriesPlace[]> =>
  from.all<SeriesPlace>(
    `SELECT DISTINCT b.series_id AS key, '' AS id, b.library_id AS libraryKey ${LISTED} book b ON b.id = j.value`,
    [keyList(bookKeys)],
  );

/** Library ids by key, without libraries being removed. */
export const liveLibraries = async (from: Reads): Promise<ReadonlyMap<number, string>> => {
  const rows = await from.all<{ id: number; hex: string }>(
    'SELECT id, hex(uuid) AS hex FROM library WHERE removing = 0',
  );
  return new Map(rows.map(({ id, hex }) => [id, uuidOfHex(hex)]));
};

export const seenIn = async (from: Reads, scope: Scope): Promise<Uint32Array> =>
  bitsOf(await keysFrom(from, visibleSeries(scope)));

/** The same set with some series re-read. */
export const seenAgain = async (
  from: Reads,
  scope: Scope,
  seen: Uint32Array,
  keys: readonly number[],
): Promise<Uint32Array> =>
  patched(seen, Uint32Array.from(keys), await keysFrom(from, recheckOf(visibleSeries(scope), keys)));

export interface Account {
  readonly key: number;
  readonly id: string;
  readonly isActive: boolean;
  readonly isAdministrator: boolean;
}

export const accountsByKey = async (from: Reads, keys: readonly number[]): Promise<ReadonlyMap<number, Account>> => {
  if (keys.length === 0) return new Map();
  const rows = await from.all<{ key: number; hex: string; active: number; role: string }>(
    `SELECT u.id AS key, hex(u.uuid) AS hex, u.active, u.role ${LISTED} user u ON u.id = j.value`,
    [keyList(keys)],
  );
  return new Map(
    rows.map(({ key, hex, active, role }) => [
      key,
      { key, id: uuidOfHex(hex), isActive: active === 1, isAdministrator: role === 'admin' && active === 1 },
    ]),
  );
};

export const sequenceOf = async (from: Reads): Promise<number> => {
  const [row] = await from.all<{ sequence: number }>('SELECT sequence FROM change_feed');
  return row?.sequence ?? 0;
};
