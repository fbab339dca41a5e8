// Work under the same key takes turns: one at a time, in the order it came.
import { AppError } from '../model/errors.js';

export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  /** `signal` is looked at when the turn has come: who left meanwhile does not begin. */
  take<T>(key: string, signal: AbortSignal, body: () => Promise<T>): Promise<T> {
    const before = this.#last.get(key) ?? Promise.resolve();
    const mine = before.then(() => {
      if (signal.aborted) throw new AppError('Cancelled');
      return body();
    });
    const settled = mine
      .catch(() => undefined)
      .then(() => {
        if (this.#last.get(key) === settled) this.#last.delete(key);
      });
    this.#last.set(key, settled);
    return mine;
  }
}
