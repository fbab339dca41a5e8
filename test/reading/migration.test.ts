// What the migration to reading counters makes of existing rows.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withConnection } from '../../core/store/connection.js';
import { migrate } from '../../core/store/migrate.js';
import { MIGRATIONS } from '../../core/store/migrations/index.js';
import { assert, block } from '../kit.js';

/** The schema before the reading migration, with one finished, one begun and one deleted book. */
const BEFORE = `
INSERT INTO user (id, uuid, username, username_key, email, email_key, password_hash, role, created_at, updated_at) VALUES (1, randomblob(16), 'u', 'u', 'u', 'u', '', 'reader', 0, 0);
INSERT INTO library (id, uuid, name, name_sort, root, created_at, updated_at) VALUES (1, randomblob(16), 'L', 'l', '/l', 1, 1);
INSERT INTO folder (id, library_id, path) VALUES (1, 1, 'S');
INSERT INTO series (id, uuid, library_id, path, name, name_sort, book_count, created_at, updated_at) VALUES (1, randomblob(16), 1, 'S', 'S', 's', 2, 1, 1);
INSERT INTO book (id, uuid, library_id, series_id, folder_id, file_name, file_size, file_mtime, format, title, title_sort, deleted, created_at, updated_at)
  SELECT value, randomblob(16), 1, 1, 1, value, 1, 1, 'cbz', 'T', 't', value = 3, 1, 1 FROM json_each('[1,2,3]');
INSERT INTO read_progress (user_id, book_id, uuid, current_page, completed, completed_at, started_at, updated_at)
  VALUES (1, 1, randomblob(16), 5, 1, 20, 10, 30), (1, 2, randomblob(16), 2, 0, NULL, 40, 50), (1, 3, randomblob(16), 2, 1, 60, 40, 60);`;

block('reading: migration', (check) => {
  check('existing progress keeps everything, and is counted', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'longbox-migrate-'));
    const path = join(folder, 'longbox.db');
    const at = MIGRATIONS.findIndex((step) => String(step).includes('CREATE TABLE series_reading'));
    try {
      await migrate(path, join(folder, 'backups'), { steps: MIGRATIONS.slice(0, at) });
      await withConnection(path, (connection) => connection.exec(BEFORE));
      await migrate(path, join(folder, 'backups'));
      const ask = (sql: string) => withConnection(path, (connection) => connection.all<Record<string, number>>(sql));
      assert.equal(await ask('SELECT * FROM series_reading'), [
        {
          user_id: 1,
          series_id: 1,
          book_count: 2,
          completed_count: 1,
          in_progress_count: 1,
          last_read_at: 50,
          last_completed_at: 20,
        },
      ]);
      const kept = 'SELECT book_id, current_page, completed_at, started_at, updated_at, live FROM read_progress';
      assert.equal((await ask(kept)).map(Object.values), [
        [1, 5, 20, 10, 30, 1],
        [2, 2, null, 40, 50, 1],
        [3, 2, 60, 40, 60, 0],
      ]);
      assert.is((await ask('SELECT count(*) AS n FROM read_completion'))[0]?.n, 2);
      assert.equal(await ask('PRAGMA foreign_key_check'), []);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
