// Background jobs that somebody begins to wait for.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openPool, type Pool, type RunOptions } from '../../core/engine/pool.js';
import { Urgency } from '../../core/engine/urgency.js';
import { until } from '../app.js';
import { assert, block, thrownBy } from '../kit.js';

/** The path of a job is its result; `wait` blocks until it is cancelled. */
const WORKER = `
export const run = async ({ input, control }) => {
  const flag = new Int32Array(control);
  if (input.path !== 'wait') return { ok: true, value: input.path, times: [] };
  while (Atomics.load(flag, 0) === 0) { Atomics.add(flag, 1, 1); Atomics.wait(flag, 0, 0, 5); }
  return { ok: false, error: { kind: 'Cancelled', message: 'stopped', details: null }, times: [] };
};`;

const USER = 7;
const QUEUE = 8;

const withPool = async (use: (pool: Pool) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-urgency-'));
  writeFileSync(join(folder, 'worker.mjs'), WORKER);
  const entry = pathToFileURL(join(folder, 'worker.mjs')).href;
  const limits = { queueInteractive: QUEUE, queueBackground: QUEUE, idleTimeoutMs: 500, jobDeadlineMs: 20_000 };
  const pool = openPool({ entry, threads: 2, ...limits });
  try {
    await use(pool);
  } finally {
    await pool.close();
    rmSync(folder, { recursive: true, force: true });
  }
};

const run = (pool: Pool, path: string, options: RunOptions): Promise<unknown> => pool.run('partial', { path }, options);

/** Occupies one thread until the returned function is called. */
const occupy = async (pool: Pool, lane: RunOptions['lane'], running: number): Promise<() => Promise<unknown>> => {
  const stop = new AbortController();
  const job = run(pool, 'wait', { lane, signal: stop.signal }).catch(() => undefined);
  await until('it has its thread', () => pool.load().running === running);
  return () => {
    stop.abort();
    return job;
  };
};

block('urgency', (check) => {
  check('a background job that somebody begins to wait for goes before the others', () =>
    withPool(async (pool) => {
      const order: unknown[] = [];
      const free = await occupy(pool, 'background', 1);
      const ahead = (path: string, urgency: Urgency): Promise<unknown> =>
        run(pool, path, { lane: 'background', urgency }).then((told) => order.push(told));
      const [first, second] = [new Urgency(), new Urgency()];
      const waiting = [ahead('first', first), ahead('second', second)];
      second.raise(USER);
      await waiting[1];
      assert.equal(order, ['second']);
      await free();
      await Promise.all(waiting);
      assert.equal(order, ['second', 'first']);
    }),
  );
  check('it can still be cancelled, also when somebody waited before it was queued', () =>
    withPool(async (pool) => {
      const both = [await occupy(pool, 'background', 1), await occupy(pool, 'interactive', 2)];
      const urgency = new Urgency();
      urgency.raise(USER);
      const gone = new AbortController();
      const job = thrownBy(() => run(pool, 'late', { lane: 'background', urgency, signal: gone.signal }));
      gone.abort();
      assert.is(((await job) as { kind?: string }).kind, 'Cancelled');
      assert.is(pool.load().waiting, 0);
      for (const free of both) await free();
    }),
  );
  check('one whose user already has too many waiting keeps its place in the background', () =>
    withPool(async (pool) => {
      const both = [await occupy(pool, 'background', 1), await occupy(pool, 'interactive', 2)];
      const share = [1, 2].map((n) => run(pool, `share ${n}`, { lane: 'interactive', user: USER }));
      const urgencies = Array.from({ length: QUEUE }, () => new Urgency());
      const ahead = urgencies.map((urgency, n) => run(pool, `ahead ${n}`, { lane: 'background', urgency }));
      for (const urgency of urgencies) urgency.raise(USER);
      const others = Array.from({ length: QUEUE - share.length }, (_, n) =>
        run(pool, `other ${n}`, { lane: 'interactive', user: 100 + n }),
      );
      for (const free of both) await free();
      assert.is((await Promise.all([...share, ...ahead, ...others])).length, 2 * QUEUE);
    }),
  );
  check('one that somebody waits for before it is queued needs no room in the background', () =>
    withPool(async (pool) => {
      const both = [await occupy(pool, 'background', 1), await occupy(pool, 'interactive', 2)];
      const others = Array.from({ length: QUEUE }, (_, n) => run(pool, `other ${n}`, { lane: 'background' }));
      const urgency = new Urgency();
      urgency.raise(USER);
      const waited = run(pool, 'waited for', { lane: 'background', urgency });
      for (const free of both) await free();
      assert.is(await waited, 'waited for');
      await Promise.all(others);
    }),
  );
  check('another user moves what the first had no room for', () =>
    withPool(async (pool) => {
      const order: unknown[] = [];
      const both = [await occupy(pool, 'background', 1), await occupy(pool, 'interactive', 2)];
      const share = [1, 2].map((n) => run(pool, `share ${n}`, { lane: 'interactive', user: USER }));
      const urgency = new Urgency();
      const ahead = ['before', 'wanted'].map((path) =>
        run(pool, path, { lane: 'background', ...(path === 'wanted' ? { urgency } : {}) }).then((told) =>
          order.push(told),
        ),
      );
      urgency.raise(USER);
      urgency.raise(USER + 1);
      await both[1]?.();
      await Promise.all([...share, ahead[1]]);
      assert.equal(order, ['wanted']);
      await both[0]?.();
      await Promise.all(ahead);
    }),
  );
});
