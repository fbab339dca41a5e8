// The write-ahead log is copied into the database file beside the connection that writes.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Checkpoints, LOG_PAGES_MAX } from '../../core/store/checkpoints.js';
import { Connection, withConnection } from '../../core/store/connection.js';
import { openDb } from '../../core/store/db.js';
import { SYSTEM } from '../../core/store/feed.js';
import { migrate } from '../../core/store/migrate.js';
import { until } from '../app.js';
import { assert, block } from '../kit.js';

interface Log {
  readonly log: number;
  readonly checkpointed: number;
}

const logOf = (path: string): Promise<Log> =>
  withConnection(path, async (db) => {
    const [log] = await db.all<Log>('PRAGMA wal_checkpoint(NOOP)');
    if (log === undefined) throw new Error('no log');
    return log;
  });

block('checkpoints', (check) => {
  check(
    'a long log is copied after the transactions that follow, long before the writer would copy it itself',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'longbox-checkpoints-'));
      const path = join(folder, 'test.db');
      await migrate(path, join(folder, 'backups'));
      const db = await openDb({ path, readers: 1, readDeadlineMs: 5000, queueLength: 10 });
      try {
        const write = (bytes: number): Promise<number> =>
          db.write(SYSTEM, 'interactive', (tx) => tx.run('INSERT INTO t VALUES (zeroblob(?))', [bytes]));
        await db.write(SYSTEM, 'interactive', (tx) => tx.run('CREATE TABLE t (x BLOB) STRICT'));
        for (let n = 0; n < 5; n += 1) await write(4 * 1024 * 1024);
        const { log } = await logOf(path);
        assert.ok(log < LOG_PAGES_MAX, `${log} pages`);
        await until('the log is copied', async () => {
          await write(1);
          const now = await logOf(path);
          return now.log < log || now.checkpointed > 0;
        });
      } finally {
        await db.close();
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );
  check('a failed checkpoint is reported, and is tried again no sooner than after a second', async () => {
    const connection = await Connection.open(':memory:', true);
    const failures: unknown[] = [];
    const checkpoints = new Checkpoints(connection, (thrown) => failures.push(thrown));
    await connection.close();
    checkpoints.committed();
    await until('it failed', () => failures.length === 1);
    for (let n = 0; n < 10; n += 1) checkpoints.committed();
    await new Promise((resolve) => setTimeout(resolve, 50));
    assert.is(failures.length, 1);
  });
});
