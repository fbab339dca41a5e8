// Images that crashed their thread or exceeded their deadline are refused for a while after the second time (in memory only), and those that
// took the whole process with them until they change (deadly-images.ts).
import { boundedByCount } from '../model/bounded-map.js';
import { AppError } from '../model/errors.js';
import { DeadlyImages, type DeadlyImagesParts, isDeadlyRefusal, journalPath } from './deadly-images.js';

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
export const isRefused = (thrown: unknown): boolean =>
  thrown instanceof AppError && (thrown.message === REFUSED || isDeadlyRefusal(thrown));

export class FailingPages {
  readonly #failures = boundedByCount<string, Failure>(NOTED_MAX);
  readonly #deadly: DeadlyImages | undefined;
  /** The file in which threads note what they decode. */
  readonly journal: string | undefined;

  constructor(deadly?: DeadlyImages, journal?: string) {
    this.#deadly = deadly;
    this.journal = journal;
  }

  /** With what is known of earlier processes; before any image is decoded. */
  static async open(parts: DeadlyImagesParts): Promise<FailingPages> {
    return new FailingPages(await DeadlyImages.open(parts), journalPath(parts.folder));
  }

  close(): void {
    this.#deadly?.close();
  }

  /** Makes an image, unless it is refused; the job gets the key for its journal. */
  async run<T>(key: string, make: (journalKey: string) => Promise<T>): Promise<T> {
    this.#check(key);
    await this.#deadly?.check(key);
    try {
      const made = await make(key);
      this.#deadly?.passed(key);
      return made;
    } catch (thrown) {
      this.#note(key, thrown);
      throw thrown;
    }
  }

  /** Throws while a page is refused. */
  #check(key: string): void {
    const noted = this.#failures.peek(key);
    if (noted === undefined || noted.times < TIMES_MAX || performance.now() > noted.untilMs) return;
    throw new AppError('CorruptPage', REFUSED);
  }

  #note(key: string, thrown: unknown): void {
    if (!(thrown instanceof AppError) || (thrown.kind !== 'Timeout' && thrown.kind !== 'WorkerCrashed')) return;
    const times = (this.#failures.peek(key)?.times ?? 0) + 1;
    this.#failures.set(key, { times, untilMs: performance.now() + REFUSED_MS });
  }
}
