// Hashes of whole files and of small texts: the only importer of xxhash-wasm. Also the e-reader's partial MD5.
import { createHash } from 'node:crypto';
import xxhash from 'xxhash-wasm';
import type { BookFile } from './book-file.js';

const hashing = await xxhash();

const CHUNK_BYTES = 1024 * 1024;
const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);

const hex = (value: bigint): string => value.toString(16).padStart(16, '0');

/** XXH64 of a text, 16 hex digits. */
export const hashText = (text: string): string => hex(hashing.h64(text));

const SAMPLES = 256;

/** XXH64 of the size and of pieces at equal distances, the first and the last among them. */
const hashSamples = (file: BookFile, check: () => void): string => {
  const state = hashing.create64().update(`${file.size} bytes, ${SAMPLES} samples`);
  const last = file.size - CHUNK_BYTES;
  for (let n = 0; n < SAMPLES; n += 1) {
    check();
    state.update(chunk.subarray(0, file.readInto(chunk, Math.floor((last / (SAMPLES - 1)) * n))));
  }
  return hex(state.digest());
};

/** XXH64 of the whole file, read once in large pieces. A file that is not read whole is hashed by samples. */
export const hashFile = (file: BookFile, check: () => void): string => {
  if (!file.isReadWhole) return hashSamples(file, check);
  const state = hashing.create64();
  for (let position = 0; position < file.size; ) {
    check();
    const read = file.readInto(chunk, position);
    if (read === 0) break;
    state.update(chunk.subarray(0, read));
    position += read;
  }
  return hex(state.digest());
};

const SLICE_BYTES = 1024;
const SLICE_OFFSETS = [0, ...Array.from({ length: 11 }, (_, power) => 1024 * 4 ** power)];

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
