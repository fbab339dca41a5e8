// A book file opened for reading in a thread: positioned reads that never go past its end.
import { closeSync, fstatSync, openSync, read, readSync, type Stats } from 'node:fs';
import { AppError } from '../core/model/errors.js';
import { fileTimeOf } from '../core/model/file-time.js';
import { checkHeldFile, type Place, READ_FLAGS, unreadableFile } from '../core/model/held-place.js';
import type { Reading } from '../core/model/jobs.js';

export interface BookFile extends Place {
  readonly size: number;
  readonly mtimeMs: number;
  /** False for a file that is huge or mostly holes: reading it from beginning to end would take hours, and no book needs that. */
  readonly isReadWhole: boolean;
  /** Reads exactly `length` bytes at `position`; throws CorruptArchive when the file ends before that. */
  read(position: number, length: number): Buffer;
  /** Reads into `target`, at most to the end of the file; returns the bytes read. */
  readInto(target: Uint8Array, position: number): number;
  /** As `readInto`, on a thread of libuv's pool. The file must stay open until it has ended. */
  readLater(target: Uint8Array, position: number): Promise<number>;
  /** How long opening it took. */
  readonly openedMs: number;
  close(): void;
}

/** One whose reads are measured (metered-file.ts). */
export interface MeteredFile extends BookFile {
  /** All reads so far. */
  reading(): Reading;
}

/** No book is larger. */
const READ_WHOLE_MAX_BYTES = 64 * 1024 ** 3;
/** Smaller files are read at once, holes or not. */
const HOLES_MIN_BYTES = 1024 ** 3;
const BLOCK_BYTES = 512;

/** File systems that compress or count late show fewer blocks than there are, but not that few. */
const HOLES_SHARE = 16;

/** A file with holes takes less of the disk than its size: an unfinished download, say. Some file systems give no number of blocks. */
const isMostlyHoles = ({ size, blocks }: Stats): boolean =>
  size > HOLES_MIN_BYTES && blocks > 0 && blocks * BLOCK_BYTES < size / HOLES_SHARE;

/** The only place where a thread opens a file of a library: a regular file at exactly that place, or FileUnreadable. */
export const openHeld = (place: Place): { readonly fd: number; readonly stat: Stats } => {
  let fd: number;
  try {
    fd = openSync(place.path, READ_FLAGS);
  } catch (thrown) {
    throw unreadableFile(thrown);
  }
  try {
    const stat = fstatSync(fd);
    checkHeldFile(fd, place, stat);
    return { fd, stat };
  } catch (thrown) {
    closeSync(fd);
    throw unreadableFile(thrown);
  }
};

export const openBookFile = (path: string, root?: string): BookFile => {
  const started = performance.now();
  const { fd, stat } = openHeld({ path, root });
  const openedMs = performance.now() - started;
  const readInto = (target: Uint8Array, position: number): number => {
    try {
      return readSync(fd, target, 0, target.byteLength, position);
    } catch (thrown) {
      throw unreadableFile(thrown);
    }
  };
  return {
    path,
    root,
    size: stat.size,
    mtimeMs: fileTimeOf(stat),
    isReadWhole: stat.size <= READ_WHOLE_MAX_BYTES && !isMostlyHoles(stat),
    readInto,
    read: (position, length) => {
      if (position < 0 || length < 0 || position + length > stat.size) {
        throw new AppError('CorruptArchive', 'The file is damaged: it ends before its contents do.');
      }
      const bytes = Buffer.allocUnsafeSlow(length);
      if (readInto(bytes, position) !== length) throw new AppError('FileChanged');
      return bytes;
    },
    readLater: (target, position) =>
      new Promise<number>((resolve, reject) => {
        read(fd, target, 0, target.byteLength, position, (error, length) => {
          if (error === null) resolve(length);
          else reject(unreadableFile(error));
        });
      }),
    openedMs,
    close: () => closeSync(fd),
  };
};
