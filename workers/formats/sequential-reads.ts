// Reads for the PDF engine, which takes 8 kB of a stream at a time, each beginning in the middle of the previous 8. From the second such read
// on, what follows is read in one call.
import type { BookFile } from '../book-file.js';

const BUFFER_BYTES = 64 * 1024;

type ReadInto = BookFile['readInto'];

/** Nothing at or after `end` is read. */
export const sequentialReads = (file: Pick<BookFile, 'readInto'>, end: number): ReadInto => {
  let buffer: Uint8Array | null = null;
  /** The part of the file in the buffer. */
  let [from, until] = [0, 0];
  /** The latest read. */
  let [lastStart, lastEnd] = [0, 0];

  const fill = (position: number): void => {
    buffer ??= new Uint8Array(BUFFER_BYTES);
    from = until = position;
    until += file.readInto(buffer.subarray(0, end - position), position);
  };

  return (target, position) => {
    const wanted = target.subarray(0, Math.max(0, end - position));
    if (wanted.length === 0) return 0;
    const isNext = position > lastStart && position <= lastEnd;
    [lastStart, lastEnd] = [position, position + wanted.length];
    const isHeld = (): boolean => position >= from && lastEnd <= until;
    if (!isHeld() && isNext && wanted.length < BUFFER_BYTES) fill(position);
    if (buffer === null || !isHeld()) return file.readInto(wanted, position);
    wanted.set(buffer.subarray(position - from, lastEnd - from));
    return wanted.length;
  };
};
