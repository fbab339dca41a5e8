// Does in a quiet moment what the first requests after a start, a scan or a rest would otherwise wait for: once, step by step, and only
// while nobody is served. Whoever starts the program says what the steps are.
import { setTimeout as rest } from 'node:timers/promises';
import { faultOf } from '../model/errors.js';

/** Ends with Cancelled when somebody else needs what it uses. It is not repeated then: the next requests do the same work. */
export type Step = (signal: AbortSignal) => Promise<unknown>;

export interface WarmUpOptions {
  /** Milliseconds since somebody asked for a list. */
  readonly quietMs: () => number;
  /** Called with an error unless the warm-up before failed as well. */
  readonly onFault: (thrown: unknown) => void;
  readonly pauseMs?: number;
  readonly longestMs?: number;
}

/** Nothing is done until nobody has asked for this long. */
const QUIET_MS = 100;
/** Before each step, and before each look whether it is quiet again. */
const PAUSE_MS = 20;
/** What is not done by then is left to the requests. */
const LONGEST_MS = 60_000;

export class WarmUp {
  /** Asked anew each time. */
  steps: (signal: AbortSignal) => Promise<readonly Step[]> = () => Promise.resolve([]);
  readonly #options: WarmUpOptions;
  readonly #stop = new AbortController();
  #running: Promise<void> | undefined;
  #isWanted = false;
  #hasFailed = false;

  constructor(options: WarmUpOptions) {
    this.#options = options;
  }

  /** Returns at once. What is being warmed already is warmed again after it. */
  wake(): void {
    this.#isWanted = true;
    this.#running ??= this.#work().finally(() => {
      this.#running = undefined;
    });
  }

  /** Resolves when nothing is being warmed. */
  async done(): Promise<void> {
    await this.#running;
  }

  /** Ends the running step. Nothing is warmed afterwards. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** Never rejects. */
  async #work(): Promise<void> {
    while (this.#isWanted && !this.#stop.signal.aborted) {
      this.#isWanted = false;
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(), this.#options.longestMs ?? LONGEST_MS);
      const onStop = (): void => late.abort();
      this.#stop.signal.addEventListener('abort', onStop, { once: true });
      try {
        await this.#warm(late.signal);
        this.#hasFailed = false;
      } catch (thrown) {
        this.#note(thrown, late.signal);
      } finally {
        clearTimeout(timer);
        this.#stop.signal.removeEventListener('abort', onStop);
      }
    }
  }

  async #warm(signal: AbortSignal): Promise<void> {
    await this.#quiet(signal);
    for (const step of await this.steps(signal)) {
      await this.#quiet(signal);
      await step(signal).catch((thrown: unknown) => {
        if (faultOf(thrown).kind !== 'Cancelled') throw thrown;
      });
    }
  }

  async #quiet(signal: AbortSignal): Promise<void> {
    do {
      await rest(this.#options.pauseMs ?? PAUSE_MS, undefined, { signal, ref: false });
    } while (this.#options.quietMs() < QUIET_MS);
  }

  #note(thrown: unknown, signal: AbortSignal): void {
    if (signal.aborted || faultOf(thrown).kind === 'Cancelled') return;
    if (!this.#hasFailed) this.#options.onFault(thrown);
    this.#hasFailed = true;
  }
}
