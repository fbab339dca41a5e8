// Scans of libraries, each a task: which are running or waiting, and how the last one of each library ended.

import { type Library, libraryById, type ScanMode } from '../catalog/libraries.js';
import { refuseMissingRoot, refuseRoot } from '../catalog/roots.js';
import { AppError, faultOf } from '../model/errors.js';
import { isOfDisk } from '../store/connection.js';
import { type By, SYSTEM } from '../store/feed.js';
import { persistently } from '../store/retry-writes.js';
import type { TaskRunner } from '../tasks/runner.js';
import type { Task, TaskContext, TaskParameters, TaskTarget } from '../tasks/task.js';
import { isQuarantined, newestTask, taskById } from '../tasks/task-rows.js';
import type { ScanParts } from './context.js';
import { markAllDue } from './mark-due.js';
import { runScan } from './scan.js';
import { interruptedScans, type ScanStatus, scanMeasure, storedStatus, storeStatus, withError } from './status.js';

export const SCAN_LANE = 'scan';
const SCAN_LIBRARY = 'scan_library';
const PRIORITY = 600;

/** A scan that is waiting or running. */
interface Live {
  status: ScanStatus;
  /** Rejects when the scan could not be stored, so it never existed. Undefined for a scan left by a version without tasks. */
  taskId: Promise<string> | undefined;
}

interface StartOptions {
  readonly mode: ScanMode;
  readonly acceptMissing?: boolean;
  /** Who wants it; the server itself if absent. */
  readonly by?: By;
}

export interface ScansOptions {
  readonly tasks: TaskRunner;
  /** Called with errors that no caller waits for. */
  readonly onFault: (thrown: unknown) => void;
  /** Called with the reason why a scan failed. */
  readonly onWarning: (sentence: string) => void;
  /** Called once the end of a scan is stored. */
  readonly onEnded: (status: ScanStatus) => Promise<void>;
  /** Called when no scan of the library is active any more. Must not throw. */
  readonly onFree: (libraryKey: number) => void;
}

const targetOf = (id: string): TaskTarget => ({ kind: 'library', id });
const gone = (): AppError => new AppError('NotFound', 'There is no library with this id.');

export class Scans {
  readonly #parts: ScanParts;
  readonly #options: ScansOptions;
  readonly #live = new Map<number, Live>();
  /** How the last scans of libraries ended, where that could not be stored yet. */
  readonly #unsaved = new Map<number, ScanStatus>();
  readonly #stop = new AbortController();
  /** Called with the last status of every scan that ends. Whoever starts the program sets it. */
  announce: (ended: ScanStatus) => void = () => undefined;

  constructor(parts: ScanParts, options: ScansOptions) {
    this.#parts = parts;
    this.#options = options;
    options.tasks.register(SCAN_LIBRARY, {
      lane: SCAN_LANE,
      run: (context) => this.#run(context),
      measure: scanMeasure,
      cancelled: (task) => this.#endCancelled(task),
    });
  }

  /** Starts a scan, or queues it behind others; 409 when the library is being scanned already. */
  async start(library: Library, options: StartOptions): Promise<ScanStatus> {
    if (this.#live.has(library.key)) throw new AppError('Conflict', 'A scan of this library is already running.');
    const status: ScanStatus = {
      libraryKey: library.key,
      libraryId: library.id,
      mode: options.mode,
      state: 'pending',
      filesTotal: 0,
      filesProcessed: 0,
      seriesFound: 0,
      booksFound: 0,
      linksFound: 0,
      errors: [],
      startedAt: this.#parts.clock.now(),
      completedAt: null,
    };
    const { mode, acceptMissing = false, by = SYSTEM } = options;
    const taskId = this.#add(by, status, { mode, acceptMissing });
    this.#live.set(library.key, { status, taskId });
    const unsaved = this.#unsaved.get(library.key);
    this.#unsaved.delete(library.key); // the new status counts from here on
    try {
      await taskId;
    } catch (thrown) {
      if (unsaved !== undefined) this.#unsaved.set(library.key, unsaved);
      this.#live.delete(library.key);
      throw thrown;
    }
    this.#options.tasks.wake();
    return status;
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
      this.#unsaved.get(library.key) ??
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
    this.#stop.abort();
  }

  #add(by: By, status: ScanStatus, parameters: TaskParameters): Promise<string> {
    const { tasks } = this.#options;
    return this.#parts.db.write(by, 'interactive', async (tx) => {
      if (!(await storeStatus(tx, status))) throw gone();
      const options = { priority: PRIORITY, isNew: true };
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
    if (mode === 'deep' && !resumed) await markAllDue(this.#parts, library, signal);
    set({ state: 'running' });
    await this.#parts.db.write(SYSTEM, 'background', (tx) => storeStatus(tx, live.status));
    await refuseMissingRoot(library.root);
    await refuseRoot(library.root, this.#parts.ownFolders);
    const request = { library, mode, resumed, acceptMissing: parameters.acceptMissing === true, signal };
    await runScan(this.#parts, request, {
      warn: (sentence) => {
        live.status = withError(live.status, sentence);
      },
      progress: ({ seriesFound, ...found }) => {
        set({ ...found, booksFound: found.filesTotal, ...(seriesFound > 0 ? { seriesFound } : {}) });
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
    const status = { ...live.status, state, completedAt: this.#parts.clock.now() };
    await this.#save(status);
    if (this.#live.get(status.libraryKey) !== live || !this.#live.delete(status.libraryKey)) return;
    this.announce(status);
    this.#options.onFree(status.libraryKey);
  }

  /** A status that cannot be stored now is kept in memory and stored later. The library never waits for that. */
  async #save(status: ScanStatus): Promise<void> {
    const { db } = this.#parts;
    const store = async (): Promise<void> => {
      if (await db.write(SYSTEM, 'interactive', (tx) => storeStatus(tx, status))) await this.#tellEnded(status);
    };
    try {
      await store();
    } catch (thrown) {
      this.#unsaved.set(status.libraryKey, status);
      if (!isOfDisk(thrown)) this.#options.onFault(thrown);
      const later = async (): Promise<void> => {
        if (this.#unsaved.get(status.libraryKey) !== status) return;
        await store();
        this.#unsaved.delete(status.libraryKey);
      };
      const alreadyReported = (): void => undefined;
      persistently(db, this.#stop.signal, alreadyReported, later).catch(alreadyReported); // the next start ends the scan as its task ended
    }
  }

  async #tellEnded(status: ScanStatus): Promise<void> {
    await this.#options.onEnded(status).catch((thrown: unknown) => {
      // While the server stops, or with a full disk, what follows is left to the next start.
      if (!isOfDisk(thrown) && faultOf(thrown).kind !== 'Overloaded') this.#options.onFault(thrown);
    });
  }
}
