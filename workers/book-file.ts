// A book file opened for reading in a thread: positioned reads that never go past its end.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { AppError, exhaustionOf } from '../core/model/errors.js';

export interface BookFile {
  readonly path: string;
  readonly size: number;
  readonly mtimeMs: number;
  /** Reads exactly `length` bytes at `position`; throws CorruptArchive when the file ends before. */
  read(position: number, length: number): Buffer;
  /** Reads into `target`, at most to the end of the file; returns the bytes read. */
  readInto(target: Uint8Array, position: number): number;
  close(): void;
}

const unreadable = (thrown: unknown): AppError => {
  const exhaustion = exhaustionOf(thrown);
  if (exhaustion !== undefined) return exhaustion;
  const code = thrown instanceof Error && 'code' in thrown ? String(thrown.code) : String(thrown);
  return new AppError('FileUnreadable', `The file cannot be read (${code}).`, { code }, thrown);
};

export const openBookFile = (path: string): BookFile => {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch (thrown) {
    throw unreadable(thrown);
  }
  const stat = fstatSync(fd);
  const readInto = (target: Uint8Array, position: number): number => {
    try {
      return readSync(fd, target, 0, target.byteLength, position);
    } catch (thrown) {
      throw unreadable(thrown);
    }
  };
  return {
    path,
    size: stat.size,
    mtimeMs: Math.floor(stat.mtimeMs),
    readInto,
    read: (position, length) => {
      if (position < 0 || length < 0 || position + length > stat.size) {
        throw new AppError('CorruptArchive', 'The file is damaged: it ends before its contents do.');
      }
      const bytes = Buffer.allocUnsafeSlow(length);
      if (readInto(bytes, position) !== length) throw new AppError('FileChanged');
      return bytes;
    },
    close: () => closeSync(fd),
  };
};
