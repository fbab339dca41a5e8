// Whether a PDF document lacks its end, as after an interrupted download.
import type { BookFile } from '../book-file.js';

/** The end mark is in the last 1,024 bytes (ISO 32000-1, 7.5.5 and annex H, note 18); some programs add a few more. */
const TAIL_BYTES = 4096;
const HEAD_BYTES = 2048;

/** A linearized document says how long it is. Its first part has an end mark of its own. */
const STATED_LENGTH = /\/Linearized\b[^>]{0,300}?\/L\s{1,9}(\d{1,12})/;

/** After an end mark, a change was appended. */
const OBJECT = /\s\d{1,10}\s\d{1,5}\sobj\b/;

export const lacksEnd = (file: BookFile): boolean => {
  const head = file.read(0, Math.min(file.size, HEAD_BYTES)).toString('latin1');
  const stated = STATED_LENGTH.exec(head)?.[1];
  if (stated !== undefined && Number(stated) > file.size) return true;
  const length = Math.min(file.size, TAIL_BYTES);
  const tail = file.read(file.size - length, length).toString('latin1');
  const end = Math.max(tail.lastIndexOf('%%EOF'), tail.lastIndexOf('startxref'));
  return end < 0 || OBJECT.test(tail.slice(end));
};
