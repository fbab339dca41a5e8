// A remote value that is fetched on demand, by one request at a time, and cached for a while. A failure is cached too, for a shorter
// time, so that not every caller waits for another attempt.
import type { Clock } from '../engine/clock.js';

interface Times {
  readonly validMs: number;
  readonly failureMs: number;
}

type Outcome<T> = { readonly atMs: number } & ({ readonly value: T } | { readonly thrown: unknown });

export class Remembered<T> {
  readonly #clock: Clock;
  readonly #times: Times;
  readonly #fetch: () => Promise<T>;
  #outcome: Outcome<T> | undefined;
  /** The newest that was fetched. */
  #good: { readonly atMs: number; readonly value: T } | undefined;
  #fetching: Promise<T> | undefined;

  constructor(clock: Clock, times: Times, fetch: () => Promise<T>) {
    this.#clock = clock;
    this.#times = times;
    this.#fetch = fetch;
  }

  get(): Promise<T> {
    const known = this.#outcome;
    const ageMs = this.#ageMs();
    if (known !== undefined && 'thrown' in known && ageMs < this.#times.failureMs) return this.#before(known.thrown);
    if (known !== undefined && 'value' in known && ageMs < this.#times.validMs) return Promise.resolve(known.value);
    return this.#begin();
  }

  /** The cached value if it is younger than this; otherwise fetches it again. */
  newerThan(ageMs: number): Promise<T> {
    if (this.#ageMs() >= ageMs) return this.#begin();
    const known = this.#outcome;
    const isFailure = known !== undefined && 'thrown' in known && this.#ageMs() < this.#times.failureMs;
    return isFailure ? Promise.reject(known.thrown) : this.get();
  }

  /** After a failure: what was fetched before it, as long as that is valid. */
  #before(thrown: unknown): Promise<T> {
    const good = this.#good;
    const ageMs = good === undefined ? Number.POSITIVE_INFINITY : this.#clock.now() - good.atMs;
    return good !== undefined && ageMs >= 0 && ageMs < this.#times.validMs
      ? Promise.resolve(good.value)
      : Promise.reject(thrown);
  }

  /** Infinite if the clock was set back, so that nothing stays valid for longer. */
  #ageMs(): number {
    const ageMs = this.#clock.now() - (this.#outcome?.atMs ?? 0);
    return this.#outcome === undefined || ageMs < 0 ? Number.POSITIVE_INFINITY : ageMs;
  }

  #begin(): Promise<T> {
    this.#fetching ??= this.#fetchNow().finally(() => {
      this.#fetching = undefined;
    });
    return this.#fetching;
  }

  async #fetchNow(): Promise<T> {
    try {
      const value = await this.#fetch();
      this.#good = { atMs: this.#clock.now(), value };
      this.#outcome = this.#good;
      return value;
    } catch (thrown) {
      this.#outcome = { atMs: this.#clock.now(), thrown };
      throw thrown;
    }
  }
}
