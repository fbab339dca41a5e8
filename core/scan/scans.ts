// All scans of the server: which run, which wait, what became of the last one of each library. Ends and resumes them.
import { access, constants } from 'node:fs';
import { type Library, libraryById, type ScanMode } from '../catalog/libraries.js';
import { refuseRoot } from '../catalog/roots.js';
import { disks } from '../engine/disks.js';
import { AppError, faultOf } from '../model/errors.js';
import { isOfDisk } from '../store/connection.js';
import { patiently } from '../store/patience.js';
import type { ScanParts } from './context.js';
import { markAllDue } from './mark-due.js';
import { runScan } from './scan.js';
import { interruptedScans, type ScanStatus, storedStatus, storeStatus, withError } from './status.js';

interface Running {
  status: ScanStatus;
  readonly abort: AbortController;
  readonly done: Promise<void>;
  cancelled: boolean;
}

interface StartOptions {
  readonly mode: ScanMode;
  readonly resumed?: boolean;
  /** When a scan that goes on was started first. */
  readonly startedAt?: number;
  readonly acceptMissing?: boolean;
}

export interface ScansOptions {
  readonly maxConcurrent: number;
  /** Called with what no caller waits for. */
  readonly onFault: (thrown: unknown) => void;
  /** Told why a scan failed. */
  readonly onWarning: (sentence: string) => void;
}

export class Scans {
  readonly #parts: ScanParts;
  readonly #options: ScansOptions;
  readonly #running = new Map<number, Running>();
  readonly #waiting: (() => void)[] = [];
  /** Ids of libraries of which no scan may begin. */
  readonly #barred = new Set<string>();
  /** How the last scans of libraries ended, where that could not be stored yet. */
  readonly #unsaved = new Map<number, ScanStatus>();
  readonly #stop = new AbortController();
  #slots: number;
  #stopping = false;

  constructor(parts: ScanParts, options: ScansOptions) {
    this.#parts = parts;
    this.#options = options;
    this.#slots = options.maxConcurrent;
  }

  /** Starts a scan, or queues it behind others; 409 when the library is being scanned already. */
  async start(library: Library, options: StartOptions): Promise<ScanStatus> {
    if (this.#stopping) throw new AppError('Overloaded', 'The server is stopping.');
    if (this.#barred.has(library.id)) throw new AppError('NotFound', 'There is no library with this id.');
    if (this.#running.has(library.key))
      throw new AppError('Conflict', `A scan of the library "${library.name}" is already running.`);
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
      startedAt: options.startedAt ?? this.#parts.clock.now(),
      completedAt: null,
    };
    const abort = new AbortController();
    let begin: () => void = () => undefined;
    const begun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const done = begun.then(() => this.#run(library, options)).catch(this.#options.onFault);
    this.#running.set(library.key, { status, abort, done, cancelled: false });
    const unsaved = this.#unsaved.get(library.key);
    this.#unsaved.delete(library.key); // from here on the new status counts
    try {
      const isThere = await this.#parts.db.write('interactive', (tx) => storeStatus(tx, status));
      if (!isThere) throw new AppError('NotFound', 'There is no library with this id.');
    } catch (thrown) {
      if (unsaved !== undefined) this.#unsaved.set(library.key, unsaved);
      this.#running.delete(library.key);
      begin(); // of nothing: a caller that cancelled it meanwhile waits for its end
      throw thrown;
    }
    begin();
    return status;
  }

  /** Stops the scan of a library; it ends between two files. */
  async cancel(libraryKey: number): Promise<void> {
    const running = this.#running.get(libraryKey);
    if (running === undefined) throw new AppError('NotFound', 'No active scan found for this library.');
    running.cancelled = true;
    running.abort.abort();
    await running.done;
  }

  /** Stops the scan of a library, and lets none of it begin before `body` has ended. */
  async without<T>(library: Pick<Library, 'id' | 'key'>, body: () => Promise<T>): Promise<T> {
    this.#barred.add(library.id);
    try {
      if (this.#running.has(library.key)) await this.cancel(library.key);
      return await body();
    } finally {
      this.#barred.delete(library.id);
    }
  }

  active(): readonly ScanStatus[] {
    return [...this.#running.values()].map(({ status }) => status);
  }

  async status(library: Library): Promise<ScanStatus> {
    const status =
      this.#running.get(library.key)?.status ??
      this.#unsaved.get(library.key) ??
      (await storedStatus(this.#parts.db, library.key));
    if (status === undefined) throw new AppError('NotFound', `The library "${library.name}" was never scanned.`);
    return status;
  }

  /** Resumes the scans that were running when the server ended. */
  async resume(): Promise<number> {
    const interrupted = await interruptedScans(this.#parts.db);
    for (const { libraryId, mode, state, startedAt } of interrupted) {
      // A scan that was still waiting, or marking what is due, begins again.
      const resumed = state === 'running';
      await this.start(await libraryById(this.#parts.db, libraryId), { mode, resumed, startedAt });
    }
    return interrupted.length;
  }

  /** Parks every scan so that the next start resumes it. */
  async stop(): Promise<void> {
    this.#stopping = true;
    this.#stop.abort();
    for (const { abort } of this.#running.values()) abort.abort();
    for (const wake of this.#waiting.splice(0)) wake();
    await Promise.all([...this.#running.values()].map(({ done }) => done));
  }

  async #slot(signal: AbortSignal): Promise<void> {
    // Who was cancelled before it came to wait hears of no event any more.
    if (this.#slots > 0 || signal.aborted) {
      this.#slots -= 1; // paid back at the end of the scan
      return;
    }
    await new Promise<void>((resolve) => {
      this.#waiting.push(resolve);
      signal.addEventListener('abort', () => {
        const at = this.#waiting.indexOf(resolve);
        if (at < 0) return;
        this.#waiting.splice(at, 1);
        this.#slots -= 1; // paid back when the aborted scan frees its slot
        resolve();
      });
    });
  }

  #freeSlot(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#slots += 1;
    else next();
  }

  async #run(library: Library, options: StartOptions): Promise<void> {
    const running = this.#running.get(library.key);
    if (running === undefined) return;
    const set = (change: Partial<ScanStatus>): void => {
      running.status = { ...running.status, ...change };
    };
    const warn = (sentence: string): void => {
      running.status = withError(running.status, sentence);
    };
    await this.#slot(running.abort.signal);
    let end: Partial<ScanStatus> | null;
    try {
      set({ state: 'running' });
      const { signal } = running.abort;
      let resumed = options.resumed ?? false;
      // A full disk breaks a scan off like the end of the program, and it goes on as after a start.
      await patiently(this.#parts.db, signal, async () => {
        if (options.mode === 'deep' && !resumed) await markAllDue(this.#parts, library, signal);
        await this.#parts.db.write('background', (tx) => storeStatus(tx, running.status));
        const { mode, acceptMissing = false } = options;
        const request = { library, mode, resumed, acceptMissing, signal };
        resumed = true;
        await checkRootPresent(library);
        await refuseRoot(library.root, this.#parts.ownFolders);
        await runScan(this.#parts, request, {
          warn,
          progress: ({ seriesFound, ...found }) =>
            set({ ...found, booksFound: found.filesTotal, ...(seriesFound > 0 ? { seriesFound } : {}) }),
        });
      });
      end = { state: 'completed' };
    } catch (thrown) {
      end = this.#endOf(running, thrown, warn);
    } finally {
      this.#freeSlot();
    }
    // The library is free in the moment in which the status says that the scan has ended, and not before.
    if (end !== null) await this.#save({ ...running.status, ...end, completedAt: this.#parts.clock.now() });
    this.#running.delete(library.key);
  }

  /** What cannot be stored now is remembered, and stored when the disk works again; a library never waits for that. */
  async #save(status: ScanStatus): Promise<void> {
    const { db } = this.#parts;
    const store = (): Promise<boolean> => db.write('interactive', (tx) => storeStatus(tx, status));
    try {
      await store();
    } catch (thrown) {
      this.#unsaved.set(status.libraryKey, status);
      if (!isOfDisk(thrown)) {
        this.#options.onFault(thrown);
        return;
      }
      patiently(db, this.#stop.signal, async () => {
        if (this.#unsaved.get(status.libraryKey) !== status) return;
        await store();
        this.#unsaved.delete(status.libraryKey);
      }).catch((late: unknown) => {
        if (!this.#stopping) this.#options.onFault(late);
      });
    }
  }

  /** Null for a parked scan: its stored state stays as it is, which is what the next start looks for. */
  #endOf(running: Running, thrown: unknown, warn: (sentence: string) => void): Partial<ScanStatus> | null {
    const fault = faultOf(thrown);
    if (fault.kind === 'Cancelled') return this.#stopping && !running.cancelled ? null : { state: 'cancelled' };
    if (fault.kind === 'Internal') this.#options.onFault(thrown);
    warn(fault.kind === 'Internal' ? 'The scan failed; the log says why.' : fault.message);
    this.#options.onWarning(`A scan failed: ${fault.kind === 'Internal' ? 'an internal error' : fault.message}`);
    return { state: 'failed' };
  }
}

const checkRootPresent = async (library: Library): Promise<void> => {
  const looked = disks
    .of(library.root)
    .ask<void>((done) => access(library.root, constants.R_OK | constants.X_OK, done));
  await looked.catch((thrown: NodeJS.ErrnoException) => {
    if (thrown instanceof AppError) throw new AppError(thrown.kind, `${thrown.message} Nothing was removed.`);
    const why =
      thrown.code === 'ENOENT'
        ? 'does not exist; is its disk mounted?'
        : `cannot be read (${thrown.code ?? thrown.message}).`;
    throw new AppError('FileUnreadable', `The library folder ${library.root} ${why} Nothing was removed.`);
  });
};
