// A zip archive: its entries, and the first bytes and the whole content of one. Shared by the formats built on zip.
import { constants, inflateRawSync } from 'node:zlib';
import { AppError } from '../../core/model/errors.js';
import type { Limits, PageEntry } from '../../core/model/jobs.js';
import { isTooLargePacked } from '../../core/model/large-pages.js';
import { inFile } from '../../core/model/page-address.js';
import { METHOD, type PageFault } from '../../core/model/page-table.js';
import type { BookFile } from '../book-file.js';
import type { FileRange } from '../read-ahead.js';
import type { Extent, ListedPage, OpenContext, PageHead } from './format.js';
import { readZipDirectory } from './zip-directory.js';
import { LOCAL } from './zip-end.js';
import type { ZipEntry } from './zip-entry.js';
import { salvageEntries } from './zip-salvage.js';

const LOCAL_BYTES = 30;
const { stored: STORED, deflated: DEFLATED } = METHOD;
const AES = 99;
/** Methods that occur but are not supported (4.4.5); the fault names them, so that the owner knows what to do. */
const UNREADABLE: ReadonlyMap<number, PageFault> = new Map([
  [9, 'deflate64'],
  [12, 'bzip2'],
  [14, 'lzma'],
  [20, 'zstd'],
  [93, 'zstd'],
  [95, 'xz'],
  [98, 'ppmd'],
]);
/** Below this a high ratio is harmless: a blank page compresses well. */
const RATIO_FROM_BYTES = 16 * 1024 * 1024;

const faultOf = (entry: ZipEntry, file: BookFile, limits: Limits): PageFault => {
  if (entry.isSpecial) return 'notAFile';
  if (entry.isEncrypted || entry.method === AES) return 'encrypted';
  if (entry.method !== STORED && entry.method !== DEFLATED) return UNREADABLE.get(entry.method) ?? 'method';
  if (entry.damage !== 'none') return entry.damage;
  if (entry.size === 0) return 'empty';
  if (entry.offset < 0 || entry.offset + LOCAL_BYTES + entry.packedSize > file.size) return 'outside';
  if (entry.method === STORED && entry.packedSize !== entry.size) return 'damaged';
  const isBomb = entry.size > RATIO_FROM_BYTES && entry.size > entry.packedSize * limits.entryRatio;
  return isBomb || entry.size > limits.entryBytes ? 'tooLarge' : 'none';
};

const pageFaultOf = (entry: ZipEntry, file: BookFile, limits: Limits): PageFault => {
  const fault = faultOf(entry, file, limits);
  return fault === 'none' && isTooLargePacked(entry) ? 'tooLarge' : fault;
};

/** The local header repeats name and extra field with different lengths: only it says where the content begins (4.3.7). */
const headerBytesOf = (header: Buffer): number => {
  if (header.length < LOCAL_BYTES || header.readUInt32LE(0) !== LOCAL) {
    throw new AppError('CorruptPage', 'The page is damaged: its header is missing.');
  }
  return LOCAL_BYTES + header.readUInt16LE(26) + header.readUInt16LE(28);
};

const unpackable = (thrown: unknown): AppError =>
  new AppError('CorruptPage', 'The page is damaged: its compressed data cannot be unpacked.', null, thrown);

/** As much as can be unpacked from the beginning of packed bytes, at most `max`. */
const inflateHead = (packed: Uint8Array, max: number): Buffer => {
  try {
    return inflateRawSync(packed, { maxOutputLength: max, finishFlush: constants.Z_SYNC_FLUSH });
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ERR_BUFFER_TOO_LARGE')
      return inflateLess(packed, max);
    throw unpackable(thrown);
  }
};

/** zlib refuses to stop in the middle: fewer packed bytes give fewer unpacked ones. */
const inflateLess = (packed: Uint8Array, max: number): Buffer => {
  if (packed.length < 64)
    throw new AppError('CorruptPage', 'The page is damaged: its compressed data unpacks to far more than an image.');
  return inflateHead(packed.subarray(0, packed.length >> 1), max);
};

/** zlib asks for more room when its buffer is full, even at the end. */
const ROOM_BYTES = 64;

/**
 * Into a single buffer: joining pieces would need twice the memory. Never more than the size the archive declares, whatever the packed
 * bytes contain.
 */
const inflateWhole = (packed: Uint8Array, size: number): Buffer => {
  try {
    return inflateRawSync(packed, { maxOutputLength: Math.max(1, size), chunkSize: size + ROOM_BYTES });
  } catch (thrown) {
    throw unpackable(thrown);
  }
};

/** Room for name and extra field of the local header in addition to the wanted bytes, so that one read is usually enough. */
const HEADER_SLACK = 512;
const UNPACKED_MAX = 8;

const headOf = (file: BookFile, page: ListedPage, wanted: number): PageHead => {
  const { offset } = inFile(page);
  const content = Math.min(page.packedSize, wanted);
  const first = file.read(offset, Math.min(LOCAL_BYTES + HEADER_SLACK + content, file.size - offset));
  const headerBytes = headerBytesOf(first);
  const address = { in: 'file', offset, headerBytes } as const;
  if (offset + headerBytes + page.packedSize > file.size)
    throw new AppError('CorruptPage', 'The page is damaged: it lies outside the file.');
  const packed =
    first.length >= headerBytes + content
      ? first.subarray(headerBytes, headerBytes + content)
      : file.read(offset + headerBytes, content);
  if (page.method === STORED) return { address, bytes: packed, isWhole: content === page.size };
  const bytes = inflateHead(packed, Math.max(64 * 1024, wanted * UNPACKED_MAX));
  return { address, bytes, isWhole: content === page.packedSize && bytes.length >= page.size };
};

type ZipExtent = Pick<ZipEntry, 'offset' | 'packedSize' | 'size' | 'method'>;

/** The packed content of an entry. What precedes it is read with it, since a second read would take longer than a few more bytes. */
const packedOf = (file: BookFile, offset: number, packedSize: number): Buffer => {
  const first = file.read(offset, Math.min(LOCAL_BYTES + HEADER_SLACK + packedSize, file.size - offset));
  const headerBytes = headerBytesOf(first);
  return first.length >= headerBytes + packedSize
    ? first.subarray(headerBytes, headerBytes + packedSize)
    : file.read(offset + headerBytes, packedSize);
};

/** The whole content of an entry from the directory. */
const wholeOf = (file: BookFile, { offset, packedSize, size, method }: ZipExtent): Buffer => {
  const packed = packedOf(file, offset, packedSize);
  return method === STORED ? packed : inflateWhole(packed, size);
};

/** Where the first bytes of a page are, as `head` reads them. */
export const headRange = ({ address, packedSize }: ListedPage, wanted: number): FileRange | null =>
  address.in === 'file'
    ? { position: address.offset, length: LOCAL_BYTES + HEADER_SLACK + Math.min(packedSize, wanted) }
    : null;

/** The content of a page by its table entry, with one read. Another signature at its place means that the file changed since. */
export const readZipPage = (file: BookFile, page: PageEntry): Uint8Array => {
  const { offset, headerBytes } = inFile(page);
  const { packedSize, size, method } = page;
  if (offset + headerBytes + packedSize > file.size) throw new AppError('FileChanged');
  const entry = file.read(offset, headerBytes + packedSize);
  if (entry.length < LOCAL_BYTES || entry.readUInt32LE(0) !== LOCAL) throw new AppError('FileChanged');
  const packed = entry.subarray(headerBytes);
  const bytes = method === STORED ? packed : inflateWhole(packed, size);
  if (bytes.length !== size)
    throw new AppError('CorruptPage', 'The page is damaged: it is shorter than the archive says.');
  return bytes;
};

/** True when nothing prevents reading the entry completely. */
const isReadable = (file: BookFile, entry: ZipEntry, limits: Limits): boolean =>
  !entry.isFolder && faultOf(entry, file, limits) === 'none';

export interface ZipArchive {
  readonly entries: readonly ZipEntry[];
  readonly comment: Uint8Array;
  /** Why its directory cannot be read, if its entries had to be found without it. */
  readonly refused: AppError | null;
  /** The content of an entry of at most `maxBytes`; null when it is larger, encrypted, or damaged. */
  read(entry: ZipEntry, maxBytes: number): Uint8Array | null;
  /** An entry as a page, with its fault if there is one. */
  page(entry: ZipEntry): ListedPage;
  head(page: ListedPage, wanted: number): PageHead;
  whole(page: Extent): Uint8Array;
}

type Found = Pick<ZipArchive, 'entries' | 'comment' | 'refused'>;

/** No directory, or one of an archive of several files, which counts from the beginning of each. */
const WITHOUT_DIRECTORY: ReadonlySet<string> = new Set(['CorruptArchive', 'UnsupportedFormat']);

/** From the directory; if it is missing or cut off, from the records before each file. */
const entriesOf = (file: BookFile, { limits, check }: OpenContext): Found => {
  try {
    return { ...readZipDirectory(file, limits.archiveEntries), refused: null };
  } catch (thrown) {
    if (!(thrown instanceof AppError) || !WITHOUT_DIRECTORY.has(thrown.kind) || !file.isReadWhole) throw thrown;
    const entries = salvageEntries(file, limits.archiveEntries, check);
    if (entries.length === 0) throw thrown;
    return { entries, comment: new Uint8Array(), refused: thrown };
  }
};

export const openZip = (file: BookFile, context: OpenContext): ZipArchive => {
  const { limits } = context;
  return {
    ...entriesOf(file, context),
    read: (entry, maxBytes) => {
      if (!isReadable(file, entry, limits) || Math.max(entry.size, entry.packedSize) > maxBytes) return null;
      try {
        return wholeOf(file, entry);
      } catch (thrown) {
        if (thrown instanceof AppError && (thrown.kind === 'CorruptPage' || thrown.kind === 'CorruptArchive'))
          return null;
        throw thrown;
      }
    },
    page: (entry) => {
      const { name, offset, packedSize, size, method, crc } = entry;
      const address = { in: 'file', offset, headerBytes: 0 } as const;
      return { name, address, packedSize, size, method, crc, fault: pageFaultOf(entry, file, limits), known: null };
    },
    head: (page, wanted) => headOf(file, page, wanted),
    whole: (page) => wholeOf(file, { ...page, offset: inFile(page).offset }),
  };
};
