// Whether worker threads do their jobs. Between two looks it is remembered how many had ended.
import type { Pool } from '../engine/pool.js';
import { type Finding, failing, fine, span, warning } from './finding.js';

const NAME = 'worker threads';
/** Nothing starts for this long while jobs wait: threads cannot be started. */
const DEAD_MS = 15_000;
/** Large archives on slow disks take a few minutes. */
const STUCK_MS = 10 * 60_000;
/** So many jobs in a row without a thread are no accident. */
const NOT_STARTED = 3;
/** After so long without another failure it is tried again: whoever asks for readiness may send no work meanwhile. */
const FORGOTTEN_MS = 60_000;
const RESTART =
  'Restart the server; if it happens again, look in the log for why threads fail, and at the limits of memory and processes.';
const LOST =
  'Check the disks of the libraries. These threads end when the disk answers, or when the server is restarted.';

export class PoolHealth {
  readonly #pool: Pick<Pool, 'load' | 'lostThreads'>;
  #ended = -1;
  #sinceMs = 0;
  #wasEmpty = true;
  #notStarted = 0;
  #notStartedMs = Number.NEGATIVE_INFINITY;

  constructor(pool: Pick<Pool, 'load' | 'lostThreads'>) {
    this.#pool = pool;
  }

  look(nowMs = performance.now()): Finding {
    const { running, waiting, ended, notStarted } = this.#pool.load();
    if (notStarted !== this.#notStarted) this.#notStartedMs = nowMs;
    this.#notStarted = notStarted;
    if (ended !== this.#ended || waiting === 0 || this.#wasEmpty) this.#sinceMs = nowMs;
    this.#wasEmpty = waiting === 0;
    this.#ended = ended;
    const stillMs = nowMs - this.#sinceMs;
    const jobs = `${running} jobs are running and ${waiting} are waiting.`;
    if (notStarted >= NOT_STARTED && nowMs - this.#notStartedMs < FORGOTTEN_MS)
      return failing(NAME, `No thread can be started: ${notStarted} jobs in a row found none.`, RESTART);
    if (running === 0 && stillMs > DEAD_MS)
      return failing(NAME, `No job has begun for ${span(stillMs)}, although ${waiting} are waiting.`, RESTART);
    if (stillMs > STUCK_MS) return warning(NAME, `No job has ended for ${span(stillMs)}. ${jobs}`, RESTART);
    const { lostThreads } = this.#pool;
    if (lostThreads > 0)
      return warning(NAME, `${lostThreads} threads are blocked on a disk that does not answer. ${jobs}`, LOST);
    return fine(NAME, jobs);
  }
}
