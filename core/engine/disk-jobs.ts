// Which jobs read from which disk. A thread that waits for a disk without an answer cannot be called back: no other is sent there meanwhile,
// the sleeping ones are made up for by others, and when the disk counts as silent whoever waits for them is told so.
import { close, open, read } from 'node:fs';
import type { AppError } from '../model/errors.js';
import { READ_FLAGS } from '../model/held-place.js';
import { type Disk, disks } from './disks.js';

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

export class DiskJobs {
  readonly #byDisk = new Map<Disk, OnDisk>();
  readonly #threads: number;
  #timer: NodeJS.Timeout | null = null;

  /** `threads`: how many of one disk may be lost. */
  constructor(threads: number) {
    this.#threads = threads;
  }

  /** Why a job must not wait for its disk; undefined when it may. */
  refusal(input: unknown): AppError | undefined {
    return this.#diskOf(input)?.refusal();
  }

  mayStart(input: unknown): boolean {
    const disk = this.#diskOf(input);
    return disk === undefined || (!disk.isSlow && (this.#byDisk.get(disk)?.lost ?? 0) < this.#threads);
  }

  /** Threads that wait for a slow disk and use no processor. */
  get asleep(): number {
    let count = 0;
    for (const [disk, { running }] of this.#byDisk) if (disk.isSlow) count += running.size;
    return Math.min(count, this.#threads);
  }

  /** Told when a job begins; returns what to call at its end. */
  started(input: unknown, giveUp: (error: AppError) => void): () => void {
    const disk = this.#diskOf(input);
    if (disk === undefined) return () => undefined;
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

  /** A thread of this job was ended and is still there; returns what to call when it is gone. */
  lost(input: unknown): () => void {
    const disk = this.#diskOf(input);
    if (disk === undefined) return () => undefined;
    const on = this.#on(disk);
    on.lost += 1;
    return () => {
      on.lost -= 1;
      this.#forget(disk, on);
    };
  }

  /** Tells the callers of jobs on silent disks. */
  giveUp(): void {
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
