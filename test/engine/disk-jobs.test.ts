// Which threads count as lost: those that were terminated and live on, not those that had exited before.
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { DiskJobs } from '../../core/engine/disk-jobs.js';
import { assert, block } from '../kit.js';

/** The pool drops `thread` as soon as its job is stopped. Returns the number of threads counted as lost right after that. */
const lostAfterStopping = async (thread: Worker): Promise<() => number> => {
  const pool = { threads: [thread] };
  const jobs = new DiskJobs(1, pool, () => undefined);
  const kill = new AbortController();
  jobs.started({}, () => undefined, kill);
  kill.abort();
  pool.threads = [];
  await Promise.resolve();
  return () => jobs.lostThreads;
};

block('threads that are lost', (check) => {
  check('one that was terminated is lost until it has exited', async () => {
    const thread = new Worker('setInterval(() => {}, 1000)', { eval: true });
    await once(thread, 'online');
    const lost = await lostAfterStopping(thread);
    assert.is(lost(), 1);
    await thread.terminate();
    assert.is(lost(), 0);
  });

  check('one that had exited before is not', async () => {
    const thread = new Worker('', { eval: true });
    await once(thread, 'exit');
    assert.is((await lostAfterStopping(thread))(), 0);
  });
});
