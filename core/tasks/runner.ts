// Runs tasks by priority, with a limit per lane. A task outlives the process: what was parked or killed continues at the next start.

import { randomUUID } from 'node:crypto';
import { AppError } from '../model/errors.js';
import { NO_TRACING } from '../model/tracing.js';
import { isOfDisk } from '../store/connection.js';
import type { Tx } from '../store/db.js';
import { SYSTEM } from '../store/feed.js';
import { patiently, persistently } from '../store/retry-writes.js';
import { Alarm } from './alarm.js';
import { deleteFinished } from './finished.js';
import { Housekeeping } from './housekeeping.js';
import { deleteMeasured, MEASURED_MAX_MS, storeMeasured } from './measured.js';
import { renewOrFree, takeOver, wasQuarantined } from './recovery.js';
import type { Task, TaskParameters, TaskState, TaskTarget, TaskType } from './task.js';
import {
  cancelPending,
  claimTask,
  type End,
  insertTask,
  jsonOrNull,
  storeAgain,
  storeEnd,
  taskById,
} from './task-rows.js';
import { endOf, TaskRun, type TaskRunParts } from './task-run.js';

export interface TaskRunnerParts extends TaskRunParts {
  /** How many tasks of each lane run at once. */
  readonly lanes: Readonly<Record<string, number>>;
  /** How long it is kept how tasks went; null: it is not stored, as also where nobody says. */
  readonly measuredMs?: () => number | null;
}

export interface TaskOptions {
  readonly priority?: number;
  /** Not before this time. */
  readonly scheduledAt?: number;
  /** The caller ensures that no equal task exists. */
  readonly isNew?: boolean;
}

const notCancelled = (state: TaskState): AppError =>
  new AppError('BadRequest', `Cannot cancel a task that is ${state}.`);

const KEPT_MS = 7 * 24 * 3_600_000;
const PRUNE_EVERY_MS = 3_600_000;
const RENEW_EVERY_MS = 60_000;

export class TaskRunner {
  readonly #parts: TaskRunnerParts;
  readonly #types = new Map<string, TaskType>();
  readonly #running = new Map<number, { readonly run: TaskRun; readonly lane: string; done: Promise<void> }>();
  readonly #owner = randomUUID();
  readonly #stop = new AbortController();
  readonly #housekeeping: Housekeeping;
  readonly #alarm = new Alarm(() => this.wake());
  #pumping: Promise<void> | null = null;
  #isAwake = false;
  #isReady = false;
  /** The current claim, until the claimed task is among the running ones. */
  #claiming: Promise<unknown> = Promise.resolve();

  constructor(parts: TaskRunnerParts) {
    this.#parts = parts;
    this.#housekeeping = new Housekeeping(parts.db, this.#stop.signal, parts.onFault);
  }

  /** All types must be registered before the start. */
  register(type: string, work: TaskType): void {
    if (this.#parts.lanes[work.lane] === undefined) throw new Error(`There is no lane "${work.lane}".`);
    this.#types.set(type, work);
  }

  /** Takes over the tasks of an earlier process, runs each of `after`, then starts tasks. A full disk delays this, but not the caller. */
  start(...after: readonly (() => Promise<void>)[]): void {
    this.#housekeeping.add(async () => {
      await this.#surely(() => takeOver(this.#parts.db, this.#types, this.#owner, this.#parts.clock.now()));
      for (const step of after)
        await step().catch((thrown: unknown) => {
          if (isOfDisk(thrown)) throw thrown;
          this.#parts.onFault(thrown); // the tasks that were taken over still run
        });
      this.#isReady = true;
      this.wake();
    });
    this.#housekeeping.every(RENEW_EVERY_MS, () => this.renew());
    this.regularly(PRUNE_EVERY_MS, () => this.prune());
  }

  /** Runs a job of the server now and then regularly, one such job at a time. Call this after `start`. */
  regularly(everyMs: number, job: () => Promise<void>): void {
    this.#housekeeping.add(job);
    this.#housekeeping.every(everyMs, job);
  }

  /** Returns the id of an equal task that is waiting or running, or else of a new one. A running one is run once more afterwards. */
  async enqueue(
    type: string,
    target: TaskTarget | null,
    parameters: TaskParameters = {},
    options: TaskOptions = {},
  ): Promise<string> {
    const id = await this.#parts.db.write(SYSTEM, 'interactive', (tx) =>
      this.add(tx, type, target, parameters, options),
    );
    this.wake();
    return id;
  }

  /**
   * For tasks that the server creates at a start. Does nothing, and returns undefined, if an equal task was quarantined before, so that the
   * server stays up. Deleting the row of that task lifts this.
   */
  async resume(
    type: string,
    target: TaskTarget | null,
    parameters: TaskParameters = {},
    options: TaskOptions = {},
  ): Promise<string | undefined> {
    if (await wasQuarantined(this.#parts.db, type, target, parameters)) return undefined;
    return this.enqueue(type, target, parameters, options);
  }

  /** What `enqueue` does, in one transaction with related writes. The caller wakes the runner afterwards. */
  async add(
    tx: Tx,
    type: string,
    target: TaskTarget | null,
    parameters: TaskParameters = {},
    { priority = 0, scheduledAt = 0, isNew = false }: TaskOptions = {},
  ): Promise<string> {
    if (this.#stop.signal.aborted) throw new AppError('Overloaded', 'The server is stopping.');
    const { measure } = this.#types.get(type) ?? {};
    const { id, equalKey } = await insertTask(
      tx,
      { type, target, parameters, priority, scheduledAt, isNew, measure: async () => measure?.(tx, target) },
      this.#parts.clock.now(),
    );
    const running = equalKey === undefined ? undefined : this.#running.get(equalKey);
    if (running !== undefined) running.run.isRequestedAgain = true;
    return id;
  }

  /** Looks for tasks to start. */
  wake(): void {
    this.#isAwake = true;
    if (!this.#isReady || this.#stop.signal.aborted || this.#pumping !== null) return;
    this.#pumping = this.#pump()
      .catch((thrown: unknown) => {
        if (!this.#stop.signal.aborted) this.#parts.onFault(thrown);
      })
      .finally(() => {
        this.#pumping = null;
        if (this.#isAwake) this.wake();
      });
  }

  /** Ends a task that is waiting or running; resolves when none of its work is running any more. One that was faster stays completed. */
  async cancel(id: string): Promise<void> {
    const { db, clock } = this.#parts;
    const task = await taskById(db, id);
    const { key } = task;
    const { cannotCancel, cancelled } = this.#types.get(task.type) ?? {};
    if (cannotCancel !== undefined) throw new AppError('BadRequest', cannotCancel);
    if (await db.write(SYSTEM, 'interactive', (tx) => cancelPending(tx, key, clock.now()))) {
      await cancelled?.(task);
      return;
    }
    await this.#claiming;
    const running = this.#running.get(key);
    if (running === undefined) {
      const { state } = await taskById(db, id);
      throw notCancelled(state);
    }
    running.run.cancel();
    await running.done;
    const { state, completedAt } = await taskById(db, id);
    if (completedAt !== null && state !== 'cancelled') throw notCancelled(state);
  }

  get types(): ReadonlyMap<string, TaskType> {
    return this.#types;
  }

  /** Interrupts a task that runs here and makes it pending again. */
  async park(key: number): Promise<void> {
    await this.#claiming;
    const running = this.#running.get(key);
    running?.run.park();
    await running?.done;
  }

  get isBusy(): boolean {
    return this.#running.size > 0;
  }

  /** Parks running tasks; the next start resumes them. */
  async stop(): Promise<void> {
    this.#stop.abort();
    this.#housekeeping.stopTimers();
    for (const { run } of this.#running.values()) run.park();
    await this.#pumping;
    this.#alarm.stop();
    await Promise.all([...this.#running.values()].map(({ done }) => done));
    await this.#housekeeping.done;
  }

  /** Deletes tasks that finished more than a week ago, and old measurements. */
  async prune(): Promise<void> {
    const { db, clock } = this.#parts;
    await deleteFinished(db, SYSTEM, clock.now() - KEPT_MS, { signal: this.#stop.signal });
    await deleteMeasured(db, SYSTEM, clock.now() - (this.#parts.measuredMs?.() ?? MEASURED_MAX_MS));
  }

  /** Renews the leases of the tasks that run here, and frees tasks that are marked as running but that nobody runs. */
  async renew(): Promise<void> {
    const { db, clock } = this.#parts;
    if ((await renewOrFree(db, this.#owner, () => [...this.#running.keys()], clock.now())) > 0) this.wake();
  }

  async #pump(): Promise<void> {
    while (this.#isAwake && !this.#stop.signal.aborted) {
      this.#isAwake = false;
      for (;;) {
        const types = this.#claimable();
        if (types.length === 0 || this.#stop.signal.aborted) break;
        if (!(await this.#surely(() => this.#claim(types)))) break;
      }
    }
    if (!this.#stop.signal.aborted) await this.#alarm.set(this.#parts.db, this.#parts.clock.now());
  }

  #claim(types: readonly string[]): Promise<boolean> {
    const { db, clock } = this.#parts;
    const nowMs = clock.now();
    const claiming = db
      .write(SYSTEM, 'background', (tx) => claimTask(tx, types, this.#owner, nowMs))
      .then((task) => {
        if (task !== undefined) this.#begin(task, nowMs);
        return task !== undefined;
      });
    this.#claiming = claiming.catch(() => undefined); // the pump tries again
    return claiming;
  }

  /** Types whose lane has room. */
  #claimable(): readonly string[] {
    const used = new Map<string, number>();
    for (const { lane } of this.#running.values()) used.set(lane, (used.get(lane) ?? 0) + 1);
    return [...this.#types]
      .filter(([, { lane }]) => (used.get(lane) ?? 0) < (this.#parts.lanes[lane] ?? 0))
      .map(([type]) => type);
  }

  #begin(task: Task, nowMs: number): void {
    const work = this.#types.get(task.type);
    if (work === undefined) throw new Error(`A task of the unknown type "${task.type}" was claimed.`);
    const run = new TaskRun(task, this.#parts, work.measure === undefined, nowMs);
    const running = { run, lane: work.lane, done: Promise.resolve() };
    this.#running.set(task.key, running);
    if (this.#stop.signal.aborted) run.park();
    running.done = this.#run(run, work).finally(() => {
      this.#running.delete(task.key);
      this.wake();
    });
  }

  /** Never rejects. A full disk interrupts the work just as a stop of the program does, and it is resumed in the same way. */
  async #run(run: TaskRun, { run: work, cancelled }: TaskType): Promise<void> {
    const { db, clock, onFault, measuredMs, tracing = NO_TRACING } = this.#parts;
    let end: End;
    try {
      const context = run.context();
      const result = await tracing.task(`task ${run.task.type}`, () => patiently(db, run.signal, () => work(context)));
      end = { state: 'completed', result: jsonOrNull(result) };
    } catch (thrown) {
      end = endOf(run, thrown, onFault);
    }
    await run.close();
    if (end.state === 'cancelled') await cancelled?.(run.task).catch(onFault);
    await this.#surely(() =>
      db.write(SYSTEM, 'interactive', async (tx) => {
        const ended = (measuredMs?.() ?? null) === null ? null : run.endedAs(end, clock.now());
        if (ended !== null) await storeMeasured(tx, ended);
        const isAgain = run.isRequestedAgain; // perhaps since the work ended
        if (isAgain && (end.state === 'completed' || end.state === 'cancelled'))
          return storeAgain(tx, run.task.key, clock.now());
        return storeEnd(tx, run.task.key, isAgain ? { state: 'pending' } : end, clock.now());
      }),
    ).catch(() => undefined); // the server ends, and the next start takes the task over
  }

  /** Retries through a full disk, a database locked by another program, and a full queue; gives up only when the server stops. */
  #surely<T>(body: () => Promise<T>): Promise<T> {
    return persistently(this.#parts.db, this.#stop.signal, this.#parts.onFault, body);
  }
}
