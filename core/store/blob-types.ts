// What the cache of derived bytes offers, and what it is told.
import type { CacheDisk } from './cache-disk.js';
import type { Lent } from './lent.js';

/** One entry of the cache, without its bytes. */
export interface StoredBlob {
  /** Its place in the order; it changes when the entry is spared at an eviction. */
  readonly at: number;
  readonly key: string;
  /** Bytes on disk. */
  readonly size: number;
  /** When it was first stored; null if an earlier version stored it. */
  readonly madeAt: number | null;
}

/** Look-ups that found something or did not, and entries that were stored and evicted. */
export interface BlobTally {
  hits: number;
  misses: number;
  stored: number;
  evicted: number;
}

export interface Blobs {
  /** The bytes, or undefined. Others may hold the same array: it must not be modified. */
  get(key: string): Uint8Array | undefined;
  /**
   * The bytes where they are in memory already or large; otherwise a way to read them without memory of their own, which costs more than
   * copying them. Undefined when they are not there.
   */
  lend(key: string): Uint8Array | Lent | undefined;
  /**
   * Stores bytes under a key; the same key always means the same bytes, so a second put is ignored. While the cache is failing, nothing is
   * stored.
   */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** The same, in place of what is there. */
  replace(key: string, bytes: Uint8Array): Promise<void>;
  /** Reads nothing, and does not count as use. */
  has(key: string): boolean;
  /** What is stored, the oldest first, from behind a place on; nothing at the end, and while the cache is failing. */
  list(after: number, limit: number): readonly StoredBlob[];
  /** Removes what was listed; returns what was still there. */
  discard(blobs: readonly StoredBlob[]): readonly StoredBlob[];
  /** False while nothing can be stored. */
  readonly isKeeping: boolean;
  /** Gives back the mapped pages of the file, and drops the copies kept in memory to save reading. */
  shrink(): Promise<void>;
  /** Bytes on disk that count against the budget. */
  sizeBytes(): number;
  /** Since the start of the server. */
  readonly tally: BlobTally;
  close(): Promise<void>;
}

export interface BlobsOptions {
  readonly disk: CacheDisk;
  readonly budgetBytes: number;
  /** The system's clock unless told. */
  readonly now?: () => number;
  /** Called when a damaged cache was discarded. */
  readonly onRebuilt: (reason: string) => void;
}
