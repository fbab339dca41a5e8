// The header of an entry in a tar archive: its fields, its checksum, and how sizes are written in it. POSIX ustar and pax, GNU tar, and the
// tar of Unix version 7, which has no signature.

export const TAR_BLOCK_BYTES = 512;

/** Of a header: where each field begins, and its length. */
export const TAR_FIELD = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  sum: [148, 8],
  type: [156, 1],
  link: [157, 100],
  magic: [257, 8],
  prefix: [345, 155],
} as const;

type Field = readonly [at: number, length: number];

/** What fills the last block of an entry. */
export const tarPadding = (bytes: number): number => (TAR_BLOCK_BYTES - (bytes % TAR_BLOCK_BYTES)) % TAR_BLOCK_BYTES;

/** A field up to its first zero. */
export const tarBytes = (header: Buffer, [at, length]: Field): Buffer => {
  const field = header.subarray(at, at + length);
  const end = field.indexOf(0);
  return end < 0 ? field : field.subarray(0, end);
};

export const tarText = (header: Buffer, field: Field): string => tarBytes(header, field).toString('utf8');

const WIDE = 0x80;

/** In octal digits, or in the base 256 of GNU tar, bsdtar and Python; NaN for what is neither, or negative. */
export const tarSize = (header: Buffer): number => {
  const [at, length] = TAR_FIELD.size;
  if (header.readUInt8(at) === WIDE) {
    const isSmall = header.subarray(at + 1, at + length - 8).every((byte) => byte === 0);
    return isSmall ? Number(header.readBigUInt64BE(at + length - 8)) : Number.NaN;
  }
  const text = tarText(header, TAR_FIELD.size).trim();
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number.NaN;
};

/** Counted as if the field of the sum held spaces. `signed`: as some old programs add bytes, those from 128 on being negative. */
const sumsOf = (header: Buffer): { readonly unsigned: number; readonly signed: number } => {
  const [at, length] = TAR_FIELD.sum;
  let unsigned = length * 0x20;
  let negative = 0;
  for (let index = 0; index < TAR_BLOCK_BYTES; index += 1) {
    if (index >= at && index < at + length) continue;
    const byte = header[index] ?? 0;
    unsigned += byte;
    if (byte >= 0x80) negative += 1;
  }
  return { unsigned, signed: unsigned - 256 * negative };
};

export const tarSum = (header: Buffer): number => sumsOf(header).unsigned;

/** Whether the checksum of a header is right. No empty block has one. */
export const hasTarSum = (header: Buffer): boolean => {
  const text = tarText(header, TAR_FIELD.sum).trim();
  if (header.length < TAR_BLOCK_BYTES || !/^[0-7]+$/.test(text)) return false;
  const stated = Number.parseInt(text, 8);
  const { unsigned, signed } = sumsOf(header);
  return stated === unsigned || stated === signed;
};

/** Whether a file begins like a tar file that has a signature. */
export const beginsAsTar = (head: Buffer): boolean =>
  head.length >= TAR_BLOCK_BYTES && head.toString('latin1', TAR_FIELD.magic[0], TAR_FIELD.magic[0] + 5) === 'ustar';
