// A scan that crashed the process three times: from then on the program starts without it, even when told to scan at each start.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Db, openDb } from '../../core/store/db.js';
import { SYSTEM } from '../../core/store/feed.js';
import { until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';
import { type Program, startProgram } from './program.js';

const end = async ({ child, ended, printed }: Program): Promise<void> => {
  child.kill('SIGTERM');
  assert.is(await ended, 0, printed());
};

block('a quarantined scan', (check) => {
  check('is not restarted by a start that scans its folder', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'longbox-quarantine-'));
    const [shelf, data] = [join(folder, 'shelf'), join(folder, 'data')];
    writeBook(join(shelf, 'Alpha', 'Alpha 1.cbz'), 2, 'alpha');
    const within = async <T>(use: (db: Db) => Promise<T>): Promise<T> => {
      const db = await openDb({ path: join(data, 'longbox.db'), readers: 1, readDeadlineMs: 5000, queueLength: 10 });
      try {
        return await use(db);
      } finally {
        await db.close();
      }
    };
    const tasks = (): Promise<{ state: string }[]> =>
      within((db) => db.all("SELECT state FROM task WHERE type = 'scan_library' ORDER BY id"));
    try {
      const first = await startProgram([shelf, '--data', data]);
      await until('the scan completes', () => /scan of shelf completed/.test(first.printed()));
      await end(first);
      // As three processes leave it that crashed in the walk of a second scan.
      await within(async (db) => {
        await db.write(SYSTEM, 'interactive', (tx) =>
          tx.run(
            `UPDATE task SET state = 'running', starts = 3, lease_owner = 'dead', completed_at = NULL,
               measured = '{"series":1,"books":1,"due":0,"attempts":0}' WHERE type = 'scan_library'`,
          ),
        );
        await db.write(SYSTEM, 'interactive', (tx) =>
          tx.run("UPDATE scan SET status = 'running', completed_at = NULL"),
        );
      });
      const second = await startProgram([shelf, '--data', data]);
      await until('the scan has failed', async () =>
        /^failed The server stopped 3 times/.test(
          (
            await within((db) =>
              db.all<{ said: string }>("SELECT status || ' ' || (errors ->> '$[0][0]') AS said FROM scan"),
            )
          )[0]?.said ?? '',
        ),
      );
      await end(second);
      const third = await startProgram([shelf, '--data', data]);
      await until('the log says so', () => /is not scanned: its last scan was quarantined/.test(third.printed()));
      await end(third);
      assert.equal(await tasks(), [{ state: 'failed' }]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
