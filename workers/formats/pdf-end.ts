// Whether a PDF document lacks its end, as after an interrupted download.
import type { BookFile } from '../book-file.js';

/** The end mark is in the last 1,024 bytes (ISO 32000-1, 7.5.5 and annex H, note 18); some programs add a few more. */
const TAIL_BYTES = 4096;
const HEAD_BYTES = 2048;

/** A linearized document says how long it is. Its first part has an end mark of its own. */
const STATED_LENGTH = /\/Linearized\b[^>]{0,300}?\/L\s{1,9}(\d{1,12})/;

/**
 * An end that names where the last table of objects is. Programs that rewrite a linearized document may leave its stated length, which is then
 * wrong; the end mark of its first part names no place.
 */
const LOCATED_END = /startxref\s{1,9}0{0,9}[1-9]\d{0,11}\s{1,9}%%EOF\s{0,9}$/;

/** After an end mark, a change was appended. */
const OBJECT = /\s\d{1,10}\s\d{1,5}\sobj\b/;

/** Zero bytes and white space after the document: disks and downloads are filled up with them. */
const PADDING: ReadonlySet<number> = new Set([0, 9, 10, 12, 13, 32]);
const PADDING_MAX_BYTES = 64 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;

/** The size of a file without the padding at its end. */
const sizeOfContent = (file: BookFile): number => {
  const least = Math.max(0, file.size - PADDING_MAX_BYTES);
  let chunkBytes = TAIL_BYTES;
  for (let end = file.size; end > least; chunkBytes = CHUNK_BYTES) {
    const start = Math.max(least, end - chunkBytes);
    const at = file.read(start, end - start).findLastIndex((byte) => !PADDING.has(byte));
    if (at >= 0) return start + at + 1;
    end = start;
  }
  return least;
};

const statesMore = (file: BookFile): boolean => {
  const head = file.read(0, Math.min(file.size, HEAD_BYTES)).toString('latin1');
  const stated = STATED_LENGTH.exec(head)?.[1];
  return stated !== undefined && Number(stated) > file.size;
};

export const lacksEnd = (file: BookFile): boolean => {
  const size = sizeOfContent(file);
  const length = Math.min(size, TAIL_BYTES);
  const tail = file.read(size - length, length).toString('latin1');
  if (!LOCATED_END.test(tail) && statesMore(file)) return true;
  const end = Math.max(tail.lastIndexOf('%%EOF'), tail.lastIndexOf('startxref'));
  return end < 0 || OBJECT.test(tail.slice(end));
};
