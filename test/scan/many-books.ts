// Inserts thousands of books into a database without files: libraries whose series have these numbers of books, some with terms and
// readers.
import { sortKey } from '../../core/model/sort-key.js';
import type { Tx } from '../../core/store/db.js';

export interface ManyBooks {
  readonly library: number;
  readonly root: string;
  /** How many books each series shows. */
  readonly sizes: readonly number[];
}

const BOOKS = `INSERT INTO book (uuid, library_id, series_id, folder_id, file_name, file_size, file_mtime, format, title, title_sort, number, page_count, analyzed, deleted, created_at, updated_at)
  WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?1)
  SELECT randomblob(16), ?2, ?3, ?4, ?5 || n, n, 1, 'cbz', 'Volume ' || n, 'volume ' || n, CASE ?5 WHEN 0 THEN n END, n % 7, 1, ?5, n, n FROM n`;

/** Every third book of a series carries a genre of its own; user 1 has finished every fourth. */
const AROUND = [
  `INSERT OR IGNORE INTO genre (uuid, name, name_key, created_at) SELECT randomblob(16), 'g' || id, 'g' || id, 0 FROM book WHERE series_id = ?1 AND id % 3 = 0`,
  `INSERT INTO book_genre SELECT b.id, g.id FROM book b JOIN genre g ON g.name_key = 'g' || b.id WHERE b.series_id = ?1`,
  `INSERT INTO series_genre SELECT ?1, g.id FROM book b JOIN genre g ON g.name_key = 'g' || b.id WHERE b.series_id = ?1 AND b.deleted = 0`,
  `INSERT INTO read_progress (user_id, book_id, series_id, live, uuid, current_page, completed, completed_at, started_at, updated_at)
   SELECT u.id, b.id, ?1, 1 - b.deleted, randomblob(16), 1, 1, b.id, 0, b.id FROM user u JOIN book b ON b.series_id = ?1 AND b.id % 4 = 0`,
  `INSERT INTO want_to_read (uuid, user_id, book_id, position, added_at) SELECT randomblob(16), u.id, b.id, b.id, 0 FROM user u JOIN book b ON b.series_id = ?1 AND b.id % 50 = 0`,
  `UPDATE series SET (book_count, file_size, page_count) = (SELECT count(*), sum(file_size), sum(page_count) FROM book WHERE series_id = ?1 AND deleted = 0) WHERE id = ?1`,
];

/** Additional books whose files are gone. */
const goneIn = (size: number): number => Math.floor(size / 10);

const insertSeries = async (tx: Tx, { library, sizes }: ManyBooks): Promise<void> => {
  for (const [at, size] of sizes.entries()) {
    const path = `s${String(at).padStart(4, '0')}`;
    const [folder] = await tx.all<{ id: number }>(
      "INSERT INTO folder (library_id, path, digest, sidecars) VALUES (?, ?, 'd', ?) RETURNING id",
      [library, path, String(size + goneIn(size))],
    );
    const [series] = await tx.all<{ id: number }>(
      `INSERT INTO series (uuid, library_id, path, name, name_sort, created_at, updated_at) VALUES (randomblob(16), ?, ?, ?, ?, 0, 0) RETURNING id`,
      [library, path, path, sortKey(path)],
    );
    const key = series?.id ?? 0;
    if (size === 0) continue;
    await tx.run(BOOKS, [size, library, key, folder?.id ?? 0, 0]);
    if (goneIn(size) > 0) await tx.run(BOOKS, [goneIn(size), library, key, folder?.id ?? 0, 1]);
    for (const sql of AROUND) await tx.run(sql, [key]);
  }
};

/** Existing users have read some of them. The root must exist. */
export const insertMany = async (tx: Tx, many: ManyBooks): Promise<void> => {
  await tx.run(
    `INSERT INTO library (id, uuid, name, name_sort, root, created_at, updated_at) VALUES (?1, randomblob(16), 'L' || ?1, 'l' || ?1, ?2, 0, 0)`,
    [many.library, many.root],
  );
  await insertSeries(tx, many);
  await tx.run(
    `UPDATE library SET (series_count, book_count) =
       (SELECT count(*), sum(book_count) FROM series WHERE library_id = library.id AND book_count > 0) WHERE id = ?`,
    [many.library],
  );
};

/** Counts of errors; each must be 0. */
export const WRONG = `SELECT
  (SELECT count(*) FROM library l WHERE book_count <> (SELECT count(*) FROM book b WHERE b.library_id = l.id AND b.deleted = 0)
     OR series_count <> (SELECT count(*) FROM series s WHERE s.library_id = l.id AND s.book_count > 0)) AS libraries,
  (SELECT count(*) FROM series s WHERE (book_count, file_size, page_count) IS NOT
     (SELECT count(*), coalesce(sum(file_size), 0), coalesce(sum(page_count), 0) FROM book b WHERE b.series_id = s.id AND b.deleted = 0)) AS series,
  (SELECT count(*) FROM series s JOIN book b ON b.series_id = s.id AND b.number > s.book_count AND b.deleted = 0) AS numbers,
  (SELECT count(*) FROM series_reading r WHERE (completed_count, book_count) IS NOT
     (SELECT (SELECT count(*) FROM read_progress p WHERE p.user_id = r.user_id AND p.series_id = r.series_id AND p.live = 1), s.book_count FROM series s WHERE s.id = r.series_id)) AS reading,
  (SELECT count(*) FROM folder f JOIN book b ON b.folder_id = f.id WHERE f.digest <> ''
     AND (SELECT count(*) FROM book c WHERE c.folder_id = f.id) <> CAST(f.sidecars AS INTEGER)) AS digests,
  (SELECT count(*) FROM book) - (SELECT count(*) FROM book_words_docsize) + (SELECT count(*) FROM book) - (SELECT count(*) FROM book_text)
    + (SELECT count(*) FROM series) - (SELECT count(*) FROM series_words_docsize) AS words`;
