// The content version of a book, and the cache keys made from it: other bytes mean another version, so nothing stale is ever found.
import { hexOfUuid } from '../model/ids.js';
import type { FileState } from '../model/jobs.js';

/** Revision counts changes that size and time did not show; together they name one state of the file. */
export const versionOf = (revision: number, sizeBytes: number, mtimeMs: number): string =>
  `${revision.toString(36)}.${sizeBytes.toString(36)}.${mtimeMs.toString(36)}`;

export const coverKey = (bookId: string, version: string): string => `cover/${hexOfUuid(bookId)}/${version}`;

export const pageKey = (bookId: string, version: string, pageNumber: number, form: string): string =>
  `page/${hexOfUuid(bookId)}/${version}/${pageNumber}/${form}`;

/** Strong: other content, page or form means another tag. Two books never share one. */
export const tagOf = (file: { readonly id: string; readonly version: string }, part: string): string =>
  `${file.id.slice(-12)}-${file.version}-${part}`;

/** What a job has to find at the path of a book. */
export const stateOf = (file: { readonly size: number; readonly mtimeMs: number }): FileState => ({
  sizeBytes: file.size,
  mtimeMs: file.mtimeMs,
});
