// Searches a file for signatures of zip records, forwards, in pieces: small ones near the start of a search, since most records are right
// there.
import { AppError } from '../../core/model/errors.js';
import type { BookFile } from '../book-file.js';

const SIGNATURE_BYTES = 4;
const NEAR_BYTES = 4 * 1024;
const CHUNK_BYTES = 256 * 1024;
/** All signatures begin with it. */
const MARK = Buffer.from('PK');

export interface ZipRecord {
  readonly at: number;
  readonly signature: number;
}

export class ZipRecords {
  readonly file: BookFile;
  readonly #signatures: ReadonlySet<number>;
  readonly #check: () => void;
  readonly #room = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  /** The part of the file held in `#room`. */
  #start = 0;
  #length = 0;

  /** `check` is called for every piece and every search; it throws when the work has to stop. */
  constructor(file: BookFile, signatures: readonly number[], check: () => void) {
    this.file = file;
    this.#signatures = new Set(signatures);
    this.#check = check;
  }

  /** The first record that begins at `from` or later and before `to`. */
  next(from: number, to = this.file.size): ZipRecord | undefined {
    const last = Math.min(to, this.file.size - SIGNATURE_BYTES + 1);
    let step = NEAR_BYTES;
    for (let at = from; at < last; step = CHUNK_BYTES) {
      this.#check();
      const piece = this.#piece(at, step);
      const found = this.#in(piece, at);
      if (found !== undefined) return found.at < last ? found : undefined;
      // The next piece begins with the last bytes of this one: a signature may span both.
      at += piece.length - SIGNATURE_BYTES + 1;
    }
    return undefined;
  }

  /** The file from `at` on: the rest of the piece in memory, else a new one of at most `length` bytes. */
  #piece(at: number, length: number): Buffer {
    const isHere = at >= this.#start && at + SIGNATURE_BYTES <= this.#start + this.#length;
    if (isHere) return this.#room.subarray(at - this.#start, this.#length);
    this.#start = at;
    this.#length = Math.min(length, this.file.size - at);
    const piece = this.#room.subarray(0, this.#length);
    if (this.file.readInto(piece, at) !== piece.length) throw new AppError('FileChanged');
    return piece;
  }

  #in(piece: Buffer, start: number): ZipRecord | undefined {
    const last = piece.length - SIGNATURE_BYTES;
    for (let hit = piece.indexOf(MARK); hit >= 0 && hit <= last; hit = piece.indexOf(MARK, hit + MARK.length)) {
      const signature = piece.readUInt32LE(hit);
      if (this.#signatures.has(signature)) return { at: start + hit, signature };
    }
    return undefined;
  }
}
