// Reads the central directory of a zip file (APPNOTE 6.3.10, section 4.3.12), mostly with one read, tolerant of what real archives do:
// sizes in extra fields, names in several encodings, counts that lie. Content is not touched. Where it lies: zip-end.ts.
import { crc32 } from 'node:zlib';
import { AppError } from '../../core/model/errors.js';
import type { BookFile } from '../book-file.js';
import { decodeNames, type RawName } from './entry-names.js';
import { CENTRAL, CENTRAL_BYTES, damaged, findDirectory } from './zip-end.js';

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

const MAX32 = 0xffffffff;
const ZIP64_FIELD = 0x0001;
const UNICODE_PATH_FIELD = 0x7075;

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

/** Counts only while it belongs to the name beside it: a program that renames entries may leave an old one behind. */
const unicodePath = (extra: Buffer, name: Buffer): Buffer | null => {
  const field = extraField(extra, UNICODE_PATH_FIELD);
  if (field === null || field.length < 6 || field.readUInt32LE(1) !== crc32(name)) return null;
  return field.subarray(5);
};

/** Systems whose entries carry a Unix file mode (4.4.2). */
const UNIX = 3;
const OS_X = 19;
const TYPE_FOLDER = 4;
const TYPE_FILE = 8;
const DOS_FOLDER = 0x10;

const kindOf = (system: number, attributes: number): Pick<ZipEntry, 'isFolder' | 'isSpecial'> => {
  const type = system === UNIX || system === OS_X ? (attributes >>> 28) & 0xf : 0;
  return {
    isFolder: type === TYPE_FOLDER || (attributes & DOS_FOLDER) !== 0,
    isSpecial: type !== 0 && type !== TYPE_FOLDER && type !== TYPE_FILE,
  };
};

interface Raw {
  readonly name: RawName;
  readonly entry: Omit<ZipEntry, 'name'>;
}

/** One record, whose length was checked. */
const readRecord = (directory: Buffer, at: number, shift: number): Raw => {
  const flags = directory.readUInt16LE(at + 8);
  const nameEnd = at + CENTRAL_BYTES + directory.readUInt16LE(at + 28);
  const extraLength = directory.readUInt16LE(at + 30);
  const bytes = directory.subarray(at + CENTRAL_BYTES, nameEnd);
  let size = directory.readUInt32LE(at + 24);
  let packedSize = directory.readUInt32LE(at + 20);
  let offset = directory.readUInt32LE(at + 42);
  let path: Buffer | null = null;
  if (extraLength > 0) {
    const extra = directory.subarray(nameEnd, nameEnd + extraLength);
    const isWide = size === MAX32 || packedSize === MAX32 || offset === MAX32;
    const zip64 = isWide ? extraField(extra, ZIP64_FIELD) : null;
    if (zip64 !== null) [size = 0, packedSize = 0, offset = 0] = wide(zip64, [size, packedSize, offset]);
    path = unicodePath(extra, bytes);
  }
  return {
    name: { bytes, isUtf8: (flags & 0x800) !== 0, unicodePath: path },
    entry: {
      offset: offset + shift,
      packedSize,
      size,
      method: directory.readUInt16LE(at + 10),
      isEncrypted: (flags & 1) !== 0,
      ...kindOf(directory.readUInt8(at + 5), directory.readUInt32LE(at + 38)),
    },
  };
};

export interface ZipDirectory {
  readonly entries: readonly ZipEntry[];
  readonly comment: Uint8Array;
}

export const readZipDirectory = (file: BookFile, entriesMax: number): ZipDirectory => {
  const { bytes: directory, shift, comment } = findDirectory(file);
  const found: Raw[] = [];
  // The count in the end record is not trusted: records are read as long as there are any.
  for (let at = 0; at + CENTRAL_BYTES <= directory.length && directory.readUInt32LE(at) === CENTRAL; ) {
    const size =
      CENTRAL_BYTES +
      directory.readUInt16LE(at + 28) +
      directory.readUInt16LE(at + 30) +
      directory.readUInt16LE(at + 32);
    if (at + size > directory.length) throw damaged('its directory ends in the middle of an entry');
    if (found.length === entriesMax)
      throw new AppError('LimitExceeded', `The archive holds more than ${entriesMax} files.`);
    found.push(readRecord(directory, at, shift));
    at += size;
  }
  const names = decodeNames(found.map(({ name }) => name));
  const entries = found.map(({ entry }, index) => {
    const name = (names[index] ?? '').replaceAll('\0', '\ufffd');
    return { ...entry, name, isFolder: entry.isFolder || name.endsWith('/') };
  });
  return { entries, comment };
};
