// Finds where known content is stored in a file. Pages follow each other in most files, so each search starts at the last match.
import type { BookFile } from '../book-file.js';

const CHUNK_BYTES = 256 * 1024;
/** The next image usually begins right after the last one: looking there costs no large read. */
const NEAR_BYTES = 4 * 1024;
const PIECE_BYTES = 64 * 1024;
/** Long enough to be rare; the whole content is compared afterwards. */
const NEEDLE_BYTES = 64;
/** What all searches together may read in vain: some files store their images in no order at all. */
const READ_FACTOR = 4;

export class Finder {
  readonly #file: BookFile;
  readonly #piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
  #from = 0;
  #left: number;

  constructor(file: BookFile) {
    this.#file = file;
    this.#left = READ_FACTOR * file.size + CHUNK_BYTES;
  }

  /** Position of the first byte; undefined when the bytes are not stored there unchanged. */
  find(bytes: Uint8Array): number | undefined {
    const found = this.#search(bytes, this.#from, this.#file.size) ?? this.#search(bytes, 0, this.#from);
    if (found !== undefined) this.#from = found + bytes.length;
    return found;
  }

  #search(bytes: Uint8Array, from: number, to: number): number | undefined {
    const needle = bytes.subarray(0, NEEDLE_BYTES);
    let step = NEAR_BYTES;
    for (let at = from; at < to && this.#left > 0; at += step, step = CHUNK_BYTES) {
      const chunk = this.#file.read(at, Math.min(step + needle.length, this.#file.size - at));
      for (let hit = chunk.indexOf(needle); hit >= 0; hit = chunk.indexOf(needle, hit + 1)) {
        if (this.#isAt(bytes, at + hit)) return at + hit;
      }
      this.#left -= chunk.length;
    }
    return undefined;
  }

  /** Compared piece by piece in the same memory: documents contain hundreds of images, and each would need its own buffer. */
  #isAt(bytes: Uint8Array, position: number): boolean {
    if (position + bytes.length > this.#file.size) return false;
    for (let at = 0; at < bytes.length; at += this.#piece.length) {
      const wanted = bytes.subarray(at, at + this.#piece.length);
      const found = this.#piece.subarray(0, wanted.length);
      if (this.#file.readInto(found, position + at) === wanted.length && found.equals(wanted)) continue;
      this.#left -= at + wanted.length;
      return false;
    }
    return true;
  }
}
