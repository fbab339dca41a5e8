// The LMDB file of the cache: opened so that a damaged file or a full disk costs the cache and nothing else. Only importer of lmdb.
// Never uses getAsync (it crashes on binary values), never holds a read transaction, and writes with transactionSync only: lmdb's own
// writer thread cannot report a failed commit, and after a second failure this process would wait for a lock forever.

import { existsSync, statSync } from 'node:fs';
import { rm, stat, statfs, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Database, open, type RootDatabase } from 'lmdb';
import { AppError } from '../model/errors.js';
import { blobFileFault } from './blob-file.js';
import { BlobRoom, checkNewFile } from './blob-room.js';
import { isDiskError } from './free-space.js';
import { makeFolder } from './make-folder.js';

export interface Stores {
  readonly room: BlobRoom;
  readonly root: RootDatabase;
  readonly bytes: Database<Buffer, string>;
  /** Sequence number to [key, size on disk, time in seconds (not from earlier versions)]: oldest first, which is the order of eviction. */
  readonly order: Database<readonly [string, number, number?], number>;
  readonly state: Database<number, string>;
}

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

const DATA_FILE = 'data.mdb';
const LOCK_FILE = 'lock.mdb';
const MARKER_FILE = 'opening';
/** Size of LMDB's lock file with its default number of readers, rounded up. */
const LOCK_BYTES = 16 * 1024;

/** LMDB maps this file into memory and writes there. On a full disk a file with holes would end the process, so it has none. */
const fillLockFile = async (folder: string): Promise<void> => {
  const path = join(folder, LOCK_FILE);
  const found = await stat(path).catch(() => null); // made below
  if (found !== null && found.size > 0 && found.blocks * 512 >= found.size) return;
  await writeFile(path, Buffer.alloc(LOCK_BYTES));
};

export const openStores = (folder: string): Stores => {
  const path = join(folder, DATA_FILE);
  if (existsSync(path)) new BlobRoom(path).close(); // a disk that is read-only by now says so here
  const root = open({ path: folder, noSync: true, maxDbs: 4, compression: false, overlappingSync: false });
  return {
    room: new BlobRoom(path),
    root,
    bytes: root.openDB<Buffer, string>({ name: 'bytes', encoding: 'binary' }),
    order: root.openDB<readonly [string, number, number?], number>({ name: 'order', encoding: 'msgpack' }),
    state: root.openDB<number, string>({ name: 'state', encoding: 'msgpack' }),
  };
};

/** Never fails: there is nothing left to do for what cannot be closed. */
export const closeStores = async ({ room, root }: Stores): Promise<void> => {
  room.close();
  await root.close().catch(() => undefined);
};

/**
 * True when there is a value. Only the key is read: `doesExist` would copy the value, and a large one makes the library's own buffer grow
 * for good.
 */
export const hasKey = ({ bytes }: Stores, key: string): boolean =>
  bytes.getKeysCount({ start: key, end: `${key}\u0001` }) > 0;

/** In the library's own buffer, whose `length` it sets to that of the value: the next look-up overwrites it. */
export const readShared = ({ bytes }: Stores, key: string): Uint8Array | undefined => {
  const shared = bytes.getBinaryFast(key);
  return shared === undefined ? undefined : new Uint8Array(shared.buffer, shared.byteOffset, shared.length);
};

/** Reads from both ends, so that a damaged file is detected now and not in the middle of a request. */
const lastOf = (stores: Stores): number => {
  stores.state.get('total');
  let last = 0;
  for (const key of stores.order.getKeys({ reverse: true, limit: 1 })) last = Number(key);
  for (const { value } of stores.order.getRange({ limit: 1 })) stores.bytes.get(value[0]);
  return last;
};

export interface Opened {
  readonly stores: Stores;
  /** The newest sequence number. */
  readonly last: number;
  readonly fileBytes: number;
}

const opened = (folder: string): Opened => {
  const stores = openStores(folder);
  return { stores, last: lastOf(stores), fileBytes: statSync(join(folder, DATA_FILE)).size };
};

/**
 * A damaged file can end the whole process while it is opened. The marker is written before and removed after: finding it at a start
 * means that the last start died here, and the cache is discarded. It is empty, so that it can be created on a full disk too.
 * Throws faults of the disk or the system, and then leaves the file as it is.
 */
export const openSafely = async (folder: string, onRebuilt: (reason: string) => void): Promise<Opened> => {
  const marker = join(folder, MARKER_FILE);
  const wipe = async (reason: string): Promise<void> => {
    for (const name of [DATA_FILE, LOCK_FILE, MARKER_FILE]) await rm(join(folder, name), { force: true });
    onRebuilt(reason);
  };
  await makeFolder(folder);
  await refuseNetwork(folder);
  if (existsSync(marker)) await wipe('the last start ended while the cache was being opened');
  const fault = blobFileFault(join(folder, DATA_FILE));
  if (fault !== null) await wipe(fault);
  await fillLockFile(folder);
  if (!existsSync(join(folder, DATA_FILE))) await checkNewFile(folder);
  await writeFile(marker, '');
  try {
    return opened(folder);
  } catch (thrown) {
    if (isDiskError(thrown)) throw thrown;
    await wipe(thrown instanceof Error ? thrown.message : String(thrown));
    await fillLockFile(folder);
    return opened(folder);
  } finally {
    await unlink(marker).catch(() => undefined); // gone with a wipe
  }
};
