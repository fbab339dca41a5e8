// Statistics taken while a library is tiny must not make the scan of a large one walk whole tables.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withConnection } from '../../core/store/connection.js';
import { type Db, openDb } from '../../core/store/db.js';
import { SYSTEM } from '../../core/store/feed.js';
import { migrate } from '../../core/store/migrate.js';
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

const plansOf = async (db: Pick<Db, 'all'>, sql: string): Promise<string[]> =>
  (await db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ['[]'])).map(({ detail }) => detail);

const withTiny = async (use: (db: Db, path: string) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-statistics-'));
  const path = join(folder, 'longbox.db');
  await migrate(path, join(folder, 'backups'));
  await withConnection(path, (connection) => connection.exec(TINY));
  const db = await openDb({ path, readers: 2, readDeadlineMs: 5000, queueLength: 10 });
  try {
    await use(db, path);
  } finally {
    await db.close();
    rmSync(folder, { recursive: true });
  }
};

/** Two columns with an index each, of which only statistics can tell which one finds fewer rows. */
const CHOICE = `CREATE TABLE choice (few INTEGER, many INTEGER);
  INSERT INTO choice WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 5000) SELECT n % 2, n FROM n;
  CREATE INDEX by_few ON choice(few); CREATE INDEX by_many ON choice(many);`;

block('statistics', (check) => {
  check('rows are looked up by key even if the tables were tiny', () =>
    withTiny(async (db) => {
      await takeStatistics(db);
      const walks: string[] = [];
      const ended = new Error(
        'SQLite takes an explained write for a statement in progress, so this transaction cannot be committed',
      );
      const writing = db.write(SYSTEM, 'background', async (tx) => {
        for (const sql of STATEMENTS)
          walks.push(...(await plansOf(tx, sql)).filter((detail) => /^SCAN (?:series|book)/.test(detail)));
        throw ended;
      });
      assert.is(await writing.catch((thrown: unknown) => thrown), ended);
      assert.equal(walks, []);
    }),
  );
  check('they equal those of a full ANALYZE, also when taken index by index', () =>
    withTiny(async (db, path) => {
      const rows = (): Promise<unknown[]> => db.all('SELECT * FROM sqlite_stat1 ORDER BY tbl, idx');
      await takeStatistics(db);
      const whole = await rows();
      await withConnection(path, (connection) => connection.exec('DELETE FROM sqlite_stat1'));
      await takeStatistics(db, 0);
      const piecewise = await rows();
      assert.equal(piecewise, whole);
      await withConnection(path, (connection) => connection.exec('DELETE FROM sqlite_stat1; ANALYZE'));
      assert.equal(
        piecewise.map((row) => ({ ...(row as object), stat: 0 })),
        (await rows()).map((row) => ({ ...(row as object), stat: 0 })),
      );
      assert.ok(piecewise.length > 10);
    }),
  );
  check('connections that were open use them', () =>
    withTiny(async (db, path) => {
      await withConnection(path, (connection) => connection.exec(CHOICE));
      const sql = 'SELECT count(*) FROM choice WHERE few = 1 AND many = 2 AND ?1 = ?1';
      await Promise.all([plansOf(db, sql), plansOf(db, sql)]);
      for (const smallPages of [0, 1000]) {
        await takeStatistics(db, smallPages);
        for (let n = 0; n < 4; n += 1)
          assert.match((await Promise.all([plansOf(db, sql), plansOf(db, sql)])).join(), /by_many.*by_many/);
        await withConnection(path, (connection) => connection.exec('DELETE FROM sqlite_stat1'));
      }
    }),
  );
});
