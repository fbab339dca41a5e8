// Jobs that lack memory: they are run again by another thread, and threads without a job that hold it are replaced.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { openPool, type Pool } from '../../core/engine/pool.js';
import type { AppError } from '../../core/model/errors.js';
import { assert, block, thrownBy } from '../kit.js';

/**
 * `keep` leaves memory to its thread. `lack` waits until some is held, and then until none is, asking for it repeatedly. `move` needs another
 * thread, once or always.
 */
const WORKER = `
import { parentPort, threadId, workerData } from 'node:worker_threads';
const room = new Int32Array(workerData.room);
const all = room[2];
let holds = false;
const done = (value) => ({ ok: true, value, times: [], thread: threadId });
export const run = async ({ input, control, wake }) => {
  if (wake) return { thread: threadId, retire: holds };
  const flag = new Int32Array(control);
  Atomics.add(flag, 1, 1);
  const wait = () => Atomics.wait(flag, 0, 0, 20);
  if (input.path === 'thread') return done(threadId);
  if (input.path === 'keep') { Atomics.sub(room, 0, 1000); flag[2] = 1000; holds = true; return done(threadId); }
  if (input.path === 'lack') {
    while (room[0] === all) wait();
    while (room[0] !== all) { parentPort.postMessage({ lacksRoom: true }); wait(); }
    return done('lack');
  }
  const wasMoved = flag[3] === 2;
  flag[3] = 1;
  if (wasMoved && input.path === 'move') return done(threadId);
  return { ok: false, error: { kind: 'Overloaded', message: 'no memory', details: null }, times: [], thread: threadId, retire: true, again: true };
};`;

const withPool = async (use: (pool: Pool, run: (path: string) => Promise<unknown>) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-moved-'));
  const file = join(folder, 'worker.mjs');
  writeFileSync(file, WORKER);
  const entry = pathToFileURL(file).href;
  const limits = { threads: 2, idleTimeoutMs: 20_000, queueInteractive: 8, queueBackground: 8, jobDeadlineMs: 20_000 };
  const pool = openPool({ entry, ...limits });
  try {
    await use(pool, (path) => pool.run('partial', { path }, { lane: 'interactive' }));
  } finally {
    await pool.close();
    rmSync(folder, { recursive: true });
  }
};

block('jobs that lack memory', (check) => {
  check('such a job is run again by another thread', () =>
    withPool(async (_pool, run) => {
      const first = await run('thread');
      assert.is.not(await run('move'), first);
    }),
  );
  check('but not without end', () =>
    withPool(async (pool, run) => {
      assert.is(((await thrownBy(() => run('move always'))) as AppError).kind, 'Overloaded');
      assert.equal([pool.load().running, pool.load().waiting], [0, 0]);
    }),
  );
  check('a thread without a job that holds memory is replaced, and its memory is free again', () =>
    withPool(async (_pool, run) => {
      const lacking = run('lack');
      const keeper = await run('keep');
      assert.is(await lacking, 'lack');
      const threads = await Promise.all([run('thread'), run('thread')]);
      assert.not(threads.includes(keeper));
    }),
  );
});
