// The covers that follow a scan: a task per library makes those that are due (due-covers.ts), the newest first. It begins when the books of
// the library can be read, and goes on after a restart.
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../engine/clock.js';
import { disks, isSilence } from '../engine/disks.js';
import { faultOf } from '../model/errors.js';
import { bytesOfUuid, uuidOfBytes } from '../model/ids.js';
import { isOfDisk } from '../store/connection.js';
import type { Reader } from '../store/db.js';
import type { TaskContext, TaskTarget } from '../tasks/task.js';
import { type CoverCounts, CoverDrain, isOverloaded } from './cover-drain.js';
import { COVER_LANE, type CoverParts, hasCover } from './cover-tasks.js';
import { coversLeft, type DueLibrary, librariesWithDueCovers } from './due-covers.js';
import type { Scans } from './scans.js';
import type { ScanStatus } from './status.js';

const GENERATE_DUE_THUMBNAILS = 'generate_due_thumbnails';
/** Before covers that somebody asked to remake. */
const PRIORITY = 390;

/** Waits before a busy server or a cache that fails is tried again. After the last one the task fails, and the covers stay due. */
const RETRY_WAITS_MS = [1000, 2000, 4000, 8000, 16_000, 32_000];

export interface DueCoverParts extends CoverParts {
  readonly clock: Clock;
  readonly scans: Pick<Scans, 'active'>;
  /** Called with errors that no caller waits for. */
  readonly onFault: (thrown: unknown) => void;
}

/** A library whose covers are being made. */
export interface CoversInProgress extends CoverCounts {
  readonly libraryId: string;
  readonly total: number;
}

/** Changes whenever a cover is made or given up. */
const measure = async (from: Reader, target: TaskTarget | null): Promise<unknown> => {
  const key = await keyOf(from, target);
  return key === undefined ? null : coversLeft(from, key);
};

const keyOf = async (from: Pick<Reader, 'all'>, target: TaskTarget | null): Promise<number | undefined> => {
  if (target === null) return undefined;
  const [row] = await from.all<{ id: number }>('SELECT id FROM library WHERE uuid = ?', [bytesOfUuid(target.id)]);
  return row?.id;
};

export class DueCovers {
  readonly #parts: DueCoverParts;
  readonly #active = new Map<string, CoversInProgress>();
  /** Libraries in which covers came due during a scan. */
  readonly #waiting = new Set<number>();
  /** Roots of libraries whose disks fell silent, by key. */
  readonly #silent = new Map<number, string>();
  readonly #leaveDisks: () => void;
  /** Called when the covers of a library are made or given up, or the server stops. Whoever starts the program sets it. */
  announce: (ended: CoversInProgress) => void = () => undefined;

  constructor(parts: DueCoverParts) {
    this.#parts = parts;
    const run = (context: TaskContext): Promise<CoverCounts> => this.#run(context);
    parts.tasks.register(GENERATE_DUE_THUMBNAILS, { lane: COVER_LANE, run, measure });
    this.#leaveDisks = disks.onChange(() => this.#disksChanged());
  }

  stop(): void {
    this.#leaveDisks();
  }

  active(): readonly CoversInProgress[] {
    return [...this.#active.values()];
  }

  /** Covers of a library came due. */
  added(libraryKey: number): void {
    if (this.#isScanned(libraryKey)) this.#waiting.add(libraryKey);
    else this.#later(this.#resume(({ key }) => key === libraryKey));
  }

  /** No scan keeps the covers of a library waiting any more. */
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

  /** What kept covers from being made may be over. */
  retry(): void {
    this.#later(this.resume());
  }

  /** A server that stops, or whose disk is full, leaves the covers to its next start. */
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

  /** The end of a scan asks for the covers itself. */
  #isScanned(key: number): boolean {
    return this.#parts.scans.active().some(({ libraryKey }) => libraryKey === key);
  }

  async #resume(isWanted: (library: DueLibrary) => boolean): Promise<void> {
    const { db, tasks } = this.#parts;
    for (const library of await librariesWithDueCovers(db)) {
      if (!isWanted(library)) continue;
      const target: TaskTarget = { kind: 'library', id: uuidOfBytes(library.uuid) };
      await tasks.resume(GENERATE_DUE_THUMBNAILS, target, {}, { priority: PRIORITY });
    }
  }

  async #run(context: TaskContext): Promise<CoverCounts> {
    const { target, progress } = context;
    const libraryKey = await keyOf(this.#parts.db, target);
    let reached = { made: 0, failed: 0 };
    if (target === null || libraryKey === undefined) return reached;
    let total = await coversLeft(this.#parts.db, libraryKey);
    const onStored = ({ made, failed }: CoverCounts): void => {
      reached = { made: reached.made + made, failed: reached.failed + failed };
      const done = reached.made + reached.failed;
      total = Math.max(total, done);
      this.#active.set(target.id, { libraryId: target.id, total, ...reached });
      progress(done, total);
    };
    onStored(reached);
    try {
      await this.#drain(libraryKey, context, onStored);
      return reached;
    } finally {
      const ended = this.#active.get(target.id);
      this.#active.delete(target.id);
      if (ended !== undefined) this.announce(ended);
    }
  }

  async #drain(libraryKey: number, { signal }: TaskContext, onStored: (counts: CoverCounts) => void): Promise<void> {
    const parts = { ...this.#parts, isThere: hasCover(this.#parts), now: () => this.#parts.clock.now() };
    let retries = 0;
    const onEnded = (counts: CoverCounts): void => {
      if (counts.made > 0) retries = 0;
      onStored(counts);
    };
    for (;;) {
      try {
        await new CoverDrain(parts, { libraryKey, signal, onStored: onEnded }).run();
        return;
      } catch (thrown) {
        if (isSilence(thrown)) await this.#noteSilence(libraryKey);
        const waitMs = RETRY_WAITS_MS[retries];
        if (waitMs === undefined || !isOverloaded(thrown)) throw thrown;
        retries += 1;
        await delay(waitMs, undefined, { signal }).catch(() => undefined); // an abort ends it; the drain sees it
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
