// Hashes the file: completely, to detect duplicates, moves and changes; in slices for the e-reader. The first step that reads, so that a
// slow disk is read once and in order; later steps find the bytes in the page cache. A large file that does not begin like a book is hashed
// after the scan, unless a book is found in it.
import type { Fingerprint } from '../../core/model/jobs.js';
import type { BookFile } from '../book-file.js';
import { beginsLikeBook, isReadThrough } from '../formats/all.js';
import { hashFile, partialMd5 } from '../hashes.js';
import { type AheadFile, SMALL_FILE_BYTES } from '../read-ahead.js';
import { type Run, step } from '../step.js';
import type { Bag } from '../step-values.js';

/** A disk image with a book's extension is not read to its end while books wait to be analysed. */
const UNHASHED = '';

/** The slices go first: what was read ahead of them is forgotten while the whole file is read. */
const fingerprintOf = async (file: BookFile, whole: () => string | Promise<string>): Promise<Fingerprint> => {
  const koreaderHash = partialMd5(file);
  return { sizeBytes: file.size, fileHash: await whole(), koreaderHash };
};

const hashed = (file: AheadFile, run: Run): Promise<Fingerprint> =>
  fingerprintOf(file, () => hashFile(file, run.check));

/** A slow disk is not read to the end before the book can be read, unless nothing is won by that. */
const mayWait = ({ file, mustHash }: Pick<Bag, 'file' | 'mustHash'>): boolean =>
  file.isSlow && !mustHash && file.size > SMALL_FILE_BYTES && !isReadThrough(file);

type Found = Pick<Bag, 'fingerprint' | 'isHashDue'>;

const ofBook = async (bag: Pick<Bag, 'file' | 'mustHash'>, run: Run): Promise<Found> =>
  mayWait(bag)
    ? { fingerprint: await fingerprintOf(bag.file, () => UNHASHED), isHashDue: true }
    : { fingerprint: await hashed(bag.file, run), isHashDue: false };

export const hash = step({
  name: 'hash',
  needs: ['file'],
  gives: ['fingerprint'],
  run: async ({ file }, run) => ({ fingerprint: await hashed(file, run) }),
});

export const hashLikelyBook = step({
  name: 'hash',
  needs: ['file', 'mustHash'],
  gives: ['fingerprint', 'isHashDue'],
  run: async (bag, run) =>
    beginsLikeBook(bag.file) || bag.file.size <= SMALL_FILE_BYTES
      ? ofBook(bag, run)
      : { fingerprint: await fingerprintOf(bag.file, () => UNHASHED), isHashDue: true },
});

/** A book that is preceded by other bytes. */
export const hashFoundBook = step({
  name: 'hash-found',
  needs: ['file', 'mustHash', 'fingerprint', 'isHashDue', 'container'],
  gives: ['fingerprint', 'isHashDue'],
  run: async (bag, run) => {
    const { container, fingerprint, isHashDue } = bag;
    const isSettled = container === null || fingerprint.fileHash !== UNHASHED || beginsLikeBook(bag.file);
    return isSettled ? { fingerprint, isHashDue } : ofBook(bag, run);
  },
});

export const hashSlices = step({
  name: 'hash-slices',
  needs: ['file'],
  gives: ['koreaderHash'],
  run: ({ file }) => ({ koreaderHash: partialMd5(file) }),
});
