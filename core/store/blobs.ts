// LMDB: derived bytes (covers, resized pages) under a byte budget. May be wiped at any time; whatever is missing is made again.
// Only importer of lmdb. Never uses getAsync (it crashes on binary values) and never holds a read transaction.

import { existsSync } from 'node:fs';
import { mkdir, rm, statfs, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { AppError } from '../model/errors.js';

export interface Blobs {
  /** A copy of the bytes, or undefined. */
  get(key: string): Uint8Array | undefined;
  /** Keeps bytes under a key; the same key always means the same bytes, so a second put is ignored. */
  put(key: string, bytes: Uint8Array): Promise<void>;
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
  return new LmdbBlobs(stores, last, options.budgetBytes);
};

/** First in, first out, with a second chance for what was read since: no start-up scan, no write on a read. */
class LmdbBlobs implements Blobs {
  readonly #stores: Stores;
  readonly #budgetBytes: number;
  readonly #touched = new Set<string>();
  #next: number;
  #total: number;
  #evicting: Promise<void> | null = null;

  constructor(stores: Stores, last: number, budgetBytes: number) {
    this.#stores = stores;
    this.#next = last + 1;
    this.#total = stores.state.get('total') ?? 0;
    this.#budgetBytes = budgetBytes;
  }

  get(key: string): Uint8Array | undefined {
    const bytes = this.#stores.bytes.getBinary(key);
    if (bytes === undefined) return undefined;
    if (this.#touched.size >= TOUCHED_MAX) this.#touched.clear();
    this.#touched.add(key);
    return bytes;
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    if (key.length > KEY_MAX) throw new AppError('Internal', `A cache key is too long: ${key}`);
    const size = Math.ceil((bytes.byteLength + key.length + 16) / FILE_PAGE_BYTES) * FILE_PAGE_BYTES;
    if (size > this.#budgetBytes / 4 || this.#stores.bytes.doesExist(key)) return;
    await this.#stores.root.transaction(() => {
      if (this.#stores.bytes.doesExist(key)) return;
      void this.#stores.bytes.put(key, Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
      void this.#stores.order.put(this.#next, [key, size]);
      this.#next += 1;
      this.#total += size;
      void this.#stores.state.put('total', this.#total);
    });
    if (this.#total > this.#budgetBytes) await this.#evict();
  }

  sizeBytes(): number {
    return this.#total;
  }

  async close(): Promise<void> {
    await this.#evicting;
    await this.#stores.root.flushed;
    await this.#stores.root.close();
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
      const removed = await this.#stores.root.transaction(() => this.#evictBatch(target));
      if (removed === 0) return;
    }
  }

  #evictBatch(target: number): number {
    const { bytes, order, state } = this.#stores;
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
