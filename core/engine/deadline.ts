// How long a job may run. A job with a waiting caller ends at its deadline, which does not pass while it waits for memory. Any other may run as long as it makes progress, so that a large
// file on a slow disk is read to the end while compiled code that hangs is stopped.
import { CONTROL } from '../model/jobs.js';

/** A job past its deadline is asked to stop first; its thread is terminated only if it does not. */
const KILL_GRACE_MS = 2000;
/** Number of progress checks within the time a job may go without progress. */
const LOOKS = 8;

interface DeadlineOptions {
  readonly control: SharedArrayBuffer;
  readonly limitMs: number;
  /** When true, `limitMs` counts from the last progress. */
  readonly isPatient: boolean;
  readonly onKill: () => void;
}

export class Deadline {
  readonly #options: DeadlineOptions;
  readonly #control: Int32Array;
  #timer: NodeJS.Timeout | undefined;
  #killTimer: NodeJS.Timeout | undefined;
  #progress = 0;
  #sinceMs = performance.now();
  /** Of the time that the job waited for memory, as far as it was added to its limit. */
  #addedMs = 0;
  /** True when the job was asked to stop because it took too long. */
  hasPassed = false;

  constructor(options: DeadlineOptions) {
    this.#options = options;
    this.#control = new Int32Array(options.control);
    const { limitMs, isPatient } = options;
    this.#timer = isPatient
      ? setInterval(() => this.#look(), Math.max(1, limitMs / LOOKS))
      : setTimeout(() => this.#end(), limitMs);
  }

  /** The job has no caller left: its thread is terminated unless the job ends soon. */
  abandon(withinMs: number): void {
    this.#killTimer ??= setTimeout(this.#options.onKill, withinMs);
  }

  clear(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#killTimer);
  }

  #look(): void {
    const progress = Atomics.load(this.#control, CONTROL.progress);
    const now = performance.now();
    if (progress !== this.#progress) {
      this.#progress = progress;
      this.#sinceMs = now;
    } else if (now - this.#sinceMs >= this.#options.limitMs) this.#pass();
  }

  #end(): void {
    const waitedMs = Atomics.load(this.#control, CONTROL.waitedMs);
    const moreMs = waitedMs - this.#addedMs;
    this.#addedMs = waitedMs;
    if (moreMs > 0) this.#timer = setTimeout(() => this.#end(), moreMs);
    else this.#pass();
  }

  #pass(): void {
    clearTimeout(this.#timer);
    this.hasPassed = true;
    Atomics.store(this.#control, CONTROL.cancel, 1);
    clearTimeout(this.#killTimer);
    this.#killTimer = setTimeout(this.#options.onKill, KILL_GRACE_MS);
  }
}
