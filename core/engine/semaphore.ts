// A weighted semaphore: work acquires bytes (or anything) before it starts and releases them when it ends. First come, first served.
import { AppError } from '../model/errors.js';

interface Waiting {
  readonly amount: number;
  readonly go: () => void;
}

export class Semaphore {
  readonly #total: number;
  readonly #queueLength: number;
  readonly #waiting: Waiting[] = [];
  #free: number;

  constructor(total: number, queueLength: number) {
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
    return new Promise((resolve) => this.#waiting.push({ amount, go: resolve }));
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
