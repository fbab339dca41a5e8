// How tasks went: what is stored when they end, and what is not.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.js';
import { type Db, openDb } from '../../core/store/db.js';
import { SYSTEM } from '../../core/store/feed.js';
import { migrate } from '../../core/store/migrate.js';
import { classOf, percentile } from '../../core/tasks/durations.js';
import { deleteMeasured, HOUR_MS, MEASURED_MAX_MS, oldestMeasured } from '../../core/tasks/measured.js';
import { TaskRunner } from '../../core/tasks/runner.js';
import type { TaskContext } from '../../core/tasks/task.js';
import { taskById } from '../../core/tasks/task-rows.js';
import { until } from '../app.js';
import { feedCheck } from '../feed-check.js';
import { assert, block } from '../kit.js';

interface Row {
  readonly type: string;
  readonly hour: number;
  readonly succeeded: number;
  readonly failed: number;
  readonly retried: number;
  readonly duration_ms: number;
  readonly wait_ms: number;
  readonly min_ms: number;
  readonly max_ms: number;
  readonly items: number;
  readonly bytes: number;
  readonly last_error: string | null;
}

interface Bench {
  readonly db: Db;
  now: number;
  /** Besides the time that `now` passes by itself. */
  setBackMs: number;
  keptMs: number | null;
  rows(): Promise<Row[]>;
  /** Runs one task to its end. */
  work(run: (context: TaskContext) => Promise<unknown>): Promise<string>;
  readonly runner: TaskRunner;
}

const withBench = async (use: (bench: Bench) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-measured-'));
  const path = join(folder, 'longbox.db');
  await migrate(path, folder);
  const db = await openDb({ path, readers: 1, readDeadlineMs: 10_000, queueLength: 100, inspection: feedCheck });
  let turn: (context: TaskContext) => Promise<unknown> = async () => undefined;
  let runs = 0;
  const bench = {
    db,
    now: 1000 * HOUR_MS,
    setBackMs: 0,
    keptMs: (30 * 24 * HOUR_MS) as number | null,
    rows: () => db.all<Row>('SELECT * FROM task_metric ORDER BY hour'),
    work: async (run: (context: TaskContext) => Promise<unknown>) => {
      turn = run;
      runs += 1;
      const id = await runner.enqueue('work', null, { runs });
      await until('it has ended', async () => (await taskById(db, id)).completedAt !== null);
      return id;
    },
  };
  const runner = new TaskRunner({
    db,
    clock: { now: () => bench.now, elapsed: () => bench.now + bench.setBackMs },
    lanes: { one: 1 },
    measuredMs: () => bench.keptMs,
    onFault: () => undefined,
  });
  runner.register('work', { lane: 'one', run: (context) => turn(context) });
  runner.start();
  try {
    await use(Object.assign(bench, { runner }));
  } finally {
    await runner.stop();
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  }
};

const taking = (bench: Bench, ms: number) => async (): Promise<void> => {
  bench.now += ms;
};

block('measured tasks', (check) => {
  check('a percentile is at most a fifth too high, and within what was seen', () => {
    for (let ms = 0; ms < 3_000_000; ms = Math.ceil(ms * 1.07) + 1) {
      const found = percentile(new Map([[classOf(ms), 1]]), 0.5, 0, Number.MAX_SAFE_INTEGER);
      assert.ok(found >= ms && found <= ms * 1.2 + 1, `${ms} became ${found}`);
      assert.is(percentile(new Map([[classOf(ms), 1]]), 0.95, ms, ms), ms);
    }
    const spread = new Map([
      [classOf(10), 94],
      [classOf(1000), 6],
    ]);
    assert.ok(percentile(spread, 0.5, 10, 1000) <= 12);
    assert.is(percentile(spread, 0.95, 10, 1000), 1000);
    assert.is(percentile(new Map(), 0.5, 0, 0), 0);
  });

  check('ends are summed by the hour, with items, bytes and the last error', () =>
    withBench(async (bench) => {
      await bench.work(async (context) => {
        context.progress(7, 9);
        context.read(500);
        await taking(bench, 100)();
      });
      await bench.work(taking(bench, 300));
      await bench.work(async () => {
        throw new AppError('Conflict', 'It did not fit.');
      });
      const [row, ...others] = await bench.rows();
      assert.equal(others, []);
      assert.is(row?.hour, 1000 * HOUR_MS);
      assert.equal([row?.type, row?.succeeded, row?.failed, row?.retried], ['work', 2, 1, 0]);
      assert.equal([row?.duration_ms, row?.min_ms, row?.max_ms], [400, 0, 300]);
      assert.equal([row?.items, row?.bytes, row?.last_error], [8, 500, 'It did not fit.']);
      bench.now += HOUR_MS;
      await bench.work(taking(bench, 0));
      assert.equal(
        (await bench.rows()).map(({ succeeded, last_error }) => [succeeded, last_error]),
        [
          [2, 'It did not fit.'],
          [1, null],
        ],
      );
    }),
  );

  check('a clock that is set while a task runs makes it neither longer nor shorter', () =>
    withBench(async (bench) => {
      for (const hours of [5, -5])
        await bench.work(async () => {
          bench.now += hours * HOUR_MS + 200;
          bench.setBackMs -= hours * HOUR_MS;
        });
      const rows = await bench.rows();
      assert.equal(
        rows.map(({ duration_ms, min_ms, max_ms }) => [duration_ms, min_ms, max_ms]),
        rows.map(() => [200, 200, 200]),
      );
    }),
  );

  check('a task that is requested again while it runs waits from then on', () =>
    withBench(async (bench) => {
      let turns = 0;
      bench.runner.register('twice', {
        lane: 'one',
        run: async () => {
          turns += 1;
          if (turns === 1) await bench.runner.enqueue('twice', null, {});
        },
      });
      await bench.work(async () => {
        await bench.runner.enqueue('twice', null, {});
        await taking(bench, 500)();
      });
      await until('both turns have ended', async () => (await bench.rows()).some(({ succeeded }) => succeeded === 2));
      const found = (await bench.rows()).find(({ type }) => type === 'twice');
      assert.equal([found?.wait_ms, found?.retried], [500, 1]);
    }),
  );

  check('what is cancelled or parked is not counted, and nothing is while measuring is off', () =>
    withBench(async (bench) => {
      bench.keptMs = null;
      await bench.work(taking(bench, 5));
      assert.equal(await bench.rows(), []);
      bench.keptMs = HOUR_MS;
      await bench.work(taking(bench, 5));
      assert.is((await bench.rows()).length, 1);
    }),
  );

  check('old hours are deleted, newer ones stay, and a transaction holds few of them', () =>
    withBench(async (bench) => {
      const hours = Array.from({ length: 1200 }, (_, at) => at * HOUR_MS);
      await bench.db.write(SYSTEM, 'background', async (tx) => {
        await tx.run(
          `INSERT INTO task_metric SELECT NULL, 'work', value, value, 1, 0, 0, 1, 1, 1, 1, 1, 0, '{}', NULL, NULL FROM json_each(?)`,
          [JSON.stringify(hours)],
        );
        tx.report({ kind: 'server', change: 'updated', keys: [0], aspects: 64 });
      });
      assert.is(await deleteMeasured(bench.db, SYSTEM, 1100 * HOUR_MS), 1100);
      assert.is(await oldestMeasured(bench.db), 1100 * HOUR_MS);
      assert.is(await deleteMeasured(bench.db, SYSTEM, 1100 * HOUR_MS), 0);
      assert.ok(MEASURED_MAX_MS >= 180 * 24 * HOUR_MS);
      await deleteMeasured(bench.db, SYSTEM, Number.MAX_SAFE_INTEGER);
      assert.is(await oldestMeasured(bench.db), null);
    }),
  );
});
