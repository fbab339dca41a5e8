// Background jobs that somebody begins to wait for.
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openPool, type Pool, type RunOptions } from '../../core/engine/pool.js';
import { Urgency } from '../../core/engine/urgency.js';
import { until } from '../app.js';
import { assert, block, thrownBy } from '../kit.js';

/** The path of a job is its result; `wait` blocks until it is cancelled, `once` until its thread is terminated, `end` terminates a thread. */
const WORKER = `
import { existsSync, writeFileSync } from 'node:fs';
import { threadId, workerData } from 'node:worker_threads';
const room = new Int32Array(workerData.room);
export const run = async ({ input, control }) => {
  const flag = new Int32Array(control);
  const [word, argument] = input.path.split(' ');
  if (word === 'room') return { ok: true, value: room[0], times: [] };
  if (word === 'end') return { ok: true, value: word, times: [], thread: Number(argument), retire: true };
  if (word === 'once' && !existsSync(argument)) {
    Atomics.sub(room, 0, 1000);
    flag[2] = 1000;
    writeFileSync(argument, String(threadId));
    for (;;) Atomics.wait(flag, 0, 0, 1000);
  }
  if (input.path !== 'wait') return { ok: true, value: input.path, times: [] };
  while (Atomics.load(flag, 0) === 0) { Atomics.add(flag, 1, 1); Atomics.wait(flag, 0, 0, 5); }
  return { ok: false, error: { kind: 'Cancelled', message: 'stopped', details: null }, times: [] };
};`;

const USER = 7;
const QUEUE = 8;

const withPool = async (use: (pool: Pool, folder: string) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-urgency-'));
  writeFileSync(join(folder, 'worker.mjs'), WORKER);
  const entry = pathToFileURL(join(folder, 'worker.mjs')).href;
  const limits = { queueInteractive: QUEUE, queueBackground: QUEUE, idleTimeoutMs: 500, jobDeadlineMs: 20_000 };
  const pool = openPool({ entry, threads: 2, ...limits });
  try {
    await use(pool, folder);
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
  check('one whose user had too many waiting moves as soon as there is room, though its thread stays taken', () =>
    withPool(async (pool) => {
      const both = [await occupy(pool, 'background', 1), await occupy(pool, 'interactive', 2)];
      const share = [1, 2].map((n) => run(pool, `share ${n}`, { lane: 'interactive', user: USER }));
      const [early, late] = [new Urgency(), new Urgency()];
      early.raise(USER);
      const waited = [early, late].map((urgency, n) => run(pool, `waited ${n}`, { lane: 'background', urgency }));
      late.raise(USER);
      await both[1]?.();
      await Promise.all([...share, ...waited]);
      await both[0]?.();
    }),
  );
  check('one whose user had too many waiting moves when another of them is cancelled', () =>
    withPool(async (pool) => {
      const order: unknown[] = [];
      const both = [await occupy(pool, 'background', 1), await occupy(pool, 'interactive', 2)];
      const gone = new AbortController();
      const share = [1, 2].map((n) =>
        run(pool, `share ${n}`, { lane: 'interactive', user: USER, signal: gone.signal }),
      );
      const ended = Promise.allSettled(share);
      const urgency = new Urgency();
      const waited = run(pool, 'waited', { lane: 'background', urgency }).then((told) => order.push(told));
      urgency.raise(USER);
      gone.abort();
      const late = run(pool, 'late', { lane: 'interactive', user: USER }).then((told) => order.push(told));
      await both[1]?.();
      await Promise.all([ended, waited, late]);
      assert.equal(order, ['waited', 'late']);
      await both[0]?.();
    }),
  );
  check(
    'one that lost its thread while somebody began to wait for it goes first, and gives back once what it held',
    () =>
      withPool(async (pool, folder) => {
        const order: unknown[] = [];
        const noted = (path: string, options: RunOptions): Promise<unknown> =>
          run(pool, path, options).then((told) => order.push(told));
        const free = await run(pool, 'room', { lane: 'interactive' });
        const [urgency, place] = [new Urgency(), join(folder, 'thread')];
        const lost = noted(`once ${place}`, { lane: 'background', urgency });
        await until('it runs', () => existsSync(place) && readFileSync(place, 'utf8') !== '');
        urgency.raise(USER);
        const ending = run(pool, `end ${readFileSync(place, 'utf8')}`, { lane: 'interactive' });
        const later = noted('later', { lane: 'interactive', user: USER });
        await Promise.all([lost, ending, later]);
        assert.equal(order, [`once ${place}`, 'later']);
        assert.is(await run(pool, 'room', { lane: 'interactive' }), free);
      }),
  );
});
