// Many rows for the data folder of an earlier version, in the schema of that version: series with books, and all that users add to them.
import { type Statements, withConnection } from '../core/store/connection.js';
import type { Earlier } from './earlier.js';

const SERIES = 400;
const BOOKS_OF_EACH = 10;
/** Keys of the fixture's own rows are below. */
const FIRST = 1000;

/** Every tenth book has progress of the first user, every third of those is finished; every fifth says something and has locks. */
const ROWS = `
CREATE TEMP TABLE n(n INTEGER PRIMARY KEY);
WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ${SERIES}) INSERT INTO n SELECT n FROM c;
INSERT INTO series (id, uuid, library_id, path, name, name_sort, book_count, file_size, page_count, locks, created_at, updated_at)
  SELECT ${FIRST} + n, randomblob(16), library_id, 'many ' || n, 'Many ' || n, printf('many %06d', n), ${BOOKS_OF_EACH}, ${BOOKS_OF_EACH}, 50,
    CASE n % 4 WHEN 0 THEN '["summary","publisher"]' ELSE '[]' END, n, n
  FROM n CROSS JOIN series s WHERE s.id = (SELECT min(id) FROM series);
INSERT INTO book (id, uuid, library_id, series_id, folder_id, file_name, file_size, file_mtime, format, title, title_sort, number,
    number_locked, page_count, analyzed, deleted, created_at, updated_at)
  SELECT ${FIRST} + 100 * n + k.value, randomblob(16), library_id, ${FIRST} + n, folder_id, n || ' ' || k.value || '.cbz', 1, 1, 'cbz',
    'Many ' || n || ' ' || k.value, printf('many %06d %06d', n, k.value), k.value, n % 7 = 0, 5, 1, n % 50 = 0 AND k.value = 1, n, n
  FROM n CROSS JOIN json_each('[1,2,3,4,5,6,7,8,9,10]') k CROSS JOIN book b WHERE b.id = (SELECT min(book_id) FROM book_pages);
INSERT INTO book_pages (book_id, page_table)
  SELECT c.id, p.page_table FROM book c CROSS JOIN book_pages p WHERE c.id > ${FIRST} AND p.book_id = (SELECT min(book_id) FROM book_pages);
INSERT INTO book_metadata (book_id, uuid, facts, locks, created_at, updated_at)
  SELECT id, randomblob(16), json_object('title', title, 'summary', 'About ' || title), '["title"]', 1, 2 FROM book WHERE id > ${FIRST} AND id % 5 = 0;
INSERT INTO read_progress (user_id, book_id, series_id, live, uuid, current_page, completed, completed_at, started_at, updated_at)
  SELECT 1, id, series_id, 1 - deleted, randomblob(16), 3, number % 3 = 0, CASE number % 3 WHEN 0 THEN id END, id, id
  FROM book WHERE id > ${FIRST} AND id % 10 = 3;
INSERT INTO want_to_read (uuid, user_id, book_id, position, added_at) SELECT randomblob(16), 1, id, id, id FROM book WHERE id > ${FIRST} AND id % 40 = 7;
INSERT INTO read_cleared (user_id, book_id, cleared_at) SELECT 1, id, id FROM book WHERE id > ${FIRST} AND id % 90 = 1;
INSERT INTO genre (id, uuid, name, name_key, created_at) VALUES (1, randomblob(16), 'Drama', 'drama', 1);
INSERT INTO book_genre (book_id, genre_id) SELECT id, 1 FROM book WHERE id > ${FIRST} AND id % 3 = 0;
INSERT INTO collection (id, uuid, name, name_key, name_sort, created_at, updated_at)
  SELECT n, randomblob(16), 'Shelf ' || n, 'shelf ' || n, 'shelf ' || n, n, n FROM n WHERE n <= 20;
INSERT INTO collection_series (collection_id, series_id, position, added_at) SELECT n % 20 + 1, ${FIRST} + n, n, n FROM n;
INSERT INTO read_list (id, uuid, name, name_key, name_sort, created_at, updated_at)
  SELECT n, randomblob(16), 'List ' || n, 'list ' || n, 'list ' || n, n, n FROM n WHERE n <= 20;
INSERT INTO read_list_book (read_list_id, book_id, position, added_at) SELECT id % 20 + 1, id, id, id FROM book WHERE id > ${FIRST} AND id % 8 = 0;
UPDATE library SET (series_count, book_count) = (SELECT count(*), sum(book_count) FROM series WHERE book_count > 0);
`;

export const addRows = ({ database }: Earlier): Promise<void> =>
  withConnection(database, (connection) => connection.exec(ROWS));

/** Every row of every table, and the schema, as text that can be compared; the epoch is another one at each upgrade. */
export const contentOf = async (connection: Statements): Promise<ReadonlyMap<string, string>> => {
  const tables = await connection.all<{ name: string }>(
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL%' ORDER BY name",
  );
  const contents = new Map<string, string>();
  for (const { name } of tables) {
    const rows = await connection.all<Record<string, unknown>>(`SELECT * FROM ${name}`);
    contents.set(
      name,
      rows
        .map((row) => JSON.stringify({ ...row, epoch: undefined }))
        .sort()
        .join('\n'),
    );
  }
  const schema = await connection.all('SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name');
  return contents.set('', JSON.stringify(schema));
};
