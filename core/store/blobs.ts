// LMDB: derived bytes (covers, resized pages) under a byte budget. May be wiped at any time; whatever is missing is made again.
// Only importer of lmdb. Never uses getAsync (it crashes on binary values) and never holds a read transaction.

import { existsSync } from 'node:fs';
import { mkdir, rm, statfs, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { AppError } from '../model/errors.js';
import { blobFileFault } from './blob-file.js';
import { HotBytes } from './hot-bytes.js';

export interface Blobs {
  /** The bytes, or undefined. Others may hold the same ones: nobody writes into them. */
  get(key: string): Uint8Array | undefined;
  /** Keeps bytes under a key; the same key always means the same bytes, so a second put is ignored. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** Gives the mapped pages of the file back. */
  shrink(): Promise<void>;
  /** Bytes on disk that count against the budget. */
  sizeBytes(): number;
  close(): Promise<void>;
}

export interface BlobsOptions {
  readonly folder: string;
  readonly budgetBytes: number;
  /** Told once when a damaged cache was thrown away. */
  readonly onRebuilt: (reason: string) => void;
}

/** Values lie in whole pages of the file. */
const FILE_PAGE_BYTES = 4096;
const EVICT_TO = 0.9;
const EVICT_BATCH = 256;
const TOUCHED_MAX = 65_536;
const HOT_BYTES = 8 * 1024 * 1024;
const HOT_ITEM_BYTES = 256 * 1024;
/** Pages of the file that were read or written stay mapped and count as memory of the process; after this much it is opened anew. */
const MAPPED_MAX_BYTES = 96 * 1024 * 1024;
/** What the system maps around a page that is read. */
const MAPPED_PER_READ_BYTES = 64 * 1024;
const KEY_MAX = 200;

/** Magic numbers of statfs(2) for file systems on which memory-mapped databases are not safe. */
const NETWORK_FILE_SYSTEMS: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB2'],
  [0x5346414f, 'AFS'],
]);

const refuseNetwork = async (folder: string): Promise<void> => {
  const { type } = await statfs(folder);
  const name = NETWORK_FILE_SYSTEMS.get(Number(type) >>> 0);
  if (name === undefined) return;
  throw new AppError(
    'BadRequest',
    `The cache folder ${folder} lies on a network file system (${name}), where LMDB is not safe. Set cache.path (SVC_CACHE__PATH) to a folder on a local disk.`,
  );
};

interface Stores {
  readonly root: RootDatabase;
  readonly bytes: Database<Buffer, string>;
  /** Sequence number to [key, size on disk]: oldest first, which is the order of eviction. */
  readonly order: Database<readonly [string, number], number>;
  readonly state: Database<number, string>;
}

const openStores = (folder: string): Stores => {
  const root = open({ path: folder, noSync: true, maxDbs: 4, compression: false, overlappingSync: false });
  return {
    root,
    bytes: root.openDB<Buffer, string>({ name: 'bytes', encoding: 'binary' }),
    order: root.openDB<readonly [string, number], number>({ name: 'order', encoding: 'msgpack' }),
    state: root.openDB<number, string>({ name: 'state', encoding: 'msgpack' }),
  };
};

/** Reads from both ends, so that a damaged file shows itself now and not in the middle of a request. */
const probe = (stores: Stores): number => {
  stores.state.get('total');
  let last = 0;
  for (const key of stores.order.getKeys({ reverse: true, limit: 1 })) last = Number(key);
  for (const { value } of stores.order.getRange({ limit: 1 })) stores.bytes.get(value[0]);
  return last;
};

/**
 * A damaged file can end the whole process while it is opened. The marker is written before and removed after: finding it at a start
 * means that the last start died here, and the cache goes.
 */
const openSafely = async (options: BlobsOptions): Promise<{ stores: Stores; last: number }> => {
  const { folder } = options;
  const marker = join(folder, 'opening');
  const wipe = async (reason: string): Promise<void> => {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    options.onRebuilt(reason);
  };
  await mkdir(folder, { recursive: true });
  await refuseNetwork(folder);
  if (existsSync(marker)) await wipe('the last start ended while the cache was opened');
  const fault = blobFileFault(join(folder, 'data.mdb'));
  if (fault !== null) await wipe(fault);
  await writeFile(marker, String(process.pid));
  try {
    const stores = openStores(folder);
    const last = probe(stores);
    await unlink(marker);
    return { stores, last };
  } catch (thrown) {
    await wipe(thrown instanceof Error ? thrown.message : String(thrown));
    const stores = openStores(folder);
    return { stores, last: probe(stores) };
  }
};

export const openBlobs = async (options: BlobsOptions): Promise<Blobs> => {
  const { stores, last } = await openSafely(options);
  return new LmdbBlobs(stores, last, options);
};

/** First in, first out, with a second chance for what was read since: no start-up scan, no write on a read. */
class LmdbBlobs implements Blobs {
  readonly #folder: string;
  readonly #budgetBytes: number;
  readonly #hot = new HotBytes(HOT_BYTES, HOT_ITEM_BYTES);
  readonly #touched = new Set<string>();
  readonly #writing = new Set<Promise<unknown>>();
  /** Null for the few milliseconds in which the file is opened anew: nothing is found then. */
  #stores: Stores | null;
  #renewing: Promise<void> | null = null;
  #evicting: Promise<void> | null = null;
  #next: number;
  #total: number;
  #mapped = 0;

  constructor(stores: Stores, last: number, { folder, budgetBytes }: BlobsOptions) {
    this.#stores = stores;
    this.#folder = folder;
    this.#budgetBytes = budgetBytes;
    this.#next = last + 1;
    this.#total = stores.state.get('total') ?? 0;
  }

  get(key: string): Uint8Array | undefined {
    const hot = this.#hot.get(key);
    if (hot !== undefined) return hot;
    const bytes = this.#stores?.bytes.getBinary(key);
    if (bytes === undefined) return undefined;
    if (!this.#touched.has(key)) this.#touch(key);
    this.#hot.keep(key, bytes);
    return bytes;
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    if (key.length > KEY_MAX) throw new AppError('Internal', `A cache key is too long: ${key}`);
    const size = Math.ceil((bytes.byteLength + key.length + 16) / FILE_PAGE_BYTES) * FILE_PAGE_BYTES;
    if (size > this.#budgetBytes / 4) return;
    await this.#write((stores) => this.#insert(stores, key, bytes, size));
    this.#noteMapped(size);
    if (this.#total > this.#budgetBytes) await this.#evict();
  }

  sizeBytes(): number {
    return this.#total;
  }

  async close(): Promise<void> {
    await this.#evicting;
    await this.#renewing;
    await Promise.allSettled(this.#writing);
    const stores = this.#stores;
    this.#stores = null;
    await stores?.root.flushed;
    await stores?.root.close();
  }

  #touch(key: string): void {
    if (this.#touched.size >= TOUCHED_MAX) this.#touched.clear();
    this.#touched.add(key);
    this.#noteMapped(MAPPED_PER_READ_BYTES);
  }

  #insert({ bytes: store, order, state }: Stores, key: string, bytes: Uint8Array, size: number): void {
    if (store.doesExist(key)) return;
    void store.put(key, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    void order.put(this.#next, [key, size]);
    this.#next += 1;
    this.#total += size;
    void state.put('total', this.#total);
  }

  /** One transaction; waits while the file is opened anew. Does nothing once the store is closed. */
  async #write<T>(change: (stores: Stores) => T): Promise<T | undefined> {
    await this.#renewing;
    const stores = this.#stores;
    if (stores === null) return undefined;
    const work = stores.root.transaction(() => change(stores));
    this.#writing.add(work);
    try {
      return await work;
    } finally {
      this.#writing.delete(work);
    }
  }

  #noteMapped(bytes: number): void {
    this.#mapped += bytes;
    if (this.#mapped >= MAPPED_MAX_BYTES) void this.shrink();
  }

  shrink(): Promise<void> {
    this.#mapped = 0;
    this.#renewing ??= this.#renew().finally(() => {
      this.#renewing = null;
    });
    return this.#renewing;
  }

  async #renew(): Promise<void> {
    await Promise.allSettled(this.#writing);
    const stores = this.#stores;
    if (stores === null) return;
    this.#stores = null;
    await stores.root.flushed;
    await stores.root.close();
    this.#touched.clear();
    this.#stores = openStores(this.#folder);
  }

  #evict(): Promise<void> {
    this.#evicting ??= this.#evictToTarget().finally(() => {
      this.#evicting = null;
    });
    return this.#evicting;
  }

  async #evictToTarget(): Promise<void> {
    const target = this.#budgetBytes * EVICT_TO;
    while (this.#total > target) {
      const seen = await this.#write((stores) => this.#evictBatch(stores, target));
      if (seen === undefined || seen === 0) return;
    }
  }

  #evictBatch({ bytes, order, state }: Stores, target: number): number {
    const oldest = [...order.getRange({ limit: EVICT_BATCH })];
    let seen = 0;
    for (const { key: sequence, value } of oldest) {
      if (this.#total <= target) break;
      seen += 1;
      const [key, size] = value;
      void order.remove(sequence);
      if (this.#touched.delete(key)) {
        void order.put(this.#next, value);
        this.#next += 1;
        continue;
      }
      void bytes.remove(key);
      this.#total = Math.max(0, this.#total - size);
    }
    void state.put('total', this.#total);
    return seen;
  }
}
