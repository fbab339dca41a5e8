// By which a book is recognised in another file: checksums of its content, which retagging, renaming and converting do not change.
import { createHash } from 'node:crypto';

/** Of one entry of an archive. */
export interface Checksum {
  /** CRC-32; 0 where the archive has none. */
  readonly crc: number;
  readonly size: number;
}

/** Pages compared one by one. */
const SAMPLES = 3;
const CRC_DIGITS = 8;
const ALL_DIGITS = 16;
const NUMBER_BYTES = 8;

const hexOf = ({ crc }: Checksum): string => crc.toString(16).padStart(CRC_DIGITS, '0');

/** Numbers and not texts are hashed: writing thousands of large numbers as text takes longer than anything else here. */
const hashOf = (entries: readonly Checksum[]): string => {
  const numbers = Buffer.alloc(entries.length * 2 * NUMBER_BYTES);
  let at = 0;
  for (const { crc, size } of entries) {
    at = numbers.writeDoubleLE(crc, at);
    at = numbers.writeDoubleLE(size, at);
  }
  return createHash('sha256').update(numbers).digest('hex').slice(0, ALL_DIGITS);
};

/**
 * The checksums of the three largest entries, then a hash of all, whatever their names and their order. The largest are hardly ever blank,
 * and adding a page or taking one away seldom changes them. Null if fewer are different, or an archive has no checksums: such a book cannot be
 * told from others.
 */
export const pageHashesOf = (entries: readonly Checksum[]): string | null => {
  const filled = entries
    .filter(({ size }) => size > 0)
    .sort((one, other) => other.size - one.size || one.crc - other.crc);
  if (filled.some(({ crc }) => crc === 0)) return null;
  const distinct = filled.filter(({ crc, size }, at) => size !== filled[at - 1]?.size || crc !== filled[at - 1]?.crc);
  return distinct.length < SAMPLES ? null : distinct.slice(0, SAMPLES).map(hexOf).join('') + hashOf(filled);
};

/** SQL over stored hashes: the part that is only of the samples. */
export const samplesIn = (column: string): string => `substr(${column}, 1, ${SAMPLES * CRC_DIGITS})`;

/** The checksums of the samples. */
export const samplesOf = (hashes: string): readonly string[] =>
  Array.from({ length: SAMPLES }, (_, at) => hashes.slice(at * CRC_DIGITS, (at + 1) * CRC_DIGITS));

/** SQL over stored hashes: whether one of the samples is in a list, given as SQL. */
export const hasSampleIn = (column: string, list: string): string =>
  `(${Array.from({ length: SAMPLES }, (_, at) => `substr(${column}, ${at * CRC_DIGITS + 1}, ${CRC_DIGITS}) IN ${list}`).join(' OR ')})`;
