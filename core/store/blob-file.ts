// Checks that an LMDB file is intact before it is opened: opening a damaged one can end the process. Reads its two meta pages and its
// length.
import { closeSync, fstatSync, openSync, readSync } from 'node:fs';

/** The layout from lmdb.h of the bundled version: magic and version, and the number of the last page, in each of the two meta pages. */
const MAGIC = 0xbeefc0de;
const MAGIC_AT = 24;
const LAST_PAGE_AT = 144;
const TRANSACTION_AT = 152;
const HEAD_BYTES = 160;
const PAGE_SIZES = [4096, 8192, 16_384, 32_768, 65_536];

const readHead = (fd: number, at: number): Buffer | undefined => {
  const head = Buffer.alloc(HEAD_BYTES);
  const read = readSync(fd, head, 0, HEAD_BYTES, at);
  return read === HEAD_BYTES && head.readUInt32LE(MAGIC_AT) === MAGIC ? head : undefined;
};

/** Null when the meta pages are not those of a cache file. */
const usedBytes = (fd: number): number | null => {
  const first = readHead(fd, 0);
  const pageSize = PAGE_SIZES.find((candidate) => readHead(fd, candidate) !== undefined);
  const second = pageSize === undefined ? undefined : readHead(fd, pageSize);
  if (first === undefined || second === undefined || pageSize === undefined) return null;
  const newest = first.readBigUInt64LE(TRANSACTION_AT) > second.readBigUInt64LE(TRANSACTION_AT) ? first : second;
  return Number(newest.readBigUInt64LE(LAST_PAGE_AT) + 1n) * pageSize;
};

/** Bytes up to the end of the last page in use; `size`, that of the file, when that cannot be told. */
export const usedBytesOf = (fd: number, size: number): number => usedBytes(fd) ?? size;

/** What is wrong with the file; null when nothing shows (or when there is none yet). */
export const blobFileFault = (path: string): string | null => {
  let fd: number;
  try {
    fd = openSync(path, 'r');
  } catch (thrown) {
    return thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT' ? null : String(thrown);
  }
  try {
    const { size } = fstatSync(fd);
    if (size === 0) return null;
    const used = usedBytes(fd);
    if (used === null) return 'its first pages are not those of a cache file';
    return used > size ? 'it is shorter than it should be' : null;
  } finally {
    closeSync(fd);
  }
};
