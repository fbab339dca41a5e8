// Reads the central directory of a zip file (APPNOTE 6.3.10, section 4.3.12), mostly with one read, tolerant of what real archives contain:
// sizes in extra fields, names in several encodings, wrong counts. Content is not read. zip-end.ts finds the directory.
import { AppError } from '../../core/model/errors.js';
import type { BookFile } from '../book-file.js';
import { CENTRAL, CENTRAL_BYTES, damaged, findDirectory } from './zip-end.js';
import {
  extraField,
  FLAG,
  MAX32,
  type RawEntry,
  unicodePath,
  wide,
  withNames,
  ZIP64_FIELD,
  type ZipEntry,
} from './zip-entry.js';

/** Systems whose entries carry a Unix file mode (4.4.2). */
const UNIX = 3;
const OS_X = 19;
const TYPE_FOLDER = 4;
const TYPE_FILE = 8;
const TYPE_PIPE = 1;
/** Character device, block device, symbolic link, socket; other values mean nothing. */
const SPECIAL_TYPES: ReadonlySet<number> = new Set([2, 6, 10, 12]);
const DOS_FOLDER = 0x10;

/**
 * Folders have no content, and a pipe that has some was the input of the program. A Unix mode that says file is more exact than the folder
 * bit of DOS beside it.
 */
const kindOf = (system: number, attributes: number, size: number): Pick<ZipEntry, 'isFolder' | 'isSpecial'> => {
  const type = system === UNIX || system === OS_X ? (attributes >>> 28) & 0xf : 0;
  const saysFolder = type === TYPE_FOLDER || (type !== TYPE_FILE && (attributes & DOS_FOLDER) !== 0);
  const isSpecial = SPECIAL_TYPES.has(type) || (type === TYPE_PIPE && size === 0);
  return { isFolder: size === 0 && saysFolder, isSpecial };
};

/** One record, whose length was checked. */
const readRecord = (directory: Buffer, at: number, shift: number): RawEntry => {
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
    name: { bytes, isUtf8: (flags & FLAG.utf8) !== 0, unicodePath: path },
    entry: {
      offset: offset + shift,
      packedSize,
      size,
      crc: directory.readUInt32LE(at + 16),
      method: directory.readUInt16LE(at + 10),
      isEncrypted: (flags & FLAG.encrypted) !== 0,
      damage: 'none',
      ...kindOf(directory.readUInt8(at + 5), directory.readUInt32LE(at + 38), size),
    },
  };
};

export interface ZipDirectory {
  readonly entries: readonly ZipEntry[];
  readonly comment: Uint8Array;
}

/** More entries than the limits allow. */
export const tooManyEntries = (entriesMax: number): AppError =>
  new AppError(
    'LimitExceeded',
    `The archive contains more than ${entriesMax} files; split it, or have limits.archive_entries raised.`,
  );

export const readZipDirectory = (file: BookFile, entriesMax: number): ZipDirectory => {
  const { bytes: directory, shift, comment } = findDirectory(file);
  const found: RawEntry[] = [];
  // The count in the end record is not trusted: records are read as long as there are any.
  for (let at = 0; at + CENTRAL_BYTES <= directory.length && directory.readUInt32LE(at) === CENTRAL; ) {
    const size =
      CENTRAL_BYTES +
      directory.readUInt16LE(at + 28) +
      directory.readUInt16LE(at + 30) +
      directory.readUInt16LE(at + 32);
    if (at + size > directory.length) throw damaged('its directory ends in the middle of an entry');
    if (found.length === entriesMax) throw tooManyEntries(entriesMax);
    found.push(readRecord(directory, at, shift));
    at += size;
  }
  return { entries: withNames(found), comment };
};
