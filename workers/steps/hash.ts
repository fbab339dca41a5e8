// Hashes the file: completely, to detect duplicates, moves and changes; in slices for the e-reader. The first step that reads, so that a
// slow disk is read once and in order; later steps find the bytes in the page cache. A file that does not begin like a book is hashed only
// if it is one.
import type { Fingerprint } from '../../core/model/jobs.js';
import type { BookFile } from '../book-file.js';
import { beginsLikeBook } from '../formats/all.js';
import { hashFile, partialMd5 } from '../hashes.js';
import type { AheadFile } from '../read-ahead.js';
import { type Run, step } from '../step.js';

/** For a file that is not a book: a disk image with a book's extension is not read to its end. */
const UNHASHED = '';

/** The slices go first: what was read ahead of them is forgotten while the whole file is read. */
const fingerprintOf = async (file: BookFile, whole: () => string | Promise<string>): Promise<Fingerprint> => {
  const koreaderHash = partialMd5(file);
  return { sizeBytes: file.size, fileHash: await whole(), koreaderHash };
};

const hashed = (file: AheadFile, run: Run): Promise<Fingerprint> =>
  fingerprintOf(file, () => hashFile(file, run.check));

export const hash = step({
  name: 'hash',
  needs: ['file'],
  gives: ['fingerprint'],
  run: async ({ file }, run) => ({ fingerprint: await hashed(file, run) }),
});

export const hashLikelyBook = step({
  name: 'hash',
  needs: ['file'],
  gives: ['fingerprint'],
  run: async ({ file }, run) => ({
    fingerprint: beginsLikeBook(file) ? await hashed(file, run) : await fingerprintOf(file, () => UNHASHED),
  }),
});

/** A book that is preceded by other bytes. */
export const hashFoundBook = step({
  name: 'hash-found',
  needs: ['file', 'fingerprint', 'container'],
  gives: ['fingerprint'],
  run: async ({ file, fingerprint, container }, run) => ({
    fingerprint: container === null || fingerprint.fileHash !== UNHASHED ? fingerprint : await hashed(file, run),
  }),
});

export const hashSlices = step({
  name: 'hash-slices',
  needs: ['file'],
  gives: ['koreaderHash'],
  run: ({ file }) => ({ koreaderHash: partialMd5(file) }),
});
