// The two parts of a file name: what it is called, and what format it claims to be.
import type { BookFormat } from './jobs.js';

export const BOOK_FORMATS: readonly BookFormat[] = ['cbz', 'cbr', 'epub', 'pdf'];

const lastDot = (fileName: string): number => fileName.lastIndexOf('.');

export const stemOf = (fileName: string): string =>
  lastDot(fileName) > 0 ? fileName.slice(0, lastDot(fileName)) : fileName;

export const formatOf = (fileName: string): BookFormat | undefined => {
  const extension = fileName.slice(lastDot(fileName) + 1).toLowerCase();
  return BOOK_FORMATS.find((format) => format === extension);
};
