// Spill files with unpacked pages: one per solid archive, written in one pass and read by position. Disposable: emptied at the start,
// least recently used evicted when the budget is used up. Knows nothing of their content.
import { mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type BoundedMap, boundedByBytes } from '../model/bounded-map.js';
import type { CacheDisk } from './cache-disk.js';

interface SpillFile {
  readonly path: string;
  readonly sizeBytes: number;
  /** Number of readers and writers that hold it. */
  users: number;
  isDropped: boolean;
}

/** A file in use: not removed until it is released. */
export interface Spill {
  readonly path: string;
  release(): void;
}

export class Spills {
  readonly #folder: string;
  readonly #disk: CacheDisk;
  readonly budgetBytes: number;
  readonly #kept: BoundedMap<string, SpillFile>;
  #made = 0;

  constructor(folder: string, budgetBytes: number, disk: CacheDisk) {
    this.#folder = folder;
    this.budgetBytes = Math.floor(budgetBytes);
    const sizeOf = ({ sizeBytes }: SpillFile): number => Math.min(sizeBytes, this.budgetBytes); // a larger one is kept alone
    this.#kept = boundedByBytes(this.budgetBytes, sizeOf, (dropped) => this.#retire(dropped));
    this.#disk = disk;
    disk.onRetry(async () => this.#prepare());
    try {
      this.#prepare();
      for (const name of readdirSync(folder)) rmSync(join(folder, name), { force: true, recursive: true });
    } catch (thrown) {
      disk.fail(thrown);
    }
  }

  /** True when the disk has room for a file of that size. */
  hasRoom(sizeBytes: number): Promise<boolean> {
    return this.#disk.hasRoom(sizeBytes);
  }

  /** Reports a failed write: nothing more is written until the disk works again. */
  fail(thrown: unknown): void {
    this.#disk.fail(thrown);
  }

  /** Reserves room for a file under this key, replacing an older one. The caller writes the file and releases it. */
  make(key: string, sizeBytes: number): Spill {
    this.#made += 1;
    const kept: SpillFile = { path: join(this.#folder, String(this.#made)), sizeBytes, users: 0, isDropped: false };
    this.#kept.set(key, kept);
    return this.#lend(kept);
  }

  /** Does not count as use: the eviction order stays. */
  has(key: string): boolean {
    return this.#kept.has(key);
  }

  /** The file under this key; undefined when it was dropped. */
  use(key: string): Spill | undefined {
    const kept = this.#kept.get(key);
    return kept === undefined ? undefined : this.#lend(kept);
  }

  drop(key: string): void {
    this.#kept.delete(key);
  }

  close(): void {
    this.#kept.clear();
  }

  #retire(kept: SpillFile): void {
    kept.isDropped = true;
    if (kept.users === 0) this.#remove(kept);
  }

  #prepare(): void {
    mkdirSync(this.#folder, { recursive: true });
  }

  /** A file that cannot be removed is left to the next start. */
  #remove({ path }: SpillFile): void {
    try {
      rmSync(path, { force: true });
    } catch (thrown) {
      this.#disk.fail(thrown);
    }
  }

  #lend(kept: SpillFile): Spill {
    kept.users += 1;
    let held = true;
    return {
      path: kept.path,
      release: () => {
        if (!held) return;
        held = false;
        kept.users -= 1;
        if (kept.isDropped && kept.users === 0) this.#remove(kept);
      },
    };
  }
}
