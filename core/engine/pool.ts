// The only Piscina instance: deadlines, cancellation by a flag in shared memory, errors as data. A thread that
// cannot be started means a busy server, not a faulty job.
// Knows the names and types of jobs, but not what they do.
import { Piscina } from 'piscina';
import { giveRoom, newDecodeRoom } from '../model/decode-budget.js';
import { AppError, errorOf, exhaustionOf, type Fault } from '../model/errors.js';
import { CONTROL, type Job, type JobName, type Jobs, type Outcome, type Ran } from '../model/jobs.js';
import { Deadline } from './deadline.js';
import { DiskJobs } from './disk-jobs.js';
import { type Entry, entryOf, type HandedOut, notStarted, type RunOptions, tooLong } from './pool-entry.js';
import { PoolTurns } from './pool-turns.js';
import type { Readers } from './readers.js';
import { ThreadHeaps } from './thread-heaps.js';

export type { PoolLane, RunOptions } from './pool-entry.js';

export interface PoolOptions {
  readonly readers?: Readers;
  /** URL of the worker entry; a string, so that core does not import workers. */
  readonly entry: string;
  readonly threads: number;
  readonly idleTimeoutMs: number;
  readonly queueInteractive: number;
  readonly queueBackground: number;
  readonly jobDeadlineMs: number;
  /** Called when a thread ends. */
  readonly onThreadEnded?: () => void;
  /** Receives unexpected errors with their trace; callers only get a message that is safe to show. */
  readonly onFault?: (thrown: unknown) => void;
}

export interface PoolLoad {
  readonly running: number;
  readonly waiting: number;
  readonly threads: number;
}

export interface Pool {
  run<K extends JobName>(name: K, input: Jobs[K]['input'], options: RunOptions): Promise<Jobs[K]['output']>;
  /** Jobs the background lane can run at once. */
  readonly backgroundWidth: number;
  load(): PoolLoad;
  /** Terminated threads that have not exited: they are blocked on a disk that does not answer. */
  readonly lostThreads: number;
  /** From now on, threads of jobs without a caller are terminated soon: the program is about to exit. */
  hurry(): void;
  close(): Promise<void>;
}

/** After this many losses the job itself is the more likely cause. */
const LOST_MAX = 2;

/** Terminated threads exit within this time; one blocked on a disk may never. */
const CLOSE_MS = 3000;
/** Compiled code cannot be asked to stop in the middle of a page; most pages are done within this time. */
const ABANDONED_MS = 10_000;
const HURRIED_MS = 1500;

/**
 * Size of a thread's young generation. The bytes of a page are freed when the object holding them is collected, which is soon in a small young
 * generation; the default (48) retains many pages per thread.
 */
const YOUNG_MAX_MB = 3;

export const openPool = (options: PoolOptions): Pool => new TwoLanePool(options);

class TwoLanePool implements Pool {
  readonly #options: PoolOptions;
  readonly #piscina: Piscina;
  readonly #turns: PoolTurns;
  readonly #handedOut = new Set<HandedOut>();
  readonly #heaps = new ThreadHeaps();
  readonly #room = new Int32Array(newDecodeRoom());
  readonly backgroundWidth: number;
  readonly #onDisks: DiskJobs;
  #closed = false;
  #timer: NodeJS.Timeout | undefined;
  #abandonedMs = ABANDONED_MS;
  /** Changes when a thread is terminated on purpose and again when it has exited. */
  #retired = 0;
  /** Threads that are terminating. Meanwhile no job is dispatched, since it could go to one of them. */
  #retiring = 0;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#turns = new PoolTurns(options);
    this.backgroundWidth = this.#turns.backgroundWidth;
    this.#piscina = new Piscina({
      filename: options.entry,
      name: 'run',
      minThreads: 0,
      maxThreads: options.threads * 2 + 1, // one for a walk; as many again may be blocked on a disk that does not answer
      idleTimeout: options.idleTimeoutMs,
      resourceLimits: { maxYoungGenerationSizeMb: YOUNG_MAX_MB }, // no limit on the old generation: reaching it may end the process
      workerData: { room: this.#room.buffer },
      concurrentTasksPerWorker: 1,
    });
    this.#piscina.on('workerDestroy', () => options.onThreadEnded?.());
    this.#onDisks = new DiskJobs(options.threads, this.#piscina, () => this.#lookAtDisks());
    this.#piscina.on('error', (thrown: unknown) => this.#threadFailed(thrown));
  }

  run<K extends JobName>(name: K, input: Jobs[K]['input'], options: RunOptions): Promise<Jobs[K]['output']> {
    const { signal } = options;
    const { lane, user } = this.#turns.placeOf(options);
    if (this.#closed) return Promise.reject(new AppError('Cancelled', 'The server is stopping.'));
    if (signal?.aborted === true) return Promise.reject(new AppError('Cancelled'));
    const refusal = this.#onDisks.refusal(input);
    if (refusal !== undefined) return Promise.reject(refusal);
    if (this.#turns.isFull(lane, user)) return Promise.reject(new AppError('Overloaded'));
    return new Promise<Jobs[K]['output']>((resolve, reject) => {
      const ends = { resolve: (value: unknown) => resolve(value as Jobs[K]['output']), reject };
      const entry = entryOf(name, input, { ...options, lane, user }, ends, this.#options.jobDeadlineMs);
      this.#listenForAbort(entry);
      this.#turns.push(entry);
      entry.urgency?.onRaised(() => {
        this.#turns.raised(entry);
        this.#pump();
      });
      this.#pump();
    });
  }

  load(): PoolLoad {
    return {
      running: this.#turns.running,
      waiting: this.#turns.waitingCount,
      threads: this.#piscina.threads.length,
    };
  }

  get lostThreads(): number {
    return this.#onDisks.lostThreads;
  }

  hurry(): void {
    this.#abandonedMs = HURRIED_MS;
  }

  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    for (const entry of this.#turns.waiting) {
      this.#turns.remove(entry);
      entry.reject(new AppError('Cancelled', 'The server is stopping.'));
    }
    this.#onDisks.close();
    await Promise.race([this.#piscina.destroy(), new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())]);
  }

  /** Refuses jobs whose disk fell silent; starts jobs whose disk answers again. */
  #lookAtDisks(): void {
    this.#onDisks.refuse(this.#turns);
    this.#pump();
  }

  #listenForAbort(entry: Entry): void {
    if (entry.signal === undefined) return;
    entry.onAbort = () => {
      Atomics.store(new Int32Array(entry.control), CONTROL.cancel, 1);
      if (!this.#turns.remove(entry)) {
        entry.abandon?.();
        return;
      }
      entry.reject(new AppError('Cancelled'));
      this.#pump(); // there may be room now for a job that somebody waits for
    };
    entry.signal.addEventListener('abort', entry.onAbort, { once: true });
  }

  #pump(): void {
    while (this.#retiring === 0) {
      const entry = this.#turns.next(this.#onDisks);
      if (entry === undefined) {
        this.#lookAgain(this.#turns.heldMs);
        return;
      }
      void this.#start(entry);
    }
  }

  /** Jobs that wait for readers start when these have stopped, whether or not another job ends then. */
  #lookAgain(inMs: number): void {
    clearTimeout(this.#timer);
    if (inMs > 0 && !this.#closed) this.#timer = setTimeout(() => this.#pump(), inMs).unref();
  }

  async #start(entry: Entry): Promise<void> {
    const kill = new AbortController();
    const handedOut: HandedOut = { entry, kill, startFailure: null };
    const { control, limitMs, isPatient } = entry;
    const deadline = new Deadline({ control, limitMs, isPatient, onKill: () => kill.abort() });
    entry.abandon = () => deadline.abandon(this.#abandonedMs);
    const retiredBefore = this.#retired;
    const leaveDisk = this.#onDisks.started(entry, kill);
    this.#handedOut.add(handedOut);
    let isLost = false;
    try {
      const { name, input } = entry;
      const job = { name, input, control, deadlineMs: Date.now() + limitMs, isPatient } as Job;
      const outcome = (await this.#piscina.run(job, { signal: kill.signal })) as Outcome<unknown> & Ran;
      if (outcome.retire || this.#isTooLarge(outcome)) await this.#retire(outcome.thread);
      if (outcome.ok) entry.resolve(outcome.value);
      else entry.reject(this.#failure(entry, deadline, outcome.error));
    } catch (thrown) {
      const isBystander = this.#retiring > 0 || this.#retired > retiredBefore;
      isLost = !kill.signal.aborted && !this.#closed && entry.lost < LOST_MAX && isBystander;
      if (!isLost) entry.reject(this.#threadError(handedOut, thrown));
    } finally {
      deadline.clear();
      leaveDisk();
      giveRoom(this.#room, new Int32Array(entry.control)); // held by the terminated thread
      this.#handedOut.delete(handedOut);
      entry.abandon = null;
      this.#turns.ended(entry);
      if (isLost) this.#tryAgain(entry);
      else if (entry.onAbort !== null) entry.signal?.removeEventListener('abort', entry.onAbort);
      this.#pump();
    }
  }

  /** A thread without a job ended, usually because it could not be started. Piscina would keep the jobs meant for it forever. */
  #threadFailed(thrown: unknown): void {
    this.#options.onFault?.(new Error('A worker thread failed.', { cause: thrown }));
    for (const handedOut of this.#handedOut) {
      if (Atomics.load(new Int32Array(handedOut.entry.control), CONTROL.progress) !== 0) continue;
      handedOut.startFailure = thrown;
      handedOut.kill.abort();
    }
  }

  #isTooLarge({ thread, heapBytes }: Ran): boolean {
    const living = this.#piscina.threads.map(({ threadId }) => threadId);
    return this.#heaps.isTooMuch(thread, heapBytes, living);
  }

  #tryAgain(entry: Entry): void {
    entry.lost += 1;
    this.#turns.pushFirst(entry);
  }

  /** Terminates a thread that uses too much memory. A job dispatched to it at this moment goes to another thread. */
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

  #failure(entry: Entry, deadline: Deadline, fault: Fault): AppError {
    const error = errorOf(fault);
    if (fault.trace !== undefined) this.#report(entry, 'failed', error);
    // A job stopped by its deadline reports Cancelled; to the caller that is a time-out.
    return error.kind === 'Cancelled' && deadline.hasPassed ? tooLong(entry) : error;
  }

  #report({ name, subject }: Entry, what: string, cause: unknown): void {
    this.#options.onFault?.(new Error(`The job ${name} ${what} (${subject}).`, { cause }));
  }

  #threadError({ entry, kill, startFailure }: HandedOut, thrown: unknown): AppError {
    if (this.#closed) return new AppError('Cancelled', 'The server is stopping.', null, thrown);
    if (startFailure !== null) return notStarted(startFailure);
    if (kill.signal.aborted) return tooLong(entry, thrown);
    this.#report(entry, 'lost its thread', thrown);
    return (
      exhaustionOf(thrown) ??
      new AppError('WorkerCrashed', `The worker thread of the job ${entry.name} ended unexpectedly.`, null, thrown)
    );
  }
}
