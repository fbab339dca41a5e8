// Libraries being removed. Once marked, they are outside every scope, even while their rows still exist.
import { AppError } from '../model/errors.js';
import { bytesOfUuid, uuidOfBytes } from '../model/ids.js';
import type { Reader, Tx } from '../store/db.js';
import { ASPECTS, updated } from '../store/feed.js';

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

/** Name and path are free from now on. Returns the key of the library. */
export const markRemoving = async (tx: Tx, id: string): Promise<number> => {
  const [row] = await tx.all<{ key: number }>(
    `UPDATE library SET removing = 1, former_root = coalesce(former_root, root), root = 'removed ' || lower(hex(uuid))
     WHERE uuid = ? AND removing = 0 RETURNING id AS key`,
    [bytesOfUuid(id)],
  );
  if (row === undefined) throw new AppError('NotFound', 'There is no library with this id.');
  tx.report(updated('library', [row.key], ASPECTS.list));
  tx.report({ ...updated('book', 'all', ASPECTS.list | ASPECTS.content), libraryKey: row.key });
  return row.key;
};
