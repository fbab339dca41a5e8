// Frees memory when the server is idle: caches that are cheap to refill, garbage not yet collected, and what the C library holds free.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { trimHeap } from './trim-heap.js';

/** V8 collects when it allocates; an idle program does not allocate and would keep its peak heap. */
const collectGarbage = (): void => {
  setFlagsFromString('--expose-gc');
  const collect: unknown = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  if (typeof collect === 'function') collect();
};

/** Wait this long after the last thread ended, so that a burst of work does not pay for it. */
const SETTLE_MS = 1000;
/** The same after the last list: what lists leave in memory is worth more to somebody who goes on than what a thread leaves. */
const REST_MS = 5 * 60_000;

export class IdleTrimmer {
  readonly #release: () => Promise<void>;
  readonly #isBusy: () => boolean;
  readonly #onFault: (thrown: unknown) => void;
  readonly #restMs: number;
  #timer: NodeJS.Timeout | null = null;
  #resting: NodeJS.Timeout | null = null;
  #lastListMs = 0;
  #trimming: Promise<void> | undefined;
  #isStopped = false;

  constructor(
    isBusy: () => boolean,
    release: () => Promise<void>,
    onFault: (thrown: unknown) => void,
    restMs: number = REST_MS,
  ) {
    this.#isBusy = isBusy;
    this.#release = release;
    this.#onFault = onFault;
    this.#restMs = restMs;
  }

  /** Call this when a pool thread has ended or a cache has been emptied; only the last call matters. */
  noteFreed(): void {
    if (this.#isStopped) return;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = setTimeout(() => {
      this.#timer = null;
      if (!this.#isBusy()) this.#begin();
    }, SETTLE_MS);
    this.#timer.unref();
  }

  /** Call this when a list is read. Nothing is timed on a server that nobody uses. */
  listRead(): void {
    this.#lastListMs = performance.now();
    if (this.#resting === null && !this.#isStopped) this.#restIn(this.#restMs);
  }

  /** Resolves once a running trim has ended. None starts afterwards, not even when pool threads end with the server. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    if (this.#resting !== null) clearTimeout(this.#resting);
    this.#timer = null;
    this.#resting = null;
    await this.#trimming;
  }

  #restIn(ms: number): void {
    this.#resting = setTimeout(() => {
      this.#resting = null;
      const leftMs = this.#lastListMs + this.#restMs - performance.now();
      if (leftMs > 0) this.#restIn(leftMs);
      else if (this.#isBusy()) this.#restIn(this.#restMs);
      else this.#begin();
    }, ms);
    this.#resting.unref();
  }

  #begin(): void {
    this.#trimming ??= this.#trim().finally(() => {
      this.#trimming = undefined;
    });
  }

  async #trim(): Promise<void> {
    try {
      await this.#release();
      collectGarbage();
      trimHeap();
    } catch (thrown) {
      this.#onFault(thrown);
    }
  }
}
