// Work on books that follows a scan: a task per library does what is due in it. It begins when the books of the library can be read, waits for
// disks that are silent, and goes on after a restart.
import { setTimeout as delay } from 'node:timers/promises';
import { disks, isSilence } from '../engine/disks.js';
import { faultOf } from '../model/errors.js';
import { bytesOfUuid, uuidOfBytes } from '../model/ids.js';
import { isOfDisk } from '../store/connection.js';
import type { Db, Reader } from '../store/db.js';
import type { TaskRunner } from '../tasks/runner.js';
import type { TaskContext, TaskTarget } from '../tasks/task.js';
import { type DueCounts, type DueKind, type DueLibrary, type DuePass, isOverloaded } from './due-kind.js';
import type { Scans } from './scans.js';
import type { ScanStatus } from './status.js';

/** Waits before a busy server or a cache that fails is tried again. After the last one the task fails, and what is due stays so. */
const RETRY_WAITS_MS = [1000, 2000, 4000, 8000, 16_000, 32_000];

export interface DueParts {
  readonly db: Db;
  readonly tasks: TaskRunner;
  readonly scans: Pick<Scans, 'active'>;
  /** Called with errors that no caller waits for. */
  readonly onFault: (thrown: unknown) => void;
}

/** A library in which what is due is being made. */
export interface DueInProgress extends DueCounts {
  readonly libraryId: string;
  readonly total: number;
}

const keyOf = async (from: Pick<Reader, 'all'>, target: TaskTarget | null): Promise<number | undefined> => {
  if (target === null) return undefined;
  const [row] = await from.all<{ id: number }>('SELECT id FROM library WHERE uuid = ?', [bytesOfUuid(target.id)]);
  return row?.id;
};

export class DueWork {
  readonly #kind: DueKind;
  readonly #parts: DueParts;
  readonly #active = new Map<string, DueInProgress>();
  /** Libraries in which something came due during a scan. */
  readonly #waiting = new Set<number>();
  /** Roots of libraries whose disks fell silent, by key. */
  readonly #silent = new Map<number, string>();
  readonly #leaveDisks: () => void;
  /** Called when what is due in a library is made or given up, or the server stops. Whoever starts the program sets it. */
  announce: (ended: DueInProgress) => void = () => undefined;

  constructor(parts: DueParts, kind: DueKind) {
    this.#parts = parts;
    this.#kind = kind;
    const run = (context: TaskContext): Promise<DueCounts> => this.#run(context);
    const measure = async (from: Reader, target: TaskTarget | null): Promise<unknown> => {
      const key = await keyOf(from, target);
      return key === undefined ? null : kind.left(from, key);
    };
    parts.tasks.register(kind.type, { lane: kind.lane, run, measure });
    this.#leaveDisks = disks.onChange(() => this.#disksChanged());
  }

  stop(): void {
    this.#leaveDisks();
  }

  active(): readonly DueInProgress[] {
    return [...this.#active.values()];
  }

  /** Something came due in a library. */
  added(libraryKey: number): void {
    if (this.#isScanned(libraryKey)) this.#waiting.add(libraryKey);
    else this.#later(this.#resume(({ key }) => key === libraryKey));
  }

  /** No scan keeps a library waiting any more. */
  freed(libraryKey: number): void {
    if (this.#waiting.delete(libraryKey)) this.added(libraryKey);
  }

  /** Called once the end of a scan is stored. What comes due from here on is begun by `freed`. */
  scanEnded({ libraryKey }: Pick<ScanStatus, 'libraryKey'>): Promise<void> {
    this.#waiting.delete(libraryKey);
    return this.#resume(({ key }) => key === libraryKey);
  }

  /** What an earlier process left due. */
  resume(): Promise<void> {
    return this.#resume(({ key }) => !this.#isScanned(key));
  }

  /** What prevented the work may be over. */
  retry(): void {
    this.#later(this.resume());
  }

  /** A server that stops, or whose disk is full, leaves the rest to its next start. */
  #later(resumed: Promise<void>): void {
    resumed.catch((thrown: unknown) => {
      const { kind } = faultOf(thrown);
      if (!isOfDisk(thrown) && kind !== 'Overloaded' && kind !== 'Cancelled') this.#parts.onFault(thrown);
    });
  }

  /** By the time it begins again, the task that met the silence has ended. */
  #disksChanged(waitMs = RETRY_WAITS_MS[0]): void {
    for (const [libraryKey, root] of [...this.#silent]) {
      if (disks.of(root).isSilent) continue;
      this.#silent.delete(libraryKey);
      void delay(waitMs, undefined, { ref: false }).then(() => this.added(libraryKey));
    }
  }

  /** The end of a scan begins what is due itself. */
  #isScanned(key: number): boolean {
    return this.#parts.scans.active().some(({ libraryKey }) => libraryKey === key);
  }

  async #resume(isWanted: (library: DueLibrary) => boolean): Promise<void> {
    const { db, tasks } = this.#parts;
    for (const library of await this.#kind.libraries(db)) {
      if (!isWanted(library)) continue;
      const target: TaskTarget = { kind: 'library', id: uuidOfBytes(library.uuid) };
      await tasks.resume(this.#kind.type, target, {}, { priority: this.#kind.priority });
    }
  }

  async #run(context: TaskContext): Promise<DueCounts> {
    const { target, progress } = context;
    const libraryKey = await keyOf(this.#parts.db, target);
    let reached = { made: 0, failed: 0 };
    if (target === null || libraryKey === undefined) return reached;
    let total = await this.#kind.left(this.#parts.db, libraryKey);
    const onStored = ({ made, failed }: DueCounts): void => {
      reached = { made: reached.made + made, failed: reached.failed + failed };
      const done = reached.made + reached.failed;
      total = Math.max(total, done);
      this.#active.set(target.id, { libraryId: target.id, total, ...reached });
      progress(done, total);
    };
    onStored(reached);
    try {
      await this.#passes(libraryKey, context, onStored);
      return reached;
    } finally {
      const ended = this.#active.get(target.id);
      this.#active.delete(target.id);
      if (ended !== undefined) this.announce(ended);
    }
  }

  async #passes(libraryKey: number, { signal }: TaskContext, onStored: DuePass['onStored']): Promise<void> {
    let retries = 0;
    const onEnded = (counts: DueCounts): void => {
      if (counts.made > 0) retries = 0;
      onStored(counts);
    };
    for (;;) {
      try {
        await this.#kind.pass({ libraryKey, signal, onStored: onEnded });
        return;
      } catch (thrown) {
        if (isSilence(thrown)) await this.#noteSilence(libraryKey);
        const waitMs = RETRY_WAITS_MS[retries];
        if (waitMs === undefined || !isOverloaded(thrown)) throw thrown;
        retries += 1;
        await delay(waitMs, undefined, { signal }).catch(() => undefined); // an abort ends it; the next pass sees it
      }
    }
  }

  /** The pass begins again when the disk answers. */
  async #noteSilence(libraryKey: number): Promise<void> {
    const [row] = await this.#parts.db.all<{ root: string }>('SELECT root FROM library WHERE id = ?', [libraryKey]);
    if (row === undefined) return;
    this.#silent.set(libraryKey, row.root);
    this.#disksChanged(RETRY_WAITS_MS.at(-1)); // it may have answered meanwhile
  }
}
