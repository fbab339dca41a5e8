// Books whose files are the same, byte for byte, as far as their files have been hashed.
import type { Viewer } from '../../model/viewer.js';
import type { Reads } from '../../store/db.js';
import { andVisibleBook } from '../visibility.js';

/** The keys of the books that have a copy that the viewer sees too, copies together. */
export const keysOfCopies = (db: Reads, { scope }: Viewer, descending: boolean): Promise<readonly number[]> => {
  const seen = `b.deleted = 0 AND b.file_hash <> ''${andVisibleBook(scope, 'b')}`;
  return db.json<number[]>(
    `SELECT json_group_array(id) FROM (SELECT b.id FROM book b WHERE ${seen} AND b.file_hash IN
       (SELECT b.file_hash FROM book b WHERE ${seen} GROUP BY b.file_hash HAVING count(*) > 1)
       ORDER BY b.file_hash${descending ? ' DESC' : ''}, b.id)`,
  );
};
