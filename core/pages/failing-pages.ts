// Images that take more memory than is allowed are refused for a while, those that crashed their thread or exceeded their deadline after the
// second time (in memory only), and those that took the whole process with them until they change (deadly-images.ts).
import { boundedByCount } from '../model/bounded-map.js';
import { AppError } from '../model/errors.js';
import { DeadlyImages, type DeadlyImagesParts, isDeadlyRefusal, journalPath } from './deadly-images.js';

interface Failure {
  readonly times: number;
  readonly untilMs: number;
  /** It took too much memory, at this many pixels. */
  readonly refusal?: { readonly error: AppError; readonly pixels: number };
}

/** No one waits longer for a page; a page that needs more is broken or malicious. */
export const PAGE_DEADLINE_MS = 30_000;

const TIMES_MAX = 2;
const REFUSED_MS = 10 * 60_000;
const NOTED_MAX = 1000;

/** A page that took too much memory is tried again below this share of the pixels, since rendering it may then take less. */
const SMALLER = 0.5;

const REFUSED = 'This page failed twice; it is not retried for ten minutes.';

/** Whether a page was not even tried, so nothing is known about its content. */
export const isRefused = (thrown: unknown): boolean =>
  thrown instanceof AppError && (thrown.message === REFUSED || isDeadlyRefusal(thrown));

export class FailingPages {
  readonly #failures = boundedByCount<string, Failure>(NOTED_MAX);
  readonly #deadly: DeadlyImages | undefined;
  /** The file in which threads record what they decode. */
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

  /** Makes an image, unless it is refused; the job gets the key for its journal. `pixels` are those of a page that is drawn in any size. */
  async run<T>(key: string, make: (journalKey: string) => Promise<T>, pixels = 0): Promise<T> {
    this.#check(key, pixels);
    await this.#deadly?.check(key);
    try {
      const made = await make(key);
      this.#deadly?.passed(key);
      return made;
    } catch (thrown) {
      this.#note(key, thrown, pixels);
      throw thrown;
    }
  }

  /** Throws while a page is refused. */
  #check(key: string, pixels: number): void {
    const noted = this.#failures.peek(key);
    if (noted === undefined || performance.now() > noted.untilMs) return;
    const { times, refusal } = noted;
    if (refusal !== undefined && pixels >= refusal.pixels * SMALLER)
      throw new AppError('LimitExceeded', refusal.error.message, null, refusal.error);
    if (times >= TIMES_MAX) throw new AppError('CorruptPage', REFUSED);
  }

  #note(key: string, thrown: unknown, pixels: number): void {
    if (!(thrown instanceof AppError)) return;
    const { times = 0, refusal } = this.#failures.peek(key) ?? {};
    const untilMs = performance.now() + REFUSED_MS;
    if (thrown.kind === 'LimitExceeded')
      this.#failures.set(key, { times, untilMs, refusal: { error: thrown, pixels } });
    else if (thrown.kind === 'Timeout' || thrown.kind === 'WorkerCrashed')
      this.#failures.set(key, { times: times + 1, untilMs, ...(refusal === undefined ? {} : { refusal }) });
  }
}
