// The threads that do the jobs, as Piscina runs them.
import { Piscina } from 'piscina';
import { readsAtOnce } from '../model/read-threads.js';
import type { PoolOptions } from './pool-types.js';

/**
 * Size of a thread's young generation. The bytes of a page are freed when the object that holds them is collected: soon in a small one, while
 * the default (48) retains many pages per thread.
 */
const YOUNG_MAX_MB = 3;

/** `room` is the memory in which threads reserve what they need to decode images. */
export const openThreads = (
  { entry, threads, idleTimeoutMs, journal, passwords, onThreadEnded }: PoolOptions,
  room: Int32Array,
): Piscina => {
  const most = threads * 2 + 1; // one for a walk; as many again may be blocked on a disk that does not answer
  const piscina = new Piscina({
    filename: entry,
    name: 'run',
    minThreads: 0,
    maxThreads: most,
    idleTimeout: idleTimeoutMs,
    resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MAX_MB }, // no limit on the old generation: reaching it may end the process
    workerData: { room: room.buffer, reads: readsAtOnce(most), journal, passwords },
    concurrentTasksPerWorker: 1,
  });
  piscina.on('workerDestroy', () => onThreadEnded?.());
  return piscina;
};
