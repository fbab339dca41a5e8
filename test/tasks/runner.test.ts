// The runner's guarantees for single tasks: progress, full disks, tasks that end the process, pruning, cancelling.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.js';
import { type Db, openDb } from '../../core/store/db.js';
import { migrate } from '../../core/store/migrate.js';
import { TaskRunner } from '../../core/tasks/runner.js';
import type { TaskContext, TaskState } from '../../core/tasks/task.js';
import { taskById } from '../../core/tasks/task-rows.js';
import { until } from '../app.js';
import { assert, block, thrownBy } from '../kit.js';

const DAY_MS = 24 * 3_600_000;

interface Bench {
  readonly db: Db;
  readonly faults: unknown[];
  now: number;
  runner(run: (context: TaskContext) => Promise<unknown>, through?: Db): TaskRunner;
}

const withDb = async (use: (bench: Bench) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-tasks-'));
  const path = join(folder, 'longbox.db');
  await migrate(path, folder);
  const db = await openDb({ path, readers: 1, readDeadlineMs: 10_000, queueLength: 100 });
  const faults: unknown[] = [];
  const runners: TaskRunner[] = [];
  const bench: Bench = {
    db,
    faults,
    now: DAY_MS,
    runner: (run, through = db) => {
      const clock = { now: () => bench.now, elapsed: () => bench.now };
      const runner = new TaskRunner({
        db: through,
        clock,
        lanes: { one: 1 },
        onFault: (thrown) => faults.push(thrown),
      });
      runner.register('work', { lane: 'one', run });
      if (through === db) runners.push(runner);
      return runner;
    },
  };
  try {
    await use(bench);
  } finally {
    for (const runner of runners) await runner.stop();
    await db.close();
    rmSync(folder, { recursive: true, force: true });
  }
};

const reaches = (db: Db, id: string, state: TaskState): Promise<void> =>
  until(`the task is ${state}`, async () => (await taskById(db, id)).state === state);

const ended = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(new AppError('Cancelled')));
  });

block('tasks', (check) => {
  check('a thousand progress reports are stored in few writes, the last one with the end', () =>
    withDb(async ({ db, runner }) => {
      let writes = 0;
      const counting: Db = {
        ...db,
        write: (by, lane, body) => {
          writes += 1;
          return db.write(by, lane, body);
        },
      };
      const tasks = runner(async ({ progress }) => {
        for (let n = 1; n <= 1000; n += 1) progress(n, 1000);
        return { done: true };
      }, counting);
      tasks.start();
      const id = await tasks.enqueue('work', null);
      await reaches(db, id, 'completed');
      const { current, total, result } = await taskById(db, id);
      assert.equal({ current, total, result }, { current: 1000, total: 1000, result: { done: true } });
      assert.ok(writes < 20, `${writes} writes`);
      await tasks.stop();
    }),
  );
  check('a full disk interrupts a task, which resumes from its checkpoint', () =>
    withDb(async ({ db, faults, runner }) => {
      const met: unknown[] = [];
      const tasks = runner(async ({ reached, checkpoint }) => {
        met.push(reached());
        if (met.length > 1) return;
        await checkpoint({ at: 7 });
        throw new AppError('StorageFull');
      });
      tasks.start();
      await reaches(db, await tasks.enqueue('work', null), 'completed');
      assert.equal(met, [null, { at: 7 }]);
      assert.equal(faults, []);
    }),
  );
  check('a task requested again while it runs starts over, not at the checkpoint of the previous run', () =>
    withDb(async ({ db, runner }) => {
      const met: unknown[] = [];
      const tasks = runner(async ({ reached, checkpoint }) => {
        met.push(reached());
        await checkpoint({ at: 'the end' });
        if (met.length === 1) await tasks.enqueue('work', null);
      });
      tasks.start();
      await reaches(db, await tasks.enqueue('work', null), 'completed');
      assert.equal(met, [null, null]);
    }),
  );
  check('a failed task says why; an unexpected error goes to the log, not to the client', () =>
    withDb(async ({ db, faults, runner }) => {
      const tasks = runner(({ parameters }) =>
        Promise.reject(parameters.known === true ? new AppError('FileUnreadable') : new Error('secret')),
      );
      tasks.start();
      const [known, unknown] = [
        await tasks.enqueue('work', null, { known: true }),
        await tasks.enqueue('work', null, { known: false }),
      ];
      await reaches(db, known, 'failed');
      await reaches(db, unknown, 'failed');
      assert.is((await taskById(db, known)).error, 'The file cannot be read from disk.');
      assert.is((await taskById(db, unknown)).error, 'The task failed; the log says why.');
      assert.equal(
        faults.map((one) => (one as Error).message),
        ['secret'],
      );
    }),
  );
  check('a task that ends the process three times is quarantined, and the next one runs', () =>
    withDb(async (bench) => {
      const { db } = bench;
      const ids: string[] = [];
      for (let start = 0; start < 4; start += 1) {
        // The process of the first three starts dies silently: nothing it does reaches the database any more.
        const process = { isDead: false };
        const through: Db = {
          ...db,
          write: (by, lane, body) => (process.isDead ? new Promise(() => undefined) : db.write(by, lane, body)),
        };
        let isRunning = false;
        const run = ({ parameters, signal }: TaskContext): Promise<unknown> => {
          isRunning = true;
          return parameters.deadly === true ? ended(signal) : Promise.resolve();
        };
        const tasks = bench.runner(run, start < 3 ? through : db);
        tasks.start();
        if (start === 0)
          ids.push(
            await tasks.enqueue('work', null, { deadly: true }),
            await tasks.enqueue('work', null, { deadly: false }),
          );
        await until('a task runs', () => isRunning);
        process.isDead = true;
        if (start < 3) void tasks.stop();
      }
      const [deadly = '', harmless = ''] = ids;
      await reaches(db, harmless, 'completed');
      const { state, error } = await taskById(db, deadly);
      assert.is(state, 'failed');
      assert.match(error ?? '', /3 times/);
    }),
  );
  check('a task that cannot be taken over is reported and blocks no other; a full disk delays the start', () =>
    withDb(async ({ db, faults, runner }) => {
      const tasks = runner(async () => undefined);
      const thrown = [new AppError('StorageFull'), new Error('broken')];
      let tries = 0;
      tasks.start(async () => {
        tries += 1;
        throw thrown.shift();
      });
      await reaches(db, await tasks.enqueue('work', null), 'completed');
      assert.is(tries, 2);
      assert.equal(faults.splice(0).map(String), ['Error: broken']);
    }),
  );
  check('finished tasks are kept a week', () =>
    withDb(async (bench) => {
      const tasks = bench.runner(async () => undefined);
      tasks.start();
      const id = await tasks.enqueue('work', null);
      await reaches(bench.db, id, 'completed');
      bench.now += 6 * DAY_MS;
      await tasks.prune();
      assert.is((await taskById(bench.db, id)).state, 'completed');
      bench.now += 2 * DAY_MS;
      await tasks.prune();
      const thrown = await thrownBy(() => taskById(bench.db, id));
      assert.ok(thrown instanceof AppError && thrown.kind === 'NotFound');
    }),
  );
  check('cancelling waits until the task has ended, and refuses a task that already has', () =>
    withDb(async ({ db, runner }) => {
      let isRunning = false;
      const tasks = runner(async ({ signal }) => {
        isRunning = true;
        await ended(signal).finally(() => {
          isRunning = false;
        });
      });
      tasks.start();
      const id = await tasks.enqueue('work', null);
      await until('it runs', () => isRunning);
      await tasks.cancel(id);
      assert.not(isRunning);
      assert.is((await taskById(db, id)).state, 'cancelled');
      const thrown = await thrownBy(() => tasks.cancel(id));
      assert.ok(thrown instanceof AppError && thrown.kind === 'BadRequest', String(thrown));
    }),
  );
  check('who asks for a task while it is being cancelled gets it from the beginning; who asked before does not', () =>
    withDb(async ({ db, runner }) => {
      const begun: unknown[] = [];
      let letGo = (): void => undefined;
      const tasks = runner(async ({ signal, reached, checkpoint }) => {
        begun.push(reached());
        if (begun.length === 3) return;
        await checkpoint(begun.length);
        await ended(signal).catch(() => new Promise<void>((resolve) => (letGo = resolve)));
        throw new AppError('Cancelled');
      });
      tasks.start();
      const id = await tasks.enqueue('work', null);
      await until('it runs', async () => (await taskById(db, id)).checkpoint === 1);
      await tasks.enqueue('work', null);
      const first = tasks.cancel(id);
      await until('it ends', () => letGo.length === 1);
      letGo();
      await first;
      assert.is((await taskById(db, id)).state, 'cancelled');

      const other = await tasks.enqueue('work', null);
      await until('it runs', async () => (await taskById(db, other)).checkpoint === 2);
      letGo = () => undefined;
      const second = tasks.cancel(other);
      await until('it ends', () => letGo.length === 1);
      assert.is(await tasks.enqueue('work', null), other);
      letGo();
      await second;
      await reaches(db, other, 'completed');
      assert.equal(begun, [null, null, null]);
    }),
  );
  check('a task that cannot be cancelled says why, and continues', () =>
    withDb(async ({ db, runner }) => {
      const running: (() => void)[] = [];
      const tasks = runner(async () => undefined);
      const run = (): Promise<void> => new Promise((done) => running.push(done));
      tasks.register('work', { lane: 'one', run, cannotCancel: 'It has gone too far.' });
      tasks.start();
      const ids = [await tasks.enqueue('work', null, { n: 1 }), await tasks.enqueue('work', null, { n: 2 })];
      for (const id of ids) {
        const thrown = await thrownBy(() => tasks.cancel(id));
        assert.match(String(thrown), /gone too far/);
        await until('it runs', () => running.length > 0);
        running.pop()?.();
        await reaches(db, id, 'completed');
      }
    }),
  );
});
