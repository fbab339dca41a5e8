// Background work steps back while somebody reads pages: one job at a time, and after each a rest as long as the job. Requests then
// find the processors taken less often, and a scan goes on all the same.

/** Who has asked for no page for this long has stopped reading, or takes the time to look at one. */
const READING_MS = 1000;
/** After a job of minutes, too, the next one starts soon. */
const REST_MAX_MS = 1000;

export class Readers {
  readonly #now: () => number;
  #activeUntilMs = Number.NEGATIVE_INFINITY;
  #restsUntilMs = Number.NEGATIVE_INFINITY;

  constructor(now = (): number => performance.now()) {
    this.#now = now;
  }

  /** Somebody asks for a page. */
  note(): void {
    this.#activeUntilMs = this.#now() + READING_MS;
  }

  get areReading(): boolean {
    return this.#now() < this.#activeUntilMs;
  }

  /** A background job has ended. */
  rest(jobMs: number): void {
    this.#restsUntilMs = this.#now() + Math.min(jobMs, REST_MAX_MS);
  }

  /** Milliseconds for which no background job may start, if no page is asked for meanwhile and none of those that run ends. */
  holdMs(running: number): number {
    const now = this.#now();
    const activeMs = Math.max(0, this.#activeUntilMs - now);
    return running > 0 ? activeMs : Math.min(activeMs, Math.max(0, this.#restsUntilMs - now));
  }
}
