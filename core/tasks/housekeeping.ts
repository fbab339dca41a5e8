// The runner's own jobs, one after the other: taking over tasks at the start, renewing leases, pruning. A full disk delays them.
import type { Db } from '../store/db.js';
import { patiently } from '../store/retry-writes.js';

export class Housekeeping {
  readonly #db: Db;
  readonly #signal: AbortSignal;
  readonly #onFault: (thrown: unknown) => void;
  readonly #timers: NodeJS.Timeout[] = [];
  #last: Promise<void> = Promise.resolve();

  constructor(db: Db, signal: AbortSignal, onFault: (thrown: unknown) => void) {
    this.#db = db;
    this.#signal = signal;
    this.#onFault = onFault;
  }

  add(job: () => Promise<void>): void {
    this.#last = this.#last
      .then(() => patiently(this.#db, this.#signal, job))
      .catch((thrown: unknown) => {
        if (!this.#signal.aborted) this.#onFault(thrown);
      });
  }

  every(ms: number, job: () => Promise<void>): void {
    const timer = setInterval(() => this.add(job), ms);
    timer.unref();
    this.#timers.push(timer);
  }

  stopTimers(): void {
    for (const timer of this.#timers) clearInterval(timer);
  }

  /** Resolves when the jobs added so far have ended. */
  get done(): Promise<void> {
    return this.#last;
  }
}
