// Libraries that are being removed. From the mark on, nobody finds them or anything in them, however many of their rows are still there.
// Rows are told apart in SQL, so that an answer and the mark are of one moment; lists that walk an index are told the keys.
import { AppError } from '../model/errors.js';
import { bytesOfUuid, uuidOfBytes } from '../model/ids.js';
import type { Reader, Tx } from '../store/db.js';

const REMOVING = 'SELECT id FROM library WHERE removing = 1';

/** SQL over a row of the table `book` or `series`: its library is not being removed. */
export const isKept = (alias: string): string => `${alias}.library_id NOT IN (${REMOVING})`;

/** The same by a key, for rows that do not know their library. While none is removed this is one look per query. */
export const isKeptByKey = (table: 'book' | 'series', key: string): string =>
  `(NOT EXISTS (${REMOVING}) OR (SELECT o.library_id FROM ${table} o WHERE o.id = ${key}) NOT IN (${REMOVING}))`;

export interface RemovingLibrary {
  readonly key: number;
  readonly id: string;
}

export const removingLibraries = async (db: Reader): Promise<readonly RemovingLibrary[]> => {
  const rows = await db.all<{ key: number; uuid: Uint8Array }>(
    'SELECT id AS key, uuid FROM library WHERE removing = 1',
  );
  return rows.map(({ key, uuid }) => ({ key, id: uuidOfBytes(uuid) }));
};

/** Name and path are free from here on. Returns the key of the library. */
export const markRemoving = async (tx: Tx, id: string): Promise<number> => {
  const [row] = await tx.all<{ key: number }>(
    `UPDATE library SET removing = 1, root = 'removed ' || lower(hex(uuid)) WHERE uuid = ? AND removing = 0 RETURNING id AS key`,
    [bytesOfUuid(id)],
  );
  if (row === undefined) throw new AppError('NotFound', 'There is no library with this id.');
  return row.key;
};
