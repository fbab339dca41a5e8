// Reduces the dictionaries that RAR 5 headers declare to what their entries can use, as the headers are read: unrar allocates and clears a
// dictionary as it is declared, up to 4 GB for a page of some kilobytes. RAR 5.0 archive format: blocks, file headers, the locator record.
import { crc32 } from 'node:zlib';
import { AppError } from '../../core/model/errors.js';
import type { BookFile } from '../book-file.js';
import { GROWTH_MAX_BYTES, MODULE_MAX_BYTES } from '../heaps.js';
import {
  BLOCK,
  BLOCK_HEAD_BYTES,
  CRC_BYTES,
  HAS_DATA,
  HAS_EXTRA,
  headerAt,
  recordsIn,
  type Vint,
  vintAt,
} from './rar-headers.js';

const FILE = { folder: 0x01, hasTime: 0x02, hasCrc: 0x04, isSizeUnknown: 0x08 };
const LOCATOR = 1;
/** A record type that readers skip as unknown. */
const UNUSED_RECORD = 0x7f;

/** The compression information of an entry. */
const VERSION_BITS = 0x3f;
const SOLID = 0x40;
const METHOD_BITS = 0x07 << 7;
const SIZE_SHIFT = 10;
const SIZE_BITS = 0x0f << SIZE_SHIFT;
/** RAR 7 has one more bit for the size, five for a fraction of it, and one that says that the entry is packed as by RAR 5. */
const RAR7 = { version: 1, sizeBits: 0x1f << SIZE_SHIFT, fractionBits: 0x1f << 15, isPackedAsByRar5: 1 << 20 };
const LEAST_BYTES = 128 * 1024;
const EXPONENT_MAX = 15;

/** In as many bytes as before. */
const writeVint = (bytes: Uint8Array, { at, next }: Vint, value: number): void => {
  for (let byte = at; byte < next; byte += 1) {
    const more = byte + 1 < next ? 0x80 : 0;
    bytes[byte] = (Math.floor(value / 2 ** (7 * (byte - at))) & 0x7f) | more;
  }
};

interface Patch {
  readonly position: number;
  readonly bytes: Buffer;
}

const bytesOf = (exponent: number): number => LEAST_BYTES * 2 ** exponent;

export const MB = 1024 * 1024;

/** A dictionary that is larger than allowed, or something else that the data makes unrar allocate. */
export const tooLarge = (dictionaryBytes: number): AppError => {
  const [what, limit] =
    dictionaryBytes > GROWTH_MAX_BYTES
      ? [`a dictionary of ${dictionaryBytes / MB} MB`, GROWTH_MAX_BYTES]
      : ['more memory', MODULE_MAX_BYTES];
  return new AppError(
    'LimitExceeded',
    `Unpacking the archive needs ${what}, and this server allows ${limit / MB} MB. Pack it again with a smaller dictionary, or as a zip archive.`,
  );
};

/** The state of one pass over an archive: what the headers read so far declare. */
export class RarDictionaries {
  readonly #file: BookFile;
  #patch: Patch | null = null;
  /** Unpacked bytes of the entries that the next solid entry may refer to. */
  #unpackedBytes = 0;
  /** The largest dictionary so far, after it was reduced. */
  largestBytes = 0;
  /** That of the last entry. */
  #lastBytes = 0;
  /** The dictionary of an entry that only RAR 7 can unpack, in bytes; 0 when there is none. */
  rar7Bytes = 0;

  constructor(file: BookFile) {
    this.#file = file;
  }

  /** Called with what was read at a position; changes it where it is part of a header. */
  apply(position: number, read: Uint8Array): void {
    if (read.length === BLOCK_HEAD_BYTES && this.#patch?.position !== position) this.#patch = this.#patched(position);
    if (this.#patch === null) return;
    const { position: from, bytes } = this.#patch;
    const start = Math.max(from, position);
    const end = Math.min(from + bytes.length, position + read.length);
    if (start < end) read.set(bytes.subarray(start - from, end - from), start - position);
  }

  /** Before unrar allocates as much of it as there is. */
  refuseTooLarge(): void {
    if (this.#lastBytes > GROWTH_MAX_BYTES) throw tooLarge(this.#lastBytes);
  }

  #patched(position: number): Patch | null {
    const bytes = headerAt(this.#file, position);
    if (bytes === undefined) return null;
    const type = vintAt(bytes, vintAt(bytes, CRC_BYTES).next);
    if (type.value === BLOCK.archive) hideCopies(bytes, type.next);
    else if (type.value === BLOCK.file || type.value === BLOCK.service) this.#reduce(bytes, type);
    else return null;
    bytes.writeUInt32LE(crc32(bytes.subarray(CRC_BYTES)), 0);
    return { position, bytes };
  }

  #reduce(bytes: Buffer, type: Vint): void {
    const flags = vintAt(bytes, type.next);
    let { next } = flags;
    for (const bit of [HAS_EXTRA, HAS_DATA]) if ((flags.value & bit) !== 0) next = vintAt(bytes, next).next;
    const file = vintAt(bytes, next);
    const size = vintAt(bytes, file.next);
    next = vintAt(bytes, size.next).next;
    for (const bit of [FILE.hasTime, FILE.hasCrc]) if ((file.value & bit) !== 0) next += 4;
    const packing = vintAt(bytes, next);
    const isPacked = (packing.value & METHOD_BITS) !== 0 && (file.value & FILE.folder) === 0 && size.value > 0;
    if (!isPacked || packing.next > bytes.length) return;
    const unpacked = (file.value & FILE.isSizeUnknown) === 0 ? size.value : Number.POSITIVE_INFINITY;
    const needed = type.value === BLOCK.service ? unpacked : this.#neededBytes(unpacked, packing.value);
    writeVint(bytes, packing, this.#reduced(packing.value, needed));
  }

  /**
   * An entry refers to nothing before its own beginning; a solid one to all entries since the last that is not. As much as the file is long
   * is allowed for at once: unrar copies a dictionary that grows.
   */
  #neededBytes(unpacked: number, packing: number): number {
    const isSolid = (packing & SOLID) !== 0;
    this.#unpackedBytes = unpacked + (isSolid ? this.#unpackedBytes : 0);
    return isSolid ? Math.max(this.#unpackedBytes, this.#file.size) : unpacked;
  }

  #reduced(packing: number, needed: number): number {
    let declared = (packing & SIZE_BITS) >> SIZE_SHIFT;
    let rest = packing & ~SIZE_BITS;
    if ((packing & VERSION_BITS) === RAR7.version) {
      const isReadable = (packing & RAR7.isPackedAsByRar5) !== 0;
      const size = bytesOf((packing & RAR7.sizeBits) >> SIZE_SHIFT);
      const withFraction = size + (size / 32) * ((packing & RAR7.fractionBits) >> 15);
      if (!isReadable) {
        this.rar7Bytes = withFraction;
        return packing;
      }
      declared = (packing & RAR7.sizeBits) >> SIZE_SHIFT;
      if (withFraction > size) declared += 1;
      rest = packing & ~(VERSION_BITS | RAR7.sizeBits | RAR7.fractionBits | RAR7.isPackedAsByRar5);
    }
    let exponent = 0;
    while (exponent < Math.min(declared, EXPONENT_MAX) && bytesOf(exponent) < needed) exponent += 1;
    this.#lastBytes = bytesOf(exponent);
    this.largestBytes = Math.max(this.largestBytes, bytesOf(exponent));
    return rest | (exponent << SIZE_SHIFT);
  }
}

/** Without the record that says where copies of all headers are, unrar reads the headers themselves. */
const hideCopies = (bytes: Buffer, from: number): void => {
  const flags = vintAt(bytes, from);
  if ((flags.value & HAS_EXTRA) === 0) return;
  for (const type of recordsIn(bytes, vintAt(bytes, flags.next).value))
    if (type.value === LOCATOR) writeVint(bytes, type, UNUSED_RECORD);
};
