// Writes of the runner that are refused for a while: another program has locked the database, or the write queue is full. Each is retried
// until it is stored, and no task is left marked as running.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../core/engine/clock.js';
import { AppError } from '../../core/model/errors.js';
import { withConnection } from '../../core/store/connection.js';
import { type Db, openDb, type Tx } from '../../core/store/db.js';
import { SYSTEM } from '../../core/store/feed.js';
import { migrate } from '../../core/store/migrate.js';
import { TaskRunner } from '../../core/tasks/runner.js';
import { taskById } from '../../core/tasks/task-rows.js';
import { until } from '../app.js';
import { assert, block } from '../kit.js';

interface Bench {
  readonly path: string;
  readonly db: Db;
  readonly runner: TaskRunner;
  readonly faults: unknown[];
  /** One function for each run of a task that has not ended, which ends it. */
  readonly running: (() => void)[];
  /** How often a task was run. */
  runs(): number;
  /** Refuses the background writes of the runner while it is true. */
  refuses: boolean;
}

const withRunner = async (use: (bench: Bench) => Promise<void>, queueLength = 100): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-refused-'));
  const path = join(folder, 'test.db');
  await migrate(path, folder);
  const db = await openDb({ path, readers: 1, readDeadlineMs: 10_000, queueLength });
  const faults: unknown[] = [];
  const running: (() => void)[] = [];
  let runs = 0;
  const through: Db = {
    ...db,
    write: (by, lane, body) =>
      bench.refuses && lane === 'background' ? Promise.reject(new AppError('Overloaded')) : db.write(by, lane, body),
  };
  const runner = new TaskRunner({
    db: through,
    clock: systemClock,
    lanes: { one: 1 },
    onFault: (thrown) => faults.push(thrown),
  });
  runner.register('work', {
    lane: 'one',
    run: ({ signal }) => {
      runs += 1;
      return new Promise<void>((resolve, reject) => {
        running.push(resolve);
        signal.addEventListener('abort', () => reject(new AppError('Cancelled')));
      });
    },
  });
  const bench: Bench = { path, db, runner, faults, running, runs: () => runs, refuses: false };
  try {
    runner.start();
    await use(bench);
  } finally {
    bench.refuses = false;
    await runner.stop();
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  }
};

const reaches = (db: Db, id: string, state: string): Promise<void> =>
  until(`the task is ${state}`, async () => (await taskById(db, id)).state === state);

/** Holds the writer and fills its queue of one until the returned function is called; `last` runs in the held transaction. */
const fillQueue = async (
  db: Db,
  last: (tx: Tx) => Promise<void> = async () => undefined,
): Promise<() => Promise<unknown>> => {
  let letGo: (() => void) | undefined;
  const held = db.write(SYSTEM, 'interactive', async (tx) => {
    await new Promise<void>((resolve) => {
      letGo = resolve;
    });
    await last(tx);
  });
  await until('the writer is held', () => letGo !== undefined);
  const queued = db.write(SYSTEM, 'interactive', async () => undefined);
  return () => {
    letGo?.();
    return Promise.all([held, queued]);
  };
};

block('refused writes of tasks', (check) => {
  check('the end of a task is stored once another program unlocks the database', () =>
    withRunner(async ({ path, db, runner, faults, running, runs }) => {
      const id = await runner.enqueue('work', null);
      await until('it runs', () => running.length === 1);
      await withConnection(path, async (other) => {
        await other.exec('BEGIN IMMEDIATE');
        running.pop()?.();
        await until('the write is refused', () => faults.length > 0);
        await other.exec('ROLLBACK');
      });
      await reaches(db, id, 'completed');
      assert.is(runs(), 1);
      assert.equal(
        faults.map((one) => /SQLITE_BUSY/.test(String(one))),
        [true],
      );
    }),
  );
  check('a task requested again while its end cannot be stored runs once more', () =>
    withRunner(async ({ db, runner, faults, running, runs }) => {
      const id = await runner.enqueue('work', null);
      await until('it runs', () => running.length === 1);
      const letGo = await fillQueue(db, async (tx) => {
        assert.is(await runner.add(tx, 'work', null), id);
      });
      running.pop()?.();
      await until('the write is refused', () => faults.length > 0);
      await letGo();
      await until('it runs again', () => running.length === 1);
      running.pop()?.();
      await reaches(db, id, 'completed');
      assert.is(runs(), 2);
    }, 1),
  );
  check('a task cancelled while its end cannot be stored is not left running', () =>
    withRunner(async ({ db, runner, faults, running }) => {
      const id = await runner.enqueue('work', null);
      await until('it runs', () => running.length === 1);
      const letGo = await fillQueue(db);
      running.pop()?.();
      await until('the write is refused', () => faults.length > 0);
      await letGo();
      await runner.cancel(id).catch((thrown: unknown) => {
        assert.match(String(thrown), /Cannot cancel a task that is completed/);
      });
      assert.is((await taskById(db, id)).state, 'completed');
    }, 1),
  );
  check('a refused claim is retried by itself', () =>
    withRunner(async (bench) => {
      const { db, runner, faults, running } = bench;
      const first = await runner.enqueue('work', null, { n: 1 });
      await until('it runs', () => running.length === 1);
      const second = await runner.enqueue('work', null, { n: 2 });
      bench.refuses = true;
      running.pop()?.();
      await until('the claim is refused', () => faults.length > 0);
      bench.refuses = false;
      await until('the next one runs', () => running.length === 1);
      running.pop()?.();
      await reaches(db, first, 'completed');
      await reaches(db, second, 'completed');
    }),
  );
  check('a task marked as running that nobody runs becomes pending; one that runs keeps its lease', () =>
    withRunner(async ({ db, runner, running }) => {
      const mine = await runner.enqueue('work', null, { n: 1 });
      await until('it runs', () => running.length === 1);
      const [row] = await db.all<{ owner: string }>('SELECT lease_owner AS owner FROM task');
      const others = [
        [row?.owner ?? '', Date.now() + 300_000],
        ['a dead process', Date.now() - 1],
        ['a living process', Date.now() + 300_000],
      ] as const;
      for (const [n, [owner, until]] of others.entries()) {
        const id = await runner.enqueue('work', null, { other: n });
        await db.write(SYSTEM, 'interactive', (tx) =>
          tx.run(
            "UPDATE task SET state = 'running', starts = 1, lease_owner = ?, lease_until = ? WHERE hex(uuid) = upper(replace(?, '-', ''))",
            [owner, until, id],
          ),
        );
      }
      await db.write(SYSTEM, 'interactive', (tx) =>
        tx.run('UPDATE task SET lease_until = 0 WHERE lease_owner = ? AND id = 1', [row?.owner ?? '']),
      );
      await runner.renew();
      const sql = 'SELECT state, starts, lease_until > ? AS isLeased FROM task ORDER BY id';
      assert.equal(await db.all(sql, [Date.now()]), [
        { state: 'running', starts: 1, isLeased: 1 },
        { state: 'pending', starts: 0, isLeased: null },
        { state: 'pending', starts: 1, isLeased: null },
        { state: 'running', starts: 1, isLeased: 1 },
      ]);
      assert.is((await taskById(db, mine)).state, 'running');
    }),
  );
});
