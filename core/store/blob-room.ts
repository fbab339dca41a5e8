// Room in the LMDB file ahead of what is written: it is extended here, where a full or read-only disk is an error like any other. LMDB
// 3.5.6 describes a failed write in a buffer of 100 bytes, which its sentence can exceed: the process may end then.
import { closeSync, fstatSync, openSync, readSync, writeSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { usedBytesOf } from './blob-file.js';

const PAGE_BYTES = 4096;
/** What a transaction may write besides its values: copies of tree pages, and the list of free ones. */
const TREE_BYTES = 32 * PAGE_BYTES;
/** Extended by this much at a time, or by what is needed: more would take from the reserve of a small disk. */
const STEP_BYTES = 64 * 1024;
const ZEROS = Buffer.alloc(256 * 1024);

const NEW_FILE = 'room';
/** More than an empty file with its databases takes. */
const NEW_FILE_BYTES = 16 * PAGE_BYTES;

/** Throws when a new file would not have the room for its first pages. */
export const checkNewFile = async (folder: string): Promise<void> => {
  const path = join(folder, NEW_FILE);
  try {
    await writeFile(path, ZEROS.subarray(0, NEW_FILE_BYTES));
  } finally {
    await rm(path, { force: true }).catch(() => undefined); // a read-only disk has none
  }
};

export class BlobRoom {
  readonly #fd: number;
  readonly #byte = Buffer.alloc(1);
  /** About so much can be written without extending the file. */
  #left = 0;

  /** Throws when the file may not be written. */
  constructor(path: string) {
    this.#fd = openSync(path, 'r+');
  }

  /** Throws unless values of this many bytes can be written in one transaction now. */
  reserve(bytes: number): void {
    const needed = bytes + TREE_BYTES;
    if (this.#left < needed) this.#measure(needed);
    this.#left -= needed;
    this.#rewrite();
  }

  close(): void {
    closeSync(this.#fd);
  }

  #measure(needed: number): void {
    const { size } = fstatSync(this.#fd); // LMDB may have extended it too
    this.#left = size - usedBytesOf(this.#fd, size);
    if (this.#left < needed) this.#extend(size, Math.max(STEP_BYTES, needed - this.#left));
  }

  /** A disk that is nearly full takes a part; the next attempt fails. */
  #extend(size: number, bytes: number): void {
    const end = size + bytes;
    for (let at = size; at < end; ) at += writeSync(this.#fd, ZEROS, 0, Math.min(ZEROS.length, end - at), at);
    this.#left += bytes;
  }

  /** The first byte as it is: fails on a disk that has become read-only or broken since. */
  #rewrite(): void {
    readSync(this.#fd, this.#byte, 0, 1, 0);
    writeSync(this.#fd, this.#byte, 0, 1, 0);
  }
}
