// Puts the checksums of RAR headers right again after a change: the reader believes a header only when its checksum fits, and what
// comes after that is the interesting part. RAR 5: CRC-32; before that: the lower half of it.
import { crc32 } from 'node:zlib';

const RAR4_START = 7;
const RAR5_START = 8;
const HAS_DATA_4 = 0x8000;
const HAS_DATA_5 = 0x02;
const HEADER_MAX_BYTES = 2 * 1024 * 1024;

interface Number7 {
  readonly value: number;
  readonly next: number;
}

/** Seven bits a byte, lowest first. */
export const numberAt = (bytes: Buffer, at: number): Number7 => {
  let value = 0;
  for (let next = at; next < Math.min(bytes.length, at + 7); next += 1) {
    const byte = bytes[next] ?? 0;
    value += (byte & 0x7f) * 2 ** (7 * (next - at));
    if (byte < 0x80) return { value, next: next + 1 };
  }
  return { value, next: at + 7 };
};

const mendOld = (bytes: Buffer): void => {
  for (let at = RAR4_START; at + 11 <= bytes.length; ) {
    const size = bytes.readUInt16LE(at + 5);
    if (size < 7 || at + size > bytes.length) return;
    const data = (bytes.readUInt16LE(at + 3) & HAS_DATA_4) !== 0 ? bytes.readUInt32LE(at + 7) : 0;
    bytes.writeUInt16LE(crc32(bytes.subarray(at + 2, at + size)) & 0xffff, at);
    at += size + data;
  }
};

const mendNew = (bytes: Buffer): void => {
  for (let at = RAR5_START; at + 7 <= bytes.length; ) {
    const { value: size, next } = numberAt(bytes, at + 4);
    if (size === 0 || size > HEADER_MAX_BYTES || next + size > bytes.length) return;
    const flags = numberAt(bytes, numberAt(bytes, next).next);
    const extra = (flags.value & 0x01) !== 0 ? numberAt(bytes, flags.next).next : flags.next;
    const data = (flags.value & HAS_DATA_5) !== 0 ? numberAt(bytes, extra).value : 0;
    bytes.writeUInt32LE(crc32(bytes.subarray(at + 4, next + size)), at);
    at = next + size + data;
  }
};

/** A copy whose headers are believed as far as they can be followed. */
export const withRarSums = (bytes: Uint8Array): Buffer => {
  const out = Buffer.from(bytes);
  if (out[6] === 0) mendOld(out);
  else if (out[6] === 1) mendNew(out);
  return out;
};
