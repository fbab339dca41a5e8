// Reports the reader's position to the server: the exact page, at most once a second, saved in the browser while there is no network, and
// never anything that the reader did not do.

export interface Position {
  /** From 1. */
  readonly page: number;
  /** The share of the page above the window, in a strip; none once the end of the book has been on the screen, or where pages are turned. */
  readonly offset?: number;
  /** When it was read, by the clock of this device. */
  readonly atMs: number;
}

/** What became of a report: stored, refused for good, or not delivered. */
export type ReportResult = 'stored' | 'refused' | 'undelivered';

export interface ReporterParts {
  /** `isLast`: the page is being left, and the answer will not be heard. */
  send(position: Position, isLast: boolean): Promise<ReportResult>;
  /** Must survive the page. Undefined: nothing is left to send. */
  save(position: Position | undefined): void;
  nowMs(): number;
  /** Calls back after a time; the function returned cancels that. */
  wait(ms: number, run: () => void): () => void;
}

const INTERVAL_MS = 1_000;
const RETRY_MS = { first: 2_000, max: 60_000 };

export class ProgressReporter {
  readonly #parts: ReporterParts;
  #pending: Position | undefined;
  #isSending = false;
  #sentAtMs = Number.NEGATIVE_INFINITY;
  #failures = 0;
  #cancelWait: (() => void) | undefined;

  /** `saved`: what an earlier visit could not send. */
  constructor(parts: ReporterParts, saved?: Position) {
    this.#parts = parts;
    this.#pending = saved;
    if (saved !== undefined) this.#schedule();
  }

  /** What has not reached the server yet. */
  get pending(): Position | undefined {
    return this.#pending;
  }

  /** The reader went to a place. */
  read(page: number, offset?: number): void {
    this.#pending = { page, ...(offset === undefined ? {} : { offset }), atMs: this.#parts.nowMs() };
    this.#parts.save(this.#pending);
    this.#schedule();
  }

  /** Tries again at once: the network is back. */
  retry(): void {
    this.#failures = 0;
    this.#schedule();
  }

  /** The page is being left: what is pending is sent at once, and stays saved until it is known to be stored. */
  leave(): void {
    this.#cancelWait?.();
    this.#cancelWait = undefined;
    if (this.#pending !== undefined) void this.#parts.send(this.#pending, true).catch(() => 'undelivered');
  }

  #schedule(): void {
    this.#cancelWait?.();
    this.#cancelWait = undefined;
    if (this.#pending === undefined || this.#isSending) return;
    const pauseMs =
      this.#failures === 0 ? INTERVAL_MS : Math.min(RETRY_MS.max, RETRY_MS.first * 2 ** (this.#failures - 1));
    const waitMs = this.#sentAtMs + pauseMs - this.#parts.nowMs();
    if (waitMs <= 0) void this.#send(this.#pending);
    else this.#cancelWait = this.#parts.wait(waitMs, () => this.#schedule());
  }

  async #send(position: Position): Promise<void> {
    this.#isSending = true;
    this.#sentAtMs = this.#parts.nowMs();
    const result = await this.#parts.send(position, false).catch((): ReportResult => 'undelivered');
    this.#isSending = false;
    this.#failures = result === 'undelivered' ? this.#failures + 1 : 0;
    // Another page may have been read meanwhile.
    if (result !== 'undelivered' && this.#pending === position) {
      this.#pending = undefined;
      this.#parts.save(undefined);
    }
    this.#schedule();
  }
}
