// Due covers after a stop, a crash, an upgrade, and while the cache or the disk of the library fails or is slow.
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '../../core/model/errors.js';
import { uuidOfHex } from '../../core/model/ids.js';
import { CoverDrain, type CoverDrainParts } from '../../core/scan/cover-drain.js';
import { ReadSpeed } from '../../core/scan/read-speed.js';
import { endCovers } from '../../core/scan/store-covers.js';
import { withConnection } from '../../core/store/connection.js';
import { ASPECTS, keysIn, SYSTEM, updated } from '../../core/store/feed.js';
import { migrate } from '../../core/store/migrate.js';
import { MIGRATIONS } from '../../core/store/migrations/index.js';
import { until } from '../app.js';
import { unpackEarlier } from '../earlier.js';
import { assert, block, thrownBy } from '../kit.js';
import { allMade, BOOKS, type CoveredShelf, door, onShelf, type ShelfOptions } from './covered-shelf.js';

const inFolder = async (body: (folder: string) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-due-covers-'));
  try {
    await body(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** With the data that an earlier engine left in a folder, or in a new one. */
const withEngine = (options: ShelfOptions, body: (shelf: CoveredShelf) => Promise<void>): Promise<void> =>
  onShelf(body, options);

/** A scanned library, with the engine stopped before any cover was made. */
const stopped = (folder: string): Promise<void> =>
  withEngine({ folder, gate: () => door().opened }, async (shelf) => {
    await shelf.scan();
    await until('the task runs', () => shelf.jobs.length > 0);
  });

block('due covers and what interrupts them', (check) => {
  check('a stop leaves them due, and the next start makes them', () =>
    inFolder(async (folder) => {
      await stopped(folder);
      await withEngine({ folder }, async (shelf) => {
        await allMade(shelf);
        assert.is(shelf.jobs.length, BOOKS);
      });
    }),
  );
  check('a crash leaves some begun: the next start makes these one at a time, each unmarked before it is begun', () =>
    inFolder(async (folder) => {
      await stopped(folder);
      await withConnection(join(folder, 'data', 'longbox.db'), (connection) =>
        connection.exec('UPDATE book SET cover_due = 2 WHERE id IN (SELECT id FROM book ORDER BY id LIMIT 3)'),
      );
      const open: { open(): void; marked: number }[] = [];
      let shelf: CoveredShelf | undefined;
      const gate = async (): Promise<void> => {
        const { open: pass, opened } = door();
        open.push({ open: pass, marked: (await shelf?.left()) ?? -1 });
        await opened;
      };
      await withEngine({ folder, gate }, async (started) => {
        shelf = started;
        for (let n = 0; n < 3; n += 1) {
          await until('the next suspect is begun', () => open.length === n + 1);
          assert.is(await started.left(), BOOKS - 1 - n);
          open[n]?.open();
        }
        await until('the others are begun together', () => open.length === BOOKS);
        for (const one of open) one.open();
        await allMade(started);
      });
    }),
  );
  check('while the cache fails nothing is made, and every cover stays due', () =>
    inFolder(async (folder) => {
      await stopped(folder);
      await withEngine({ folder, gate: () => door().opened }, async ({ temp: { app }, left, states, tasks }) => {
        await until('the task runs', async () => (await tasks())[0]?.state === 'running');
        await app.tasks.cancel(uuidOfHex((await tasks())[0]?.id ?? ''));
        let made = 0;
        let trouble: string | null = 'The disk is full.';
        let last = Promise.resolve();
        const makeOne = async (): Promise<void> => {
          await nextTurn();
          made += 1;
          if (made === 4) trouble = 'The disk is full.';
        };
        const parts: CoverDrainParts = {
          db: app.db,
          pool: { backgroundWidth: 1, backgroundShare: 64 },
          pages: {
            filesOf: async () => new Map(),
            makeCover: () => {
              last = last.then(makeOne);
              return last;
            },
          },
          now: () => 0,
          isThere: () => false,
          cacheTrouble: () => trouble,
        };
        const { signal } = new AbortController();
        const drain = (): CoverDrain => new CoverDrain(parts, { libraryKey: 1, signal, onStored: () => undefined });
        const refused = await thrownBy(() => drain().run());
        assert.is(refused instanceof AppError && refused.kind, 'Overloaded');
        assert.equal([made, await left()], [0, BOOKS]);
        trouble = null;
        await thrownBy(() => drain().run()); // the cache fails again while the fourth is made
        assert.is(await left(), BOOKS - 3);
        assert.equal(new Set(Object.values(await states())), new Set([0, 1]));
        trouble = null;
        await drain().run();
        assert.is(await left(), 0);
      });
    }),
  );
  check('a book that is moved after its file was looked up gets its cover in the same pass', async () => {
    const gate = door();
    await onShelf(
      async ({ temp: { app, shelf }, scan, jobs, left, tasks }) => {
        await scan();
        await until('all are begun', () => jobs.length === BOOKS);
        renameSync(join(shelf, 'Series', 'Book 3.cbz'), join(shelf, 'Series', 'Moved.cbz'));
        await app.db.write(SYSTEM, 'background', async (tx) => {
          const moved = `UPDATE book SET file_name = 'Moved.cbz' WHERE file_name = 'Book 3.cbz' RETURNING id`;
          tx.report(
            updated('book', keysIn(await tx.all<{ id: number }>(moved)), ASPECTS.list | ASPECTS.text | ASPECTS.content),
          );
        });
        gate.open();
        await until('the pass ends', async () => (await tasks())[0]?.state === 'completed');
        assert.is(await left(), 0);
        assert.equal(
          jobs.slice(BOOKS).map(({ path }) => basename(path)),
          ['Moved.cbz'],
        );
      },
      { gate: () => gate.opened },
    );
  });
  check('an analysis that comes between keeps its own mark', () =>
    inFolder(async (folder) => {
      await stopped(folder);
      await withEngine({ folder, gate: () => door().opened }, async ({ temp: { app }, states }) => {
        await until('they are begun', async () => Object.values(await states()).every((state) => state === 2));
        await app.db.write(SYSTEM, 'background', async (tx) => {
          await tx.run(`UPDATE book SET cover_due = 1 WHERE file_name = 'Book 2.cbz'`);
          const keys = keysIn(await tx.all<{ id: number }>('SELECT id FROM book'));
          tx.report(updated('book', keys, ASPECTS.details));
          await endCovers(tx, keys);
        });
        const marked = Object.entries(await states()).filter(([, state]) => state !== 0);
        assert.equal(marked, [['Book 2.cbz', 1]]);
      });
    }),
  );
  check('after an upgrade from the schema before, no cover is due', () =>
    inFolder(async (backups) => {
      const { folder, database } = await unpackEarlier();
      try {
        await migrate(database, backups, { steps: MIGRATIONS.slice(0, 22) });
        assert.equal(await migrate(database, backups, { steps: MIGRATIONS.slice(0, 23) }), [23]);
        const sql = 'SELECT count(*) > 0 AS some, sum(cover_due) AS due FROM book';
        assert.equal(await withConnection(database, (connection) => connection.all(sql)), [{ some: 1, due: 0 }]);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    }),
  );
});

const read = (bytes: number, ms: number, isHashDue = false) => ({ reading: { bytes, ms }, isHashDue });

block('slow disks', (check) => {
  const after = (megabytesPerS: number, megabytes: number): boolean => {
    const speed = new ReadSpeed();
    for (let n = 0; n < megabytes; n += 1) speed.note(read(1_000_000, 1000 / megabytesPerS));
    return speed.isSlow;
  };
  check('a disk is slow once enough was read from it slowly', () => {
    assert.equal([after(100, 31), after(100, 32), after(100, 1000)], [false, true, true]);
    assert.equal([after(400, 1000), after(3000, 1000)], [false, false]);
  });
  check('a disk is slow once several analyses have left the hash for later', () => {
    const speed = new ReadSpeed();
    const note = (count: number, isHashDue: boolean): boolean => {
      for (let n = 0; n < count; n += 1) speed.note(read(300_000, 100, isHashDue));
      return speed.isSlow;
    };
    assert.equal(
      [note(7, true), note(1, true), note(1, false), note(100, true), note(8, false), note(1, false)],
      [false, true, false, true, true, false],
    );
  });
  check('small files say nothing, however many they are', () => {
    const speed = new ReadSpeed();
    for (let n = 0; n < 100_000; n += 1) speed.note(read(3000, 0.1));
    assert.not.ok(speed.isSlow);
  });
  check('what was read lately counts more', () => {
    const speed = new ReadSpeed();
    const note = (count: number, ms: number): void => {
      for (let n = 0; n < count; n += 1) speed.note(read(1_000_000, ms));
    };
    note(1000, 0.2);
    assert.not.ok(speed.isSlow);
    note(200, 10);
    assert.ok(speed.isSlow);
    note(2000, 0.2);
    assert.not.ok(speed.isSlow);
  });
});
