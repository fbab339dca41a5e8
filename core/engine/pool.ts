// The only Piscina instance: deadlines, cancellation by a flag in shared memory, errors as data. Knows the names and types of jobs, but not
// what they do. A thread that cannot be started means a busy server, not a faulty job.
import { setMaxListeners } from 'node:events';
import type { Piscina } from 'piscina';
import type { DocumentNews } from '../model/document-news.js';
import { AppError } from '../model/errors.js';
import { type BatchEnd, hasBegun, type Told } from '../model/job-batch.js';
import { CONTROL, type JobName, type Jobs, type Outcome } from '../model/jobs.js';
import type { RoomNews } from '../model/room-news.js';
import { DiskJobs } from './disk-jobs.js';
import { HandedOut } from './handed-out.js';
import { type JobSpan, tracedJob } from './job-span.js';
import { OpenDocuments } from './open-documents.js';
import {
  crashed,
  type Entry,
  entryOf,
  failureOf,
  LOST_MAX,
  leave,
  newControl,
  notStarted,
  type RunOptions,
  stopping,
  tooLong,
} from './pool-entry.js';
import { PoolTally } from './pool-tally.js';
import { PoolTurns, type Turn } from './pool-turns.js';
import type { Pool, PoolLoad, PoolOptions } from './pool-types.js';
import { RetiringThreads } from './retiring-threads.js';
import { ThreadHeaps } from './thread-heaps.js';
import { openThreads } from './threads.js';

export type { Pool, PoolLoad, PoolOptions, RunOptions };

/** Terminated threads exit within this time; one blocked on a disk may never. */
const CLOSE_MS = 3000;
/** Compiled code cannot be asked to stop in the middle of a page; most pages are done within this time. */
const ABANDONED_MS = 10_000;
const HURRIED_MS = 1500;

export const openPool = (options: PoolOptions): Pool => new TwoLanePool(options);

class TwoLanePool implements Pool {
  readonly #options: PoolOptions;
  readonly #piscina: Piscina;
  readonly #turns: PoolTurns;
  /** By the number by which their threads know them. */
  readonly #handedOut = new Map<number, HandedOut>();
  #lastId = 0;
  readonly tally = new PoolTally();
  readonly #heaps: ThreadHeaps;
  readonly backgroundWidth: number;
  readonly backgroundShare: number;
  readonly #onDisks: DiskJobs;
  readonly documents: OpenDocuments;
  #closed = false;
  #endedTurns = 0;
  #notStarted = 0;
  #timer: NodeJS.Timeout | undefined;
  #abandonedMs = ABANDONED_MS;
  readonly #retiring: RetiringThreads;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#turns = new PoolTurns(options);
    this.backgroundWidth = this.#turns.backgroundWidth;
    this.backgroundShare = Math.max(1, Math.floor(options.queueBackground / 4));
    this.#heaps = new ThreadHeaps(options.threads, () => this.#piscina.threads);
    this.#piscina = openThreads(options, this.#heaps.room);
    this.#onDisks = new DiskJobs(options.threads, this.#piscina, () => this.#lookAtDisks());
    this.#piscina.on('error', (thrown: unknown) => this.#threadFailed(thrown));
    this.documents = new OpenDocuments(this.#piscina, () => (this.#retiring.isActive ? null : this.#handedOut.size));
    this.#retiring = new RetiringThreads({
      threads: () => this.#piscina.threads,
      wake: () => this.documents.wake(),
      isCrowded: () => this.#heaps.isCrowded,
      onEnd: () => this.#pump(),
    });
    this.#piscina.on('workerDestroy', () => setImmediate(() => this.#heaps.settle([]))); // it is no longer listed then
    this.#piscina.on('message', (news: Told | DocumentNews | RoomNews) => {
      if ('document' in news) this.documents.told(news);
      else if ('lacksRoom' in news) void this.#retiring.replaceIdle();
      else this.#handedOut.get(news.batch)?.told(news.results);
    });
  }

  run<K extends JobName>(name: K, input: Jobs[K]['input'], options: RunOptions): Promise<Jobs[K]['output']> {
    return tracedJob(this.#options.tracing, name, options.lane, (span) => this.#queue(name, input, options, span));
  }

  #queue<K extends JobName>(name: K, input: Jobs[K]['input'], options: RunOptions, span: JobSpan) {
    const { lane, user } = this.#turns.placeOf(options);
    const refusal = this.#refusal(input, options.signal);
    if (refusal !== undefined) return Promise.reject(refusal);
    if (this.#turns.isFull(lane, user)) return Promise.reject(new AppError('Overloaded'));
    return new Promise<Jobs[K]['output']>((resolve, reject) => {
      const ends = { resolve: (value: unknown) => resolve(value as Jobs[K]['output']), reject, span };
      const entry = entryOf(name, input, { ...options, lane, user }, ends, this.#options.jobDeadlineMs);
      this.#listenForAbort(entry);
      this.#turns.push(entry);
      entry.urgency?.onRaised(() => {
        this.#turns.raised(entry);
        this.#pump();
      });
      // Small jobs that are requested in one go may go to one thread.
      if (entry.lane === 'interactive' || entry.bytes === undefined) this.#pump();
      else queueMicrotask(() => this.#pump());
    });
  }

  load(): PoolLoad {
    return {
      running: this.#turns.running,
      waiting: this.#turns.waitingCount,
      waitingInteractive: this.#turns.waitingInteractive,
      threads: this.#piscina.threads.length,
      ended: this.#endedTurns,
      notStarted: this.#notStarted,
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
    this.documents.stop();
    for (const entry of this.#turns.waiting) {
      this.#turns.remove(entry);
      entry.reject(stopping());
    }
    this.#onDisks.close();
    await Promise.race([this.#piscina.destroy(), new Promise((resolve) => setTimeout(resolve, CLOSE_MS).unref())]);
  }

  /** Why a job cannot be run now. */
  #refusal(input: unknown, signal: AbortSignal | undefined): AppError | undefined {
    if (this.#closed) return stopping();
    return signal?.aborted === true ? new AppError('Cancelled') : this.#onDisks.refusal(input);
  }

  /** Refuses jobs whose disk does not answer, and starts those whose disk answers again. */
  #lookAtDisks(): void {
    this.#onDisks.refuse(this.#turns);
    this.#pump();
  }

  #listenForAbort(entry: Entry): void {
    if (entry.signal === undefined) return;
    setMaxListeners(0, entry.signal); // as many jobs as the queues hold may share it
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
    while (this.#heaps.mayStart(this.#turns.running) && !this.#retiring.isActive) {
      const turn = this.#turns.next(this.#onDisks);
      if (turn === undefined) {
        this.#lookAgain(this.#turns.heldMs);
        return;
      }
      void this.#start(turn);
    }
  }

  /** Jobs that wait for readers start when these have stopped, whether or not another job ends then. */
  #lookAgain(inMs: number): void {
    clearTimeout(this.#timer);
    if (inMs > 0 && !this.#closed) this.#timer = setTimeout(() => this.#pump(), inMs).unref();
  }

  async #start(turn: Turn): Promise<void> {
    const { first, others } = turn;
    for (const { lane, pushedMs } of [first, ...others]) this.tally.started(lane, performance.now() - pushedMs);
    const handedOut = new HandedOut([first, ...others], {
      abandonedMs: () => this.#abandonedMs,
      onEnd: (entry, outcome, isLate) => this.#ended(entry, outcome, isLate),
      onTakenBack: (taken) => this.#again(taken),
    });
    for (const entry of handedOut.entries) entry.span.started();
    const id = ++this.#lastId;
    const retiredBefore = this.#retiring.changes;
    const leaveDisk = this.#onDisks.started(first.input, (error) => handedOut.failAll(error), handedOut.kill);
    this.#handedOut.set(id, handedOut);
    let thread: number | undefined;
    try {
      const outcome = (await this.#piscina.run(handedOut.message(id), { signal: handedOut.kill.signal })) as BatchEnd;
      const { at = 0, others = [] } = outcome;
      this.#notStarted = 0;
      handedOut.told(others);
      await handedOut.toldBefore(at);
      thread = outcome.thread;
      if (outcome.retire || this.#heaps.isTooMuch(outcome)) await this.#retiring.retire(thread);
      if (!outcome.again || !handedOut.mayMove(at)) handedOut.told([{ at, outcome }]);
    } catch (thrown) {
      this.#lost(handedOut, thrown, this.#retiring.changes > retiredBefore);
    } finally {
      handedOut.end();
      leaveDisk();
      this.#heaps.settle(handedOut.controls, thread);
      this.#handedOut.delete(id);
      this.#turns.ended(turn);
      this.#endedTurns += 1;
      this.#again(handedOut.left);
    }
  }

  #ended(entry: Entry, outcome: Outcome<unknown>, isLate: boolean): void {
    leave(entry);
    entry.span.ended(outcome);
    this.tally.ended(entry.name, outcome.ok ? 'done' : 'failed');
    if (outcome.ok) entry.resolve(outcome.value);
    else {
      const error = failureOf(entry, isLate, outcome.error);
      if (outcome.error.trace !== undefined) this.#report(entry, 'failed', error);
      entry.reject(error);
    }
  }

  /** The thread is gone: only the job that it worked on may have caused that. */
  #lost(handedOut: HandedOut, thrown: unknown, isBystander: boolean): void {
    const { running, left, kill } = handedOut;
    const isOfAll = this.#closed || handedOut.startFailure !== null;
    for (const entry of left) {
      if (entry !== running && !isOfAll) continue;
      const isLost = !kill.signal.aborted && !this.#closed && entry.lost < LOST_MAX && isBystander;
      if (isLost) entry.lost += 1;
      else handedOut.fail(entry, this.#threadError(handedOut, entry, thrown));
    }
  }

  /** Jobs that a thread did not begin, or lost for reasons other than them: before all that have not begun. */
  #again(entries: readonly Entry[]): void {
    for (const entry of [...entries].reverse()) {
      const refusal = this.#refusal(entry.input, entry.signal);
      entry.control = newControl(entry.control);
      entry.pushedMs = performance.now();
      if (refusal === undefined) this.#turns.pushFirst(entry);
      else {
        leave(entry);
        entry.reject(refusal);
      }
    }
    this.#pump();
  }

  /** A thread without a job ended, usually because it could not be started. Piscina would keep the jobs meant for it forever. */
  #threadFailed(thrown: unknown): void {
    this.#options.onFault?.(new Error('A worker thread failed.', { cause: thrown }));
    for (const handedOut of this.#handedOut.values()) {
      const { running } = handedOut;
      if (running === undefined || hasBegun(running.control)) continue;
      handedOut.startFailure = thrown;
      this.#notStarted += 1;
      handedOut.kill.abort();
    }
  }

  #report({ name, subject }: Entry, what: string, cause: unknown): void {
    this.#options.onFault?.(new Error(`The job ${name} ${what} (${subject}).`, { cause }));
  }

  #threadError({ kill, startFailure }: HandedOut, entry: Entry, thrown: unknown): AppError {
    if (this.#closed) return stopping(thrown);
    if (startFailure !== null) return notStarted(startFailure);
    if (kill.signal.aborted) return tooLong(entry, thrown);
    this.#report(entry, 'lost its thread', thrown);
    return crashed(entry, thrown);
  }
}
