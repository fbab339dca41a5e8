// Identifiers: how they are made, written and read. Inside the database a uuid is 16 bytes; outside it is text.
import { randomFillSync, randomUUID } from 'node:crypto';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export const isUuid = (text: string): boolean => UUID.test(text);

const ID_BYTES = 16;
/** Filled for many identifiers at once, since a call for each of them takes longer than the rest of the work. */
const random = Buffer.alloc(256 * ID_BYTES);
let used = random.length;

/** 16 random bytes for one identifier. The caller may change them, but not keep them. */
const randomBytes = (): Buffer => {
  if (used === random.length) {
    randomFillSync(random);
    used = 0;
  }
  used += ID_BYTES;
  return random.subarray(used - ID_BYTES, used);
};

/** A version 7 uuid as 32 hex digits (RFC 9562 section 5.7): ordered by time, so new rows land at the end of their index. */
export const newId = (nowMs: number): string => {
  const bytes = randomBytes();
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x70, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  return bytes.toString('hex');
};

/** A version 4 uuid as 32 hex digits, which tells nothing, not even when it was made. */
export const randomId = (): string => hexOfUuid(randomUUID());

/** 32 hex digits, in any case, to the hyphenated form. */
export const uuidOfHex = (hex: string): string => {
  const h = hex.toLowerCase();
  return `${h.slice(0, 8)}-${h.slice(8, 12)}-${h.slice(12, 16)}-${h.slice(16, 20)}-${h.slice(20)}`;
};

export const hexOfUuid = (uuid: string): string => uuid.replaceAll('-', '').toLowerCase();

/** The 16 bytes of a uuid, as they are stored and bound. */
export const bytesOfUuid = (uuid: string): Buffer => Buffer.from(hexOfUuid(uuid), 'hex');

export const uuidOfBytes = (bytes: Uint8Array): string =>
  uuidOfHex(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex'));
