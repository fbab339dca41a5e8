// What a zip archive says about one file in it, in the directory at its end or before the content: names, extra fields, wide sizes.
import { crc32 } from 'node:zlib';
import { plainName } from '../../core/model/page-names.js';
import { decodeNames, type RawName } from './entry-names.js';

export interface ZipEntry {
  readonly name: string;
  /** Position of the local header. */
  readonly offset: number;
  readonly packedSize: number;
  readonly size: number;
  /** CRC-32 of the content, as the directory says; 0 without a directory. */
  readonly crc: number;
  readonly method: number;
  readonly isEncrypted: boolean;
  readonly isFolder: boolean;
  /** A symbolic link, a device: anything that is neither file nor folder. */
  readonly isSpecial: boolean;
  /** The fault of an entry found without a directory: its end is missing, or not where it should be. */
  readonly damage: 'none' | 'cutOff' | 'damaged';
  /** Another entry counts instead: some programs update a file by adding it again. */
  readonly isReplaced: boolean;
}

/** True where the bytes are not those that were packed. Some programs leave the checksum at 0. */
export const isAltered = ({ crc }: Pick<ZipEntry, 'crc'>, bytes: Uint8Array): boolean =>
  crc !== 0 && crc32(bytes) !== crc;

export interface RawEntry {
  readonly name: RawName;
  readonly entry: Omit<ZipEntry, 'name' | 'isReplaced'>;
}

export const MAX32 = 0xffffffff;
export const ZIP64_FIELD = 0x0001;
const UNICODE_PATH_FIELD = 0x7075;
/** General purpose flags (4.4.4). */
export const FLAG = { encrypted: 0x0001, descriptor: 0x0008, utf8: 0x0800 } as const;

/** Sizes and offset above 4 GiB are in an extra field, in this order, only those that did not fit (4.5.3). */
export const wide = (extra: Buffer, fields: readonly number[]): number[] => {
  let at = 0;
  return fields.map((field) => {
    if (field !== MAX32 || at + 8 > extra.length) return field;
    const value = Number(extra.readBigUInt64LE(at));
    at += 8;
    return value;
  });
};

/** The content of one extra field, as far as it is present (4.5.1); null when there is none. */
export const extraField = (extra: Buffer, id: number): Buffer | null => {
  for (let at = 0; at + 4 <= extra.length; ) {
    const size = extra.readUInt16LE(at + 2);
    if (extra.readUInt16LE(at) === id) return extra.subarray(at + 4, at + 4 + size);
    at += 4 + size;
  }
  return null;
};

/** Valid only while it matches the name next to it: a program that renames entries may leave an old one behind. */
export const unicodePath = (extra: Buffer, name: Buffer): Buffer | null => {
  const field = extraField(extra, UNICODE_PATH_FIELD);
  if (field === null || field.length < 6 || field.readUInt32LE(1) !== crc32(name)) return null;
  return field.subarray(5);
};

/**
 * Of files with the same name, all but the last; a damaged one does not replace a whole one. Bytes are compared too: different ones may be the
 * same text where the encoding is unknown, and the same bytes different texts where a field has the name.
 */
const replacedAmong = (found: readonly RawEntry[], names: readonly string[]): ReadonlySet<RawEntry> => {
  const replaced = new Set<RawEntry>();
  const counting = new Map<string, RawEntry>();
  for (const [at, one] of found.entries()) {
    if (one.entry.isFolder) continue;
    const key = `${names[at]}\0${Buffer.from(one.name.bytes).toString('latin1')}`;
    const before = counting.get(key);
    const isWorse = one.entry.damage !== 'none' && before?.entry.damage === 'none';
    if (before !== undefined) replaced.add(isWorse ? one : before);
    if (!isWorse) counting.set(key, one);
  }
  return replaced;
};

/** Entries with their names as text: the encoding of one may only be clear from the others. */
export const withNames = (found: readonly RawEntry[]): readonly ZipEntry[] => {
  const names = decodeNames(found.map(({ name }) => name));
  const replaced = new Set(names).size === names.length ? null : replacedAmong(found, names);
  return found.map((one, index) => {
    const { entry } = one;
    const named = names[index] ?? '';
    const name = named.includes('\0') ? named.replaceAll('\0', '\ufffd') : named;
    const isFolder = entry.isFolder || (entry.size === 0 && /[/\\]$/.test(name));
    // One by one: spreading an object whose numbers need more than 31 bits takes many times as long.
    const { offset, packedSize, size, crc, method, isEncrypted, isSpecial, damage } = entry;
    const isReplaced = replaced?.has(one) ?? false;
    const text = plainName(name);
    return { name: text, offset, packedSize, size, crc, method, isEncrypted, isFolder, isSpecial, damage, isReplaced };
  });
};
