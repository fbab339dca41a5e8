// A debounce: waits until nothing has happened for a while, up to a maximum since the first event.

export interface QuietOptions {
  readonly quietMs: number;
  readonly longestMs: number;
  readonly onQuiet: () => void;
}

export class Quiet {
  readonly #options: QuietOptions;
  #firstMs: number | null = null;
  #dueMs = 0;
  #restUntilMs = 0;
  #timer: NodeJS.Timeout | undefined;
  #isStopped = false;

  constructor(options: QuietOptions) {
    this.#options = options;
  }

  /** Reports an event. One timer serves any number of calls. */
  arm(): void {
    const { quietMs, longestMs } = this.#options;
    const now = performance.now();
    this.#firstMs ??= now;
    this.#dueMs = Math.max(Math.min(now + quietMs, this.#firstMs + longestMs), this.#restUntilMs);
    if (!this.#isStopped) this.#timer ??= this.#sleep(this.#dueMs - now);
  }

  /** Marks everything so far as being handled. */
  begin(): void {
    this.#firstMs = null;
  }

  /** Holds back until this time has passed. */
  rest(ms: number): void {
    this.#restUntilMs = performance.now() + ms;
  }

  stop(): void {
    this.#isStopped = true;
    clearTimeout(this.#timer);
  }

  #sleep(ms: number): NodeJS.Timeout {
    const onTime = (): void => {
      const leftMs = this.#dueMs - performance.now();
      this.#timer = leftMs > 0 ? this.#sleep(leftMs) : undefined;
      if (leftMs <= 0) this.#options.onQuiet();
    };
    return setTimeout(onTime, Math.max(0, ms)).unref();
  }
}
