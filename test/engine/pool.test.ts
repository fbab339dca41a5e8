// The pool with threads of its own kind: lanes, bounds, deadlines, cancelling, threads that die.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openPool, type Pool, type PoolOptions } from '../../core/engine/pool.js';
import { AppError } from '../../core/model/errors.js';
import type { Jobs } from '../../core/model/jobs.js';
import { until } from '../app.js';
import { assert, block, thrownBy } from '../kit.js';

/** The path of a job says what its thread does. `wait` blocks until it is cancelled, the way a step that asks does. */
const WORKER = `
import { threadId, workerData } from 'node:worker_threads';
const room = new Int32Array(workerData.room);
export const run = async ({ input, control }) => {
  const flag = new Int32Array(control);
  Atomics.add(flag, 1, 1);
  const [word, argument] = input.path.split(' ');
  if (word === 'echo') return { ok: true, value: argument, times: [] };
  if (word === 'sleep') { Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(argument)); return { ok: true, value: word, times: [] }; }
  if (word === 'wait') { while (Atomics.load(flag, 0) === 0) Atomics.wait(flag, 0, 0, 5); return { ok: false, error: { kind: 'Cancelled', message: 'stopped', details: null }, times: [] }; }
  if (word === 'slow') { for (let n = 0; n < Number(argument) && Atomics.load(flag, 0) === 0; n += 1) { Atomics.wait(flag, 0, 0, 20); Atomics.add(flag, 1, 1); } return { ok: true, value: Atomics.load(flag, 0) === 0 ? word : 'stopped', times: [] }; }
  if (word === 'hold') { Atomics.sub(room, 0, 1000); flag[2] = 1000; for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000); }
  if (word === 'room') return { ok: true, value: room[0], times: [] };
  if (word === 'hang') { for (;;) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000); }
  if (word === 'fault') return { ok: false, error: { kind: 'CorruptArchive', message: 'broken', details: [1] }, times: [] };
  if (word === 'grow') return { ok: true, value: word, times: [], thread: threadId, retire: true };
  if (word === 'die') process.exit(3);
  if (word === 'retire') return { ok: true, value: argument, times: [], thread: threadId, retire: true };
  if (word === 'thread') return { ok: true, value: String(threadId), times: [] };
  throw new Error('unforeseen');
};`;

let folder = '';

const withPool = async (
  use: (
    pool: Pool,
    run: (path: string, lane?: 'interactive' | 'background', signal?: AbortSignal) => Promise<unknown>,
  ) => Promise<void>,
  change: Partial<PoolOptions> = {},
): Promise<void> => {
  const entry = pathToFileURL(join(folder, 'worker.mjs')).href;
  const pool = openPool({
    entry,
    threads: 2,
    idleTimeoutMs: 500,
    queueInteractive: 4,
    queueBackground: 4,
    jobDeadlineMs: 20_000,
    ...change,
  });
  try {
    await use(pool, (path, lane = 'interactive', signal) =>
      pool.run('partial', { path }, signal === undefined ? { lane } : { lane, signal }),
    );
  } finally {
    await pool.close();
  }
};

const kindOf = async (work: () => Promise<unknown>): Promise<string> => {
  const thrown = await thrownBy(work);
  return thrown instanceof AppError ? thrown.kind : String(thrown);
};

block(
  'pool',
  (check) => {
    check('a value comes back; a fault comes back as an error of its kind with its details', () =>
      withPool(async (_pool, run) => {
        assert.is(await run('echo hello'), 'hello');
        const thrown = await thrownBy(() => run('fault'));
        assert.ok(thrown instanceof AppError);
        assert.equal([thrown.kind, thrown.message, thrown.details], ['CorruptArchive', 'broken', [1]]);
      }),
    );
    check('a thread whose memory has grown too large is replaced, and no job is lost', () =>
      withPool(
        async (pool, run) => {
          const first = await run('thread');
          assert.is(await run('retire once'), 'once');
          assert.is.not(await run('thread'), first);
          const all = await Promise.all(
            Array.from({ length: 60 }, (_, n) => run(n % 3 === 0 ? `retire ${n}` : `echo ${n}`)),
          );
          assert.equal(
            all,
            Array.from({ length: 60 }, (_, n) => String(n)),
          );
          assert.is(pool.load().running, 0);
        },
        { threads: 2, queueInteractive: 100 },
      ),
    );
    check('more jobs than the queue holds are refused at once', () =>
      withPool(async (_pool, run) => {
        const answers = await Promise.allSettled(Array.from({ length: 12 }, () => run('sleep 20')));
        const refused = answers.filter(
          (one) => one.status === 'rejected' && one.reason instanceof AppError && one.reason.kind === 'Overloaded',
        );
        assert.is(refused.length, 12 - 2 - 4);
      }),
    );
    check('background jobs leave a thread for interactive ones', () =>
      withPool(async (pool, run) => {
        const leaving = new AbortController();
        const long = Promise.allSettled([1, 2].map(() => run('wait', 'background', leaving.signal)));
        await until('one runs', () => pool.load().running === 1 && pool.load().waiting === 1);
        assert.is(await run('echo quick'), 'quick');
        assert.equal([pool.load().running, pool.load().waiting], [1, 1], 'it did not wait for the others');
        leaving.abort();
        await long;
      }),
    );
    check('one user never holds all threads; another user gets one at once', () =>
      withPool(
        async (pool) => {
          const leaving = new AbortController();
          const run = (path: string, user: number): Promise<unknown> =>
            pool.run('partial', { path }, { lane: 'interactive', user, signal: leaving.signal });
          const greedy = Promise.allSettled(Array.from({ length: 6 }, () => run('wait', 1)));
          assert.is(await run('echo other', 2), 'other');
          assert.equal([pool.load().running, pool.load().waiting], [2, 4]);
          leaving.abort();
          await greedy;
        },
        { threads: 3, queueInteractive: 24 },
      ),
    );
    check('users take turns', () =>
      withPool(
        async (pool) => {
          const order: string[] = [];
          const run = async (path: string, user: number, signal?: AbortSignal): Promise<void> => {
            const told = await pool.run('partial', { path }, { lane: 'interactive', user, signal }).catch(() => '');
            if (told !== '') order.push(String(told));
          };
          const [first, second] = [new AbortController(), new AbortController()];
          const holding = [run('wait', 1, first.signal), run('wait', 2, second.signal)];
          await until('both threads are taken', () => pool.load().running === 2);
          const queued = [run('echo 1a', 1), run('echo 1b', 1), run('echo 3', 3)];
          first.abort();
          await Promise.all(queued);
          assert.equal(order, ['1a', '3', '1b']);
          second.abort();
          await Promise.all(holding);
        },
        { queueInteractive: 24 },
      ),
    );
    check('one user cannot fill the queue', () =>
      withPool(
        async (pool) => {
          const leaving = new AbortController();
          const run = (user: number): Promise<unknown> =>
            pool.run('partial', { path: 'wait' }, { lane: 'interactive', user, signal: leaving.signal });
          const mine = Array.from({ length: 8 }, () => run(1).catch((thrown: AppError) => thrown.kind));
          const other = run(2).catch((thrown: AppError) => thrown.kind);
          await until('the other job runs', () => pool.load().running === 2);
          leaving.abort();
          assert.is((await Promise.all(mine)).filter((kind) => kind === 'Overloaded').length, 8 - 1 - 2);
          assert.is(await other, 'Cancelled');
        },
        { queueInteractive: 8 },
      ),
    );
    check(
      'a walk starts although other background jobs hold their threads; a second one goes before waiting jobs',
      () =>
        withPool(async (pool, run) => {
          const order: unknown[] = [];
          const walk = async (path: string, signal?: AbortSignal): Promise<void> => {
            const input = { path } as unknown as Jobs['walk']['input'];
            await pool.run('walk', input, { lane: 'background', signal }).then(
              (told) => order.push(told),
              () => undefined,
            );
          };
          const [job, walking] = [new AbortController(), new AbortController()];
          const long = run('wait', 'background', job.signal).catch(() => undefined);
          await until('the job runs', () => pool.load().running === 1);
          const queued = run('echo job', 'background').then((told) => order.push(told));
          await walk('echo walk');
          const first = walk('wait', walking.signal);
          const second = walk('echo second');
          job.abort();
          await Promise.all([long, queued, second]);
          assert.equal(order, ['walk', 'second', 'job']);
          walking.abort();
          await first;
        }),
    );
    check(
      'cancelling a queued job ends it at once; cancelling a running one asks it to stop and keeps its thread',
      () =>
        withPool(async (pool, run) => {
          const [first, second] = [new AbortController(), new AbortController()];
          const running = run('wait', 'background', first.signal);
          const queued = run('echo never', 'background', second.signal);
          await until('it runs', () => pool.load().running === 1);
          second.abort();
          assert.is(await kindOf(() => queued), 'Cancelled');
          first.abort();
          assert.is(await kindOf(() => running), 'Cancelled');
          assert.is(await run('echo after'), 'after');
        }),
    );
    check('a job past its deadline that can stop does so and is a Timeout', () =>
      withPool(async (_pool, run) => assert.is(await kindOf(() => run('wait')), 'Timeout'), { jobDeadlineMs: 100 }),
    );
    check('a job that hangs loses its thread, and the pool goes on', () =>
      withPool(
        async (_pool, run) => {
          assert.is(await kindOf(() => run('hang')), 'Timeout');
          assert.is(await run('echo alive'), 'alive');
        },
        { jobDeadlineMs: 100 },
      ),
    );
    check('decoding memory held by a thread is free again when the thread is ended', () =>
      withPool(
        async (_pool, run) => {
          const free = await run('room');
          assert.is(await kindOf(() => run('hold')), 'Timeout');
          assert.is(await run('room'), free);
        },
        { jobDeadlineMs: 1000 },
      ),
    );
    check('a job that makes progress may exceed the deadline, unless a caller waits for it', () =>
      withPool(
        async (pool, run) => {
          assert.is(await run('slow 100'), 'slow');
          const waitedFor = pool.run('partial', { path: 'slow 100' }, { lane: 'interactive', deadlineMs: 1000 });
          assert.is(await waitedFor, 'stopped');
        },
        { jobDeadlineMs: 1000 },
      ),
    );
    check('a job with a waiting caller may have a shorter deadline', () =>
      withPool(async (pool, run) => {
        const hung = (): Promise<unknown> =>
          pool.run('partial', { path: 'hang' }, { lane: 'interactive', deadlineMs: 100 });
        assert.is(await kindOf(hung), 'Timeout');
        assert.is(await run('echo alive'), 'alive');
      }),
    );
    check('a thread that dies takes its job with it as WorkerCrashed, and the pool goes on', () =>
      withPool(async (_pool, run) => {
        assert.is(await kindOf(() => run('die')), 'WorkerCrashed');
        assert.is(await run('echo alive'), 'alive');
      }),
    );
    check('a job handed to a thread that is being replaced is done by another', () =>
      withPool(async (_pool, run) => {
        const loop = async (path: string): Promise<void> => {
          for (let count = 0; count < 40; count += 1) await run(path);
        };
        await Promise.all([loop('grow'), loop('echo one'), loop('echo two')]);
      }),
    );
    check('idle threads end', () =>
      withPool(
        async (pool, run) => {
          await run('echo once');
          assert.ok(pool.load().threads > 0);
          await until('no thread is left', () => pool.load().threads === 0);
        },
        { idleTimeoutMs: 50 },
      ),
    );
    check('closing refuses new jobs and ends waiting ones', () =>
      withPool(async (pool, run) => {
        const waiting = [run('sleep 100'), run('sleep 100'), run('echo never')];
        const settled = Promise.allSettled(waiting);
        await pool.close();
        assert.equal((await settled).map(({ status }) => status)[2], 'rejected');
        assert.is(await kindOf(() => run('echo late')), 'Cancelled');
      }),
    );
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-pool-'));
      writeFileSync(join(folder, 'worker.mjs'), WORKER);
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
    deadlineS: 30,
  },
);
