// The headers of RAR 5 archives: numbers, whole headers, the records after them. RAR 5.0 archive format.
import { crc32 } from 'node:zlib';
import type { BookFile } from '../book-file.js';

/** unrar reads the beginning of each header in a read of this length. */
export const BLOCK_HEAD_BYTES = 7;
export const CRC_BYTES = 4;
const PEEKED_BYTES = 512;
const HEADER_MAX_BYTES = 2 * 1024 * 1024;

export const BLOCK = { archive: 1, file: 2, service: 3 };
export const HAS_EXTRA = 0x01;
export const HAS_DATA = 0x02;

/** A number of seven bits per byte, lowest first. */
export interface Vint {
  readonly value: number;
  readonly at: number;
  readonly next: number;
}

const VINT_MAX_BYTES = 7;

export const vintAt = (bytes: Uint8Array, at: number): Vint => {
  let value = 0;
  for (let next = at; next < at + VINT_MAX_BYTES; next += 1) {
    const byte = bytes[next] ?? 0;
    value += (byte & 0x7f) * 2 ** (7 * (next - at));
    if (byte < 0x80) return { value, at, next: next + 1 };
  }
  return { value: Number.POSITIVE_INFINITY, at, next: at + VINT_MAX_BYTES };
};

/** A whole header with its checksum; undefined for anything else. */
export const headerAt = (file: BookFile, position: number): Buffer | undefined => {
  const read = (length: number): Buffer => file.read(position, Math.min(length, file.size - position));
  const peeked = read(PEEKED_BYTES);
  if (peeked.length < BLOCK_HEAD_BYTES) return undefined;
  const size = vintAt(peeked, CRC_BYTES);
  const length = size.next + size.value;
  if (size.value === 0 || size.value > HEADER_MAX_BYTES || position + length > file.size) return undefined;
  const header = Buffer.from(length <= peeked.length ? peeked.subarray(0, length) : read(length));
  return crc32(header.subarray(CRC_BYTES)) === header.readUInt32LE(0) ? header : undefined;
};

/** The types of the records at the end of a header, which are `extraBytes` long together. */
export function* recordsIn(bytes: Uint8Array, extraBytes: number): Generator<Vint> {
  for (let at = bytes.length - extraBytes; at > 0 && at < bytes.length; ) {
    const size = vintAt(bytes, at);
    yield vintAt(bytes, size.next);
    at = size.next + size.value;
  }
}
