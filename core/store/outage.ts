// An outage of something the server can do without for a while: reported once, retried with growing waits, recovery reported once.

export interface OutageOptions {
  /** Checks whether it works again. Throws, or resolves to false, while it does not. */
  readonly probe: () => Promise<boolean>;
  /** Called with the reason when it fails, and with null when it works again. */
  readonly onChange: (reason: string | null) => void;
  /** Called each time it works again, also after a failure that was not reported. */
  readonly onBack?: () => void;
}

const FIRST_WAIT_MS = 1000;
const LONGEST_WAIT_MS = 30_000;
/** A failure this soon after recovery continues the same outage: same waits, no second report. */
const STEADY_MS = 60_000;

export class Outage {
  readonly #options: OutageOptions;
  #reason: string | null = null;
  #timer: NodeJS.Timeout | null = null;
  #waitMs = FIRST_WAIT_MS;
  #endedMs = Number.NEGATIVE_INFINITY;
  #isSaid = false;
  #trying: Promise<void> = Promise.resolve();
  #isStopped = false;
  readonly #waiting = new Set<() => void>();

  constructor(options: OutageOptions) {
    this.#options = options;
  }

  /** Why it does not work; null while it does. */
  get reason(): string | null {
    return this.#reason;
  }

  /** Only the first failure counts; later ones are consequences. */
  begin(reason: string): void {
    if (this.#reason !== null || this.#isStopped) return;
    this.#reason = reason;
    this.#isSaid = performance.now() - this.#endedMs > STEADY_MS;
    if (this.#isSaid) {
      this.#waitMs = FIRST_WAIT_MS;
      this.#options.onChange(reason);
    }
    this.#schedule();
  }

  #end(): void {
    this.#reason = null;
    this.#endedMs = performance.now();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#wake();
    if (this.#isStopped) return;
    if (this.#isSaid) this.#options.onChange(null);
    this.#options.onBack?.();
  }

  /** Resolves when it works again, when `signal` is aborted, or on stop. */
  async over(signal: AbortSignal): Promise<void> {
    if (this.#reason === null || this.#isStopped || signal.aborted) return;
    await new Promise<void>((resolve) => {
      const wake = (): void => {
        this.#waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      this.#waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  }

  /** Resolves when no probe is running any more. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#wake();
    await this.#trying;
  }

  #wake(): void {
    for (const wake of [...this.#waiting]) wake();
  }

  #schedule(): void {
    this.#timer = setTimeout(() => {
      this.#timer = null;
      this.#trying = this.#try(); // never rejects
    }, this.#waitMs);
    this.#timer.unref();
    this.#waitMs = Math.min(this.#waitMs * 2, LONGEST_WAIT_MS);
  }

  async #try(): Promise<void> {
    const works = await this.#options.probe().catch(() => false); // the reason was reported when the outage began
    if (this.#isStopped || this.#reason === null) return;
    if (works) this.#end();
    else this.#schedule();
  }
}
