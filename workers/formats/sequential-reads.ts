// Reads for a reader that asks for little at a time, and for much of it twice: the PDF engine takes 8 kB of a stream, then 8 kB from the
// middle of those on. From the second such read on, what follows is read in one call.
import type { BookFile } from '../book-file.js';

const WINDOW_BYTES = 64 * 1024;

type ReadInto = BookFile['readInto'];

/** Nothing at or after `end` is read. */
export const sequentialReads = (file: Pick<BookFile, 'readInto'>, end: number): ReadInto => {
  let window: Uint8Array | null = null;
  /** The part of the file in the window. */
  let [from, until] = [0, 0];
  /** The latest read. */
  let [last, lastEnd] = [0, 0];

  const fill = (position: number): void => {
    window ??= new Uint8Array(new ArrayBuffer(WINDOW_BYTES));
    from = until = position;
    until += file.readInto(window.subarray(0, end - position), position);
  };

  return (target, position) => {
    const wanted = target.subarray(0, Math.max(0, end - position));
    if (wanted.length === 0) return 0;
    const isNext = position > last && position <= lastEnd;
    [last, lastEnd] = [position, position + wanted.length];
    const isHeld = (): boolean => position >= from && lastEnd <= until;
    if (!isHeld() && isNext && wanted.length < WINDOW_BYTES) fill(position);
    if (window === null || !isHeld()) return file.readInto(wanted, position);
    wanted.set(window.subarray(position - from, lastEnd - from));
    return wanted.length;
  };
};
