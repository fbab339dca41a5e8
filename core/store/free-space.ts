// Whether a disk has room for data that can be recomputed. A reserve is left to the database and to other programs.
import { statfsSync } from 'node:fs';
import { rm, statfs, writeFile } from 'node:fs/promises';
import { constants } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../model/errors.js';

/** Left free: a twentieth of the disk, at most this much. */
const RESERVE_MAX_BYTES = 64 * 1024 * 1024;
const RESERVE_SHARE = 0.05;
/** How long, and for how many written bytes, a measurement of free space stays valid. */
const LOOK_MS = 1000;
const LOOK_BYTES = 1024 * 1024;
const PROBE_FILE = 'probe';
const PROBE_BYTES = 256 * 1024;

const { ENOSPC, EDQUOT, EIO, EROFS, EACCES, EPERM, EMFILE, ENFILE, ENOMEM, ENOENT, ENOTDIR, EEXIST, EISDIR, EBUSY } =
  constants.errno;
const DISK_ERRORS: ReadonlySet<number> = new Set([
  ENOSPC,
  EDQUOT,
  EIO,
  EROFS,
  EACCES,
  EPERM,
  EMFILE,
  ENFILE,
  ENOMEM,
  ENOENT,
  ENOTDIR,
  EEXIST,
  EISDIR,
  EBUSY,
]);

/** The errno of an error, from Node (negative) or LMDB (positive); 0 when it has none. */
const errnoOf = (thrown: unknown): number => {
  if (!(thrown instanceof Error)) return 0;
  if ('errno' in thrown && typeof thrown.errno === 'number') return Math.abs(thrown.errno);
  return 'code' in thrown && typeof thrown.code === 'number' && thrown.code > 0 ? thrown.code : 0;
};

/** True when the disk or the system is at fault, not the data read from it. */
export const isDiskError = (thrown: unknown): boolean => DISK_ERRORS.has(errnoOf(thrown));

export const isDiskFull = (thrown: unknown): boolean => {
  if (thrown instanceof AppError) return thrown.kind === 'StorageFull';
  const errno = errnoOf(thrown);
  return errno === ENOSPC || errno === EDQUOT;
};

const NEARLY_NOTHING_BYTES = 256 * 1024;

/** LMDB reports a short write as an I/O error; this tells whether the disk is in fact full. */
export const isFolderFull = (folder: string): boolean => {
  try {
    const { bavail, blocks, bsize } = statfsSync(folder);
    return blocks > 0 && bavail * bsize < NEARLY_NOTHING_BYTES;
  } catch {
    return false; // statfs fails too: then the disk fails for another reason
  }
};

export class DiskRoom {
  readonly #folder: string;
  #lookedMs = Number.NEGATIVE_INFINITY;
  #freeBytes = Number.POSITIVE_INFINITY;
  #unseenBytes = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  /** Free bytes beyond the reserve, as last measured. */
  get freeBytes(): number {
    return Math.max(0, this.#freeBytes - this.#unseenBytes);
  }

  /** True when the bytes fit without using the reserve. Throws when the disk does not answer. */
  async has(bytes: number): Promise<boolean> {
    const isOld = performance.now() - this.#lookedMs > LOOK_MS || this.#unseenBytes > LOOK_BYTES;
    if (isOld || bytes + this.#unseenBytes > this.#freeBytes) await this.#look(1);
    const fits = bytes + this.#unseenBytes <= this.#freeBytes;
    if (fits) this.#unseenBytes += bytes;
    return fits;
  }

  /** True when there is room well beyond the reserve and a file can be written: only a real write reveals quotas and failing disks. */
  async isBack(): Promise<boolean> {
    await this.#look(2);
    if (this.#freeBytes <= 0) return false;
    const path = join(this.#folder, PROBE_FILE);
    try {
      await writeFile(path, Buffer.alloc(PROBE_BYTES));
    } finally {
      await rm(path, { force: true });
    }
    return true;
  }

  async #look(reserves: number): Promise<void> {
    const { bavail, blocks, bsize } = await statfs(this.#folder);
    const reserve = Math.min(RESERVE_MAX_BYTES, blocks * bsize * RESERVE_SHARE);
    // A file system that does not report its size is assumed to have room.
    this.#freeBytes = blocks === 0 ? Number.POSITIVE_INFINITY : bavail * bsize - reserves * reserve;
    this.#unseenBytes = 0;
    this.#lookedMs = performance.now();
  }
}
