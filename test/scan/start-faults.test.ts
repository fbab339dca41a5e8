// Scans that fail before or while they start: the library is free afterwards, and its removal never waits for them.

import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLibrary, type Library } from '../../core/catalog/libraries.js';
import { AppError } from '../../core/model/errors.js';
import { SYSTEM } from '../../core/store/feed.js';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';

interface Shelf extends TempApp {
  readonly library: Library;
  scan(): Promise<number>;
  remove(): Promise<number>;
  status(): Promise<string>;
}

const withShelf = async (use: (shelf: Shelf) => Promise<void>, folder?: string): Promise<void> => {
  const temp = await tempApp({ engine: { maxConcurrentScans: 1 }, ...(folder === undefined ? {} : { folder }) });
  const { app } = temp;
  try {
    writeBook(join(temp.shelf, 'A', 'Book.cbz'), 2, 'a');
    const library = await createLibrary(app.db, app.clock, SYSTEM, { name: 'S', path: temp.shelf }, app.ownFolders);
    const token = await temp.tokenOf('admin');
    const path = `/api/v1/libraries/${library.id}`;
    await use({
      ...temp,
      library,
      scan: async () => (await temp.call('POST', `${path}/scan`, { token })).status,
      remove: async () => (await temp.call('DELETE', path, { token })).status,
      status: async () => (await temp.call('GET', `${path}/scan-status`, { token })).json.status,
    });
  } finally {
    await temp.close();
  }
};

const statesOf = async ({ app }: TempApp, type: string): Promise<string[]> =>
  (await app.db.all<{ state: string }>('SELECT state FROM task WHERE type = ? ORDER BY id', [type])).map(
    ({ state }) => state,
  );

const isFree = ({ app }: TempApp): Promise<void> => until('no scan is left', () => app.scans.active().length === 0);

const isGone = ({ app }: TempApp): Promise<void> =>
  until('its rows are gone', async () => (await app.db.all('SELECT id FROM library')).length === 0);

/** Occupies a lane until it is released. */
const occupy = async ({ app }: TempApp, lane: string): Promise<() => void> => {
  let letGo: (() => void) | undefined;
  const run = (): Promise<void> =>
    new Promise((resolve) => {
      letGo = resolve;
    });
  app.tasks.register(`occupy_${lane}`, { lane, run });
  await app.tasks.enqueue(`occupy_${lane}`, null, {}, { priority: 9999 });
  await until('the lane is occupied', () => letGo !== undefined);
  return () => letGo?.();
};

/** Refuses the first read of the library by its id. */
const refuseRead = ({ app: { db } }: TempApp, error: AppError): { readonly refused: () => boolean } => {
  const { json } = db;
  let isRefused = false;
  db.json = (sql, binds) => {
    if (isRefused || !sql.includes('l.uuid = ?')) return json(sql, binds);
    isRefused = true;
    return Promise.reject(error);
  };
  return { refused: () => isRefused };
};

const starts = (check: Check): void => {
  for (const kind of ['Overloaded', 'Timeout'] as const)
    check(`a scan whose first read fails (${kind}) ends as failed, and the next one runs`, () =>
      withShelf(async (shelf) => {
        const letGo = await occupy(shelf, 'scan');
        assert.is(await shelf.scan(), 200);
        const read = refuseRead(shelf, new AppError(kind));
        letGo();
        await isFree(shelf);
        assert.ok(read.refused());
        assert.is(await shelf.status(), 'failed');
        await until('its task ends', async () => (await statesOf(shelf, 'scan_library'))[0] === 'failed');
        assert.is(await shelf.scan(), 200);
        await isFree(shelf);
        assert.is(await shelf.status(), 'completed');
        assert.is(await shelf.remove(), 204);
        await isGone(shelf);
      }),
    );
  check('a scan that is claimed after its library was removed ends, and the removal completes', () =>
    withShelf(async (shelf) => {
      const letScan = await occupy(shelf, 'scan');
      const letRemove = await occupy(shelf, 'removal');
      assert.is(await shelf.scan(), 200);
      assert.is(await shelf.remove(), 204);
      letScan();
      await isFree(shelf);
      letRemove();
      await isGone(shelf);
      assert.equal(await shelf.app.db.all('SELECT id FROM book'), []);
      assert.equal(shelf.faults, []);
    }),
  );
  check('a library whose first scan cannot start is created all the same, and the log says why', () =>
    withShelf(async (shelf) => {
      const { tasks } = shelf.app;
      const path = join(shelf.folder, 'other');
      mkdirSync(path);
      const { add } = tasks;
      tasks.add = () => Promise.reject(new AppError('StorageFull'));
      const token = await shelf.tokenOf('admin');
      const body = { name: 'Other', path, scanImmediately: true };
      const made = await shelf.call('POST', '/api/v1/libraries', { token, body });
      tasks.add = add;
      assert.is(made.status, 201);
      const named = shelf.warnings.filter((sentence) => sentence.startsWith('the library "Other" is not scanned: '));
      assert.is(named.length, 1, shelf.warnings.join());
      const scan = await shelf.call('POST', `/api/v1/libraries/${made.json.id}/scan`, { token });
      assert.is(scan.status, 200);
      await isFree(shelf);
    }),
  );
  check('a scan that waits for a full disk can be cancelled', () =>
    withShelf(async (shelf) => {
      const { db, pool, scans } = shelf.app;
      const { run } = pool;
      let isWaiting = false;
      pool.run = () => Promise.reject(new AppError('StorageFull'));
      db.working = (signal) => {
        isWaiting = true;
        return new Promise((resolve) => {
          signal.addEventListener('abort', () => resolve());
        });
      };
      assert.is(await shelf.scan(), 200);
      await until('it waits', () => isWaiting);
      await scans.cancel(shelf.library.key);
      assert.equal(scans.active(), []);
      assert.is(await shelf.status(), 'cancelled');
      pool.run = run;
      assert.is(await shelf.scan(), 200);
      await isFree(shelf);
      assert.is(await shelf.status(), 'completed');
    }),
  );
};

/** A folder whose last process was killed after the task of its scan had ended, before the status of the scan was stored. */
const restarted = async (state: 'cancelled' | 'completed', use: (temp: TempApp) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-start-faults-'));
  try {
    await withShelf(async (shelf) => {
      assert.is(await shelf.scan(), 200);
      await isFree(shelf);
      await until('its task ends', async () => (await statesOf(shelf, 'scan_library'))[0] === 'completed');
      await shelf.app.db.write(SYSTEM, 'interactive', (tx) =>
        tx.run("UPDATE scan SET status = 'running', completed_at = NULL"),
      );
      await shelf.app.db.write(SYSTEM, 'interactive', (tx) => tx.run('UPDATE task SET state = ?', [state]));
    }, folder);
    const temp = await tempApp({ folder });
    try {
      await use(temp);
    } finally {
      await temp.close();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const restarts = (check: Check): void => {
  for (const state of ['cancelled', 'completed'] as const)
    check(`a scan whose task was ${state} when the process died is not started again`, () =>
      restarted(state, async (temp) => {
        await isFree(temp);
        assert.equal(await statesOf(temp, 'scan_library'), [state]);
        assert.equal(await temp.app.db.all('SELECT status FROM scan'), [{ status: state }]);
      }),
    );
};

const removals = (check: Check): void => {
  check('a failed removal is retried by itself', () =>
    withShelf(async (shelf) => {
      const { db } = shelf.app;
      await db.write(SYSTEM, 'interactive', (tx) =>
        tx.run("CREATE TRIGGER refuse BEFORE DELETE ON library BEGIN SELECT RAISE(ABORT, 'refused'); END"),
      );
      assert.is(await shelf.remove(), 204);
      await until('it failed', async () => (await statesOf(shelf, 'remove_library'))[0] === 'failed');
      await db.write(SYSTEM, 'interactive', (tx) => tx.run('DROP TRIGGER refuse'));
      await isGone(shelf);
      await until('its task ends', async () => (await statesOf(shelf, 'remove_library')).at(-1) === 'completed');
    }),
  );
  check('a removal completes while a scan in another library waits', () =>
    withShelf(async (shelf) => {
      const letGo = await occupy(shelf, 'scan');
      const { db, clock, ownFolders, scans } = shelf.app;
      const other = join(shelf.folder, 'other');
      mkdirSync(other);
      const library = await createLibrary(db, clock, SYSTEM, { name: 'Other', path: other }, ownFolders);
      await scans.start(library, { mode: 'normal' });
      assert.is(await shelf.scan(), 200);
      assert.is(await shelf.remove(), 204);
      await until('one scan is left', () => scans.active().length === 1);
      letGo();
      await isFree(shelf);
      assert.is((await scans.status(library)).state, 'completed');
    }),
  );
};

block('scans that fail to start', (check) => {
  starts(check);
  restarts(check);
  removals(check);
});
