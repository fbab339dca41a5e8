// Reads several places of a file at once, where its disk takes long to answer, and keeps the bytes: whoever asks for them later waits for
// nothing. Where the disk answers at once, nothing is read ahead.
import { workerData } from 'node:worker_threads';
import type { MeteredFile } from './book-file.js';

export interface FileRange {
  readonly position: number;
  readonly length: number;
}

/** A book file that may be read ahead. */
export interface AheadFile extends MeteredFile {
  /** True when its disk took so long to answer that reads are better waited for together. */
  readonly isSlow: boolean;
  /** Reads these places at once, and forgets what was read ahead before, unless that was the whole file. */
  readAhead(ranges: readonly FileRange[]): Promise<void>;
  /** Reads bytes, and with the same call `more` that follow and may be asked for next: a call takes longer than a few kilobytes. */
  readOn(position: number, length: number, more: number): Buffer;
}

/** Files up to this size are read whole: on a slow disk in one go. */
export const SMALL_FILE_BYTES = 2 * 1024 * 1024;

const given: unknown = workerData;
/** Reads that this thread may have under way. */
export const readsMax =
  typeof given === 'object' && given !== null && 'reads' in given && typeof given.reads === 'number' ? given.reads : 0;

/** An answer that takes longer came from a disk, and not from memory. */
export const SLOW_MS = 2;
/** What recognises a format looks at so many bytes. */
const HEAD_BYTES = 1100;
/** What file systems in user space and many networks read at a time. */
const PIECE_BYTES = 128 * 1024;
/** Reading so much in vain takes less time than another answer. */
const GAP_BYTES = 64 * 1024;
const BLOCK_BYTES = 4096;

interface Piece extends FileRange {
  bytes: Buffer | null;
}

/** Whole blocks that cover these ranges, in order, in pieces of moderate size. */
export const piecesOf = (ranges: readonly FileRange[], size: number): readonly FileRange[] => {
  const pieces: { position: number; end: number }[] = [];
  for (const { position, length } of ranges.toSorted((one, other) => one.position - other.position)) {
    const end = Math.min(size, position + length);
    for (let from = position - (position % BLOCK_BYTES); from < end; ) {
      const last = pieces.at(-1);
      if (
        last !== undefined &&
        from <= last.end + GAP_BYTES &&
        Math.max(last.end, end) <= last.position + PIECE_BYTES
      ) {
        last.end = Math.max(last.end, end);
        break;
      }
      from = Math.max(from, last?.end ?? 0);
      const to = Math.min(end, from + PIECE_BYTES);
      if (to > from) pieces.push({ position: from, end: to });
      from = to;
    }
  }
  return pieces.map(({ position, end }) => ({ position, length: end - position }));
};

/** One after the other in each of some lanes. Waits for all, whatever happens: the file is closed afterwards. */
const readAll = async (file: MeteredFile, pieces: readonly Piece[]): Promise<void> => {
  const left = pieces.values();
  const lane = async (): Promise<void> => {
    for (const piece of left) {
      const bytes = Buffer.allocUnsafeSlow(piece.length);
      // What cannot be read ahead is read again when it is needed, and fails there.
      const length = await file.readLater(bytes, piece.position).catch(() => 0);
      if (length === piece.length) piece.bytes = bytes;
    }
  };
  await Promise.all(Array.from({ length: readsMax }, lane));
};

/** The piece in which a position lies, by halves. */
const pieceAt = (pieces: readonly Piece[], position: number): Piece | undefined => {
  let low = 0;
  let high = pieces.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((pieces[middle]?.position ?? 0) <= position) low = middle + 1;
    else high = middle;
  }
  return pieces[low - 1];
};

/** The first bytes, or all of a short file, tell how long the disk takes, unless opening the file has told that. */
const headOf = (file: MeteredFile, now: () => number): { readonly isSlow: boolean; readonly head: Buffer | null } => {
  if (readsMax > 1 && file.openedMs > SLOW_MS) return { isSlow: true, head: null };
  const started = now();
  const head = file.read(0, file.size > PIECE_BYTES ? HEAD_BYTES : file.size);
  return { isSlow: readsMax > 1 && now() - started > SLOW_MS, head };
};

/** Copies bytes that were read ahead; false when some of them were not. */
const copied = (pieces: readonly Piece[], target: Uint8Array, position: number): boolean => {
  for (let done = 0; done < target.length; ) {
    const piece = pieceAt(pieces, position + done);
    const from = position + done - (piece?.position ?? 0);
    if (piece?.bytes == null || from >= piece.length) return false;
    const bytes = piece.bytes.subarray(from, from + target.length - done);
    target.set(bytes, done);
    done += bytes.length;
  }
  return true;
};

/** One that is read as it is asked for. */
export const neverAhead = (file: MeteredFile): AheadFile => ({
  ...file,
  isSlow: false,
  readAhead: async () => undefined,
  readOn: (position, length) => file.read(position, length),
});

/** `now`: in milliseconds; a test has its own clock. */
export const aheadOf = (file: MeteredFile, now = (): number => performance.now()): AheadFile => {
  const { isSlow, head } = headOf(file, now);
  let pieces: readonly Piece[] = head === null ? [] : [{ position: 0, length: head.length, bytes: head }];
  let isWhole = head?.length === file.size;
  /** Read on by the latest such call. */
  let latest: Piece = { position: 0, length: 0, bytes: null };
  const held = (position: number, length: number): Buffer | null => {
    if (latest.bytes !== null && position >= latest.position && position + length <= latest.position + latest.length)
      return latest.bytes.subarray(position - latest.position, position - latest.position + length);
    const piece = pieceAt(pieces, position);
    const from = position - (piece?.position ?? 0);
    if (piece?.bytes != null && from + length <= piece.length) return piece.bytes.subarray(from, from + length);
    if (piece?.bytes == null || from >= piece.length) return null;
    const bytes = Buffer.allocUnsafeSlow(length);
    return copied(pieces, bytes, position) ? bytes : null;
  };
  const read = (position: number, length: number): Buffer => {
    const isInside = position >= 0 && length >= 0 && position + length <= file.size;
    return (isInside ? held(position, length) : null) ?? file.read(position, length);
  };
  return {
    ...file,
    isSlow,
    read,
    readOn: (position, length, more) => {
      const all = Math.min(length + more, file.size - position);
      if (isWhole || all < length) return read(position, length);
      const bytes = read(position, all);
      latest = { position, length: bytes.length, bytes };
      return bytes.subarray(0, length);
    },
    readInto: (target, position) => {
      const wanted = target.subarray(0, Math.max(0, file.size - position));
      return copied(pieces, wanted, position) ? wanted.length : file.readInto(target, position);
    },
    readAhead: async (ranges) => {
      if (!isSlow || isWhole) return;
      const some = piecesOf(ranges, file.size).map((range): Piece => ({ ...range, bytes: null }));
      await readAll(file, some);
      pieces = some;
      isWhole = some.reduce((sum, { length }) => sum + length, 0) === file.size;
    },
  };
};
