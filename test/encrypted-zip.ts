// Makes encrypted zip archives from the two descriptions of their formats, with control over every part: WinZip's AES and the older cipher.
import { createCipheriv, createHmac, pbkdf2Sync } from 'node:crypto';
import { crc32, deflateRawSync } from 'node:zlib';

export interface LockedItem {
  readonly name: string;
  readonly bytes: Buffer;
  /** As bytes where a program would not use UTF-8. */
  readonly password: string | Buffer | null;
  readonly cipher?: 128 | 192 | 256 | 'zipcrypto';
  /** The first version of WinZip's encryption has the checksum of the content, the second has none. */
  readonly version?: 1 | 2;
  readonly isDeflated?: boolean;
  /** Whether sizes and checksum follow the content, and whether behind a signature. */
  readonly descriptor?: 'signed' | 'bare';
  /** The size to declare, if not the true one. */
  readonly declared?: number;
}

const ITERATIONS = 1000;
const CODE_BYTES = 10;
const TIME = 0x5a21;

const aes = (content: Buffer, password: string | Buffer, bits: number): Buffer => {
  const keyBytes = bits / 8;
  const salt = Buffer.alloc(keyBytes / 2, bits / 8);
  const keys = pbkdf2Sync(password, salt, ITERATIONS, keyBytes * 2 + 2, 'sha1');
  const counters = Buffer.alloc(Math.ceil(content.length / 16) * 16);
  for (let at = 0; at < counters.length; at += 16) counters.writeUInt32LE(at / 16 + 1, at);
  const cipher = createCipheriv(`aes-${bits}-ecb`, keys.subarray(0, keyBytes), null).setAutoPadding(false);
  const stream = cipher.update(counters);
  const hidden = Buffer.from(content.map((byte, at) => byte ^ (stream[at] ?? 0)));
  const code = createHmac('sha1', keys.subarray(keyBytes, keyBytes * 2))
    .update(hidden)
    .digest()
    .subarray(0, CODE_BYTES);
  return Buffer.concat([salt, keys.subarray(keyBytes * 2), hidden, code]);
};

const TABLE = Array.from({ length: 256 }, (_, index) => {
  let value = index;
  for (let bit = 0; bit < 8; bit += 1) value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
  return value >>> 0;
});
const step = (crc: number, byte: number): number => ((crc >>> 8) ^ (TABLE[(crc ^ byte) & 0xff] ?? 0)) >>> 0;

const zipCrypto = (content: Buffer, password: string | Buffer, check: number): Buffer => {
  let [a, b, c] = [0x12345678, 0x23456789, 0x34567890];
  const turn = (byte: number): void => {
    a = step(a, byte);
    b = (Math.imul((b + (a & 0xff)) | 0, 134775813) + 1) >>> 0;
    c = step(c, b >>> 24);
  };
  for (const byte of Buffer.from(password)) turn(byte);
  const head = Buffer.alloc(12, 0x5a);
  head[11] = check;
  return Buffer.from(
    Buffer.concat([head, content]).map((byte) => {
      const temp = (c & 0xffff) | 2;
      const hidden = byte ^ ((Math.imul(temp, temp ^ 1) >>> 8) & 0xff);
      turn(byte);
      return hidden;
    }),
  );
};

interface Packed {
  readonly content: Buffer;
  readonly extra: Buffer;
  readonly method: number;
  readonly crc: number;
}

const packedOf = (item: LockedItem): Packed => {
  const { bytes, password, cipher = 256, version = 2, isDeflated = false } = item;
  const plain = isDeflated ? deflateRawSync(bytes) : bytes;
  const method = isDeflated ? 8 : 0;
  const crc = crc32(bytes);
  const none = Buffer.alloc(0);
  if (password === null) return { content: plain, extra: none, method, crc };
  if (cipher === 'zipcrypto') {
    const check = item.descriptor === undefined ? crc >>> 24 : TIME >>> 8;
    return { content: zipCrypto(plain, password, check), extra: none, method, crc };
  }
  const extra = Buffer.from([0x01, 0x99, 7, 0, version, 0, 0x41, 0x45, cipher / 64 - 1, method, 0]);
  return { content: aes(plain, password, cipher), extra, method: 99, crc: version === 1 ? crc : 0 };
};

const headerOf = (item: LockedItem, { content, extra, method, crc }: Packed, offset: number | null): Buffer => {
  const isLate = item.descriptor !== undefined && offset === null;
  const name = Buffer.from(item.name);
  const out = Buffer.alloc(26);
  out.writeUInt16LE(51, 0);
  out.writeUInt16LE((item.password === null ? 0 : 1) | (item.descriptor === undefined ? 0 : 8), 2);
  out.writeUInt16LE(method, 4);
  out.writeUInt16LE(TIME, 6);
  out.writeUInt32LE(isLate ? 0 : crc, 10);
  out.writeUInt32LE(isLate ? 0 : content.length, 14);
  out.writeUInt32LE(isLate ? 0 : (item.declared ?? item.bytes.length), 18);
  out.writeUInt16LE(name.length, 22);
  out.writeUInt16LE(extra.length, 24);
  if (offset === null) return Buffer.concat([Buffer.from('PK\u0003\u0004', 'latin1'), out, name, extra]);
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(offset, 10);
  return Buffer.concat([Buffer.from('PK\u0001\u0002\u0033\0', 'latin1'), out, rest, name, extra]);
};

const descriptorOf = ({ descriptor, bytes }: LockedItem, { content, crc }: Packed): Buffer => {
  if (descriptor === undefined) return Buffer.alloc(0);
  const out = Buffer.alloc(12);
  out.writeUInt32LE(crc, 0);
  out.writeUInt32LE(content.length, 4);
  out.writeUInt32LE(bytes.length, 8);
  return descriptor === 'bare' ? out : Buffer.concat([Buffer.from('PK\u0007\u0008', 'latin1'), out]);
};

export const lockedZip = (items: readonly LockedItem[]): Buffer => {
  const parts: Buffer[] = [];
  const directory: Buffer[] = [];
  let position = 0;
  for (const item of items) {
    const packed = packedOf(item);
    directory.push(headerOf(item, packed, position));
    const local = Buffer.concat([headerOf(item, packed, null), packed.content, descriptorOf(item, packed)]);
    parts.push(local);
    position += local.length;
  }
  const end = Buffer.alloc(22);
  end.write('PK\u0005\u0006', 'latin1');
  end.writeUInt16LE(items.length, 8);
  end.writeUInt16LE(items.length, 10);
  end.writeUInt32LE(Buffer.concat(directory).length, 12);
  end.writeUInt32LE(position, 16);
  return Buffer.concat([...parts, ...directory, end]);
};
