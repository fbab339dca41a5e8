// Single flight: callers that want the same thing at the same time share one piece of work. It is cancelled when the last of them leaves.
import { AppError } from '../model/errors.js';

interface Flight {
  readonly result: Promise<unknown>;
  readonly abort: AbortController;
  waiters: number;
}

export class SingleFlight {
  readonly #flying = new Map<string, Flight>();

  has(key: string): boolean {
    return this.#flying.has(key);
  }

  /** Joins the work under this key or starts it. `signal` is the caller's own: aborting it does not affect the others. */
  join<T>(key: string, signal: AbortSignal | undefined, start: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (signal?.aborted === true) return Promise.reject(new AppError('Cancelled')); // the abort event has already fired
    const flight = this.#flying.get(key) ?? this.#start(key, start);
    flight.waiters += 1;
    return new Promise<T>((resolve, reject) => {
      let waiting = true;
      const leave = (): void => {
        if (waiting) flight.waiters -= 1;
        waiting = false;
        signal?.removeEventListener('abort', onAbort);
      };
      const onAbort = (): void => {
        leave();
        if (flight.waiters === 0) flight.abort.abort();
        reject(new AppError('Cancelled'));
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      flight.result.then(
        (value) => {
          leave();
          resolve(value as T);
        },
        (thrown: unknown) => {
          leave();
          reject(thrown);
        },
      );
    });
  }

  #start<T>(key: string, start: (signal: AbortSignal) => Promise<T>): Flight {
    const abort = new AbortController();
    const result = start(abort.signal).finally(() => {
      if (this.#flying.get(key) === flight) this.#flying.delete(key);
    });
    const flight: Flight = { result, abort, waiters: 0 };
    abort.signal.addEventListener('abort', () => {
      if (this.#flying.get(key) === flight) this.#flying.delete(key); // the next caller starts a new flight
    });
    this.#flying.set(key, flight);
    return flight;
  }
}
