// Open book files: a few are kept open between requests, each checked against the version it was opened as. Owns every descriptor;
// a reader borrows one with `acquire` and returns it with `release`.
import { close, fstat, lstat, open, read, readSync, type Stats, statfs } from 'node:fs';
import { type Disk, disks } from '../engine/disks.js';
import { type BoundedMap, boundedByCount } from '../model/bounded-map.js';
import { AppError } from '../model/errors.js';
import { fileTimeOf } from '../model/file-time.js';
import { checkHeldFile, type Place, READ_FLAGS, unreadableFile } from '../model/held-place.js';

export interface FileVersion extends Place {
  readonly root: string;
  /** Of its content (version.ts). */
  readonly version: string;
  readonly size: number;
  readonly mtimeMs: number;
}

export interface OpenFile {
  readonly fd: number;
  /**
   * Reads into `target` from a position; returns the bytes read, fewer at the end of the file. After an error the read may still complete.
   */
  read(target: Uint8Array, position: number): Promise<number>;
  /** The same for callers that read a file piece by piece. */
  readonly readPart: ReadPart;
  /** The same without leaving the thread: only for bytes that were read moments ago. */
  readNow(target: Uint8Array, position: number): number;
  /** True when something at this position was read moments ago, so that it is in the page cache. Records that it is read now. */
  touch(position: number): boolean;
  release(): void;
}

/** Reads `length` bytes into `target`. After an error `target` must not be reused: the read may still complete into it. */
export type ReadPart = (
  target: Uint8Array,
  length: number,
  position: number,
  done: (error: Error | null, bytes: number) => void,
) => void;

interface CachedFile {
  readonly fd: number;
  readonly disk: Disk;
  readonly device: number;
  readonly inode: number;
  /** Bytes read moments ago are in the page cache, and reading them again waits for nothing. */
  readonly isLocal: boolean;
  readonly version: FileVersion;
  /** Emptied when it is full: what is forgotten costs one read on another thread, and every open file has such a map. */
  readonly touched: Map<number, number>;
  users: number;
  checkedMs: number;
  usedMs: number;
  dropped: boolean;
}

const RECHECK_MS = 500;
const HOT_MS = 20_000;
const IDLE_MS = 60_000;
const TOUCHED_MAX = 4096;

const unreadable = (thrown: unknown): AppError =>
  thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT'
    ? new AppError('NotFound', 'The file of this book is no longer on disk.', null, thrown)
    : unreadableFile(thrown);

const changed = (): AppError => new AppError('FileChanged');

export class OpenFiles {
  readonly #kept: BoundedMap<string, CachedFile>;
  #sweeper: NodeJS.Timeout | null = null;

  constructor(max: number) {
    this.#kept = boundedByCount(max, retire);
  }

  /** A file that is already open and was checked moments ago; undefined otherwise. Costs no system call. */
  acquireNow(version: FileVersion): OpenFile | undefined {
    const kept = this.#kept.get(version.path);
    const now = performance.now();
    if (kept === undefined || !sameVersion(kept.version, version) || now - kept.checkedMs > RECHECK_MS)
      return undefined;
    return this.#lend(kept, now);
  }

  /** Throws FileChanged when the file is not the one from which the page table was made. */
  async acquire(version: FileVersion): Promise<OpenFile> {
    const kept = this.#kept.get(version.path);
    if (kept !== undefined && sameVersion(kept.version, version)) {
      kept.users += 1; // held while it is checked: a concurrent drop must not close it
      try {
        if (await this.#stillThere(kept)) return this.#lend(kept, performance.now());
      } finally {
        leave(kept);
      }
    }
    if (kept !== undefined) this.#drop(kept);
    const opened = await this.#open(version);
    try {
      return this.#lend(opened, performance.now());
    } finally {
      leave(opened);
    }
  }

  close(): void {
    if (this.#sweeper !== null) clearInterval(this.#sweeper);
    this.#sweeper = null;
    this.#kept.clear();
  }

  async #stillThere(kept: CachedFile): Promise<boolean> {
    if (performance.now() - kept.checkedMs <= RECHECK_MS) return true;
    const { version, disk, device, inode } = kept;
    const now = await disk
      .ask<Stats>((done) => lstat(version.path, done))
      .catch((thrown: unknown) => {
        this.#drop(kept);
        throw unreadable(thrown);
      });
    kept.checkedMs = performance.now();
    return isOfVersion(now, version) && now.dev === device && now.ino === inode && !kept.dropped;
  }

  /** Counts as used until the caller leaves it: another caller may drop it before it is lent. */
  async #open(version: FileVersion): Promise<CachedFile> {
    const disk = disks.of(version.root);
    const { fd, stat } = await openHeld(disk, version).catch((thrown: unknown) => {
      throw unreadable(thrown);
    });
    disks.learn(version.root, stat.dev);
    if (!isOfVersion(stat, version)) {
      disk.close(fd);
      throw changed();
    }
    const isLocal = await isLocalDisk(disk, version.path, stat.dev);
    const now = performance.now();
    const kept: CachedFile = {
      ...{ fd, disk, device: stat.dev, inode: stat.ino, isLocal, version },
      ...{ touched: new Map(), users: 1, checkedMs: now, usedMs: now, dropped: false },
    };
    this.#kept.set(version.path, kept); // in place of what another caller has opened meanwhile
    this.#sweeper ??= setInterval(() => this.#closeIdle(), IDLE_MS).unref();
    return kept;
  }

  #lend(kept: CachedFile, now: number): OpenFile {
    kept.users += 1;
    kept.usedMs = now;
    let held = true;
    const readPart = readerOf(kept);
    return {
      fd: kept.fd,
      read: (target, position) => readAt(readPart, target, position),
      readPart,
      readNow: (target, position) => readSync(kept.fd, target, 0, target.byteLength, position),
      touch: (position) => touch(kept, position),
      release: () => {
        if (!held) return;
        held = false;
        leave(kept);
      },
    };
  }

  #drop(kept: CachedFile): void {
    if (this.#kept.peek(kept.version.path) === kept) this.#kept.delete(kept.version.path);
  }

  #closeIdle(): void {
    const limit = performance.now() - IDLE_MS;
    for (const kept of [...this.#kept.values()]) if (kept.users === 0 && kept.usedMs < limit) this.#drop(kept);
    if (this.#kept.size > 0 || this.#sweeper === null) return;
    clearInterval(this.#sweeper);
    this.#sweeper = null;
  }
}

/** A file that was replaced by another of the same size and time has a new version once it is analysed, and is opened again. */
const sameVersion = (a: FileVersion, b: FileVersion): boolean =>
  a.version === b.version && a.size === b.size && a.mtimeMs === b.mtimeMs;

export const isOfVersion = (stat: Stats, { size, mtimeMs }: Pick<FileVersion, 'size' | 'mtimeMs'>): boolean =>
  stat.size === size && fileTimeOf(stat) === mtimeMs;

/** The only place where this thread opens a file of a library: a regular file at exactly that place, or an error. */
const openHeld = async (disk: Disk, place: Place): Promise<{ readonly fd: number; readonly stat: Stats }> => {
  const fd = await disk.ask<number>(
    (done) => open(place.path, READ_FLAGS, done),
    (late) => close(late),
  );
  try {
    const stat = await disk.ask<Stats>((done) => fstat(fd, done));
    checkHeldFile(fd, place, stat);
    return { fd, stat };
  } catch (thrown) {
    disk.close(fd);
    throw thrown;
  }
};

/** Local file systems, whose cached data can be read without asking a server (f_type of statfs on Linux). */
const LOCAL_TYPES: ReadonlySet<number> = new Set([
  0xef53, // ext2, ext3, ext4
  0x58465342, // XFS
  0x9123683e, // Btrfs
  0xf2f52010, // F2FS
  0xca451a4e, // bcachefs
  0x2fc12fc1, // ZFS
  0x01021994, // tmpfs
  0x858458f6, // ramfs
  0x794c7630, // overlayfs
  0x4d44, // FAT
  0x2011bab0, // exFAT
  0x7366746e, // NTFS
  0x9660, // ISO 9660
  0x15013346, // UDF
]);

/** By device. */
const localDisks = new Map<number, boolean>();

/** A network file system asks its server even for cached bytes, so they are never read on the main thread. */
const isLocalDisk = async (disk: Disk, path: string, device: number): Promise<boolean> => {
  if (process.platform !== 'linux') return true;
  const known = localDisks.get(device);
  if (known !== undefined) return known;
  const found = await disk.ask<{ readonly type: number }>((done) => statfs(path, done)).catch(() => undefined);
  if (found === undefined) return false; // unknown for now: slower, and checked again with the next file
  const isLocal = LOCAL_TYPES.has(found.type >>> 0);
  localDisks.set(device, isLocal);
  return isLocal;
};

/** A read counts as a user until it has completed: a descriptor must not be closed, and its number reused, during a read. */
const readerOf = (kept: CachedFile): ReadPart => {
  let asked = 0;
  return (target, length, position, done) => {
    const before = asked;
    asked += length;
    kept.users += 1;
    const begin = (answered: (error: Error | null, bytes?: number) => void): void =>
      read(kept.fd, target, 0, length, position, (error, bytes) => {
        leave(kept);
        answered(error, bytes);
      });
    let begun = false;
    kept.disk.call<number>(
      (answered) => {
        begun = true;
        begin(answered);
      },
      (error, bytes) => {
        if (!begun) leave(kept);
        done(error === null ? null : unreadable(error), bytes ?? 0);
      },
      undefined,
      before,
    );
  };
};

/** It has left the map: its last user closes it. */
const retire = (kept: CachedFile): void => {
  kept.dropped = true;
  if (kept.users === 0) kept.disk.close(kept.fd);
};

const leave = (kept: CachedFile): void => {
  kept.users -= 1;
  if (kept.dropped && kept.users === 0) kept.disk.close(kept.fd);
};

const readAt = (readPart: ReadPart, target: Uint8Array, position: number): Promise<number> =>
  new Promise((resolve, reject) => {
    readPart(target, target.byteLength, position, (error, bytes) => (error === null ? resolve(bytes) : reject(error)));
  });

const touch = (kept: CachedFile, position: number): boolean => {
  const now = performance.now();
  if (!kept.isLocal) return false;
  const last = kept.touched.get(position);
  if (last === undefined && kept.touched.size >= TOUCHED_MAX) kept.touched.clear();
  kept.touched.set(position, now);
  return last !== undefined && now - last < HOT_MS;
};
