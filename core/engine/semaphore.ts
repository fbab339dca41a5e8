// A weighted semaphore: work acquires bytes (or anything) before it starts and releases them when it ends. Users take turns; the work of one
// user is served in order.
import { AppError } from '../model/errors.js';
import type { Asker } from '../store/reader-pool.js';
import { Turns } from '../store/round-robin.js';

interface Waiting {
  readonly amount: number;
  readonly user: number;
  /** Ends the timer and forgets the signal. */
  readonly end: () => void;
  readonly go: () => void;
  readonly giveUp: (thrown: unknown) => void;
}

/** One user may fill one of these shares of the queue. */
const SHARES = 4;
/** Counts as no user. */
const ANYBODY: Asker = { user: 0 };

export class Semaphore {
  readonly #total: number;
  readonly #queueLength: number;
  readonly #waitMs: number | undefined;
  readonly #waiting = new Turns<Waiting>();
  #free: number;

  /** `waitMs`: callers that have waited this long are refused. If absent, waits are not limited. */
  constructor(total: number, queueLength: number, waitMs?: number) {
    this.#waitMs = waitMs;
    this.#total = total;
    this.#free = total;
    this.#queueLength = queueLength;
  }

  /**
   * Runs `body` while holding `amount`. More than the whole budget counts as the whole budget, so it runs alone. Aborting while queued gives
   * up the place.
   */
  async with<T>(amount: number, body: () => Promise<T>, asker: Asker = ANYBODY): Promise<T> {
    const taken = Math.min(amount, this.#total);
    await this.#take(taken, asker);
    try {
      return await body();
    } finally {
      this.#give(taken);
    }
  }

  #take(amount: number, { user, signal }: Asker): Promise<void> | undefined {
    if (signal?.aborted === true) throw new AppError('Cancelled');
    if (this.#waiting.isEmpty && this.#free >= amount) {
      this.#free -= amount;
      return undefined;
    }
    if (this.#isFull(user)) throw new AppError('Overloaded');
    return new Promise((resolve, reject) => {
      const timer =
        this.#waitMs === undefined ? undefined : setTimeout(() => this.#refuse(one, 'Overloaded'), this.#waitMs);
      const leave = (): void => this.#refuse(one, 'Cancelled');
      const end = (): void => {
        clearTimeout(timer);
        signal?.removeEventListener('abort', leave);
      };
      const one: Waiting = { amount, user, end, go: resolve, giveUp: reject };
      signal?.addEventListener('abort', leave, { once: true });
      this.#waiting.push(user, one);
    });
  }

  #isFull(user: number): boolean {
    const isShareFull = user !== ANYBODY.user && this.#waiting.countOf(user) >= Math.ceil(this.#queueLength / SHARES);
    return isShareFull || this.#waiting.length >= this.#queueLength;
  }

  /** Those behind it may need less. */
  #refuse(one: Waiting, kind: 'Overloaded' | 'Cancelled'): void {
    this.#waiting.remove(one.user, one);
    one.end();
    one.giveUp(new AppError(kind));
    this.#give(0);
  }

  #give(amount: number): void {
    this.#free += amount;
    for (let next = this.#waiting.first; next !== undefined && this.#free >= next.amount; next = this.#waiting.first) {
      this.#waiting.shift();
      this.#free -= next.amount;
      next.end();
      next.go();
    }
  }
}
