// Single flight: callers that want the same thing at the same time share one piece of work. It is cancelled when the last of them leaves.
import { AppError } from '../model/errors.js';
import { Urgency } from './urgency.js';

/** The signal says that nobody is left; the urgency, that somebody began to wait for what had been begun for nobody. */
type Start<T> = (signal: AbortSignal, urgency: Urgency) => Promise<T>;

interface Flight {
  readonly result: Promise<unknown>;
  readonly abort: AbortController;
  readonly urgency: Urgency;
  waiters: number;
}

export class SingleFlight {
  readonly #flying = new Map<string, Flight>();

  has(key: string): boolean {
    return this.#flying.has(key);
  }

  /** Joins the work under this key or starts it. `signal` is the caller's own: aborting it does not affect the others. */
  join<T>(key: string, signal: AbortSignal | undefined, start: Start<T>): Promise<T> {
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

  /**
   * Starts work that nobody waits for yet. It ends early only when somebody joined it and nobody is left. Resolves when it has ended,
   * whatever became of it.
   */
  async begin<T>(key: string, start: Start<T>): Promise<void> {
    await (this.#flying.get(key) ?? this.#start(key, start)).result.catch(() => undefined); // told to those who join it
  }

  /** A user begins to wait for the work whose keys begin like this. */
  raise(keysFrom: string, user: number): void {
    for (const [key, { urgency }] of this.#flying) if (key.startsWith(keysFrom)) urgency.raise(user);
  }

  #start<T>(key: string, start: Start<T>): Flight {
    const abort = new AbortController();
    const urgency = new Urgency();
    const result = start(abort.signal, urgency).finally(() => {
      if (this.#flying.get(key) === flight) this.#flying.delete(key);
    });
    const flight: Flight = { result, abort, urgency, waiters: 0 };
    abort.signal.addEventListener('abort', () => {
      if (this.#flying.get(key) === flight) this.#flying.delete(key); // the next caller starts a new flight
    });
    this.#flying.set(key, flight);
    return flight;
  }
}
