// Jobs on one thread: usually one, or several small ones, which the thread runs one after the other (pool-turns.ts). Each has its own result
// and its own deadline, which begins with it. One that has not begun is taken back as soon as that matters.
import type { AppError } from '../model/errors.js';
import { type BatchResult, hasBegun, type JobBatch, takeBackJob } from '../model/job-batch.js';
import type { Job, Outcome } from '../model/jobs.js';
import { monotonicMs } from '../model/monotonic.js';
import { Deadline } from './deadline.js';
import { type Entry, LOST_MAX, leave } from './pool-entry.js';

/** A job that takes longer is slow. */
const SLOW_MS = 500;
/** Timers may come a little early. */
const EARLY = 0.9;
/** At least so many looks at what the thread works on within the time of a job. */
const LOOKS = 4;

export interface HandedOutOptions {
  /** How soon the thread of a job without a caller is terminated. */
  readonly abandonedMs: () => number;
  /** Called with each result. */
  readonly onEnd: (entry: Entry, outcome: Outcome<unknown>, isLate: boolean) => void;
  /** Called with jobs that were taken back. */
  readonly onTakenBack: (entries: readonly Entry[]) => void;
}

export class HandedOut {
  readonly entries: readonly Entry[];
  /** What they share with the thread: a job that starts anew has another one. */
  readonly controls: readonly SharedArrayBuffer[];
  readonly kill = new AbortController();
  /** Why the thread could not be started. */
  startFailure: unknown = null;
  readonly #options: HandedOutOptions;
  #left: readonly Entry[];
  #deadline: Deadline | undefined;
  /** The one whose time it counts. */
  #watched: Entry | undefined;
  #watchedMs = 0;
  readonly #lookMs: number;
  /** Those that were asked to end because they took too long. */
  readonly #late = new Set<Entry>();
  #slow: NodeJS.Timeout | undefined;
  #onChange: () => void = () => undefined;

  constructor(entries: readonly Entry[], options: HandedOutOptions) {
    this.entries = entries;
    this.controls = entries.map(({ control }) => control);
    this.#options = options;
    this.#left = entries;
    this.kill.signal.addEventListener('abort', () => this.#onChange());
    for (const entry of entries) entry.abandon = () => this.#abandon(entry);
    this.#lookMs = Math.min(SLOW_MS, ...entries.map(({ limitMs }) => limitMs / LOOKS));
    if (entries.length > 1) this.#slow = setInterval(() => this.#look(), this.#lookMs);
    this.#watch();
  }

  /** Those without a result, in order. */
  get left(): readonly Entry[] {
    return this.#left;
  }

  /** The one that the thread works on: whatever happens to the thread, it is the only one that can have caused it. */
  get running(): Entry | undefined {
    return this.#left.findLast(({ control }) => hasBegun(control)) ?? this.#left[0];
  }

  /** `batch`: what the thread calls them when it tells a result. */
  message(batch: number): JobBatch {
    const [first, ...following] = this.entries.map(({ name, input, control, limitMs, isPatient }) => ({
      job: { name, input, control, isPatient } as Job,
      limitMs,
    }));
    if (first === undefined) throw new Error('No job was handed out.');
    const job = { ...first.job, deadlineMs: monotonicMs() + first.limitMs };
    if (following.length === 0) return job;
    return { ...job, batch, following: following.map((next) => ({ ...next.job, limitMs: next.limitMs })) };
  }

  told(results: readonly BatchResult[]): void {
    for (const { at, outcome } of results) {
      const entry = this.entries[at];
      if (entry === undefined || !this.#left.includes(entry)) continue;
      this.#remove(entry);
      const isLate = this.#late.has(entry) || (entry === this.#watched && this.#deadline?.hasPassed === true);
      this.#options.onEnd(entry, outcome, isLate);
    }
    this.#watch();
    this.#onChange();
  }

  /** Resolves once the results of all jobs before this one have come; they take another way. Rejects when the thread is to be terminated. */
  async toldBefore(at: number): Promise<void> {
    const earlier = this.entries.slice(0, at);
    while (this.#left.some((entry) => earlier.includes(entry))) {
      this.kill.signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        this.#onChange = resolve;
      });
    }
  }

  /** False for a job that has lost too many threads: its outcome is then final. */
  mayMove(at: number): boolean {
    const entry = this.entries[at];
    if (entry === undefined || entry.lost >= LOST_MAX) return false;
    entry.lost += 1;
    return true;
  }

  /** One ends with this error, whatever the thread still says about it. */
  fail(entry: Entry, error: AppError): void {
    this.#left = this.#left.filter((one) => one !== entry);
    entry.abandon = null;
    leave(entry);
    entry.reject(error);
  }

  failAll(error: AppError): void {
    for (const entry of this.#left) this.fail(entry, error);
  }

  end(): void {
    this.#deadline?.clear();
    clearInterval(this.#slow);
    for (const entry of this.#left) entry.abandon = null;
  }

  #remove(entry: Entry): void {
    entry.abandon = null;
    this.#left = this.#left.filter((one) => one !== entry);
  }

  /** The time of the job that runs counts from the moment in which that is seen. */
  #watch(): void {
    const entry = this.running;
    if (entry === this.#watched) return;
    if (this.#watched !== undefined && this.#deadline?.hasPassed === true) this.#late.add(this.#watched);
    this.#deadline?.clear();
    this.#watched = entry;
    this.#watchedMs = performance.now();
    if (entry === undefined) return;
    const { control, limitMs, isPatient } = entry;
    this.#deadline = new Deadline({ control, limitMs, isPatient, onKill: () => this.kill.abort() });
    if (entry.signal?.aborted === true) this.#deadline.abandon(this.#options.abandonedMs());
  }

  #abandon(entry: Entry): void {
    if (this.#takeBack([entry])) return;
    this.#watch();
    this.#deadline?.abandon(this.#options.abandonedMs());
  }

  /** False when the thread works on all of them. Those that have ended, of which nothing is known yet, are run again elsewhere. */
  #takeBack(entries: readonly Entry[]): boolean {
    const [first] = this.entries; // it begins at once, and does not ask
    const waiting = entries.filter((entry) => entry !== first && takeBackJob(entry.control));
    const at = this.#left.findLastIndex(({ control }) => hasBegun(control));
    const ended = this.#left.slice(0, Math.max(0, at)).filter((entry) => entries.includes(entry));
    const taken = [...ended, ...waiting];
    for (const entry of taken) this.#remove(entry);
    if (taken.length > 0) this.#options.onTakenBack(taken);
    return taken.length > 0;
  }

  /** Jobs beside one that takes longer go to other threads. A thread that is still starting is not slow. */
  #look(): void {
    const before = this.#watched;
    this.#watch();
    const isSlow =
      before !== undefined &&
      before === this.#watched &&
      hasBegun(before.control) &&
      performance.now() - this.#watchedMs >= EARLY * this.#lookMs;
    if (isSlow) this.#takeBack(this.#left.filter((entry) => entry !== before));
  }
}
