// Books whose files are equal: by the hash of the whole file. Files without one are hashed first, if another has the same size.
import { BOOK_PATH } from '../../catalog/books.js';
import { type FoundGroup, KIND, MEMBERS_MAX, storeGroups } from '../../catalog/duplicates/store.js';
import { isSilence } from '../../engine/disks.js';
import { groupedBy } from '../../model/grouped.js';
import type { Db } from '../../store/db.js';
import { SYSTEM } from '../../store/feed.js';
import { type HashParts, hashOne } from '../due-hash-tasks.js';
import { storeHashes, type UnhashedBook } from '../due-hashes.js';
import { isOverloaded } from '../due-kind.js';
import type { SearchStep } from './search-step.js';

/** Hashes whose books are read at once. */
const BATCH = 100;

export const UNHASHED_TWINS = `SELECT b.id AS key, ${BOOK_PATH} AS path, l.root, b.file_size AS size, b.file_mtime AS mtimeMs
  FROM library l CROSS JOIN book b INDEXED BY book_hash_due ON b.library_id = l.id JOIN folder f ON f.id = b.folder_id
  WHERE l.id = ? AND l.removing = 0 AND b.hash_due = 1 AND b.due = 0 AND b.deleted = 0 AND b.id > ?
    AND EXISTS (SELECT 1 FROM book o INDEXED BY book_by_file_size WHERE o.file_size = b.file_size AND o.deleted = 0 AND o.id <> b.id)
  ORDER BY b.id LIMIT ?`;

/** Null for one that cannot be hashed now: a disk that is silent must not end the search on all others. */
const hashed = (parts: HashParts, book: UnhashedBook, signal: AbortSignal) =>
  hashOne(parts, book, signal).catch((thrown: unknown) => {
    if (signal.aborted || !(isSilence(thrown) || isOverloaded(thrown))) throw thrown;
    return null;
  });

/** Returns the books that could not be hashed. */
export const hashTwins = async (parts: HashParts, step: SearchStep): Promise<number> => {
  const { db, pool } = parts;
  let failures = 0;
  for (const { id } of await db.all<{ id: number }>('SELECT id FROM library WHERE removing = 0', []))
    for (let after = 0; ; ) {
      step.check();
      const books = await db.all<UnhashedBook>(UNHASHED_TWINS, [id, after, pool.backgroundWidth]);
      const last = books.at(-1);
      if (last === undefined) break;
      after = last.key;
      const ended = await Promise.all(books.map((book) => hashed(parts, book, step.signal)));
      const known = ended.filter((one) => one !== null);
      await db.write(SYSTEM, 'background', (tx) => storeHashes(tx, known));
      failures += books.length - known.length;
      for (const _ of books) step.bookRead();
    }
  return failures;
};

export const SHARED_HASHES = `SELECT b.file_hash AS hash FROM book b INDEXED BY book_by_hash
  WHERE b.deleted = 0 AND b.file_hash <> '' AND b.file_hash > ?
  GROUP BY b.file_hash HAVING count(*) > 1 ORDER BY b.file_hash LIMIT ${BATCH}`;

/** The first books of each, of a hash that very many have. */
export const BOOKS_OF_HASHES = `SELECT j.value AS hash, b.id FROM json_each(?) j CROSS JOIN book b ON b.id IN
  (SELECT o.id FROM book o INDEXED BY book_by_hash
   WHERE o.deleted = 0 AND o.file_hash <> '' AND o.file_hash = j.value ORDER BY o.id LIMIT ${MEMBERS_MAX})`;

export const groupFiles = async (db: Db, step: SearchStep): Promise<void> => {
  for (let after = ''; ; ) {
    step.check();
    const hashes = (await db.all<{ hash: string }>(SHARED_HASHES, [after])).map(({ hash }) => hash);
    const last = hashes.at(-1);
    if (last === undefined) return;
    after = last;
    const rows = await db.all<{ hash: string; id: number }>(BOOKS_OF_HASHES, [JSON.stringify(hashes)]);
    const groups = [...groupedBy(rows, ({ hash }) => hash)].map(
      ([hash, books]): FoundGroup => ({
        matchKey: hash,
        libraryKey: 0,
        members: books.map(({ id }) => id).sort((a, b) => a - b),
      }),
    );
    await storeGroups(
      db,
      KIND.file,
      groups.filter(({ members }) => members.length > 1),
      step.nowMs(),
      step.seen,
    );
  }
};
