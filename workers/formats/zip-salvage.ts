// The entries of a zip archive whose directory is missing or cut off, by the records before and after each of them (APPNOTE 6.3.10, 4.3.7
// and 4.3.9). One pass from front to back: no byte is searched twice, and the content of a complete entry is skipped.
import type { BookFile } from '../book-file.js';
import { tooManyEntries } from './zip-directory.js';
import { CENTRAL, DIRECTORY_MAX_BYTES, END, END64, LOCAL, tooLongDirectory } from './zip-end.js';
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
import { ZipRecords } from './zip-records.js';

const DESCRIPTOR = 0x08074b50;
const LOCAL_BYTES = 30;
/** Other bytes may precede an archive, but a file without an entry in its first megabyte is not searched to its end. */
const FIRST_WITHIN_BYTES = 1024 * 1024;
/** Flags that no archive sets (4.4.4), and the newest version of the format: they reject most of what only looks like a header. */
const UNUSED_FLAGS = 0xd780;
const VERSION_MAX = 63;

/** The record after content that was written before its length was known: with a signature or without, narrow or wide. */
const NARROW_BYTES = 12;
const WIDE_BYTES = 20;
const SIGNATURE_BYTES = 4;

type Sizes = Pick<ZipEntry, 'packedSize' | 'size'>;

interface LocalHeader {
  readonly at: number;
  /** Where the content begins. */
  readonly start: number;
  readonly flags: number;
  readonly method: number;
  readonly name: RawEntry['name'];
  /** Null when they follow the content. */
  readonly sizes: Sizes | null;
}

const isPlausible = (fixed: Buffer): boolean =>
  (fixed[4] ?? 0) <= VERSION_MAX && (fixed.readUInt16LE(6) & UNUSED_FLAGS) === 0 && fixed.readUInt16LE(26) > 0;

/** True also for a header in which the file ends. */
const looksLikeHeader = (file: BookFile, at: number): boolean =>
  at + LOCAL_BYTES > file.size || isPlausible(file.read(at, LOCAL_BYTES));

/** Undefined when these bytes only look like a header, or when the file ends inside it. */
const headerAt = (file: BookFile, at: number): LocalHeader | undefined => {
  if (at + LOCAL_BYTES > file.size) return undefined;
  const fixed = file.read(at, LOCAL_BYTES);
  const nameLength = fixed.readUInt16LE(26);
  const start = at + LOCAL_BYTES + nameLength + fixed.readUInt16LE(28);
  if (!isPlausible(fixed) || start > file.size) return undefined;
  const names = file.read(at + LOCAL_BYTES, start - at - LOCAL_BYTES);
  const bytes = names.subarray(0, nameLength);
  const extra = names.subarray(nameLength);
  const flags = fixed.readUInt16LE(6);
  const narrow = [fixed.readUInt32LE(22), fixed.readUInt32LE(18)];
  const zip64 = narrow.includes(MAX32) ? extraField(extra, ZIP64_FIELD) : null;
  const [size = 0, packedSize = 0] = zip64 === null ? narrow : wide(zip64, narrow);
  const isBehind = (flags & FLAG.descriptor) !== 0 && (size === 0 || packedSize === 0);
  return {
    at,
    start,
    flags,
    method: fixed.readUInt16LE(8),
    name: { bytes, isUtf8: (flags & FLAG.utf8) !== 0, unicodePath: unicodePath(extra, bytes) },
    sizes: isBehind ? null : { packedSize, size },
  };
};

const BOUNDARIES: ReadonlySet<number> = new Set([LOCAL, CENTRAL, END, END64, DESCRIPTOR]);

/** True where a record begins or the file ends, even within the signature of a record. */
const isBoundary = (file: BookFile, at: number): boolean => {
  if (at + SIGNATURE_BYTES > file.size) return at <= file.size;
  return BOUNDARIES.has(file.read(at, SIGNATURE_BYTES).readUInt32LE(0));
};

/** Sizes after content that would end at `end`; undefined when the record there does not confirm that it ends there. */
const sizesAt = (file: BookFile, start: number, end: number, at: number, isWide: boolean): Sizes | undefined => {
  const length = isWide ? WIDE_BYTES : NARROW_BYTES;
  if (end < start || at < start || at + length > file.size) return undefined;
  const bytes = file.read(at, length);
  const packedSize = isWide ? Number(bytes.readBigUInt64LE(4)) : bytes.readUInt32LE(4);
  const size = isWide ? Number(bytes.readBigUInt64LE(12)) : bytes.readUInt32LE(8);
  // Wide lengths can also be read as narrow ones, of content that unpacks to nothing.
  const isTrue = packedSize === end - start && (size > 0 || packedSize === 0);
  return isTrue ? { packedSize, size } : undefined;
};

/** Signed sizes at `at`. */
const signedSizes = (file: BookFile, start: number, at: number): Sizes | undefined =>
  sizesAt(file, start, at, at + SIGNATURE_BYTES, false) ?? sizesAt(file, start, at, at + SIGNATURE_BYTES, true);

/** Unsigned sizes right before the record (or the end of the file) at `at`. */
const unsignedSizes = (file: BookFile, start: number, at: number): Sizes | undefined =>
  sizesAt(file, start, at - NARROW_BYTES, at - NARROW_BYTES, false) ??
  sizesAt(file, start, at - WIDE_BYTES, at - WIDE_BYTES, true);

/** What was found of one entry, and where the search continues. */
interface Extent {
  readonly sizes: Sizes;
  readonly damage: ZipEntry['damage'];
  readonly next: number;
}

/** The length is in the header. It is trusted when another record follows; else the search for the next one starts at the content. */
const statedExtent = (records: ZipRecords, { start, flags }: LocalHeader, sizes: Sizes): Extent => {
  const { file } = records;
  const end = start + sizes.packedSize;
  const hasDescriptor = (flags & FLAG.descriptor) !== 0;
  const ends = hasDescriptor ? [end, end + NARROW_BYTES, end + WIDE_BYTES] : [end];
  if (end <= file.size) {
    const isFollowed = ends.some((at) => isBoundary(file, at));
    return { sizes, damage: 'none', next: isFollowed ? end : start };
  }
  const next = records.next(start);
  return { sizes, damage: next === undefined ? 'cutOff' : 'damaged', next: next?.at ?? file.size };
};

/** The length follows the content, before the next record. */
const soughtExtent = (records: ZipRecords, { start }: LocalHeader): Extent => {
  const { file } = records;
  let found = records.next(start);
  for (; found !== undefined; found = records.next(found.at + SIGNATURE_BYTES)) {
    const { at, signature } = found;
    const signed = signature === DESCRIPTOR ? signedSizes(file, start, at) : undefined;
    if (signed !== undefined) return { sizes: signed, damage: 'none', next: at + SIGNATURE_BYTES };
    const isRecord = signature === CENTRAL || (signature === LOCAL && looksLikeHeader(file, at));
    if (isRecord) break;
  }
  const next = found?.at ?? file.size;
  // A file may also end within the first bytes of the next record.
  const ends = found === undefined ? [next, next - 1, next - 2, next - 3] : [next];
  const [sizes] = ends.flatMap((end) => unsignedSizes(file, start, end) ?? []);
  if (sizes !== undefined) return { sizes, damage: 'none', next };
  const unknown = { packedSize: next - start, size: 0 };
  return { sizes: unknown, damage: found === undefined ? 'cutOff' : 'damaged', next };
};

const entryOf = ({ at, flags, method, name }: LocalHeader, { sizes, damage }: Extent): RawEntry => ({
  name,
  entry: {
    ...sizes,
    offset: at,
    crc: 0,
    method,
    isEncrypted: (flags & FLAG.encrypted) !== 0,
    isFolder: false,
    isSpecial: false,
    damage,
  },
});

/** Empty when the file does not begin with anything like a zip archive. `check` throws when the work has to stop. */
export const salvageEntries = (file: BookFile, entriesMax: number, check: () => void): readonly ZipEntry[] => {
  const records = new ZipRecords(file, [LOCAL, CENTRAL, DESCRIPTOR], check);
  const found: RawEntry[] = [];
  let headerBytes = 0;
  let record = records.next(0, FIRST_WITHIN_BYTES);
  while (record !== undefined) {
    const header = record.signature === LOCAL ? headerAt(file, record.at) : undefined;
    if (header === undefined) {
      record = records.next(record.at + SIGNATURE_BYTES, found.length === 0 ? FIRST_WITHIN_BYTES : file.size);
      continue;
    }
    if (found.length === entriesMax) throw tooManyEntries(entriesMax);
    headerBytes += header.start - header.at;
    if (headerBytes > DIRECTORY_MAX_BYTES) throw tooLongDirectory();
    const extent = header.sizes === null ? soughtExtent(records, header) : statedExtent(records, header, header.sizes);
    found.push(entryOf(header, extent));
    record = records.next(extent.next);
  }
  return withNames(found);
};
