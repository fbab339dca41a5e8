// Logs 5xx answers: one line each with the reason, rate-limited so that a flood of them cannot fill a disk.
import { AppError } from '../../core/model/errors.js';
import type { Log } from './log.js';

const LINES_MAX = 30;
const WINDOW_MS = 60_000;

/** The messages of the error and its causes: `EIO` says more than "cannot be read". */
const causeOf = ({ message, cause }: AppError): string =>
  cause instanceof Error ? `${message} (${cause.message})` : message;

export class FailureLog {
  readonly #log: Log;
  readonly #windowMs: number;
  /** Lines in this window; 0 while no window is open. */
  #lines = 0;
  /** Failures in this window that were not logged, by kind. */
  readonly #unsaid = new Map<string, number>();

  constructor(log: Log, windowMs = WINDOW_MS) {
    this.#log = log;
    this.#windowMs = windowMs;
  }

  /** `where` is the row of the request, or its path if no row matched. */
  note(thrown: unknown, where: string): void {
    if (this.#lines === 0) setTimeout(() => this.#endWindow(), this.#windowMs).unref();
    this.#lines += 1;
    if (this.#lines <= LINES_MAX) {
      this.#say(thrown, where);
      return;
    }
    const kind = thrown instanceof AppError ? thrown.kind : 'Internal';
    this.#unsaid.set(kind, (this.#unsaid.get(kind) ?? 0) + 1);
  }

  #say(thrown: unknown, route: string): void {
    if (!(thrown instanceof AppError) || thrown.kind === 'Internal')
      this.#log.error('a request failed', thrown, { route });
    else this.#log.warn('a request could not be answered', { route, kind: thrown.kind, cause: causeOf(thrown) });
  }

  #endWindow(): void {
    this.#lines = 0;
    if (this.#unsaid.size === 0) return;
    const counts = Object.fromEntries(this.#unsaid);
    this.#unsaid.clear();
    this.#log.warn(`more requests failed in the last ${Math.round(this.#windowMs / 1000)} s than were logged`, counts);
  }
}
