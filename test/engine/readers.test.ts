// Background jobs step back while somebody reads; nothing else is delayed, and no job waits for ever.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openPool, type Pool, type RunOptions } from '../../core/engine/pool.js';
import { Readers } from '../../core/engine/readers.js';
import { Urgency } from '../../core/engine/urgency.js';
import { newId } from '../../core/model/ids.js';
import { unrestricted } from '../../core/model/viewer.js';
import { tempApp, until } from '../app.js';
import { assert, block, thrownBy } from '../kit.js';
import { LIMITS } from '../limits.js';

/** The path of a job is its result; `wait` blocks until it is cancelled. */
const WORKER = `
export const run = async ({ input, control }) => {
  const flag = new Int32Array(control);
  Atomics.add(flag, 1, 1);
  if (input.path !== 'wait') return { ok: true, value: input.path, times: [] };
  while (Atomics.load(flag, 0) === 0) { Atomics.add(flag, 1, 1); Atomics.wait(flag, 0, 0, 5); }
  return { ok: false, error: { kind: 'Cancelled', message: 'stopped', details: null }, times: [] };
};`;

const LONG_MS = 3_600_000;

interface HandDriven {
  readonly readers: Readers;
  readonly pass: (ms: number) => void;
}

const handDriven = (): HandDriven => {
  let nowMs = 0;
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return { readers: new Readers(() => nowMs), pass };
};

const withPool = async (readers: Readers, use: (pool: Pool) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-readers-'));
  writeFileSync(join(folder, 'worker.mjs'), WORKER);
  const entry = pathToFileURL(join(folder, 'worker.mjs')).href;
  const limits = { queueInteractive: 8, queueBackground: 64, idleTimeoutMs: 500, jobDeadlineMs: 20_000 };
  const pool = openPool({ entry, threads: 4, readers, ...limits });
  try {
    await use(pool);
  } finally {
    await pool.close();
    rmSync(folder, { recursive: true, force: true });
  }
};

const run = (pool: Pool, path: string, options: RunOptions): Promise<unknown> => pool.run('partial', { path }, options);

const kindOf = async (work: Promise<unknown>): Promise<unknown> =>
  ((await thrownBy(() => work)) as { readonly kind?: string }).kind;

const loadOf = (pool: Pool): readonly number[] => [pool.load().running, pool.load().waiting];

block('readers', (check) => {
  check('nothing is held while nobody reads; a job is held by one that runs, then by a rest that has a limit', () => {
    const { readers, pass } = handDriven();
    readers.rest(LONG_MS);
    assert.equal([readers.holdMs(0), readers.holdMs(3)], [0, 0]);
    pass(LONG_MS);
    readers.note();
    const reading = readers.holdMs(1);
    assert.equal([readers.holdMs(0), reading > 0, readers.holdMs(3)], [0, true, reading]);
    readers.rest(10);
    const rest = readers.holdMs(0);
    assert.ok(rest >= 10 && rest < reading);
    pass(rest);
    assert.is(readers.holdMs(0), 0);
    readers.note();
    readers.rest(LONG_MS);
    assert.ok(readers.holdMs(0) <= reading);
    pass(reading);
    assert.equal([readers.holdMs(0), readers.holdMs(3)], [0, 0]);
  });
  check('while somebody reads one background job runs at a time; all threads are used again when reading ends', () => {
    const { readers, pass } = handDriven();
    return withPool(readers, async (pool) => {
      const gone = new AbortController();
      readers.note();
      const jobs = Array.from({ length: 4 }, () => run(pool, 'wait', { lane: 'background', signal: gone.signal }));
      const ended = Promise.allSettled(jobs);
      assert.equal(loadOf(pool), [1, 3]);
      pass(LONG_MS);
      await until('the others run without one having ended', () => loadOf(pool).join() === '3,1');
      gone.abort();
      await ended;
    });
  });
  check('beside jobs that wait for their disk, as many others run, except while somebody reads', () => {
    const { readers, pass } = handDriven();
    return withPool(readers, async (pool) => {
      const gone = new AbortController();
      const start = (isWaiting: boolean): Promise<unknown> =>
        run(pool, 'wait', { lane: 'background', signal: gone.signal, isWaiting });
      readers.note();
      const jobs = Array.from({ length: 5 }, () => start(true));
      assert.equal(loadOf(pool), [1, 4]);
      pass(LONG_MS);
      await until('all run', () => loadOf(pool).join() === '5,0');
      jobs.push(...Array.from({ length: 4 }, () => start(false)));
      assert.equal(loadOf(pool), [7, 2], 'no more than twice as many, less one');
      assert.is(await run(pool, 'quick', { lane: 'interactive' }), 'quick');
      const ended = Promise.allSettled(jobs);
      gone.abort();
      await ended;
    });
  });
  check('jobs that run already when reading begins go on', () => {
    const { readers, pass } = handDriven();
    return withPool(readers, async (pool) => {
      const leaving = [new AbortController(), new AbortController(), new AbortController()];
      const jobs = leaving.map(({ signal }) => run(pool, 'wait', { lane: 'background', signal }));
      const ended = Promise.allSettled(jobs);
      assert.equal(loadOf(pool), [3, 0]);
      readers.note();
      const next = run(pool, 'next', { lane: 'background' });
      leaving[0]?.abort();
      await kindOf(jobs[0] ?? next);
      assert.equal(loadOf(pool), [2, 1]);
      leaving[1]?.abort();
      leaving[2]?.abort();
      await ended;
      pass(LONG_MS);
      assert.is(await next, 'next');
    });
  });
  check('requests and pages made ahead are not held, neither by a job that runs nor by a rest', () => {
    const { readers, pass } = handDriven();
    return withPool(readers, async (pool) => {
      const gone = new AbortController();
      readers.note();
      assert.is(await run(pool, 'first', { lane: 'background' }), 'first');
      const held = run(pool, 'wait', { lane: 'background', signal: gone.signal });
      assert.equal(loadOf(pool), [0, 1], 'it rests');
      const quick = async (): Promise<void> => {
        assert.is(await run(pool, 'asked for', { lane: 'interactive', user: 1 }), 'asked for');
        assert.is(await run(pool, 'ahead', { lane: 'background', urgency: new Urgency() }), 'ahead');
      };
      await quick();
      assert.equal(loadOf(pool), [0, 1]);
      pass(LONG_MS);
      readers.note();
      await until('the rest is over', () => loadOf(pool).join() === '1,0');
      const behind = run(pool, 'behind', { lane: 'background' });
      await quick();
      assert.equal(loadOf(pool), [1, 1]);
      gone.abort();
      await kindOf(held);
      pass(LONG_MS);
      assert.is(await behind, 'behind');
    });
  });
  check('a held job can be cancelled, and closing ends it', () => {
    const { readers } = handDriven();
    return withPool(readers, async (pool) => {
      readers.note();
      assert.is(await run(pool, 'first', { lane: 'background' }), 'first');
      const gone = new AbortController();
      const cancelled = run(pool, 'never', { lane: 'background', signal: gone.signal });
      const closed = kindOf(run(pool, 'never', { lane: 'background' }));
      assert.equal(loadOf(pool), [0, 2]);
      gone.abort();
      assert.is(await kindOf(cancelled), 'Cancelled');
      await pool.close();
      assert.is(await closed, 'Cancelled');
    });
  });
  check('background work is done although somebody reads without end', () => {
    const readers = new Readers();
    return withPool(readers, async (pool) => {
      let isDone = false;
      const reading = (async (): Promise<void> => {
        while (!isDone) {
          readers.note();
          await new Promise(setImmediate);
        }
      })();
      const jobs = Array.from({ length: 30 }, (_, n) => run(pool, `${n}`, { lane: 'background' }));
      assert.is((await Promise.all(jobs)).length, 30);
      isDone = true;
      await reading;
    });
  });
  check('whoever asks for a page counts as a reader', async () => {
    const temp = await tempApp();
    const { pages, pool } = temp.app;
    const covers = (): readonly Promise<unknown>[] =>
      Array.from({ length: pool.backgroundWidth }, () => {
        const input = { path: '/none', root: '/none', pages: [], thumbnail: { side: 1, quality: 1 }, limits: LIMITS };
        return pool.run('cover', input, { lane: 'background' });
      });
    try {
      const before = Promise.allSettled(covers());
      assert.equal([pool.load().running, pool.backgroundWidth > 1], [pool.backgroundWidth, true]);
      await before;
      const { signal } = new AbortController();
      const wanted = { bookId: newId(0), viewer: unrestricted(1), pageNumber: 1, wish: {} };
      const asked = pages.page({ ...wanted, has: () => false, signal: () => signal });
      const after = Promise.allSettled(covers());
      assert.ok(pool.load().running <= 1);
      await Promise.allSettled([asked, after]);
    } finally {
      await temp.close();
    }
  });
});
