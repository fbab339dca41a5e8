// Tracks which jobs read from which disk. A thread blocked on a disk cannot be interrupted: no further jobs start on that disk, extra threads
// replace the blocked ones, and when the disk counts as silent the callers get an error.
import { close, open, read } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import type { AppError } from '../model/errors.js';
import { READ_FLAGS } from '../model/held-place.js';
import { type Disk, disks } from './disks.js';
import { leave } from './pool-entry.js';
import type { PoolTurns } from './pool-turns.js';

interface Running {
  readonly path: string;
  readonly startedMs: number;
  readonly giveUp: (error: AppError) => void;
}

interface OnDisk {
  readonly running: Set<Running>;
  /** Threads that were terminated and have not exited yet. */
  lost: number;
  isProbed: boolean;
}

/** A job that runs longer may be blocked on its disk; the disk is then probed with another read. */
const PROBED_AFTER_MS = 1500;
const TICK_MS = 500;
const PROBE_BYTES = 4096;
/** A random offset in a large file: recently read bytes come from memory and say nothing about the disk. */
const PROBE_SPAN_BYTES = 16 * 1024 * 1024;

const textIn = (input: unknown, key: string): string | undefined => {
  const value: unknown = (input as Readonly<Record<string, unknown>> | null)?.[key];
  return typeof value === 'string' ? value : undefined;
};

/** Opens and reads as a job does; any answer will do, even an error. */
const probe = (path: string, done: (error: Error | null) => void): void =>
  open(path, READ_FLAGS, (error, fd) => {
    if (error !== null) return done(null);
    const position = Math.floor((Math.random() * PROBE_SPAN_BYTES) / PROBE_BYTES) * PROBE_BYTES;
    read(fd, Buffer.allocUnsafeSlow(PROBE_BYTES), 0, PROBE_BYTES, position, () => close(fd, () => done(null)));
  });

/** The id that Node gives to a thread after its exit. */
const HAS_EXITED = -1;

/** The part of a thread pool used here: the threads it still counts as its own. */
interface Threads {
  readonly threads: readonly Worker[];
}

export class DiskJobs {
  readonly #byDisk = new Map<Disk, OnDisk>();
  readonly #maxLost: number;
  readonly #pool: Threads;
  readonly #onChange: () => void;
  readonly #forgetDisks: () => void;
  #timer: NodeJS.Timeout | null = null;
  #lost = 0;

  /** At most `maxLost` threads may be lost per disk. `onChange` is called when different jobs may start than before. */
  constructor(maxLost: number, pool: Threads, onChange: () => void) {
    this.#maxLost = maxLost;
    this.#pool = pool;
    this.#onChange = onChange;
    this.#forgetDisks = disks.onChange(() => {
      this.#giveUp();
      onChange();
    });
  }

  /** Terminated threads that have not exited. */
  get lostThreads(): number {
    return this.#lost;
  }

  /** Call this right before terminating all threads. */
  close(): void {
    this.#forgetDisks();
    for (const thread of this.#pool.threads) this.#count(thread, undefined);
  }

  /** The error for a job whose disk is silent; undefined when it may wait. */
  refusal(input: unknown): AppError | undefined {
    return this.#diskOf(input)?.refusal();
  }

  /** Removes waiting jobs whose disk is silent. */
  refuse(turns: Pick<PoolTurns, 'waiting' | 'remove'>): void {
    for (const entry of turns.waiting) {
      const refusal = this.refusal(entry.input);
      if (refusal === undefined) continue;
      turns.remove(entry);
      leave(entry);
      entry.reject(refusal);
    }
  }

  mayStart(input: unknown): boolean {
    const disk = this.#diskOf(input);
    return disk === undefined || (!disk.isSlow && (this.#byDisk.get(disk)?.lost ?? 0) < this.#maxLost);
  }

  /** Threads blocked on a slow disk; they use no CPU. */
  get asleep(): number {
    let count = 0;
    for (const [disk, { running }] of this.#byDisk) if (disk.isSlow) count += running.size;
    return Math.min(count, this.#maxLost);
  }

  /**
   * Call this before handing out a job, or several that read from one disk; call the returned function when they have ended. `reject` gets the
   * error if the disk falls silent.
   */
  started(input: unknown, reject: (error: AppError) => void, kill: AbortController): () => void {
    const disk = this.#diskOf(input);
    kill.signal.addEventListener('abort', () => this.#killed(disk));
    if (disk === undefined) return () => undefined;
    const giveUp = (error: AppError): void => {
      reject(error);
      kill.abort();
    };
    const path = textIn(input, 'path') ?? textIn(input, 'root') ?? '';
    const job: Running = { path, startedMs: performance.now(), giveUp };
    const on = this.#on(disk);
    on.running.add(job);
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS).unref();
    return () => {
      on.running.delete(job);
      this.#forget(disk, on);
    };
  }

  /** The pool drops the thread of a killed job at once, but the thread may live on. */
  #killed(disk: Disk | undefined): void {
    const before = [...this.#pool.threads];
    queueMicrotask(() => {
      const left = new Set(this.#pool.threads);
      for (const thread of before) if (!left.has(thread)) this.#count(thread, disk);
    });
  }

  #count(thread: Worker, disk: Disk | undefined): void {
    if (thread.threadId === HAS_EXITED) return; // one that could not be started has exited by the time its job is stopped
    const on = disk === undefined ? undefined : this.#on(disk);
    this.#lost += 1;
    if (on !== undefined) on.lost += 1;
    thread.once('exit', () => {
      this.#lost -= 1;
      if (on === undefined || disk === undefined) return;
      on.lost -= 1;
      this.#forget(disk, on);
      this.#onChange();
    });
  }

  /** Fails the jobs on silent disks. */
  #giveUp(): void {
    for (const [disk, { running }] of this.#byDisk) {
      const error = disk.refusal();
      if (error !== undefined) for (const job of [...running]) job.giveUp(error);
    }
  }

  #diskOf(input: unknown): Disk | undefined {
    const root = textIn(input, 'root');
    return root === undefined ? undefined : disks.of(root);
  }

  #on(disk: Disk): OnDisk {
    const known = this.#byDisk.get(disk);
    if (known !== undefined) return known;
    const made: OnDisk = { running: new Set(), lost: 0, isProbed: false };
    this.#byDisk.set(disk, made);
    return made;
  }

  #forget(disk: Disk, on: OnDisk): void {
    if (on.running.size === 0 && on.lost === 0) this.#byDisk.delete(disk);
  }

  #tick(): void {
    const limit = performance.now() - PROBED_AFTER_MS;
    for (const [disk, on] of this.#byDisk) {
      const oldest = [...on.running].find(({ startedMs }) => startedMs < limit);
      if (oldest === undefined || on.isProbed) continue;
      on.isProbed = true;
      disk.call<void>(
        (done) => probe(oldest.path, done),
        () => {
          on.isProbed = false;
        },
      );
    }
    if (this.#byDisk.size > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }
}
