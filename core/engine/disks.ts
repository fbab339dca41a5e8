// Gates calls to the file systems of libraries. One may stop answering (a dead network mount), and each call to it then blocks a thread of
// libuv's pool, which everything else needs too. So each disk has few calls in flight, all disks together leave some threads free, and a
// silent disk gets no calls except a probe until it answers. There is one gate per process because there is one pool.
import { close, lstat } from 'node:fs';
import { AppError } from '../model/errors.js';
import { jobReadThreads } from '../model/read-threads.js';
import { ReadQueue } from './read-queue.js';

type Done<T> = (error: Error | null, value?: T) => void;

interface Call {
  begin(done: Done<never>): void;
  readonly done: Done<never>;
  /** Receives the value of a call that completed after its caller had already got an error. */
  readonly late: ((value: never) => void) | undefined;
  startedMs: number;
  isSettled: boolean;
}

/** A sleeping disk takes up to ten seconds to spin up. */
const ANSWER_MS = 12_000;
/** After this long the disk counts as slow. */
const SLOW_MS = 1000;
const TICK_MS = 500;
const PROBE_EVERY_MS = 5000;
const WAITING_MAX = 4096;
const DISKS_MAX = 1000;

/** Those that the launcher added for jobs (workers/read-ahead.ts) are not counted. */
const poolSize = Math.max(4, (Number(process.env.UV_THREADPOOL_SIZE) || 4) - jobReadThreads());
/** One call in so many is for disks that have none in flight: several that hang at once, as all mounts of one server do, cannot take all. */
const FIRST_CALL_SHARE = 4;

const SILENT = 'ETIMEDOUT';

const silence = (): AppError =>
  new AppError('FileUnreadable', 'The disk of this library does not respond. The server keeps trying.', {
    code: SILENT,
  });

/** True for an error that says nothing about the file, only that its disk does not answer. */
export const isSilence = (error: unknown): boolean =>
  error instanceof AppError &&
  error.kind === 'FileUnreadable' &&
  (error.details as { readonly code?: unknown } | null)?.code === SILENT;

export class Disk {
  readonly #gate: Disks;
  readonly #probePath: string;
  readonly #running = new Set<Call>();
  readonly #waiting = new ReadQueue<Call>();
  readonly #unclosed: number[] = [];
  #isSilent = false;
  #probedMs = 0;

  constructor(gate: Disks, probePath: string) {
    this.#gate = gate;
    this.#probePath = probePath;
  }

  /** True from the moment an answer is overdue until one arrives. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** True when a call has been waiting for a while, well before the disk counts as silent. */
  get isSlow(): boolean {
    return this.#isSilent || this.#oldestMs() > SLOW_MS;
  }

  get isIdle(): boolean {
    return this.#running.size + this.#waiting.length + this.#unclosed.length === 0;
  }

  get hasWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  /** The error to return while the disk is silent: FileUnreadable. */
  refusal(): AppError | undefined {
    return this.#isSilent ? silence() : undefined;
  }

  /**
   * Makes one `node:fs` call; `done` gets FileUnreadable when no answer comes. `sentBytes`: how much of the same answer was read before;
   * beginnings go first.
   */
  call<T>(begin: (done: Done<T>) => void, done: Done<T>, late?: (value: T) => void, sentBytes = 0): void {
    if (this.#isSilent || this.#waiting.length >= WAITING_MAX) {
      process.nextTick(done, this.#isSilent ? silence() : new AppError('Overloaded'));
      return;
    }
    const call = { begin, done, late, startedMs: performance.now(), isSettled: false } as Call;
    if (this.#gate.hasRoom(this.#running.size)) this.#start(call);
    else this.#waiting.push(call, sentBytes);
  }

  ask<T>(begin: (done: Done<T>) => void, late?: (value: T) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      this.call<T>(begin, (error, value) => (error === null ? resolve(value as T) : reject(error)), late);
    });
  }

  /** Closes a descriptor. On a silent disk it is closed after the disk answers again, since a close may hang too. */
  close(fd: number): void {
    let isBegun = false;
    this.call<void>(
      (done) => {
        isBegun = true;
        close(fd, done);
      },
      () => {
        if (!isBegun) this.#unclosed.push(fd);
      },
    );
  }

  /** Starts waiting calls while there is room. */
  pump(): void {
    while (this.#waiting.length > 0 && this.#gate.hasRoom(this.#running.size)) {
      const next = this.#waiting.shift();
      if (next !== undefined) this.#start(next);
    }
  }

  /** Checks for overdue answers, and probes a silent disk. */
  tick(): void {
    if (this.#oldestMs() > this.#gate.answerMs || this.#isBlocked()) this.#fallSilent();
    else if (!this.#isSilent) this.#closeRest();
    const now = performance.now();
    if (!this.#isSilent || now - this.#probedMs < PROBE_EVERY_MS || this.#running.size >= this.#gate.diskMax) return;
    this.#probedMs = now;
    this.#start({
      begin: (done) => lstat(this.#probePath, (error) => done(error)),
      done: () => undefined,
      late: undefined,
      startedMs: 0,
      isSettled: false,
    });
  }

  #start(call: Call): void {
    call.startedMs = performance.now();
    this.#running.add(call);
    this.#gate.entered();
    call.begin((error: Error | null, value?: never) => this.#answered(call, error, value));
  }

  #answered(call: Call, error: Error | null, value: never | undefined): void {
    this.#running.delete(call);
    this.#gate.left();
    if (this.#isSilent) this.#setSilent(false);
    if (!call.isSettled) call.done(error, value);
    else if (error === null) call.late?.(value as never);
    this.#gate.pump();
  }

  #fallSilent(): void {
    for (const call of this.#running) {
      if (call.isSettled || performance.now() - call.startedMs <= this.#gate.answerMs) continue;
      call.isSettled = true;
      call.done(silence());
    }
    if (!this.#isSilent) this.#setSilent(true);
    for (const call of this.#waiting.drain()) call.done(silence());
  }

  #setSilent(isSilent: boolean): void {
    this.#isSilent = isSilent;
    this.#probedMs = performance.now();
    this.#gate.changed();
    if (!isSilent) this.#closeRest();
  }

  #closeRest(): void {
    for (const fd of this.#unclosed.splice(0)) this.close(fd);
  }

  /** True when every slot is held by a call whose caller has given up. */
  #isBlocked(): boolean {
    return this.#running.size >= this.#gate.diskMax && [...this.#running].every(({ isSettled }) => isSettled);
  }

  /** Age of the oldest call that still has a waiting caller. */
  #oldestMs(): number {
    for (const call of this.#running) if (!call.isSettled) return performance.now() - call.startedMs;
    return 0;
  }
}

export class Disks {
  /** Calls of one disk at once. */
  readonly diskMax: number;
  /** How long a disk may take to answer. */
  readonly answerMs: number;
  /** Calls of all disks; the other threads are never used for libraries. */
  readonly #allMax: number;
  readonly #firstCalls: number;
  readonly #byRoot = new Map<string, Disk>();
  readonly #byDevice = new Map<number, Disk>();
  readonly #listeners = new Set<() => void>();
  #running = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(threads: number, answerMs = ANSWER_MS) {
    this.answerMs = answerMs;
    this.#allMax = threads - Math.max(1, Math.floor(threads / 3));
    this.diskMax = Math.max(1, Math.ceil(this.#allMax / 2));
    this.#firstCalls = Math.floor(this.#allMax / FIRST_CALL_SHARE);
  }

  /** The disk of a library; until its device is known, each root counts as its own disk. */
  of(root: string): Disk {
    const known = this.#byRoot.get(root);
    if (known !== undefined) return known;
    const made = new Disk(this, root);
    if (this.#byRoot.size >= DISKS_MAX) this.#forgetIdle();
    this.#byRoot.set(root, made);
    return made;
  }

  /** Libraries on the same device share one disk. */
  learn(root: string, device: number): void {
    const disk = this.of(root);
    const first = this.#byDevice.get(device);
    if (first === undefined) this.#byDevice.set(device, disk);
    else if (first !== disk && disk.isIdle) this.#byRoot.set(root, first);
  }

  /** Calls the listener when a disk falls silent, answers again, or becomes slow. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  changed(): void {
    for (const listener of this.#listeners) listener();
  }

  /** `own`: calls that the asking disk has in flight. */
  hasRoom(own: number): boolean {
    if (own === 0) return this.#running < this.#allMax;
    return own < this.diskMax && this.#running < this.#allMax - this.#firstCalls;
  }

  pump(): void {
    for (const disk of this.#byRoot.values()) if (disk.hasWaiting) disk.pump();
  }

  /** Calls in flight; once everything else has ended, these are the hung ones. */
  get running(): number {
    return this.#running;
  }

  entered(): void {
    this.#running += 1;
    this.#timer ??= setInterval(() => this.#tick(), TICK_MS).unref();
  }

  left(): void {
    this.#running -= 1;
  }

  #tick(): void {
    for (const disk of new Set(this.#byRoot.values())) disk.tick();
    this.changed();
    if (this.running > 0 || this.#timer === null) return;
    clearInterval(this.#timer);
    this.#timer = null;
  }

  #forgetIdle(): void {
    for (const [root, disk] of this.#byRoot) if (disk.isIdle) this.#byRoot.delete(root);
    const left = new Set(this.#byRoot.values());
    for (const [device, disk] of this.#byDevice) if (!left.has(disk)) this.#byDevice.delete(device);
  }
}

export const disks = new Disks(poolSize);
