// Which books of earlier versions count as never readable: unreadable ones without known pages, encrypted ones, and those none of whose pages
// could be read.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withConnection } from '../../core/store/connection.js';
import { migrate } from '../../core/store/migrate.js';
import { MIGRATIONS } from '../../core/store/migrations/index.js';
import { assert, block } from '../kit.js';

/** A readable book, one that used to be readable, and several that never were; and two series of nothing but such books. */
const BEFORE = `
INSERT INTO library (id, uuid, name, name_sort, root, created_at, updated_at) VALUES (1, randomblob(16), 'L', 'l', '/l', 1, 1);
INSERT INTO folder (id, library_id, path) VALUES (1, 1, 'S');
INSERT INTO series (id, uuid, library_id, path, name, name_sort, book_count, created_at, updated_at)
  VALUES (1, randomblob(16), 1, 'S', 'S', 's', 3, 1, 1), (2, randomblob(16), 1, 'T', 'T', 't', 1, 1, 1), (3, randomblob(16), 1, 'U', 'U', 'u', 0, 1, 1);
INSERT INTO book (id, uuid, library_id, series_id, folder_id, file_name, file_size, file_mtime, format, title, title_sort, deleted, analyzed,
    analysis_error, page_count, due, created_at, updated_at)
  VALUES (1, randomblob(16), 1, 1, 1, 'read', 1, 1, 'cbz', 'T', 't', 0, 1, NULL, 3, 0, 1, 1),
    (2, randomblob(16), 1, 1, 1, 'read once', 1, 1, 'cbz', 'T', 't', 0, 0, 'damaged', 3, 0, 1, 1),
    (3, randomblob(16), 1, 1, 1, 'never read', 1, 1, 'cbz', 'T', 't', 0, 0, 'damaged', 0, 0, 1, 1),
    (4, randomblob(16), 1, 1, 1, 'gone unread', 1, 1, 'cbz', 'T', 't', 1, 0, 'damaged', 0, 0, 1, 1),
    (5, randomblob(16), 1, 2, 1, 'never read either', 1, 1, 'cbz', 'T', 't', 0, 0, 'damaged', 0, 0, 1, 1),
    (6, randomblob(16), 1, 3, 1, 'gone with its series', 1, 1, 'cbz', 'T', 't', 1, 0, 'damaged', 0, 0, 1, 1),
    (7, randomblob(16), 1, 1, 1, 'bad pages', 1, 1, 'cbz', 'T', 't', 1, 0, 'None of the 3 pages can be read. They are damaged.', 3, 0, 1, 1),
    (8, randomblob(16), 1, 1, 1, 'bad page', 1, 1, 'cbz', 'T', 't', 1, 0, 'The only page cannot be read. It is damaged.', 1, 0, 1, 1);
UPDATE book SET analysis_kind = 'EncryptedArchive', page_count = 7 WHERE id = 5;`;

block('books that were never readable: migration', (check) => {
  check('they are marked, and a series of nothing else is not judged', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'longbox-migrate-'));
    const path = join(folder, 'longbox.db');
    const at = MIGRATIONS.findIndex((step) => String(step).includes('ADD COLUMN never_readable'));
    try {
      await migrate(path, join(folder, 'backups'), { steps: MIGRATIONS.slice(0, at) });
      await withConnection(path, (connection) => connection.exec(BEFORE));
      await migrate(path, join(folder, 'backups'));
      const ask = (sql: string) => withConnection(path, (connection) => connection.all<Record<string, number>>(sql));
      assert.equal(
        (await ask('SELECT id FROM book WHERE never_readable = 1 ORDER BY id')).map(({ id }) => id),
        [3, 4, 5, 6, 7, 8],
      );
      assert.equal(
        (await ask('SELECT id FROM series WHERE unjudged = 1')).map(({ id }) => id),
        [2, 3],
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
