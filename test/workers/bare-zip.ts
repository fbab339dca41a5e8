// Writes zip files without a directory, as they are while a download is under way, in all the ways programs write what stands around content.
import { crc32, deflateRawSync } from 'node:zlib';

/** Where the lengths stand: in the header, or behind the content with or without a signature, narrow or wide. */
export const LENGTHS = ['before', 'signed', 'unsigned', 'signedWide', 'unsignedWide'] as const;
export type Lengths = (typeof LENGTHS)[number];

export interface BareItem {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly isDeflated: boolean;
  readonly lengths: Lengths;
  /** Another packed length than the true one. */
  readonly lie?: number;
}

export interface BareEntry {
  readonly item: BareItem;
  /** Where the local header, the content, and all of the entry begin and end. */
  readonly at: number;
  readonly start: number;
  readonly contentEnd: number;
  readonly end: number;
}

export interface BareZip {
  readonly bytes: Buffer;
  readonly entries: readonly BareEntry[];
}

const numbers = (...fields: readonly (readonly [value: number, bytes: 2 | 4 | 8])[]): Buffer => {
  const out = Buffer.alloc(fields.reduce((sum, [, bytes]) => sum + bytes, 0));
  let at = 0;
  for (const [value, bytes] of fields) {
    if (bytes === 8) out.writeBigUInt64LE(BigInt(value), at);
    else out.writeUIntLE(value, at, bytes);
    at += bytes;
  }
  return out;
};

const headerOf = ({ name, bytes, isDeflated, lengths, lie }: BareItem, packed: Uint8Array): Buffer => {
  const isBefore = lengths === 'before';
  const text = Buffer.from(name);
  const fixed = numbers(
    [0x04034b50, 4],
    [lengths.endsWith('Wide') ? 45 : 20, 2],
    [isBefore ? 0x0800 : 0x0808, 2],
    [isDeflated ? 8 : 0, 2],
    [0x5a21_0000, 4],
    [isBefore ? crc32(bytes) : 0, 4],
    [isBefore ? (lie ?? packed.length) : 0, 4],
    [isBefore ? bytes.length : 0, 4],
    [text.length, 2],
    [0, 2],
  );
  return Buffer.concat([fixed, text]);
};

const behind = ({ bytes, lengths, lie }: BareItem, packed: Uint8Array): Buffer => {
  if (lengths === 'before') return Buffer.alloc(0);
  const width = lengths.endsWith('Wide') ? 8 : 4;
  const sizes = numbers([crc32(bytes), 4], [lie ?? packed.length, width], [bytes.length, width]);
  return lengths.startsWith('signed') ? Buffer.concat([numbers([0x08074b50, 4]), sizes]) : sizes;
};

export const writeBareZip = (items: readonly BareItem[]): BareZip => {
  const parts: Buffer[] = [];
  let at = 0;
  const entries = items.map((item) => {
    const packed = item.isDeflated ? deflateRawSync(item.bytes) : Buffer.from(item.bytes);
    const header = headerOf(item, packed);
    const sizes = behind(item, packed);
    parts.push(header, packed, sizes);
    const start = at + header.length;
    const contentEnd = start + packed.length;
    const entry: BareEntry = { item, at, start, contentEnd, end: contentEnd + sizes.length };
    at = entry.end;
    return entry;
  });
  return { bytes: Buffer.concat(parts), entries };
};
