// Pages that crashed their thread or exceeded their deadline: after the second time they are refused for a while. In memory only.
import { boundedByCount } from '../model/bounded-map.js';
import { AppError } from '../model/errors.js';

interface Failure {
  times: number;
  untilMs: number;
}

/** No one waits longer for a page; a page that needs more is broken or malicious. */
export const PAGE_DEADLINE_MS = 30_000;

const TIMES_MAX = 2;
const REFUSED_MS = 10 * 60_000;
const NOTED_MAX = 1000;

const REFUSED = 'This page failed twice; it is not retried for ten minutes.';

/** Whether a page was not even tried: what it holds is not known. */
export const isRefused = (thrown: unknown): boolean => thrown instanceof AppError && thrown.message === REFUSED;

export class FailingPages {
  readonly #failures = boundedByCount<string, Failure>(NOTED_MAX);

  /** Throws while a page is refused. */
  check(key: string): void {
    const noted = this.#failures.peek(key);
    if (noted === undefined || noted.times < TIMES_MAX || performance.now() > noted.untilMs) return;
    throw new AppError('CorruptPage', REFUSED);
  }

  /** Called with the error when making a page failed. */
  note(key: string, thrown: unknown): void {
    if (!(thrown instanceof AppError) || (thrown.kind !== 'Timeout' && thrown.kind !== 'WorkerCrashed')) return;
    const times = (this.#failures.peek(key)?.times ?? 0) + 1;
    this.#failures.set(key, { times, untilMs: performance.now() + REFUSED_MS });
  }
}
