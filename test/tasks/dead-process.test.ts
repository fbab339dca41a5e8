// Real processes that die of their task: a task left running restarts at once, and is quarantined after three starts without progress.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../core/engine/clock.js';
import { type Db, openDb } from '../../core/store/db.js';
import { SYSTEM } from '../../core/store/feed.js';
import { migrate } from '../../core/store/migrate.js';
import { TaskRunner } from '../../core/tasks/runner.js';
import { taskById } from '../../core/tasks/task-rows.js';
import { until } from '../app.js';
import { assert, block } from '../kit.js';

const OPTIONS = { readers: 1, readDeadlineMs: 10_000, queueLength: 100 };
const moduleAt = (path: string): string => JSON.stringify(new URL(`../../core/${path}`, import.meta.url).href);

/** A process whose runner starts the task, which kills the process, like a fault in native code. `before` runs in the task first. */
const dieOf = async (path: string, before = '', type = ''): Promise<void> => {
  const script = `const { openDb } = await import(${moduleAt('store/db.js')});
    const { TaskRunner } = await import(${moduleAt('tasks/runner.js')});
    const db = await openDb({ path: ${JSON.stringify(path)}, ...${JSON.stringify(OPTIONS)} });
    const clock = { now: () => Date.now(), elapsed: () => performance.now() };
    const tasks = new TaskRunner({ db, clock, lanes: { one: 1 }, onFault: (thrown) => console.error(thrown) });
    const run = async (context) => { ${before}; process.kill(process.pid, 'SIGKILL'); await new Promise(() => {}); };
    tasks.register('deadly', { lane: 'one', run, ${type} });
    tasks.register('harmless', { lane: 'one', run: async () => undefined });
    tasks.start();`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const [, signal] = (await once(child, 'exit')) as [number | null, string | null];
  assert.is(signal, 'SIGKILL');
};

interface Left {
  readonly path: string;
  readonly db: Db;
  /** The row of the deadly task. */
  row(): Promise<{ state: string; starts: number; isLeased: number; error: string | null }>;
  /** The tasks started by a runner of this process, in order; it runs until `use` has ended. */
  alive(): Promise<string[]>;
  readonly deadly: string;
  readonly harmless: string;
}

const withTasks = async (use: (left: Left) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-dead-'));
  const path = join(folder, 'test.db');
  await migrate(path, folder);
  const db = await openDb({ path, ...OPTIONS });
  const faults: unknown[] = [];
  const began: string[] = [];
  const runnerWith = (): TaskRunner => {
    const runner = new TaskRunner({
      db,
      clock: systemClock,
      lanes: { one: 1 },
      onFault: (thrown) => faults.push(thrown),
    });
    for (const type of ['deadly', 'harmless'])
      runner.register(type, { lane: 'one', run: async () => void began.push(type) });
    return runner;
  };
  const runner = runnerWith();
  try {
    const deadly = await runner.enqueue('deadly', null, {}, { priority: 1 });
    const harmless = await runner.enqueue('harmless', null);
    await use({
      path,
      db,
      deadly,
      harmless,
      row: async () => {
        const sql = 'SELECT state, starts, lease_until > ? AS isLeased, error FROM task WHERE type = ?';
        const [row] = await db.all<Awaited<ReturnType<Left['row']>>>(sql, [Date.now(), 'deadly']);
        assert.ok(row);
        return row;
      },
      alive: async () => {
        runner.start();
        await until('the neighbour ran', async () => (await taskById(db, harmless)).state === 'completed');
        return began;
      },
    });
    assert.equal(faults, []);
  } finally {
    await runner.stop();
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  }
};

block('tasks of processes that died', (check) => {
  check('a task left running restarts at once, although its lease has not ended', () =>
    withTasks(async ({ path, db, deadly, row, alive }) => {
      await dieOf(path);
      assert.equal(await row(), { state: 'running', starts: 1, isLeased: 1, error: null });
      assert.equal(await alive(), ['deadly', 'harmless']);
      assert.is((await taskById(db, deadly)).state, 'completed');
    }),
  );
  check('after three deaths it is quarantined with an error, and the other task runs', () =>
    withTasks(async ({ path, row, alive }) => {
      for (const starts of [1, 2, 3]) {
        await dieOf(path);
        assert.equal(await row(), { state: 'running', starts, isLeased: 1, error: null });
      }
      assert.equal(await alive(), ['harmless']);
      const { state, error } = await row();
      assert.is(state, 'failed');
      assert.match(
        error ?? '',
        /^The server stopped 3 times while this task ran without progress.* Start it again to retry\.$/,
      );
    }),
  );
  check('deaths after progress do not add up', () =>
    withTasks(async ({ path, row, alive }) => {
      for (let death = 0; death < 4; death += 1) {
        await dieOf(path, 'await context.checkpoint((context.reached() ?? 0) + 1)');
        assert.is((await row()).starts, 0);
      }
      assert.equal(await alive(), ['deadly', 'harmless']);
    }),
  );
  check('an unchanged checkpoint, and displayed progress that starts over, do not prevent quarantine', () =>
    withTasks(async ({ path, row, alive }) => {
      const before = `await context.checkpoint('marked'); context.progress(5, 9); await context.checkpoint('marked')`;
      await dieOf(path, before);
      assert.is((await row()).starts, 0);
      for (const starts of [1, 2, 3]) {
        await dieOf(path, before);
        assert.is((await row()).starts, starts);
      }
      assert.equal(await alive(), ['harmless']);
      assert.is((await row()).state, 'failed');
    }),
  );
  check('if its type has a measure, only that counts as progress', () =>
    withTasks(async ({ path, db, row, alive }) => {
      const measure = `measure: (from) => from.all("SELECT count(*) AS n FROM task WHERE type = 'trace'")`;
      const leave = `await db.write(null, 'background', (tx) => tx.run(
        "INSERT INTO task (uuid, type, state, completed_at, created_at) VALUES (randomblob(16), 'trace', 'completed', 9e12, 0)"))`;
      const before = 'await context.checkpoint(context.id + Math.random())';
      await db.write(SYSTEM, 'background', (tx) =>
        tx.run("UPDATE task SET measured = '[{\"n\":0}]' WHERE type = 'deadly'"),
      );
      for (const starts of [1, 1, 1, 1]) {
        await dieOf(path, `${leave}; ${before}`, measure);
        assert.is((await row()).starts, starts);
      }
      for (const starts of [1, 2, 3]) {
        await dieOf(path, before, measure);
        assert.is((await row()).starts, starts);
      }
      assert.equal(await alive(), ['harmless']);
      assert.is((await row()).state, 'failed');
    }),
  );
  check('once quarantined, it is not restarted by a start, only on request', () =>
    withTasks(async ({ path, db, deadly, alive }) => {
      for (let death = 0; death < 3; death += 1) await dieOf(path);
      await alive();
      const clock = systemClock;
      const later = new TaskRunner({ db, clock, lanes: { one: 1 }, onFault: () => undefined });
      await later.resume('deadly', null);
      await later.resume('harmless', null);
      const open = "SELECT type FROM task WHERE state = 'pending' ORDER BY id";
      assert.equal(await db.all(open), [{ type: 'harmless' }]);
      const again = await later.enqueue('deadly', null);
      assert.is.not(again, deadly);
    }),
  );
});
