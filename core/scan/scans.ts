// Scans of libraries, each a task: which are running or waiting, and how the last one of each library ended.

import { type Library, libraryById } from '../catalog/libraries.js';
import { refuseMissingRoot, refuseRoot } from '../catalog/roots.js';
import { AppError, faultOf } from '../model/errors.js';
import { isOfDisk } from '../store/connection.js';
import { type By, SYSTEM } from '../store/feed.js';
import { isQuarantined } from '../tasks/recovery.js';
import type { TaskRunner } from '../tasks/runner.js';
import type { Task, TaskContext, TaskParameters, TaskTarget } from '../tasks/task.js';
import { newestTask, taskById } from '../tasks/task-rows.js';
import type { ScanParts } from './context.js';
import { markAllDue } from './mark-due.js';
import { runScan } from './scan.js';
import { ScanEnds, type ScanEndsOptions } from './scan-ends.js';
import { ScanPace } from './scan-pace.js';
import { askedIn, parametersOf, type ScanFollower, type StartOptions } from './scan-parameters.js';
import type { ScanTally } from './scan-tally.js';
import {
  interruptedScans,
  newStatus,
  type ScanStatus,
  scanMeasure,
  storedStatus,
  storeStatus,
  withError,
} from './status.js';

export const SCAN_LANE = 'scan';
export const SCAN_LIBRARY = 'scan_library';
const PRIORITY = 600;

/** A scan that is waiting or running. */
interface Live {
  status: ScanStatus;
  /** Rejects when the scan could not be stored, so it never existed. Undefined for a scan left by a version without tasks. */
  taskId: Promise<string> | undefined;
}

export interface ScansOptions extends ScanEndsOptions {
  readonly tasks: TaskRunner;
  /** Called with the reason why a scan failed. */
  readonly onWarning: (sentence: string) => void;
  /** Called when no scan of the library is active any more. Must not throw. */
  readonly onFree: (libraryKey: number) => void;
}

const targetOf = (id: string): TaskTarget => ({ kind: 'library', id });
const busy = (): AppError => new AppError('Conflict', 'A scan of this library is already running.');
const gone = (): AppError => new AppError('NotFound', 'There is no library with this id.');

export class Scans {
  readonly #parts: ScanParts;
  readonly #options: ScansOptions;
  readonly #live = new Map<number, Live>();
  readonly #ends: ScanEnds;
  /** Called with the last status of every scan that ends. Whoever starts the program sets it. */
  announce: (ended: ScanStatus) => void = () => undefined;

  /** Set by whoever watches the folders of libraries. */
  follower: ScanFollower | undefined;

  constructor(parts: ScanParts, options: ScansOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#ends = new ScanEnds(parts.db, options);
    options.tasks.register(SCAN_LIBRARY, {
      lane: SCAN_LANE,
      run: (context) => this.#run(context),
      measure: scanMeasure,
      cancelled: (task) => this.#endCancelled(task),
      again: (task) => this.#again(task),
    });
  }

  /** Returns the id of the task of the scan that waits or runs, or else starts one. */
  async enqueue(library: Library, options: StartOptions): Promise<string> {
    const isLive = this.#live.has(library.key);
    const started = isLive ? undefined : this.start(library, options);
    const taskId = this.#live.get(library.key)?.taskId;
    await started;
    if (taskId === undefined) throw busy(); // of a version without tasks, and not yet taken over
    return taskId;
  }

  /** Starts a scan, or queues it behind others; 409 when the library is being scanned already. */
  async start(library: Library, options: StartOptions): Promise<ScanStatus> {
    if (this.#live.has(library.key)) throw busy();
    const status = newStatus(library, options.mode, this.#parts.clock.now());
    const { by = SYSTEM, priority } = options;
    const taskId = this.#add(by, status, parametersOf(options), priority);
    this.#live.set(library.key, { status, taskId });
    const unsaved = this.#ends.forget(library.key); // the new status counts from here on
    try {
      await taskId;
    } catch (thrown) {
      if (unsaved !== undefined) this.#ends.remember(unsaved);
      this.#live.delete(library.key);
      throw thrown;
    }
    this.#options.tasks.wake();
    return status;
  }

  /** For a new library: it is there even if its scan cannot start, of which the log tells. */
  async startFirst(library: Library, by: By): Promise<void> {
    await this.start(library, { mode: 'normal', by }).catch((thrown: unknown) => {
      const { kind, message } = faultOf(thrown);
      if (kind === 'Internal') this.#options.onFault(thrown);
      this.#options.onWarning(`the library "${library.name}" is not scanned: ${message}`);
    });
  }

  /** Stops the scan of a library; it ends between two files. */
  async cancel(libraryKey: number): Promise<void> {
    const live = this.#live.get(libraryKey);
    const id = await live?.taskId?.catch(() => undefined); // the caller that started the scan gets the error
    if (live === undefined || id === undefined)
      throw new AppError('NotFound', 'No active scan found for this library.');
    await this.#options.tasks.cancel(id).catch((thrown: unknown) => {
      if (this.#live.get(libraryKey) === live) throw thrown; // otherwise it has ended in the meantime
    });
  }

  /** If the task of a scan is cancelled, the status of the scan ends too, whoever cancelled it. */
  async #endCancelled({ id }: Pick<Task, 'id'>): Promise<void> {
    const live = await this.#liveOf(id);
    if (live !== undefined) await this.#end(live, 'cancelled');
  }

  /** The task of a scan that has ended is to run again: the scan begins anew, with the same row. */
  async #again({ id, target, parameters }: Task): Promise<void> {
    const library = await libraryById(this.#parts.db, target?.id ?? '');
    if (this.#live.has(library.key)) throw busy();
    const mode = parameters.mode === 'deep' ? 'deep' : 'normal';
    const status = newStatus(library, mode, this.#parts.clock.now());
    this.#live.set(library.key, { status, taskId: Promise.resolve(id) });
    this.#ends.forget(library.key);
    await this.#parts.db.write(SYSTEM, 'interactive', (tx) => storeStatus(tx, status));
  }

  async #liveOf(id: string): Promise<Live | undefined> {
    for (const live of [...this.#live.values()]) if ((await live.taskId?.catch(() => undefined)) === id) return live;
    return undefined;
  }

  /** For a library marked for removal, in which no scan can start any more. Also ends a scan whose task is missing or over. */
  async halt(libraryKey: number): Promise<void> {
    const live = this.#live.get(libraryKey);
    if (live === undefined) return;
    await this.cancel(libraryKey).catch((thrown: unknown) => {
      const { kind } = faultOf(thrown);
      if (kind !== 'NotFound' && kind !== 'BadRequest') throw thrown;
    });
    if (this.#live.get(libraryKey) === live) await this.#end(live, 'cancelled');
  }

  get tally(): ScanTally {
    return this.#parts.tally;
  }

  isActive(libraryKey: number): boolean {
    return this.#live.has(libraryKey);
  }

  /** A scan of a library being removed is among them until it has ended. */
  active(): readonly ScanStatus[] {
    return [...this.#live.values()].map(({ status }) => status);
  }

  /** Whether the last scan was quarantined for crashing the process. Then only a user should start another one. */
  async isQuarantined({ id }: Library): Promise<boolean> {
    const task = await newestTask(this.#parts.db, SCAN_LIBRARY, targetOf(id));
    return task !== undefined && isQuarantined(task);
  }

  async status(library: Library): Promise<ScanStatus> {
    const status =
      this.#live.get(library.key)?.status ??
      this.#ends.unsaved(library.key) ??
      (await storedStatus(this.#parts.db, library.key));
    if (status === undefined) throw new AppError('NotFound', `The library "${library.name}" has never been scanned.`);
    return status;
  }

  /** Runs before the tasks start: loads the scans that were in progress when the server stopped. */
  async load(): Promise<void> {
    const { db } = this.#parts;
    for (const status of await interruptedScans(db)) {
      const task = await newestTask(db, SCAN_LIBRARY, targetOf(status.libraryId));
      this.#live.set(status.libraryKey, { status, taskId: task && Promise.resolve(task.id) });
    }
  }

  /** Called once the tasks of an earlier process are taken over: scans without a task get one, and those whose task has ended end too. */
  async adopt(): Promise<void> {
    for (const live of [...this.#live.values()])
      await this.#adopt(live).catch(async (thrown: unknown) => {
        if (isOfDisk(thrown)) throw thrown;
        this.#options.onFault(thrown);
        const { kind, message } = faultOf(thrown);
        await this.#fail(live, kind === 'Internal', message);
      });
  }

  async #adopt(live: Live): Promise<void> {
    const { status } = live;
    live.taskId ??= Promise.resolve(await this.#add(SYSTEM, status, { mode: status.mode, acceptMissing: false }));
    const id = await live.taskId.catch(() => undefined); // the caller that started the scan gets the error
    if (id === undefined) return;
    const { state, error } = await taskById(this.#parts.db, id);
    if (this.#live.get(status.libraryKey) !== live || state === 'pending' || state === 'running') return;
    if (state === 'failed') await this.#fail(live, false, error ?? 'The scan failed.');
    else await this.#end(live, state);
  }

  /** Call this after the task runner has stopped. */
  stop(): void {
    this.#ends.stop();
  }

  #add(by: By, status: ScanStatus, parameters: TaskParameters, priority = PRIORITY): Promise<string> {
    const { tasks } = this.#options;
    return this.#parts.db.write(by, 'interactive', async (tx) => {
      if (!(await storeStatus(tx, status))) throw gone();
      const options = { priority, isNew: true };
      return tasks.add(tx, SCAN_LIBRARY, targetOf(status.libraryId), parameters, options);
    });
  }

  async #run(context: TaskContext): Promise<void> {
    const live = await this.#liveOf(context.id);
    if (live === undefined) return; // an earlier start finished it
    try {
      await this.#scan(await libraryById(this.#parts.db, live.status.libraryId), live, context);
    } catch (thrown) {
      // A full disk interrupts a scan just as a stop of the program does, and the next start resumes it. The same goes for a parked scan.
      const isCancelled = context.isCancelled();
      if (!isCancelled && (isOfDisk(thrown) || context.signal.aborted)) throw thrown;
      const { kind, message } = faultOf(thrown);
      if (isCancelled || kind === 'Cancelled') await this.#end(live, 'cancelled');
      else await this.#fail(live, kind === 'Internal', message);
      throw thrown;
    }
    await this.#end(live, 'completed');
  }

  async #scan(library: Library, live: Live, { parameters, signal, ...context }: TaskContext): Promise<void> {
    const set = (change: Partial<ScanStatus>): void => {
      live.status = { ...live.status, ...change };
    };
    const { mode } = live.status;
    // A scan that was still waiting, or still marking books as due, starts over.
    const resumed = live.status.state === 'running';
    const asked = askedIn(parameters);
    if (mode === 'deep' && !resumed) await markAllDue(this.#parts, library, signal, { part: asked.part });
    set({ state: 'running' });
    await this.#parts.db.write(SYSTEM, 'background', (tx) => storeStatus(tx, live.status));
    await refuseMissingRoot(library.root);
    await refuseRoot(library.root, this.#parts.ownFolders);
    const request = { library, mode, resumed, ...asked, signal };
    const pace = new ScanPace();
    await runScan(this.#parts, request, {
      warn: (sentence, seriesKey) => {
        live.status = withError(live.status, sentence, seriesKey);
      },
      read: (bytes) => context.read(bytes),
      looked: (found) => this.follower?.looked(library.key, found),
      progress: ({ seriesFound, isReading, ...found }) => {
        const now = performance.now();
        if (isReading) pace.add(found.filesProcessed, now);
        const rate = pace.at(found.filesProcessed, now);
        set({ ...found, rate, booksFound: found.filesTotal, ...(seriesFound > 0 ? { seriesFound } : {}) });
        context.progress(found.filesProcessed, found.filesTotal);
      },
    });
  }

  async #fail(live: Live, isInternal: boolean, message: string): Promise<void> {
    live.status = withError(live.status, isInternal ? 'The scan failed; the log says why.' : message);
    this.#options.onWarning(`A scan failed: ${isInternal ? 'an internal error' : message}`);
    await this.#end(live, 'failed');
  }

  /** The library becomes free exactly when the status says that the scan has ended, not before. */
  async #end(live: Live, state: 'completed' | 'cancelled' | 'failed'): Promise<void> {
    const status = { ...live.status, state, rate: 0, completedAt: this.#parts.clock.now() };
    await this.#ends.store(status);
    if (this.#live.get(status.libraryKey) !== live || !this.#live.delete(status.libraryKey)) return;
    this.announce(status);
    this.#options.onFree(status.libraryKey);
    this.follower?.freed(status.libraryKey);
  }
}
