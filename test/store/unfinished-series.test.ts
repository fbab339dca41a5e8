// Series that a version without stored marks left unfinished: the upgrade marks them, and no others.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withConnection } from '../../core/store/connection.js';
import { migrate } from '../../core/store/migrate.js';
import { MIGRATIONS } from '../../core/store/migrations/index.js';
import { assert, block } from '../kit.js';

const ROWS = `
INSERT INTO library (id, uuid, name, name_sort, root, created_at, updated_at)
  SELECT value, randomblob(16), value, value, '/' || value, 1, 1 FROM json_each('[1,2,3]');
INSERT INTO series (id, uuid, library_id, path, name, name_sort, created_at, updated_at)
  SELECT value, randomblob(16), (value + 1) / 2, value, value, value, 1, 1 FROM json_each('[1,2,3,4,5,6]');
INSERT INTO scan (library_id, mode, status, started_at) VALUES (1, 'normal', 'running', 1), (2, 'normal', 'cancelled', 1);
INSERT INTO task (uuid, type, state, checkpoint, created_at) VALUES (randomblob(16), 'analyze_books', 'pending', '[4]', 1),
  (randomblob(16), 'analyze_series', 'pending', NULL, 1), (randomblob(16), 'analyze_book', 'completed', '[5]', 1),
  (randomblob(16), 'apply_rule', 'pending', '6', 1);`;

block('unfinished series of an earlier version', (check) => {
  check('those of interrupted scans and analyses are marked', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'longbox-migrate-'));
    const [path, backups] = [join(folder, 'longbox.db'), join(folder, 'backups')];
    const at = MIGRATIONS.findIndex((step) => String(step).includes('CREATE INDEX series_due'));
    try {
      await migrate(path, backups, { steps: MIGRATIONS.slice(0, at) });
      await withConnection(path, (connection) => connection.exec(ROWS));
      await migrate(path, backups);
      const marked = await withConnection(path, (connection) =>
        connection.all<{ id: number; due: number }>('SELECT id, due FROM series WHERE due <> 0 ORDER BY id'),
      );
      assert.equal(
        marked.map(({ id, due }) => [id, due]),
        [
          [1, 3],
          [2, 3],
          [4, 3],
        ],
      );
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
  check('series that an interrupted scan has found are hidden from limited users until it has gone on', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'longbox-migrate-'));
    const [path, backups] = [join(folder, 'longbox.db'), join(folder, 'backups')];
    const at = MIGRATIONS.findIndex((step) => String(step).includes('CREATE INDEX series_unswept'));
    try {
      await migrate(path, backups, { steps: MIGRATIONS.slice(0, at) });
      await withConnection(path, async (connection) => {
        await connection.exec(ROWS);
        // Library 1 was scanned before its series 2 was found; library 3 is being scanned for the first time.
        await connection.exec(`UPDATE library SET last_scanned_at = 1 WHERE id < 3; UPDATE series SET created_at = 2 WHERE id IN (2, 4, 6);
          INSERT INTO scan (library_id, mode, status, started_at) VALUES (3, 'normal', 'running', 1)`);
      });
      await migrate(path, backups);
      const marked = await withConnection(path, (connection) =>
        connection.all('SELECT id FROM series WHERE unswept <> 0'),
      );
      assert.equal(marked, [{ id: 2 }]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
