// Books that count as missing, with what is needed to recognise their file elsewhere.
import { uuidOfHex } from '../model/ids.js';
import type { Bind, Db } from '../store/db.js';
import type { Missing } from './context.js';

/** `where` is SQL over the table book. */
export const missingBooks = async (db: Db, where: string, binds: readonly Bind[]): Promise<Missing[]> => {
  const rows = await db.all<
    Omit<Missing, 'deleted' | 'isHashDue'> & { readonly deleted: number; readonly hashDue: number }
  >(
    `SELECT id AS key, lower(hex(uuid)) AS id, folder_id AS folderKey, series_id AS seriesKey, file_name AS fileName,
       file_size AS fileSize, file_mtime AS fileMtime, deleted, koreader_hash AS koreaderHash, file_hash AS fileHash, hash_due AS hashDue FROM book WHERE ${where}`,
    binds,
  );
  return rows.map(({ hashDue, ...row }) => ({
    ...row,
    id: uuidOfHex(row.id),
    deleted: row.deleted === 1,
    isHashDue: hashDue === 1,
  }));
};
