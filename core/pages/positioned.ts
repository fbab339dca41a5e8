// Pages by position: stored entries as a byte range of the open file, deflated ones with one read and one native inflate. The header of a
// zip entry is checked on every read: a different one means that the file has changed.
import { inflateRaw } from 'node:zlib';
import type { EpubPart } from '../model/epub-contents.js';
import { AppError } from '../model/errors.js';
import type { PageEntry } from '../model/jobs.js';
import { mediaOf } from '../model/media.js';
import { type FileAddress, inFile } from '../model/page-address.js';
import { METHOD } from '../model/page-table.js';
import type { Content } from './content.js';
import type { OpenFile } from './open-files.js';

const LOCAL_HEADER = 0x04034b50;
const SIGNATURE_BYTES = 4;

/** An entry stored uncompressed in the file: after a zip header, or without one. */
export const isPlain = ({ method }: PageEntry): boolean => method === METHOD.stored || method === METHOD.raw;

const storedContent = (
  open: OpenFile,
  entry: PageEntry,
  { offset, headerBytes }: FileAddress,
  hot: boolean,
  tag: string,
): Content => ({
  kind: 'file',
  fd: open.fd,
  readPart: open.readPart,
  offset: offset + headerBytes,
  length: entry.size,
  hot,
  mediaType: mediaOf(entry.media).type,
  tag,
  release: open.release,
});

/** False also when it cannot be read: the read on another thread that follows says why. */
const isHeaderNow = (open: OpenFile, position: number): boolean => {
  const head = Buffer.allocUnsafe(SIGNATURE_BYTES);
  try {
    return open.readNow(head, position) === SIGNATURE_BYTES && head.readUInt32LE(0) === LOCAL_HEADER;
  } catch {
    return false;
  }
};

/** Without leaving the thread: only when the page was read moments ago, so that no disk is involved. Releases the file otherwise. */
export const storedNow = (open: OpenFile, entry: PageEntry, tag: string): Content | undefined => {
  const address = inFile(entry);
  const isHot = open.touch(address.offset);
  if (isHot && (entry.method === METHOD.raw || isHeaderNow(open, address.offset)))
    return storedContent(open, entry, address, true, tag);
  open.release();
  return undefined;
};

/** The same after reading the header from disk if necessary. The file stays the caller's when this throws. */
export const storedPage = async (open: OpenFile, entry: PageEntry, tag: string): Promise<Content> => {
  const address = inFile(entry);
  open.touch(address.offset);
  if (entry.method === METHOD.raw) return storedContent(open, entry, address, false, tag);
  const head = Buffer.allocUnsafe(SIGNATURE_BYTES);
  const read = await open.read(head, address.offset);
  if (read !== SIGNATURE_BYTES || head.readUInt32LE(0) !== LOCAL_HEADER) throw new AppError('FileChanged');
  return storedContent(open, entry, address, false, tag);
};

/** zlib asks for more room when its buffer is full, even at the end. */
const ROOM_BYTES = 64;

/**
 * One read of header and packed bytes, one native inflate that stops at the declared size. Into a single buffer: joining pieces would need
 * twice the memory.
 */
export const inflatedPage = async (open: OpenFile, entry: PageEntry): Promise<Uint8Array> => {
  const { offset, headerBytes } = inFile(entry);
  const packed = Buffer.allocUnsafe(headerBytes + entry.packedSize);
  const read = await open.read(packed, offset);
  if (read !== packed.length || packed.readUInt32LE(0) !== LOCAL_HEADER) throw new AppError('FileChanged');
  const bytes = await new Promise<Buffer>((resolve, reject) => {
    const options = { maxOutputLength: Math.max(1, entry.size), chunkSize: entry.size + ROOM_BYTES };
    inflateRaw(packed.subarray(headerBytes), options, (error, result) =>
      error === null
        ? resolve(result)
        : reject(
            new AppError('CorruptPage', 'The page is damaged: its compressed data cannot be unpacked.', null, error),
          ),
    );
  });
  if (bytes.length !== entry.size)
    throw new AppError('CorruptPage', 'The page is damaged: it is shorter than the archive says.');
  return bytes;
};

/** Fixed part of a zip header (APPNOTE 4.3.7): the lengths of name and extra field are at its end. */
const HEADER_BYTES = 30;

/** How many bytes precede the content of a part. Throws when that does not lie in the file. */
export const headerBytesAt = async (open: OpenFile, { offset, packedSize }: EpubPart): Promise<number> => {
  const head = Buffer.allocUnsafe(HEADER_BYTES);
  const read = await open.read(head, offset);
  // The file is the one that was listed, so it is damaged here.
  if (read !== HEADER_BYTES || head.readUInt32LE(0) !== LOCAL_HEADER)
    throw new AppError('CorruptPage', 'This part of the book is damaged: its header is missing.');
  const headerBytes = HEADER_BYTES + head.readUInt16LE(26) + head.readUInt16LE(28);
  const last = Buffer.allocUnsafe(1);
  if (packedSize > 0 && (await open.read(last, offset + headerBytes + packedSize - 1)) !== 1)
    throw new AppError('CorruptPage', 'This part of the book is damaged: it lies outside the file.');
  return headerBytes;
};

/** A part as an entry that is read like a page. */
export const entryOfPart = ({ offset, packedSize, size, method }: EpubPart, headerBytes: number): PageEntry => ({
  address: { in: 'file', offset, headerBytes },
  packedSize,
  size,
  method,
  media: 0,
  width: 0,
  height: 0,
  fault: 0,
});
