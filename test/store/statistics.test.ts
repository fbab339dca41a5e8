// Statistics taken while a library is tiny must not make the scan of a large one walk whole tables.
import { withConnection } from '../../core/store/connection.js';
import { MIGRATIONS } from '../../core/store/migrations/index.js';
import { takeStatistics } from '../../core/store/statistics.js';
import { assert, block } from '../kit.js';

const TINY = `
INSERT INTO library (id, uuid, name, name_sort, root, created_at, updated_at) VALUES (1, randomblob(16), 'L', 'l', '/l', 1, 1);
INSERT INTO folder (id, library_id, path) VALUES (1, 1, 'S');
INSERT INTO series (id, uuid, library_id, path, name, name_sort, book_count, created_at, updated_at) VALUES (1, randomblob(16), 1, 'S', 'S', 's', 2, 1, 1);
INSERT INTO book (id, uuid, library_id, series_id, folder_id, file_name, file_size, file_mtime, format, title, title_sort, created_at, updated_at)
  SELECT value, randomblob(16), 1, 1, 1, value, 1, 1, 'cbz', 'T', 't', 1, 1 FROM json_each('[1,2]');
INSERT INTO book_metadata (book_id, uuid, facts, created_at, updated_at) SELECT id, randomblob(16), '{}', 1, 1 FROM book;`;

const KEYS = '(SELECT value FROM json_each(?))';
const STATEMENTS = [
  `SELECT sum(book_count) FROM series WHERE id IN ${KEYS}`,
  `UPDATE series SET updated_at = 1 WHERE id IN ${KEYS}`,
  `UPDATE book SET attempts = attempts + 1 WHERE id IN ${KEYS}`,
  `UPDATE book SET due = 0 WHERE deleted = 0 AND folder_id IN ${KEYS}`,
  `SELECT facts FROM book_metadata WHERE book_id IN ${KEYS}`,
  'UPDATE book SET number = j.value ->> 1 FROM json_each(?) j WHERE book.id = j.value ->> 0',
];

block('statistics', (check) => {
  check('rows are looked up by key also when the tables were tiny', () =>
    withConnection(':memory:', async (db) => {
      await db.exec(MIGRATIONS.join('\n') + TINY);
      await takeStatistics(db);
      for (const sql of STATEMENTS) {
        const plan = await db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ['[]']);
        assert.equal(
          plan.filter(({ detail }) => /^SCAN (?:series|book)/.test(detail)),
          [],
          sql,
        );
      }
    }),
  );
});
