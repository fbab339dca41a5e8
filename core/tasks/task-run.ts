// One running task: what its function reports, stored at most once a second, and the signals that end it.

import type { Clock } from '../engine/clock.js';
import { faultOf } from '../model/errors.js';
import type { Tracing } from '../model/tracing.js';
import { isOfDisk } from '../store/connection.js';
import type { Db } from '../store/db.js';
import { SYSTEM } from '../store/feed.js';
import type { Ended } from './measured.js';
import type { Task, TaskContext } from './task.js';
import { type End, storeReached } from './task-rows.js';

const STORE_EVERY_MS = 1000;

export interface TaskRunParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly onFault: (thrown: unknown) => void;
  readonly tracing?: Tracing;
}

/** How a run whose function threw has ended. */
export const endOf = (run: TaskRun, thrown: unknown, onFault: TaskRunParts['onFault']): End => {
  if (run.isCancelled) return { state: 'cancelled' };
  if (run.signal.aborted) return { state: 'pending' };
  const { kind, message } = faultOf(thrown);
  if (kind !== 'Internal') return { state: 'failed', error: message };
  onFault(thrown);
  return { state: 'failed', error: 'The task failed; the log says why.' };
};

export class TaskRun {
  readonly task: Task;
  readonly #begunAt: number;
  readonly #begunMs: number;
  #bytes = 0;
  readonly #parts: TaskRunParts;
  /** If not, the measure of its type shows the progress of the task. */
  readonly #isCheckpointProgress: boolean;
  readonly #abort = new AbortController();
  #reached: Pick<Task, 'current' | 'total' | 'checkpoint'>;
  #isStored = true;
  #timer: NodeJS.Timeout | null = null;
  #storing: Promise<void> = Promise.resolve();
  #isCancelled = false;
  /**
   * The same task was requested while it ran, perhaps too late for it to notice, so it is run once more. A cancellation withdraws what was
   * requested before it; who asks afterwards wants the task after all.
   */
  isRequestedAgain = false;
  #isClosed = false;

  constructor(task: Task, parts: TaskRunParts, isCheckpointProgress: boolean, begunAt: number) {
    this.task = task;
    this.#begunAt = begunAt;
    this.#begunMs = parts.clock.elapsed();
    this.#parts = parts;
    this.#isCheckpointProgress = isCheckpointProgress;
    this.#reached = task;
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get isCancelled(): boolean {
    return this.#isCancelled;
  }

  cancel(): void {
    this.#isCancelled = true;
    this.isRequestedAgain = false;
    this.#abort.abort();
  }

  park(): void {
    this.#abort.abort();
  }

  context(): TaskContext {
    const { id, target, parameters } = this.task;
    return {
      id,
      target,
      parameters,
      signal: this.signal,
      isCancelled: () => this.#isCancelled,
      progress: (current, total) => this.#progress(current, total),
      reached: () => this.#reached.checkpoint,
      read: (bytes) => {
        this.#bytes += bytes;
      },
      checkpoint: async (checkpoint) => {
        this.#reached = { ...this.#reached, checkpoint };
        this.#isStored = false;
        await this.#store();
      },
    };
  }

  /** How it went; one that was stopped or cancelled tells nothing about its type. */
  endedAs({ state, error }: End, endedAt: number): Ended | null {
    if (state !== 'completed' && state !== 'failed') return null;
    const items = Math.max(this.#reached.current, Number(state === 'completed'));
    const ms = this.#parts.clock.elapsed() - this.#begunMs;
    return { task: this.task, begunAt: this.#begunAt, endedAt, ms, error: error ?? null, items, bytes: this.#bytes };
  }

  /** Stores what is pending; nothing is stored afterwards. */
  async close(): Promise<void> {
    this.#isClosed = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    await this.#storing;
    await this.#storeQuietly();
  }

  #progress(current: number, total: number | null): void {
    if (this.#isClosed || (current === this.#reached.current && total === this.#reached.total)) return;
    this.#reached = { ...this.#reached, current, total };
    this.#isStored = false;
    this.#timer ??= setTimeout(() => {
      this.#timer = null;
      this.#storing = this.#storing.then(() => this.#storeQuietly());
    }, STORE_EVERY_MS);
  }

  async #store(): Promise<void> {
    if (this.#isStored) return;
    this.#isStored = true;
    const { db, clock } = this.#parts;
    try {
      const reached = { ...this.#reached, isCheckpointProgress: this.#isCheckpointProgress };
      await db.write(SYSTEM, 'background', (tx) => storeReached(tx, this.task.key, reached, clock.now()));
    } catch (thrown) {
      this.#isStored = false;
      throw thrown;
    }
  }

  /** Progress that a full disk rejects is stored with the next one. */
  async #storeQuietly(): Promise<void> {
    try {
      await this.#store();
    } catch (thrown) {
      if (!isOfDisk(thrown)) this.#parts.onFault(thrown);
    }
  }
}
