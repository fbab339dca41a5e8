// A weighted semaphore: work acquires bytes (or anything) before it starts and releases them when it ends. First come, first served.
import { AppError } from '../model/errors.js';

interface Waiting {
  readonly amount: number;
  readonly go: () => void;
  readonly giveUp: (thrown: unknown) => void;
}

export class Semaphore {
  readonly #total: number;
  readonly #queueLength: number;
  readonly #waitMs: number | undefined;
  readonly #waiting: Waiting[] = [];
  #free: number;

  /** `waitMs`: callers that have waited this long are refused. If absent, waits are not limited. */
  constructor(total: number, queueLength: number, waitMs?: number) {
    this.#waitMs = waitMs;
    this.#total = total;
    this.#free = total;
    this.#queueLength = queueLength;
  }

  /** Runs `body` while holding `amount`. More than the whole budget counts as the whole budget, so it runs alone. */
  async with<T>(amount: number, body: () => Promise<T>): Promise<T> {
    const taken = Math.min(amount, this.#total);
    await this.#take(taken);
    try {
      return await body();
    } finally {
      this.#give(taken);
    }
  }

  #take(amount: number): Promise<void> | undefined {
    if (this.#waiting.length === 0 && this.#free >= amount) {
      this.#free -= amount;
      return undefined;
    }
    if (this.#waiting.length >= this.#queueLength) throw new AppError('Overloaded');
    return new Promise((resolve, reject) => {
      const timer = this.#waitMs === undefined ? undefined : setTimeout(() => this.#refuse(one), this.#waitMs);
      const go = (): void => {
        clearTimeout(timer);
        resolve();
      };
      const one: Waiting = { amount, go, giveUp: reject };
      this.#waiting.push(one);
    });
  }

  /** Those behind it may need less. */
  #refuse(one: Waiting): void {
    this.#waiting.splice(this.#waiting.indexOf(one), 1);
    one.giveUp(new AppError('Overloaded'));
    this.#give(0);
  }

  #give(amount: number): void {
    this.#free += amount;
    for (let next = this.#waiting[0]; next !== undefined && this.#free >= next.amount; next = this.#waiting[0]) {
      this.#waiting.shift();
      this.#free -= next.amount;
      next.go();
    }
  }
}
