// A server that stops while a scan settles many series does not wait for all of them.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLibrary, type Library } from '../../core/catalog/libraries.js';
import type { Inspection, Statements } from '../../core/store/db.js';
import { SYSTEM } from '../../core/store/feed.js';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { feedCheck } from '../feed-check.js';
import { assert, block } from '../kit.js';

/** Several transactions settle these. */
const SERIES = 1000;

const insertSeries = ({ app }: TempApp, { key }: Library): Promise<number> =>
  app.db.write(SYSTEM, 'interactive', (tx) =>
    tx.run(
      `INSERT INTO series (uuid, library_id, path, name, name_sort, created_at, updated_at, due)
       WITH RECURSIVE n(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < ?)
       SELECT randomblob(16), ?, 's' || n, 's' || n, 's' || n, 0, 0, 3 FROM n`,
      [SERIES, key],
    ),
  );

const dueIn = async (from: Statements | TempApp['app']['db']): Promise<number> =>
  (await from.all<{ n: number }>('SELECT count(*) AS n FROM series WHERE due <> 0'))[0]?.n ?? 0;

/** Calls `stop` in each transaction after which only some of them are settled. */
const stoppedBy = (stop: () => void): Inspection => ({
  setup: feedCheck.setup,
  begin: () => {
    const end = feedCheck.begin();
    return async (tx, reports) => {
      await end(tx, reports);
      const due = await dueIn(tx);
      if (due > 0 && due < SERIES) stop();
    };
  },
});

block('a stop while a scan settles', (check) => {
  check('the scan ends after the transaction it is in, and the next start settles the rest', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'longbox-settling-'));
    try {
      let isFilled = false;
      let stopped: Promise<void> | undefined;
      const temp = await tempApp({
        folder,
        engine: {
          inspection: stoppedBy(() => {
            if (isFilled) stopped ??= temp.app.tasks.stop();
          }),
        },
      });
      const { app, shelf } = temp;
      writeBook(join(shelf, 'A', 'A 1.cbz'), 1, 'one');
      const library = await createLibrary(app.db, app.clock, SYSTEM, { name: 'S', path: shelf }, app.ownFolders);
      try {
        await app.scans.start(library, { mode: 'normal' });
        await until('the first scan ends', () => app.scans.active().length === 0);
        await insertSeries(temp, library);
        isFilled = true;
        await app.scans.start(library, { mode: 'normal' });
        await until('the tasks are told to stop', () => stopped !== undefined);
        await stopped;
        const left = await dueIn(app.db);
        assert.ok(left > 0 && left < SERIES, `${left} are left`);
        assert.is((await app.scans.status(library)).state, 'running');
        assert.equal([temp.faults, temp.warnings], [[], []]);
      } finally {
        await temp.close();
      }
      const next = await tempApp({ folder });
      try {
        await until('the scan ends', () => next.app.scans.active().length === 0);
        assert.is((await next.app.scans.status(library)).state, 'completed');
        assert.is(await dueIn(next.app.db), 0);
      } finally {
        await next.close();
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
