// Which files are still to be hashed (book.hash_due, schema 29). On a slow disk a book can be read before its file has been read to its end.
import { BOOK_PATH } from '../catalog/books.js';
import type { Reader, Tx } from '../store/db.js';
import { ASPECTS, keysIn, updated } from '../store/feed.js';
import { dueBooks } from './due-kind.js';

export interface UnhashedBook {
  readonly key: number;
  readonly path: string;
  readonly root: string;
  readonly size: number;
  readonly mtimeMs: number;
}

/** A book that is due for analysis gets its hash there. */
const TO_HASH = 'b.hash_due = 1 AND b.due = 0';

/** In the order of their keys, after one of them. */
export const unhashedBooks = (
  from: Pick<Reader, 'all'>,
  libraryKey: number,
  after: number,
  limit: number,
): Promise<UnhashedBook[]> =>
  from.all<UnhashedBook>(
    `SELECT b.id AS key, ${BOOK_PATH} AS path, l.root, b.file_size AS size, b.file_mtime AS mtimeMs
     FROM library l CROSS JOIN book b INDEXED BY book_hash_due ON b.library_id = l.id JOIN folder f ON f.id = b.folder_id
     WHERE l.id = ? AND l.removing = 0 AND ${TO_HASH} AND b.deleted = 0 AND b.id > ? ORDER BY b.id LIMIT ?`,
    [libraryKey, after, limit],
  );

export const hashesDue = dueBooks('book_hash_due', TO_HASH);

export interface HashedBook extends UnhashedBook {
  readonly fileHash: string;
  readonly koreaderHash: string;
}

/**
 * A file that has changed since it was hashed keeps its mark: the next scan analyses it. One that was replaced behind the same size and time
 * after its analysis is another file than its pages were listed of, and is due for analysis. One whose only analysis failed has no hash of its start yet: it gets
 * the one found now.
 */
export const storeHashes = async (tx: Tx, books: readonly HashedBook[]): Promise<void> => {
  if (books.length === 0) return;
  const stored = await tx.all<{ id: number }>(
    `UPDATE book SET file_hash = iif(coalesce(koreader_hash, j.value ->> 4) = j.value ->> 4, j.value ->> 3, ''),
       hash_due = coalesce(koreader_hash, j.value ->> 4) <> j.value ->> 4, koreader_hash = coalesce(koreader_hash, j.value ->> 4),
       due = analyzed AND coalesce(koreader_hash, j.value ->> 4) <> j.value ->> 4 FROM json_each(?) j
     WHERE book.id = j.value ->> 0 AND book.file_size = j.value ->> 1 AND book.file_mtime = j.value ->> 2 AND book.hash_due = 1 AND book.due = 0
     RETURNING id`,
    [
      JSON.stringify(
        books.map(({ key, size, mtimeMs, fileHash, koreaderHash }) => [key, size, mtimeMs, fileHash, koreaderHash]),
      ),
    ],
  );
  tx.report(updated('book', keysIn(stored), ASPECTS.details));
};
