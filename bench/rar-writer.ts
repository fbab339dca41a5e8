// Writes RAR 5 archives with entries stored, or packed as the format packs incompressible data (a page that is a JPEG). RAR 5.0 archive
// format, and its block layout as unrar reads it. It searches for no matches: every byte is an eight-bit literal. Same input, same bytes.
import { crc32 } from 'node:zlib';

export interface RarItem {
  readonly name: string;
  readonly bytes: Uint8Array;
  /** What its header says of its size, if that is not so. */
  readonly claimedBytes?: number;
  /** It has no content of its own: `bytes` is that of the entry it stands for. */
  readonly link?: { readonly type: 'symbolic' | 'hard' | 'copy'; readonly to: string };
}

export interface RarOptions {
  readonly isPacked: boolean;
  /** Each entry continues the dictionary of the one before, so it can only be unpacked after it. */
  readonly isSolid: boolean;
  /** What is said of the dictionary of packed entries, as the compression information has it. */
  readonly dictionary?: number;
  /** The first volume of a multi-volume archive. */
  readonly isVolume?: boolean;
}

const SIGNATURE = Buffer.from([0x52, 0x61, 0x72, 0x21, 0x1a, 0x07, 0x01, 0x00]);
const BLOCK = { archive: 1, file: 2, end: 5 };
const HAS_EXTRA = 0x01;
const HAS_DATA = 0x02;
const REDIRECTION = 5;
const LINK_TYPE = { symbolic: 1, hard: 4, copy: 5 };
const ARCHIVE_VOLUME = 0x01;
const ARCHIVE_SOLID = 0x04;
const HAS_CRC = 0x04;
const REGULAR_FILE = 0x20;
const ENTRY_SOLID = 0x40;
const NORMAL_METHOD = 3 << 7;
/** 128 KiB doubled five times: 4 MiB, the usual dictionary of small archives. */
const DICTIONARY = 5 << 10;

/** Seven bits per byte, lowest first; the high bit is set on all but the last. */
const vint = (value: number): number[] =>
  value < 0x80 ? [value] : [(value % 0x80) | 0x80, ...vint(Math.floor(value / 0x80))];

const block = (fields: readonly number[], name: Buffer = Buffer.alloc(0)): Buffer => {
  const size = Buffer.from(vint(fields.length + name.length));
  const header = Buffer.concat([size, Buffer.from(fields), name]);
  const sum = Buffer.alloc(4);
  sum.writeUInt32LE(crc32(header));
  return Buffer.concat([sum, header]);
};

/**
 * The code lengths of a packed block, fifteen bytes: all 256 literals have eight bits and nothing else has a code, so the code of a literal
 * is the byte itself. First come twenty four-bit lengths for the alphabet of lengths (8, 16, 17 and 19 have two bits each), then, in that
 * alphabet: 8, 8, 138 repeats, 116 repeats, 138 zeros, 36 zeros.
 */
const TABLES = ((): Buffer => {
  const bits = [
    ...Array.from({ length: 20 }, (_, code) => ([8, 16, 17, 19].includes(code) ? '0010' : '0000')),
    ...['00', '00'],
    ...[127, 105].map((more) => `10${more.toString(2).padStart(7, '0')}`),
    ...[127, 25].map((more) => `11${more.toString(2).padStart(7, '0')}`),
  ].join('');
  return Buffer.from(
    Array.from({ length: bits.length / 8 }, (_, at) => Number.parseInt(bits.slice(at * 8, at * 8 + 8), 2)),
  );
})();

const PACKED_MAX_BYTES = 0xff_0000;
const LAST_WITH_TABLES = 0xc0;
const WITH_TABLES = 0x80;
const THREE_SIZE_BYTES = 2 << 3;
const ALL_EIGHT_BITS = 7;

/** Packed blocks: flags, a check byte, the size in three bytes, tables, literals. */
const pack = (bytes: Uint8Array): Buffer => {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += PACKED_MAX_BYTES) {
    const literals = bytes.subarray(at, at + PACKED_MAX_BYTES);
    const isLast = at + PACKED_MAX_BYTES >= bytes.length;
    const flags = (isLast ? LAST_WITH_TABLES : WITH_TABLES) | THREE_SIZE_BYTES | ALL_EIGHT_BITS;
    const size = TABLES.length + literals.length;
    const sizes = [size & 0xff, (size >> 8) & 0xff, size >> 16];
    const check = sizes.reduce((sum, one) => sum ^ one, 0x5a ^ flags);
    parts.push(Buffer.from([flags, check, ...sizes]), TABLES, literals);
  }
  return Buffer.concat(parts);
};

/** A record of the file header. */
const redirection = ({ type, to }: NonNullable<RarItem['link']>): Buffer => {
  const target = Buffer.from(to);
  const fields = [REDIRECTION, LINK_TYPE[type], 0, ...vint(target.length)];
  return Buffer.concat([Buffer.from([...vint(fields.length + target.length), ...fields]), target]);
};

const fileHeader = (
  { name, bytes, claimedBytes = bytes.length, link }: RarItem,
  packedSize: number,
  compression: number,
): Buffer => {
  const sum = Buffer.alloc(4);
  sum.writeUInt32LE(crc32(bytes));
  const encoded = Buffer.from(name);
  const [attributes, hostSystem] = [REGULAR_FILE, 0];
  const extra = link === undefined ? Buffer.alloc(0) : redirection(link);
  const [flags, extraSize] = link === undefined ? [HAS_DATA, []] : [HAS_DATA | HAS_EXTRA, vint(extra.length)];
  const fields = [
    BLOCK.file,
    flags,
    ...extraSize,
    ...vint(packedSize),
    HAS_CRC,
    ...vint(claimedBytes),
    attributes,
    ...sum,
  ];
  return block([...fields, ...vint(compression), hostSystem, ...vint(encoded.length)], Buffer.concat([encoded, extra]));
};

/** The archive in pieces, for archives too large to hold in memory. */
export function* rarParts(
  items: Iterable<RarItem>,
  { isPacked, isSolid, dictionary = DICTIONARY, isVolume = false }: RarOptions,
): Generator<Uint8Array> {
  yield SIGNATURE;
  yield block([BLOCK.archive, 0, (isSolid ? ARCHIVE_SOLID : 0) | (isVolume ? ARCHIVE_VOLUME : 0)]);
  let isFirst = true;
  for (const item of items) {
    const isLink = item.link !== undefined;
    const packed = isPacked ? pack(item.bytes) : item.bytes;
    const content = isLink ? new Uint8Array() : packed;
    const method = isPacked && !isLink ? NORMAL_METHOD | dictionary : 0;
    yield fileHeader(item, content.length, method | (isSolid && !isFirst ? ENTRY_SOLID : 0));
    yield content;
    isFirst = false;
  }
  yield block([BLOCK.end, 0, 0]);
}

export const writeRar = (items: Iterable<RarItem>, options: RarOptions): Buffer =>
  Buffer.concat([...rarParts(items, options)]);
