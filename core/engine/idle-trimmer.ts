// Frees memory when the server is idle: caches that are cheap to refill, and garbage not yet collected.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** V8 collects when it allocates; an idle program does not allocate and would keep its peak heap. */
const collectGarbage = (): void => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect === 'function') collect();
};

/** Wait this long after the last thread ended, so that a burst of work does not pay for it. */
const SETTLE_MS = 1000;

export class IdleTrimmer {
  readonly #release: () => Promise<void>;
  readonly #isBusy: () => boolean;
  readonly #onFault: (thrown: unknown) => void;
  #timer: NodeJS.Timeout | null = null;

  constructor(isBusy: () => boolean, release: () => Promise<void>, onFault: (thrown: unknown) => void) {
    this.#isBusy = isBusy;
    this.#release = release;
    this.#onFault = onFault;
  }

  /** Call this when a pool thread has ended; only the last one matters. */
  threadEnded(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.#settle(), SETTLE_MS);
    this.#timer.unref();
  }

  stop(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  async #settle(): Promise<void> {
    this.#timer = null;
    if (this.#isBusy()) return;
    try {
      await this.#release();
      collectGarbage();
    } catch (thrown) {
      this.#onFault(thrown);
    }
  }
}
