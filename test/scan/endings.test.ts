// How a scan ends when its final status cannot be stored, and when the next one may start.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { allLibraries, createLibrary } from '../../core/catalog/libraries.js';
import { SYSTEM } from '../../core/store/feed.js';
import { openTasks } from '../../core/tasks/task-rows.js';
import { startupScan } from '../../http/cli/startup-scan.js';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { held } from '../held-pool.js';
import { assert, block } from '../kit.js';

interface Shelf {
  readonly temp: TempApp;
  start(query?: string): Promise<number>;
  state(): Promise<string>;
}

const withShelf = async (use: (shelf: Shelf) => Promise<void>, maxConcurrentScans = 2): Promise<void> => {
  const temp = await tempApp({ engine: { maxConcurrentScans } });
  try {
    const token = await temp.tokenOf('admin');
    for (const n of [1, 2, 3]) writeBook(join(temp.shelf, 'Alpha', `Alpha ${n}.cbz`), n, `alpha ${n}`);
    const made = await temp.call('POST', '/api/v1/libraries', { token, body: { name: 'Shelf', path: temp.shelf } });
    const address = `/api/v1/libraries/${made.json.id}`;
    await use({
      temp,
      start: async (query = '') => (await temp.call('POST', `${address}/scan${query}`, { token })).status,
      state: async () => (await temp.call('GET', `${address}/scan-status`, { token })).json.status,
    });
  } finally {
    await temp.close();
  }
};

/** A database that refuses one state of a scan, as a full disk would. */
const refuse = (temp: TempApp, state: string): Promise<number> =>
  temp.app.db.write(SYSTEM, 'interactive', (tx) =>
    tx.run(
      `CREATE TRIGGER refuse BEFORE UPDATE ON scan WHEN new.status = '${state}' BEGIN SELECT RAISE(ABORT, 'refused'); END`,
    ),
  );

const accept = (temp: TempApp): Promise<number> =>
  temp.app.db.write(SYSTEM, 'interactive', (tx) => tx.run('DROP TRIGGER refuse'));

block('endings of scans', (check) => {
  check('a final status that cannot be stored is still reported, and the next scan may start', () =>
    withShelf(async ({ temp, start, state }) => {
      await refuse(temp, 'completed');
      assert.is(await start(), 200);
      await until('the scan ends', () => temp.app.scans.active().length === 0);
      assert.is(await state(), 'completed');
      assert.is(temp.faults.length, 1);
      await accept(temp);
      assert.is(await start(), 200);
      await until('the second scan ends', () => temp.app.scans.active().length === 0);
      assert.is(await state(), 'completed');
    }),
  );
  check('a scan cancelled before it queues behind another one does not wait', () =>
    withShelf(async ({ temp, start }) => {
      const { scans, db, clock, ownFolders } = temp.app;
      const other = join(temp.folder, 'other');
      mkdirSync(other);
      const library = await createLibrary(db, clock, SYSTEM, { name: 'Other', path: other }, ownFolders);
      const open = held(temp);
      assert.is(await start(), 200);
      const started = scans.start(library, { mode: 'normal' });
      const cancelled = scans.cancel(library.key);
      await started;
      await until('it ends', () => scans.active().length === 1);
      open();
      await cancelled;
    }, 1),
  );
  check('a waiting scan ends with its task, whoever cancels it, and the library is free', () =>
    withShelf(async ({ temp, start, state }) => {
      const { scans, tasks, db, clock, ownFolders } = temp.app;
      const other = join(temp.folder, 'other');
      mkdirSync(other);
      const library = await createLibrary(db, clock, SYSTEM, { name: 'Other', path: other }, ownFolders);
      const open = held(temp);
      await scans.start(library, { mode: 'normal' });
      await until('the first one runs', async () => (await openTasks(db, 'scan_library'))[0]?.state === 'running');
      assert.is(await start(), 200);
      const waiting = (await openTasks(db, 'scan_library')).find((task) => task.state === 'pending');
      await tasks.cancel(waiting?.id ?? '');
      assert.is(await state(), 'cancelled');
      assert.is(scans.active().length, 1);
      assert.is(await start(), 200);
      open();
      await until('both scans end', () => scans.active().length === 0);
      assert.is(await state(), 'completed');
    }, 1),
  );
  check('once the status says completed, another scan may start', () =>
    withShelf(async ({ start, state }) => {
      for (let round = 0; round < 5; round += 1) {
        assert.is(await start(), 200, `round ${round}`);
        while ((await state()) !== 'completed') await new Promise((resolve) => setImmediate(resolve));
      }
    }),
  );
  check('a scan at the start of the server that is refused is told, and no more', () =>
    withShelf(async ({ temp, start }) => {
      const open = held(temp);
      assert.is(await start(), 200);
      const [library] = await allLibraries(temp.app.db);
      if (library === undefined) throw new Error('the library was not stored');
      const told: string[] = [];
      const log = { warn: (sentence: string) => told.push(sentence) };
      assert.is(await startupScan(temp.app, library, log), undefined);
      assert.match(told.join(), /"Shelf" is not scanned: .*already running/);
      open();
      await until('the scan ends', () => temp.app.scans.active().length === 0);
      assert.is((await startupScan(temp.app, library, log))?.libraryId, library.id);
      await until('the second scan ends', () => temp.app.scans.active().length === 0);
    }),
  );
});
