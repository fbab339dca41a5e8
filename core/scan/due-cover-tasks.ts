// The covers that follow a scan: a task per library makes those that are due (due-covers.ts), the newest first. It begins when the books of
// the library can be read, and goes on after a restart.
import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../engine/clock.js';
import { bytesOfUuid, uuidOfBytes } from '../model/ids.js';
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
  /** Called when the covers of a library are made or given up, or the server stops. Whoever starts the program sets it. */
  announce: (ended: CoversInProgress) => void = () => undefined;

  constructor(parts: DueCoverParts) {
    this.#parts = parts;
    const run = (context: TaskContext): Promise<CoverCounts> => this.#run(context);
    parts.tasks.register(GENERATE_DUE_THUMBNAILS, { lane: COVER_LANE, run, measure });
  }

  active(): readonly CoversInProgress[] {
    return [...this.#active.values()];
  }

  /** Covers of a library came due. */
  added(libraryKey: number): void {
    if (!this.#isScanned(libraryKey)) this.#resume(({ key }) => key === libraryKey).catch(this.#parts.onFault);
  }

  /** Called once the end of a scan is stored. */
  scanEnded({ libraryKey }: Pick<ScanStatus, 'libraryKey'>): Promise<void> {
    return this.#resume(({ key }) => key === libraryKey);
  }

  /** What an earlier process left due. */
  resume(): Promise<void> {
    return this.#resume(({ key }) => !this.#isScanned(key));
  }

  /** The cache works again. */
  cacheIsBack(): void {
    this.resume().catch(this.#parts.onFault);
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
    for (const waitMs of [...RETRY_WAITS_MS, null]) {
      try {
        await new CoverDrain(parts, { libraryKey, signal, onStored }).run();
        return;
      } catch (thrown) {
        if (waitMs === null || !isOverloaded(thrown)) throw thrown;
        await delay(waitMs, undefined, { signal }).catch(() => undefined); // an abort ends it; the drain sees it
      }
    }
  }
}
