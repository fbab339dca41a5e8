// Counts failed attempts per key in a fixed window, in bounded memory. Used where a guess costs an attacker nothing: login and set-up.
import type { Clock } from '../engine/clock.js';
import { AppError } from '../model/errors.js';

export interface ThrottleOptions {
  readonly attempts: number;
  readonly windowMs: number;
}

interface Count {
  failures: number;
  readonly untilMs: number;
}

const KEYS_MAX = 10_000;

export class Throttle {
  readonly #clock: Clock;
  readonly #options: ThrottleOptions;
  readonly #counts = new Map<string, Count>();

  constructor(clock: Clock, options: ThrottleOptions) {
    this.#clock = clock;
    this.#options = options;
  }

  /** Runs an attempt; refuses when the key has failed too often, counts it when it fails as Unauthorized. */
  async attempt<T>(key: string, run: () => Promise<T>): Promise<T> {
    const now = this.#clock.now();
    const count = this.#counts.get(key);
    if (count !== undefined && count.untilMs <= now) this.#counts.delete(key);
    else if (count !== undefined && count.failures >= this.#options.attempts) {
      const seconds = Math.ceil((count.untilMs - now) / 1000);
      throw new AppError('TooManyRequests', `Too many failed attempts; try again in ${seconds} s.`, {
        retry_after: seconds,
      });
    }
    this.#count(key, now, 1); // counted before the slow comparison, so that parallel guesses do not slip through
    try {
      const value = await run();
      this.#counts.delete(key);
      return value;
    } catch (thrown) {
      if (!(thrown instanceof AppError && thrown.kind === 'Unauthorized')) this.#count(key, now, -1);
      throw thrown;
    }
  }

  #count(key: string, now: number, by: number): void {
    const count = this.#counts.get(key);
    if (count !== undefined) {
      count.failures += by;
      return;
    }
    if (this.#counts.size >= KEYS_MAX) {
      const oldest = this.#counts.keys().next().value;
      if (oldest !== undefined) this.#counts.delete(oldest);
    }
    this.#counts.set(key, { failures: by, untilMs: now + this.#options.windowMs });
  }
}
