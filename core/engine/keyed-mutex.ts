// Runs work under the same key one at a time, in order of arrival. The queue is short: when it is full, new work is refused at once, since
// its turn would come too late.
import { AppError } from '../model/errors.js';

export class KeyedMutex {
  /** The queue of each active key. */
  readonly #lines = new Map<string, (() => void)[]>();
  readonly #waitingMax: number;

  constructor(waitingMax: number) {
    this.#waitingMax = waitingMax;
  }

  /** Aborting while queued gives up the place. */
  async run<T>(key: string, signal: AbortSignal, body: () => Promise<T>): Promise<T> {
    if (signal.aborted) throw new AppError('Cancelled');
    const line = this.#lines.get(key);
    if (line === undefined) this.#lines.set(key, []);
    else await this.#wait(line, signal);
    try {
      return await body();
    } finally {
      this.#next(key);
    }
  }

  #wait(line: (() => void)[], signal: AbortSignal): Promise<void> {
    if (line.length >= this.#waitingMax) throw new AppError('Overloaded');
    return new Promise<void>((resolve, reject) => {
      const begin = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      const leave = (): void => {
        const at = line.indexOf(begin);
        if (at >= 0) line.splice(at, 1);
        reject(new AppError('Cancelled'));
      };
      signal.addEventListener('abort', leave, { once: true });
      line.push(begin);
    });
  }

  #next(key: string): void {
    const begin = this.#lines.get(key)?.shift();
    if (begin === undefined) this.#lines.delete(key);
    else begin();
  }
}
