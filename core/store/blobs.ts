// Derived bytes (covers, resized pages) under a byte budget. May be wiped at any time; whatever is missing is made again.
// If the cache cannot be written or opened, the server runs without it until it works again: callers never see its faults.

import { setImmediate as turn } from 'node:timers/promises';
import { AppError } from '../model/errors.js';
import { BlobLedger, EVICT_BATCH } from './blob-ledger.js';
import { closeStores, hasKey, openSafely, openStores, readShared, type Stores } from './blob-store.js';
import type { Blobs, BlobsOptions, BlobTally, StoredBlob } from './blob-types.js';
import { HotBytes } from './hot-bytes.js';
import { LENT_BYTES, type Lent, RecentlyLent } from './lent.js';

export type { Blobs } from './blob-types.js';

/** Values occupy whole pages of the file. */
const FILE_PAGE_BYTES = 4096;
const EVICT_TO = 0.9;
/** An eviction writes two pages of the tree for each entry at most. */
const EVICT_BYTES = 2 * EVICT_BATCH * FILE_PAGE_BYTES;
/** Share of the disk the cache may use: its file is larger than its contents, and never shrinks. */
const DISK_SHARE = 0.8;
const FILE_OVERHEAD = 1.1;
const HOT_BYTES = 8 * 1024 * 1024;
const HOT_ITEM_BYTES = 256 * 1024;
/** Pages of the file that were read or written stay mapped and count as process memory; after this much the file is reopened. */
const MAPPED_MAX_BYTES = 96 * 1024 * 1024;
/** What the system maps around a page that is read. */
const MAPPED_PER_READ_BYTES = 64 * 1024;
const KEY_MAX = 200;

/** What is too large to be lent has keys of this kind: that has to be known before it is read. */
const largeKey = (key: string): string => `${key}+`;

/** Opens the cache. Throws only for a folder that the owner has to change; if the disk fails or is full, it is retried. */
export const openBlobs = async (options: BlobsOptions): Promise<Blobs> => {
  const blobs = new LmdbBlobs(options);
  await blobs.start();
  return blobs;
};

class LmdbBlobs implements Blobs {
  readonly #options: BlobsOptions;
  readonly #hot = new HotBytes(HOT_BYTES, HOT_ITEM_BYTES);
  /** What is being stored: found from the moment it is made. */
  readonly #storing = new Map<string, Uint8Array>();
  readonly #ledger: BlobLedger;
  readonly #lent = new RecentlyLent();
  /** Null while the file cannot be opened, and after closing: then every look-up misses. */
  #stores: Stores | null = null;
  #renewing: Promise<void> | null = null;
  #evicting: Promise<void> | null = null;
  #openedBytes = 0;
  #mapped = 0;
  /** Counts what may have overwritten the library's own buffer: every use of the file but a look for a key. */
  #uses = 0;
  #isClosed = false;

  constructor(options: BlobsOptions) {
    this.#options = options;
    this.#ledger = new BlobLedger(options.now ?? Date.now);
    options.disk.onRetry(() => this.#reopen());
  }

  async start(): Promise<void> {
    try {
      await this.#open();
    } catch (thrown) {
      if (thrown instanceof AppError) throw thrown;
      this.#options.disk.fail(thrown);
    }
  }

  get tally(): BlobTally {
    return this.#ledger.tally;
  }

  get(key: string): Uint8Array | undefined {
    return this.#counted(this.#get(key));
  }

  lend(key: string): Uint8Array | Lent | undefined {
    return this.#counted(this.#lend(key));
  }

  #counted<T>(found: T | undefined): T | undefined {
    this.#ledger.tally[found === undefined ? 'misses' : 'hits'] += 1;
    return found;
  }

  #get(key: string): Uint8Array | undefined {
    const held = this.#hot.get(key) ?? this.#storing.get(key);
    if (held !== undefined) return held;
    const bytes = this.#read(key) ?? this.#read(largeKey(key));
    if (bytes !== undefined) this.#hot.keep(key, bytes);
    return bytes;
  }

  #lend(key: string): Uint8Array | Lent | undefined {
    const held = this.#hot.get(key) ?? this.#storing.get(key);
    if (held !== undefined) return held;
    if (this.#lent.forget(key)) return this.#get(key);
    const bytes = this.#readShared(key);
    if (bytes === undefined || bytes.byteLength > LENT_BYTES) return bytes ?? this.#get(key);
    this.#noteRead(key);
    this.#lent.note(key);
    const uses = this.#uses;
    return () => (uses === this.#uses ? bytes : this.#readShared(key));
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    this.#storing.set(key, bytes);
    try {
      await this.#keep(key, bytes, false);
    } finally {
      this.#storing.delete(key);
    }
  }

  async replace(key: string, bytes: Uint8Array): Promise<void> {
    await this.#keep(key, bytes, true);
    this.#hot.forget(key);
  }

  has(key: string): boolean {
    return this.#storing.has(key) || this.#isStored(key) || this.#isStored(largeKey(key));
  }

  list(after: number, limit: number): readonly StoredBlob[] {
    return this.#reading((stores) => this.#ledger.list(stores, after, limit)) ?? [];
  }

  discard(blobs: readonly StoredBlob[]): readonly StoredBlob[] {
    const gone = this.#write(2 * blobs.length * FILE_PAGE_BYTES, (stores) => this.#ledger.discard(stores, blobs)) ?? [];
    for (const { key } of gone) this.#hot.forget(key);
    return gone;
  }

  get isKeeping(): boolean {
    return this.#stores !== null && this.#options.disk.trouble === null;
  }

  async #keep(key: string, bytes: Uint8Array, isReplaced: boolean): Promise<void> {
    if (key.length > KEY_MAX) throw new AppError('Internal', `A cache key is too long: ${key}`);
    const size = Math.ceil((bytes.byteLength + key.length + 16) / FILE_PAGE_BYTES) * FILE_PAGE_BYTES;
    const { disk, budgetBytes } = this.#options;
    if (size > budgetBytes / 4 || !(await disk.hasRoom(size)) || size > this.#budget() / 4) return;
    const isLarge = bytes.byteLength > LENT_BYTES;
    this.#write(size, (stores) => {
      if (isReplaced) stores.bytes.removeSync(isLarge ? key : largeKey(key));
      this.#ledger.insert(stores, isLarge ? largeKey(key) : key, { bytes, size, isReplaced });
    });
    this.#noteMapped(size);
    if (this.#ledger.total > this.#budget()) await this.#evict();
  }

  sizeBytes(): number {
    return this.#ledger.total;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#evicting;
    await this.#renewing;
    await this.#drop();
  }

  shrink(): Promise<void> {
    this.#hot.clear();
    return this.#unmap();
  }

  #unmap(): Promise<void> {
    this.#mapped = 0;
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = null;
    });
    return this.#renewing;
  }

  async #open(): Promise<void> {
    this.#uses += 1;
    const { stores, last, fileBytes } = await openSafely(this.#options.disk.folder, this.#options.onRebuilt);
    this.#openedBytes = fileBytes;
    this.#ledger.open(stores, last);
    this.#stores = stores;
  }

  /** The configured budget, or what the disk has room for. */
  #budget(): number {
    const fileBytes = Math.max(this.#openedBytes, this.#ledger.total * FILE_OVERHEAD);
    return Math.min(this.#options.budgetBytes, (fileBytes + this.#options.disk.freeBytes) * DISK_SHARE);
  }

  /** Closes the file silently: the caller has reported why. */
  async #drop(): Promise<void> {
    const stores = this.#stores;
    this.#stores = null;
    this.#uses += 1;
    if (stores !== null) await closeStores(stores);
  }

  /** After a failure LMDB does not trust its own state, so the file is closed and reopened when the disk works again. */
  #fail(thrown: unknown): void {
    this.#options.disk.fail(thrown);
    this.#ledger.forgetReads();
    void this.#drop(); // never rejects
  }

  async #reopen(): Promise<void> {
    await this.#renewing;
    if (this.#stores !== null || this.#isClosed) return;
    await this.#open();
    if (this.#isClosed) await this.#drop();
  }

  #isStored(key: string): boolean {
    return this.#reading((stores) => hasKey(stores, key)) ?? false;
  }

  #read(key: string): Uint8Array | undefined {
    this.#uses += 1;
    const bytes = this.#reading((stores) => stores.bytes.getBinary(key));
    if (bytes !== undefined) this.#noteRead(key);
    return bytes;
  }

  /** Large ones of earlier versions do not have keys of their own kind. */
  #readShared(key: string): Uint8Array | undefined {
    this.#uses += 1;
    const bytes = this.#reading((stores) => readShared(stores, key));
    if (bytes === undefined || bytes.byteLength <= LENT_BYTES) return bytes;
    const own = bytes.slice();
    this.#hot.keep(key, own);
    return own;
  }

  /** Undefined while the store is closed; a failure closes it. */
  #reading<T>(read: (stores: Stores) => T): T | undefined {
    if (this.#stores === null) return undefined;
    try {
      return read(this.#stores);
    } catch (thrown) {
      this.#fail(thrown);
      return undefined;
    }
  }

  #noteRead(key: string): void {
    if (this.#ledger.noteRead(key)) this.#noteMapped(MAPPED_PER_READ_BYTES);
  }

  /** One transaction of values of so many bytes. Does nothing while the store is closed; a failure closes it. */
  #write<T>(bytes: number, change: (stores: Stores) => T): T | undefined {
    const stores = this.#stores;
    this.#uses += 1;
    if (stores === null) return undefined;
    try {
      stores.room.reserve(bytes);
      return stores.root.transactionSync(() => change(stores));
    } catch (thrown) {
      this.#fail(thrown);
      return undefined;
    }
  }

  #noteMapped(bytes: number): void {
    this.#mapped += bytes;
    if (this.#mapped >= MAPPED_MAX_BYTES) void this.#unmap(); // never rejects
  }

  /** Reopens without a moment in which look-ups miss: while nothing is being written, LMDB closes at once. */
  async #renew(): Promise<void> {
    await turn(); // its caller is in the middle of a read
    if (this.#stores === null) return;
    void this.#drop(); // never rejects
    this.#ledger.forgetReads();
    try {
      this.#stores = openStores(this.#options.disk.folder);
    } catch (thrown) {
      this.#fail(thrown);
    }
  }

  #evict(): Promise<void> {
    this.#evicting ??= this.#evictToTarget().finally(() => {
      this.#evicting = null;
    });
    return this.#evicting;
  }

  async #evictToTarget(): Promise<void> {
    const target = this.#budget() * EVICT_TO;
    while (this.#ledger.total > target) {
      const seen = this.#write(EVICT_BYTES, (stores) => this.#ledger.evictBatch(stores, target));
      if (seen === undefined || seen === 0) return;
      await turn();
    }
  }
}
