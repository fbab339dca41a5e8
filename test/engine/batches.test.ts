// Small jobs that go to a thread together: which do, and that each still has its own result, its own deadline and its own faults.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openPool, type Pool, type PoolOptions, type RunOptions } from '../../core/engine/pool.js';
import { newControl } from '../../core/engine/pool-entry.js';
import { Readers } from '../../core/engine/readers.js';
import { Urgency } from '../../core/engine/urgency.js';
import { AppError } from '../../core/model/errors.js';
import type { Job, Outcome } from '../../core/model/jobs.js';
import { monotonicMs } from '../../core/model/monotonic.js';
import { runBatch } from '../../workers/run-batch.js';
import { until } from '../app.js';
import { assert, block } from '../kit.js';

const RUN_BATCH = new URL('../../workers/run-batch.js', import.meta.url).href;

/** The path of a job says what its thread does: `wait` until it is cancelled, `hang` until the thread is terminated. */
const WORKER = `
import { parentPort, threadId } from 'node:worker_threads';
import { runBatch } from '${RUN_BATCH}';
let count = 0;
const ok = (value) => ({ ok: true, value, times: [] });
const runOne = async ({ input, control }) => {
  const flag = new Int32Array(control);
  count += 1;
  if (input.path === 'where') return ok([threadId, count]);
  if (input.path === 'fault') return { ok: false, error: { kind: 'CorruptArchive', message: 'broken', details: null }, times: [] };
  if (input.path === 'die') process.exit(3);
  while (input.path === 'hang') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
  if (input.path !== 'wait') return ok(input.path);
  while (Atomics.load(flag, 0) === 0) { Atomics.add(flag, 1, 1); Atomics.wait(flag, 0, 0, 5); }
  return { ok: false, error: { kind: 'Cancelled', message: 'stopped', details: null }, times: [] };
};
const isSpent = ({ value }) => value === 'spend';
export const run = async (jobs) => {
  Atomics.add(new Int32Array(jobs.control), 1, 1);
  const tell = (batch, results) => parentPort.postMessage({ batch, results });
  const [{ at, outcome }, ...others] = (await runBatch(jobs, { runOne, isSpent, tell })).reverse();
  return { ...outcome, at, others, thread: threadId, heapBytes: 0, retire: isSpent(outcome) };
};`;

let folder = '';

type Run = (path: string, options?: Partial<RunOptions> & { readonly root?: string }) => Promise<unknown>;

/** Runs small background jobs; a fault is its kind. */
const withPool = async (
  use: (run: Run, pool: Pool) => Promise<void>,
  change: Partial<PoolOptions> = {},
): Promise<void> => {
  const entry = pathToFileURL(join(folder, 'worker.mjs')).href;
  const limits = { queueInteractive: 8, queueBackground: 64, idleTimeoutMs: 500, jobDeadlineMs: 20_000 };
  const pool = openPool({ entry, threads: 4, ...limits, ...change });
  const run: Run = (path, { root, ...options } = {}) =>
    pool
      .run('partial', { path, root }, { lane: 'background', bytes: 10, ...options })
      .catch((thrown: unknown) => (thrown instanceof AppError ? thrown.kind : String(thrown)));
  try {
    await use(run, pool);
  } finally {
    await pool.close();
  }
};

/** On which threads they run. */
const threadsOf = async (jobs: readonly Promise<unknown>[]): Promise<unknown[]> =>
  (await Promise.all(jobs)).map((where) => (where as readonly unknown[])[0]);

const times = (count: number, run: (n: number) => Promise<unknown>): Promise<unknown>[] =>
  Array.from({ length: count }, (_, n) => run(n));

block(
  'jobs that go to a thread together',
  (check) => {
    check('small ones requested in one go do, in their order, and no more than sixteen', () =>
      withPool(async (run) => {
        const found = (await Promise.all(times(20, () => run('where')))) as readonly (readonly [number, number])[];
        const [first = [0, 0], next = [0, 0]] = [found[0], found[16]];
        assert.equal(
          found.slice(0, 16),
          times(16, async () => 0).map((_, n) => [first[0], n + 1]),
        );
        assert.is.not(next[0], first[0]);
        assert.equal(
          found.slice(16),
          times(4, async () => 0).map((_, n) => [next[0], n + 1]),
        );
      }),
    );
    check('large ones do not, nor those of unknown size, of another disk, or that somebody may wait for', async () => {
      const apart: readonly (readonly [Parameters<Run>[1], Parameters<Run>[1]])[] = [
        [{ bytes: 5_000_000 }, { bytes: 5_000_000 }],
        [{ bytes: undefined }, { bytes: undefined }],
        [{ root: '/' }, { root: tmpdir() }],
        [{ lane: 'interactive' }, { lane: 'interactive' }],
        [{ urgency: new Urgency() }, {}],
        [{}, { urgency: new Urgency() }],
      ];
      for (const [one, other] of apart)
        await withPool(async (run) => {
          const [first, second] = await threadsOf([run('where', one), run('where', other)]);
          assert.is.not(first, second, JSON.stringify([one, other]));
        });
    });
    check('nor does any while somebody reads', () => {
      const readers = new Readers(() => 0);
      readers.note();
      return withPool(
        async (run, pool) => {
          const stop = new AbortController();
          const [first, second] = [run('wait', { signal: stop.signal }), run('echo')];
          await until('one runs', () => pool.load().running === 1);
          assert.is(pool.load().waiting, 1);
          stop.abort();
          await first;
          readers.rest(0);
          assert.is(await second, 'echo');
        },
        { readers },
      );
    });
    check('results are not kept back by a job that takes long; a fault is that of its job alone', () =>
      withPool(async (run, pool) => {
        const stop = new AbortController();
        const [first, second, third, last] = [
          run('one'),
          run('fault'),
          run('wait', { signal: stop.signal }),
          run('four'),
        ];
        assert.equal([await first, await second, pool.load().running], ['one', 'CorruptArchive', 1]);
        stop.abort();
        assert.equal([await third, await last], ['Cancelled', 'four']);
      }),
    );
    check('jobs beside one that takes long are done by another thread', () =>
      withPool(async (run, pool) => {
        const stop = new AbortController();
        const [one, long, two, three] = [run('one'), run('wait', { signal: stop.signal }), run('two'), run('three')];
        await until('they have a thread', () => pool.load().running === 1 && pool.load().waiting === 0);
        assert.equal(await Promise.all([one, two, three]), ['one', 'two', 'three']);
        await until('it goes on', () => pool.load().running === 1);
        stop.abort();
        assert.is(await long, 'Cancelled');
      }),
    );
    check('small ones leave a thread to others, but not while they take long', () =>
      withPool(async (run, pool) => {
        const stop = new AbortController();
        const long = [1, 2].map(() => run('wait', { signal: stop.signal, bytes: 8_388_600 }));
        const small = run('echo');
        await until('they have threads', () => pool.load().running === 2);
        assert.is(pool.load().waiting, 1);
        assert.is(await run('echo', { bytes: undefined }), 'echo');
        assert.is(await small, 'echo');
        stop.abort();
        assert.equal(await Promise.all(long), ['Cancelled', 'Cancelled']);
      }),
    );
    check('one that hangs loses its thread at its own deadline; the others have results', () =>
      withPool(
        async (run) => {
          const jobs = ['one', 'two', 'hang', 'three', 'hang', 'four'].map((path) => run(path));
          assert.equal(await Promise.all(jobs), ['one', 'two', 'Timeout', 'three', 'Timeout', 'four']);
        },
        { jobDeadlineMs: 100 },
      ),
    );
    check('each has a deadline of its own, which begins with it', async () => {
      await withPool(async (run) => {
        const stop = new AbortController();
        const first = run('wait', { deadlineMs: 200 });
        const second = run('wait', { deadlineMs: 20_000, signal: stop.signal });
        assert.is(await first, 'Timeout');
        stop.abort();
        assert.is(await second, 'Cancelled');
      });
      const leftMs: number[] = [];
      const jobOf = () => ({ name: 'partial', input: { path: '' }, control: newControl(), isPatient: false }) as const;
      const runOne = async ({ deadlineMs }: Job): Promise<Outcome<unknown>> => {
        leftMs.push(deadlineMs - monotonicMs());
        for (const began = monotonicMs(); monotonicMs() < began + 30; );
        return { ok: true, value: null, times: [] };
      };
      const jobs = { ...jobOf(), deadlineMs: monotonicMs() + 1000, following: [{ ...jobOf(), limitMs: 1000 }] };
      await runBatch(jobs, { runOne, isSpent: () => false, tell: () => undefined });
      assert.ok((leftMs[1] ?? 0) > 985, String(leftMs));
    });
    check('one that ends its thread is the only one that crashed', () =>
      withPool(async (run) => {
        const jobs = ['one', 'die', 'two', 'three', 'die', 'four'].map((path) => run(path));
        assert.equal(await Promise.all(jobs), ['one', 'WorkerCrashed', 'two', 'three', 'WorkerCrashed', 'four']);
      }),
    );
    check('a cancelled one that has not begun ends at once, and is never run', () =>
      withPool(async (run, pool) => {
        const [stop, never] = [new AbortController(), new AbortController()];
        const first = run('wait', { signal: stop.signal });
        const second = run('where', { signal: never.signal });
        const third = run('where');
        await until('they have a thread', () => pool.load().running === 1 && pool.load().waiting === 0);
        never.abort();
        assert.is(await second, 'Cancelled');
        stop.abort();
        assert.is(await first, 'Cancelled');
        assert.is.not(((await third) as readonly number[])[1], 3);
      }),
    );
    check('those behind one that spends its thread are run by another', () =>
      withPool(async (run) => {
        const [first, spent, ...others] = ['where', 'spend', 'where', 'where'].map((path) => run(path));
        assert.is(await spent, 'spend');
        const [before, after, last] = await threadsOf([first ?? Promise.reject(), ...others]);
        assert.is.not(after, before);
        assert.is(last, after);
      }),
    );
    check('closing the pool ends all of them', () =>
      withPool(async (run, pool) => {
        const jobs = ['wait', 'echo', 'echo'].map((path) => run(path));
        await until('they have a thread', () => pool.load().running === 1 && pool.load().waiting === 0);
        await pool.close();
        assert.equal(await Promise.all(jobs), ['Cancelled', 'Cancelled', 'Cancelled']);
        assert.is(pool.load().running, 0);
      }),
    );
  },
  {
    before: () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-batches-'));
      writeFileSync(join(folder, 'worker.mjs'), WORKER);
    },
    after: () => rmSync(folder, { recursive: true, force: true }),
    deadlineS: 30,
  },
);
