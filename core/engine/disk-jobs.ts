// Which jobs read from which disk. A thread that waits for a disk without an answer cannot be called back: no other is sent there meanwhile,
// the sleeping ones are made up for by others, and when the disk counts as silent whoever waits for them is told so.
import { close, open, read } from 'node:fs';
import type { Worker } from 'node:worker_threads';
import type { AppError } from '../model/errors.js';
import { READ_FLAGS } from '../model/held-place.js';
import { type Disk, disks } from './disks.js';
import type { Entry } from './pool-entry.js';

interface Running {
  readonly path: string;
  readonly startedMs: number;
  readonly giveUp: (error: AppError) => void;
}

interface OnDisk {
  readonly running: Set<Running>;
  /** Threads that were ended and have not ended yet. */
  lost: number;
  isProbed: boolean;
}

/** A job that runs longer may be waiting for its disk, which is then asked for something else. */
const PROBED_AFTER_MS = 1500;
const TICK_MS = 500;
const PROBE_BYTES = 4096;
/** A random place of a large file: what was read before lies in memory and says nothing of the disk. */
const PROBE_SPAN_BYTES = 16 * 1024 * 1024;

const textIn = (input: unknown, key: string): string | undefined => {
  const value: unknown = (input as Readonly<Record<string, unknown>> | null)?.[key];
  return typeof value === 'string' ? value : undefined;
};

/** Opens and reads the way a job does; any answer will do, an error too. */
const probe = (path: string, done: (error: Error | null) => void): void =>
  open(path, READ_FLAGS, (error, fd) => {
    if (error !== null) return done(null);
    const position = Math.floor((Math.random() * PROBE_SPAN_BYTES) / PROBE_BYTES) * PROBE_BYTES;
    read(fd, Buffer.allocUnsafeSlow(PROBE_BYTES), 0, PROBE_BYTES, position, () => close(fd, () => done(null)));
  });

/** What is needed of a pool of threads: those it still counts as its own. */
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

  /** At most `maxLost` threads of a disk may be lost. `onChange` is told when other jobs may start than before. */
  constructor(maxLost: number, pool: Threads, onChange: () => void) {
    this.#maxLost = maxLost;
    this.#pool = pool;
    this.#onChange = onChange;
    this.#forgetDisks = disks.onChange(() => {
      this.#giveUp();
      onChange();
    });
  }

  /** Threads that were told to end and are still there. */
  get lostThreads(): number {
    return this.#lost;
  }

  /** To be called right before all threads are told to end. */
  close(): void {
    this.#forgetDisks();
    for (const thread of this.#pool.threads) this.#count(thread, undefined);
  }

  /** Why a job must not wait for its disk; undefined when it may. */
  refusal(input: unknown): AppError | undefined {
    return this.#diskOf(input)?.refusal();
  }

  /** Takes out of a queue what waits for a silent disk. */
  refuse(queue: Entry[]): void {
    for (const entry of [...queue]) {
      const refusal = this.refusal(entry.input);
      if (refusal === undefined) continue;
      queue.splice(queue.indexOf(entry), 1);
      if (entry.onAbort !== null) entry.signal?.removeEventListener('abort', entry.onAbort);
      entry.reject(refusal);
    }
  }

  mayStart(input: unknown): boolean {
    const disk = this.#diskOf(input);
    return disk === undefined || (!disk.isSlow && (this.#byDisk.get(disk)?.lost ?? 0) < this.#maxLost);
  }

  /** Threads that wait for a slow disk and use no processor. */
  get asleep(): number {
    let count = 0;
    for (const [disk, { running }] of this.#byDisk) if (disk.isSlow) count += running.size;
    return Math.min(count, this.#maxLost);
  }

  /** Told when a job begins, before it is handed to a thread; returns what to call at its end. */
  started({ input, reject }: Entry, kill: AbortController): () => void {
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

  /** The pool lets go of the thread of a killed job at once; the thread itself may stay. */
  #killed(disk: Disk | undefined): void {
    const before = [...this.#pool.threads];
    queueMicrotask(() => {
      const left = new Set(this.#pool.threads);
      for (const thread of before) if (!left.has(thread)) this.#count(thread, disk);
    });
  }

  #count(thread: Worker, disk: Disk | undefined): void {
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

  /** Tells the callers of jobs on silent disks. */
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
