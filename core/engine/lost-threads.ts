// Threads that were told to end and are still there: one that waits for a disk ends when the disk answers.
import type { Worker } from 'node:worker_threads';

/** What is needed of a pool of threads: those it still counts as its own. */
interface Threads {
  readonly threads: readonly Worker[];
}

export class LostThreads {
  readonly #pool: Threads;
  #count = 0;

  constructor(pool: Threads) {
    this.#pool = pool;
  }

  get count(): number {
    return this.#count;
  }

  /** Runs what lets go of threads; `onLost` is called for each, and what it returns when that thread has ended. */
  during<T>(act: () => T, onLost: () => () => void): T {
    const before = [...this.#pool.threads];
    const result = act();
    const left = new Set(this.#pool.threads);
    for (const thread of before) {
      if (left.has(thread)) continue;
      const onEnded = onLost();
      this.#count += 1;
      thread.once('exit', () => {
        this.#count -= 1;
        onEnded();
      });
    }
    return result;
  }
}
