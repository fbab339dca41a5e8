// Reads the central directory of a zip file (APPNOTE 6.3.10, sections 4.3.12 to 4.3.16) in two or three reads, tolerant of what real
// archives do: bytes before and after, zip64, counts that lie. Content is not touched.
import { crc32 } from 'node:zlib';
import { AppError } from '../../core/model/errors.js';
import type { BookFile } from '../book-file.js';
import { decodeNames, type RawName } from './entry-names.js';

export interface ZipEntry {
  readonly name: string;
  /** Position of the local header. */
  readonly offset: number;
  readonly packedSize: number;
  readonly size: number;
  readonly method: number;
  readonly isEncrypted: boolean;
  readonly isFolder: boolean;
  /** A symbolic link, a device: anything that is neither file nor folder. */
  readonly isSpecial: boolean;
}

const END = 0x06054b50;
const END64_LOCATOR = 0x07064b50;
const END64 = 0x06064b50;
const CENTRAL = 0x02014b50;
const END_BYTES = 22;
const LOCATOR_BYTES = 20;
const CENTRAL_BYTES = 46;
/** Most archives end with their end record; a comment may have 65,535 bytes, and garbage may follow. */
const TAILS = [4096, END_BYTES + 65_535 + LOCATOR_BYTES + 64 * 1024] as const;
const DIRECTORY_MAX_BYTES = 64 * 1024 * 1024;
const MAX32 = 0xffffffff;

const damaged = (what: string): AppError => new AppError('CorruptArchive', `The zip archive is damaged: ${what}.`);

interface End {
  /** Position of the end record (or the zip64 one) in the file: the directory lies before it. */
  readonly position: number;
  readonly directorySize: number;
  readonly directoryOffset: number;
}

interface Tail {
  readonly bytes: Buffer;
  /** Position of the first byte in the file. */
  readonly start: number;
  /** Index of the last end record; what follows it may be a comment or garbage. */
  readonly end: number;
}

const findEnd = (file: BookFile): Tail => {
  if (file.size < END_BYTES) throw damaged('it is too short to hold anything');
  for (const wanted of TAILS) {
    const length = Math.min(file.size, wanted);
    const bytes = file.read(file.size - length, length);
    for (let end = length - END_BYTES; end >= 0; end -= 1) {
      if (bytes[end] === 0x50 && bytes.readUInt32LE(end) === END) return { bytes, start: file.size - length, end };
    }
  }
  throw damaged('it has no directory at its end; the file may be cut off');
};

const readEnd64 = (file: BookFile, endPosition: number): End | undefined => {
  const locatorPosition = endPosition - LOCATOR_BYTES;
  if (locatorPosition < 0) return undefined;
  const locator = file.read(locatorPosition, LOCATOR_BYTES);
  if (locator.readUInt32LE(0) !== END64_LOCATOR) return undefined;
  const said = Number(locator.readBigUInt64LE(8));
  // Bytes before the archive move the record: it always ends where the locator begins.
  for (const position of [said, locatorPosition - 56]) {
    if (position < 0 || position + 56 > file.size) continue;
    const record = file.read(position, 56);
    if (record.readUInt32LE(0) !== END64) continue;
    return {
      position,
      directorySize: Number(record.readBigUInt64LE(40)),
      directoryOffset: Number(record.readBigUInt64LE(48)),
    };
  }
  throw damaged('its zip64 end record is missing');
};

const readEnd = (file: BookFile): End => {
  const { bytes, start, end } = findEnd(file);
  const disk = bytes.readUInt16LE(end + 4);
  if (disk !== 0 && disk !== 0xffff) {
    throw new AppError(
      'UnsupportedFormat',
      'This is one part of an archive that was split into several files; join them first.',
    );
  }
  const plain = {
    position: start + end,
    directorySize: bytes.readUInt32LE(end + 12),
    directoryOffset: bytes.readUInt32LE(end + 16),
  };
  const isPlain =
    plain.directorySize !== MAX32 && plain.directoryOffset !== MAX32 && bytes.readUInt16LE(end + 10) !== 0xffff;
  return isPlain ? plain : (readEnd64(file, plain.position) ?? plain);
};

/** Where the directory really begins, and by how much all offsets are off (bytes put before the archive). */
const locate = (file: BookFile, end: End): { readonly start: number; readonly shift: number } => {
  const { position, directorySize, directoryOffset } = end;
  if (directorySize === 0) return { start: position, shift: 0 };
  const fits = (start: number): boolean =>
    start >= 0 && start + 4 <= position && file.read(start, 4).readUInt32LE(0) === CENTRAL;
  if (directoryOffset + directorySize <= position && fits(directoryOffset)) return { start: directoryOffset, shift: 0 };
  const start = position - directorySize;
  if (fits(start)) return { start, shift: start - directoryOffset };
  throw damaged('its directory is not where it should be');
};

/** Sizes and offset above 4 GiB stand in an extra field, in this order, only those that did not fit (4.5.3). */
const wide = (extra: Buffer, fields: readonly number[]): number[] => {
  let at = 0;
  return fields.map((field) => {
    if (field !== MAX32 || at + 8 > extra.length) return field;
    const value = Number(extra.readBigUInt64LE(at));
    at += 8;
    return value;
  });
};

const extraField = (extra: Buffer, id: number): Buffer | null => {
  for (let at = 0; at + 4 <= extra.length; ) {
    const size = extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) === id) return extra.subarray(at + 4, at + 4 + size);
    at += 4 + size;
  }
  return null;
};

const unicodePath = (extra: Buffer, name: Buffer): Buffer | null => {
  const field = extraField(extra, 0x7075);
  if (field === null || field.length < 6 || field.readUInt32LE(1) !== crc32(name)) return null;
  return field.subarray(5);
};

const UNIX = 3;
const kindOf = (record: Buffer): { readonly isFolder: boolean; readonly isSpecial: boolean } => {
  const attributes = record.readUInt32LE(38);
  const unixType = record.readUInt8(5) === UNIX ? (attributes >>> 28) & 0xf : 0;
  return {
    isFolder: unixType === 4 || (attributes & 0x10) !== 0,
    isSpecial: unixType !== 0 && unixType !== 4 && unixType !== 8,
  };
};

interface Raw {
  readonly name: RawName;
  readonly entry: Omit<ZipEntry, 'name'>;
}

const readRecord = (record: Buffer, shift: number): Raw => {
  const flags = record.readUInt16LE(8);
  const nameEnd = CENTRAL_BYTES + record.readUInt16LE(28);
  const bytes = record.subarray(CENTRAL_BYTES, nameEnd);
  const extra = record.subarray(nameEnd, nameEnd + record.readUInt16LE(30));
  const sizes = [record.readUInt32LE(24), record.readUInt32LE(20), record.readUInt32LE(42)];
  const zip64 = sizes.includes(MAX32) ? extraField(extra, 0x0001) : null;
  const [size = 0, packedSize = 0, offset = 0] = zip64 === null ? sizes : wide(zip64, sizes);
  return {
    name: { bytes, isUtf8: (flags & 0x800) !== 0, unicodePath: extra.length === 0 ? null : unicodePath(extra, bytes) },
    entry: {
      offset: offset + shift,
      packedSize,
      size,
      method: record.readUInt16LE(10),
      isEncrypted: (flags & 1) !== 0,
      ...kindOf(record),
    },
  };
};

export const readZipDirectory = (file: BookFile, entriesMax: number): ZipEntry[] => {
  const end = readEnd(file);
  const { start, shift } = locate(file, end);
  const length = end.position - start;
  if (length > DIRECTORY_MAX_BYTES)
    throw new AppError('LimitExceeded', `The directory of the archive is larger than ${DIRECTORY_MAX_BYTES} bytes.`);
  const directory = file.read(start, length);
  const found: Raw[] = [];
  // The count in the end record is not trusted: records are read as long as there are any.
  for (let at = 0; at + CENTRAL_BYTES <= directory.length && directory.readUInt32LE(at) === CENTRAL; ) {
    const size =
      CENTRAL_BYTES +
      directory.readUInt16LE(at + 28) +
      directory.readUInt16LE(at + 30) +
      directory.readUInt16LE(at + 32);
    if (at + size > directory.length) throw damaged('its directory ends in the middle of an entry');
    found.push(readRecord(directory.subarray(at, at + size), shift));
    if (found.length > entriesMax)
      throw new AppError('LimitExceeded', `The archive holds more than ${entriesMax} files.`);
    at += size;
  }
  const names = decodeNames(found.map(({ name }) => name));
  return found.map(({ entry }, index) => {
    const name = (names[index] ?? '').replaceAll('\0', '\ufffd');
    return { ...entry, name, isFolder: entry.isFolder || name.endsWith('/') };
  });
};
