// The only Piscina of the program: two lanes, bounded queues, deadlines, cancel by a flag in shared memory, errors as data.
// Knows job names and their types, nothing of what a job does.
import { Piscina } from 'piscina';
import { AppError, errorOf } from '../model/errors.js';
import type { Job, JobName, Jobs, Outcome, Ran } from '../model/jobs.js';
import { DiskJobs } from './disk-jobs.js';
import { disks } from './disks.js';
import { LostThreads } from './lost-threads.js';

/** Interactive: somebody waits, the next free thread is theirs. Background: at most all threads but one. */
export type PoolLane = 'interactive' | 'background';

export interface RunOptions {
  readonly lane: PoolLane;
  /**
   * Aborting removes a queued job at once and asks a running one to stop at its next step; one that does not in some seconds loses its
   * thread, since nobody waits for it any more.
   */
  readonly signal?: AbortSignal;
  /** Less than the deadline of all jobs, where somebody waits. */
  readonly deadlineMs?: number;
}

export interface PoolOptions {
  /** URL of the worker entry; a string, so that core does not import workers. */
  readonly entry: string;
  readonly threads: number;
  readonly idleTimeoutMs: number;
  readonly queueInteractive: number;
  readonly queueBackground: number;
  readonly jobDeadlineMs: number;
  /** Told when a thread ends. */
  readonly onThreadEnded?: () => void;
}

export interface PoolLoad {
  readonly running: number;
  readonly waiting: number;
  readonly threads: number;
}

export interface Pool {
  run<K extends JobName>(name: K, input: Jobs[K]['input'], options: RunOptions): Promise<Jobs[K]['output']>;
  /** Jobs the background lane can have under way without waiting. */
  readonly backgroundWidth: number;
  load(): PoolLoad;
  /** Threads that were ended and have not ended yet: they wait for a disk that does not answer. */
  readonly lostThreads: number;
  /** From now on, jobs nobody waits for lose their threads soon: the program is about to end. */
  hurry(): void;
  close(): Promise<void>;
}

interface Entry {
  readonly name: JobName;
  readonly input: unknown;
  readonly lane: PoolLane;
  readonly cancel: SharedArrayBuffer;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (value: unknown) => void;
  readonly reject: (thrown: unknown) => void;
  onAbort: (() => void) | null;
  /** Set while it runs: nobody waits for it any more. */
  abandon: (() => void) | null;
  readonly deadlineMs: number;
  /** How often its thread was ended for reasons that were not its own. */
  readonly lost: number;
}

/** A job that keeps losing its thread is the likelier reason. */
const LOST_MAX = 2;

/** A job past its deadline is asked to stop first; its thread is ended only when it does not. */
const KILL_GRACE_MS = 2000;
/** Threads that end do so within this; one that waits for a disk may never. */
const CLOSE_MS = 3000;
/** Compiled code in the middle of a page cannot be asked; most of it is through within this. */
const ABANDONED_MS = 10_000;
const HURRIED_MS = 1500;

/**
 * Of the part of a thread's heap where objects begin. The bytes of a page are freed when the object that held them is swept, and in a small
 * part that is soon; the default (48) keeps many pages of each thread.
 */
const YOUNG_MAX_MB = 3;

export const openPool = (options: PoolOptions): Pool => new TwoLanePool(options);

class TwoLanePool implements Pool {
  readonly #options: PoolOptions;
  readonly #piscina: Piscina;
  readonly #queues: Record<PoolLane, Entry[]> = { interactive: [], background: [] };
  readonly #running: Record<PoolLane, number> = { interactive: 0, background: 0 };
  readonly backgroundWidth: number;
  readonly #onDisks: DiskJobs;
  readonly #forgetDisks: () => void;
  readonly #lost: LostThreads;
  #closed = false;
  #abandonedMs = ABANDONED_MS;
  /** Moves when a thread is ended on purpose and again when it has ended. */
  #retired = 0;
  /** Threads that are ending: meanwhile nothing is handed out, since it could be handed to one of them. */
  #retiring = 0;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.backgroundWidth = Math.max(1, options.threads - 1);
    this.#piscina = new Piscina({
      filename: options.entry,
      name: 'run',
      minThreads: 0,
      maxThreads: options.threads * 2, // as many again may be asleep on a disk that does not answer
      idleTimeout: options.idleTimeoutMs,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MAX_MB },
      concurrentTasksPerWorker: 1,
    });
    this.#piscina.on('workerDestroy', () => options.onThreadEnded?.());
    this.#lost = new LostThreads(this.#piscina);
    this.#onDisks = new DiskJobs(options.threads);
    this.#forgetDisks = disks.onChange(() => this.#lookAtDisks());
  }

  run<K extends JobName>(name: K, input: Jobs[K]['input'], options: RunOptions): Promise<Jobs[K]['output']> {
    const { lane, signal } = options;
    const bound = lane === 'interactive' ? this.#options.queueInteractive : this.#options.queueBackground;
    if (this.#closed) return Promise.reject(new AppError('Cancelled', 'The server is stopping.'));
    if (signal?.aborted === true) return Promise.reject(new AppError('Cancelled'));
    const refusal = this.#onDisks.refusal(input);
    if (refusal !== undefined) return Promise.reject(refusal);
    if (this.#queues[lane].length >= bound) return Promise.reject(new AppError('Overloaded'));
    return new Promise<Jobs[K]['output']>((resolve, reject) => {
      const entry: Entry = {
        name,
        input,
        lane,
        cancel: new SharedArrayBuffer(4),
        signal,
        resolve: (value) => resolve(value as Jobs[K]['output']),
        reject,
        onAbort: null,
        abandon: null,
        deadlineMs: Math.min(options.deadlineMs ?? Number.POSITIVE_INFINITY, this.#options.jobDeadlineMs),
        lost: 0,
      };
      this.#listenForAbort(entry);
      this.#queues[lane].push(entry);
      this.#pump();
    });
  }

  load(): PoolLoad {
    return {
      running: this.#running.interactive + this.#running.background,
      waiting: this.#queues.interactive.length + this.#queues.background.length,
      threads: this.#piscina.threads.length,
    };
  }

  get lostThreads(): number {
    return this.#lost.count;
  }

  hurry(): void {
    this.#abandonedMs = HURRIED_MS;
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const queue of Object.values(this.#queues)) {
      for (const entry of queue.splice(0)) entry.reject(new AppError('Cancelled', 'The server is stopping.'));
    }
    this.#forgetDisks();
    const ended = this.#lost.during(
      () => this.#piscina.destroy(),
      () => () => undefined,
    );
    await Promise.race([ended, new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())]);
  }

  /** What waits for a disk that fell silent is refused; what waited for one that answers again goes on. */
  #lookAtDisks(): void {
    this.#onDisks.giveUp();
    for (const queue of Object.values(this.#queues)) {
      for (const entry of [...queue]) {
        const refusal = this.#onDisks.refusal(entry.input);
        if (refusal === undefined) continue;
        queue.splice(queue.indexOf(entry), 1);
        if (entry.onAbort !== null) entry.signal?.removeEventListener('abort', entry.onAbort);
        entry.reject(refusal);
      }
    }
    this.#pump();
  }

  /** The first whose disk answers. */
  #next(lane: PoolLane): Entry | undefined {
    const queue = this.#queues[lane];
    const at = queue.findIndex(({ input }) => this.#onDisks.mayStart(input));
    return at < 0 ? undefined : queue.splice(at, 1)[0];
  }

  /** Ends the thread of a job. One that waits for its disk ends when the disk answers. */
  #end(kill: AbortController, input: unknown): void {
    const onLost = (): (() => void) => {
      const ended = this.#onDisks.lost(input);
      return () => {
        ended();
        this.#pump();
      };
    };
    this.#lost.during(() => kill.abort(), onLost);
  }

  #listenForAbort(entry: Entry): void {
    if (entry.signal === undefined) return;
    entry.onAbort = () => {
      Atomics.store(new Int32Array(entry.cancel), 0, 1);
      const queue = this.#queues[entry.lane];
      const at = queue.indexOf(entry);
      if (at < 0) {
        entry.abandon?.();
        return;
      }
      queue.splice(at, 1);
      entry.reject(new AppError('Cancelled'));
    };
    entry.signal.addEventListener('abort', entry.onAbort, { once: true });
  }

  #pump(): void {
    while (this.#retiring === 0) {
      const { asleep } = this.#onDisks;
      const free = this.#options.threads + asleep - this.#running.interactive - this.#running.background;
      if (free <= 0) return;
      const mayBackground = this.#running.background < this.backgroundWidth + asleep;
      const entry = this.#next('interactive') ?? (mayBackground ? this.#next('background') : undefined);
      if (entry === undefined) return;
      this.#running[entry.lane] += 1;
      void this.#start(entry);
    }
  }

  async #start(entry: Entry): Promise<void> {
    const kill = new AbortController();
    const deadlineMs = Date.now() + entry.deadlineMs;
    const timer = setTimeout(() => {
      Atomics.store(new Int32Array(entry.cancel), 0, 1);
      killTimer = setTimeout(() => this.#end(kill, entry.input), KILL_GRACE_MS);
    }, entry.deadlineMs);
    let killTimer: NodeJS.Timeout | undefined;
    entry.abandon = () => {
      killTimer ??= setTimeout(() => this.#end(kill, entry.input), this.#abandonedMs);
    };
    const retiredBefore = this.#retired;
    const ended = this.#onDisks.started(entry.input, (error) => {
      entry.reject(error);
      this.#end(kill, entry.input);
    });
    try {
      const job = { name: entry.name, input: entry.input, cancel: entry.cancel, deadlineMs } as Job;
      const outcome = (await this.#piscina.run(job, { signal: kill.signal })) as Outcome<unknown> & Ran;
      if (outcome.retire) await this.#retire(outcome.thread);
      if (outcome.ok) entry.resolve(outcome.value);
      else entry.reject(late(entry, deadlineMs, errorOf(outcome.error)));
    } catch (thrown) {
      const isBystander = this.#retiring > 0 || this.#retired > retiredBefore;
      if (!kill.signal.aborted && !this.#closed && entry.lost < LOST_MAX && isBystander) {
        this.#tryAgain(entry);
        return;
      }
      entry.reject(this.#threadError(entry, kill.signal.aborted, thrown));
    } finally {
      clearTimeout(timer);
      clearTimeout(killTimer);
      ended();
      entry.abandon = null;
      if (entry.onAbort !== null) entry.signal?.removeEventListener('abort', entry.onAbort);
      this.#running[entry.lane] -= 1;
      this.#pump();
    }
  }

  #tryAgain(entry: Entry): void {
    const again: Entry = { ...entry, onAbort: null, lost: entry.lost + 1 };
    this.#listenForAbort(again);
    this.#queues[entry.lane].unshift(again);
  }

  /** Ends a thread whose own memory has grown too large. A job that was handed to it in this moment is given to another. */
  async #retire(threadId: number): Promise<void> {
    this.#retired += 1;
    this.#retiring += 1;
    try {
      await this.#piscina.threads.find((thread) => thread.threadId === threadId)?.terminate();
    } finally {
      this.#retired += 1;
      this.#retiring -= 1;
    }
  }

  #threadError(entry: Entry, killed: boolean, thrown: unknown): AppError {
    if (this.#closed) return new AppError('Cancelled', 'The server is stopping.', null, thrown);
    if (killed) {
      const seconds = entry.deadlineMs / 1000;
      return new AppError(
        'Timeout',
        `The job ${entry.name} did not end within ${seconds} s; its thread was ended.`,
        null,
        thrown,
      );
    }
    const words = thrown instanceof Error ? thrown.message : String(thrown);
    return new AppError(
      'WorkerCrashed',
      `The thread of the job ${entry.name} ended unexpectedly: ${words}`,
      null,
      thrown,
    );
  }
}

/** A job that was told to stop by its deadline reports Cancelled; to the caller that is a time-out. */
const late = ({ deadlineMs: allowedMs }: Entry, deadlineMs: number, error: AppError): AppError =>
  error.kind === 'Cancelled' && Date.now() >= deadlineMs
    ? new AppError('Timeout', `The work took longer than ${allowedMs / 1000} s and was stopped.`)
    : error;
