// Hashes of whole files and of small texts: the only importer of xxhash-wasm. Also the e-reader's partial MD5.
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import xxhash, { type XXHash } from 'xxhash-wasm';
import type { BookFile } from './book-file.js';
import type { AheadFile, FileRange } from './read-ahead.js';

const hashing = await xxhash();

const CHUNK_BYTES = 1024 * 1024;
const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);

const hex = (value: bigint): string => value.toString(16).padStart(16, '0');

/** XXH64 of a text, 16 hex digits. */
export const hashText = (text: string): string => hex(hashing.h64(text));

const SAMPLES = 256;

/** What hashing needs of a file. */
type Hashable = Pick<AheadFile, 'size' | 'isReadWhole' | 'readInto' | 'isSlow' | 'readAhead'>;

/** Hashes the next bytes, at most a chunk of them; returns their number. Nothing else may run between reading and hashing: all share a buffer. */
const update = async (state: XXHash<bigint>, file: Hashable, position: number): Promise<number> => {
  if (file.isSlow) await file.readAhead([{ position, length: CHUNK_BYTES }]);
  const length = file.readInto(chunk, position);
  state.update(chunk.subarray(0, length));
  return length;
};

/** XXH64 of the size and of pieces at equal distances, the first and the last among them. */
const hashSamples = async (file: Hashable, check: () => void): Promise<string> => {
  const state = hashing.create64().update(`${file.size} bytes, ${SAMPLES} samples`);
  const last = file.size - CHUNK_BYTES;
  for (let n = 0; n < SAMPLES; n += 1) {
    check();
    await update(state, file, Math.floor((last / (SAMPLES - 1)) * n));
  }
  return hex(state.digest());
};

/** XXH64 of the whole file, read once in large pieces. A file that is not read whole is hashed by samples. */
export const hashFile = async (file: Hashable, check: () => void): Promise<string> => {
  if (!file.isReadWhole) return hashSamples(file, check);
  const state = hashing.create64();
  for (let position = 0; position < file.size; ) {
    check();
    const read = await update(state, file, position);
    if (read === 0) break;
    position += read;
  }
  return hex(state.digest());
};

const SLICE_BYTES = 1024;
const SLICE_OFFSETS = [0, ...Array.from({ length: 11 }, (_, power) => 1024 * 4 ** power)];

/** Where the e-reader's partial MD5 reads. */
export const sliceRanges = (size: number): readonly FileRange[] =>
  SLICE_OFFSETS.filter((offset) => offset < size).map((position) => ({ position, length: SLICE_BYTES }));

/** The e-reader's partial MD5: 1 KiB slices at 0, 1 KiB, 4 KiB, 16 KiB … 1 GiB, as far as the file goes. 32 hex digits. */
export const partialMd5 = (file: BookFile): string => {
  const md5 = createHash('md5');
  const slice = Buffer.allocUnsafe(SLICE_BYTES);
  for (const offset of SLICE_OFFSETS) {
    if (offset >= file.size) break;
    md5.update(slice.subarray(0, file.readInto(slice, offset)));
  }
  return md5.digest('hex');
};

/** CRC-32 of a part of a file, read piece by piece. */
export const crcOf = (file: Pick<BookFile, 'read'>, { position, length }: FileRange, check: () => void): number => {
  let crc = 0;
  for (let at = 0; at < length; at += CHUNK_BYTES) {
    check();
    crc = crc32(file.read(position + at, Math.min(CHUNK_BYTES, length - at)), crc);
  }
  return crc >>> 0;
};
