// What a backup reads of the database, and of its copy, and how it makes the two agree. Each runs on a connection of its own.
import { bytesOfUuid, uuidOfBytes } from '../model/ids.js';
import { type Reader, withConnection } from '../store/connection.js';
import type { Counts } from './backup-parts.js';

export const hasTable = async (from: Reader, name: string): Promise<boolean> =>
  (await from.all("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?", [name])).length > 0;

export const coverIds = async (from: Reader): Promise<readonly string[]> => {
  if (!(await hasTable(from, 'cover'))) return []; // a database of an earlier version
  const rows = await from.all<{ uuid: Buffer }>('SELECT uuid FROM cover WHERE of_book IS NULL');
  return rows.map(({ uuid }) => uuidOfBytes(uuid));
};

export type RowCounts = Omit<Counts, 'uploads'>;

export const NO_ROWS: RowCounts = { users: 0, libraries: 0, series: 0, books: 0 };
const COUNTED = { users: 'user', libraries: 'library', series: 'series', books: 'book' } as const;

export const countsIn = async (from: Reader): Promise<RowCounts> => {
  const count = async (table: string): Promise<number> =>
    (await from.all<{ n: number }>(`SELECT count(*) AS n FROM ${table}`))[0]?.n ?? 0;
  const { users, libraries, series, books } = COUNTED;
  return {
    users: await count(users),
    libraries: await count(libraries),
    series: await count(series),
    books: await count(books),
  };
};

/** Those of these covers that still have a row. */
export const stillThere = (database: string, ids: readonly string[]): Promise<ReadonlySet<string>> =>
  withConnection(database, async (connection) => {
    const rows = await connection.all<{ uuid: Buffer }>(
      'SELECT c.uuid FROM json_each(?) j CROSS JOIN cover c ON c.uuid = unhex(j.value)',
      [JSON.stringify(ids.map((id) => bytesOfUuid(id).toString('hex')))],
    );
    return new Set(rows.map(({ uuid }) => uuidOfBytes(uuid)));
  });

/** A row goes before its file does: whoever has neither was deleted after the copy was made, and is deleted from the copy as well. */
export const deleteRows = (copy: string, ids: readonly string[]): Promise<void> =>
  withConnection(copy, async (connection) => {
    for (const id of ids) await connection.run('DELETE FROM cover WHERE uuid = ?', [bytesOfUuid(id)]);
  });

/** Of a database that can be read at all; throws for one that is damaged or another program's. */
export const schemaOf = (database: string): Promise<number> =>
  withConnection(database, async (connection) => {
    const [row] = await connection.all<{ user_version: number }>('PRAGMA user_version');
    return row?.user_version ?? 0;
  });
