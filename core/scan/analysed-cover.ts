// The cover of a book that was just analysed: kept, or due.
import type { RunOptions } from '../engine/pool.js';
import type { Analysis } from '../model/jobs.js';
import { coverKey, versionOf } from '../pages/version.js';
import type { DueBook, ScanParts } from './context.js';

/** For whom, and how long. */
export interface AnalysisRun extends Pick<RunOptions, 'lane' | 'user' | 'signal' | 'deadlineMs'> {
  readonly withCover: boolean;
  /** See DrainOptions. */
  readonly isListed: boolean;
  /** The disk is slow, and hashes are left for later where they can be. */
  readonly leavesHash: boolean;
}

/** Keeps the cover, or finds out whether it is still due: one that is in the cache is not. */
export const settleCover = async (
  { blobs, thumbnail, onFault }: ScanParts,
  book: DueBook,
  analysis: Analysis,
): Promise<Pick<Analysis, 'cover' | 'isCoverDue'>> => {
  // No cover has been made of a book that was never read.
  if (analysis.isCoverDue && book.wasAnalysed === 0) return { cover: null, isCoverDue: true };
  const isOther = book.wasAnalysed === 1 && (book.fileHash !== analysis.fileHash || analysis.isHashDue);
  const revision = book.revision + Number(isOther);
  const key = coverKey(book.id, versionOf(revision, analysis.sizeBytes, analysis.mtimeMs), thumbnail);
  if (analysis.isCoverDue) return { cover: null, isCoverDue: !blobs.has(key) };
  if (analysis.cover === null) return { cover: null, isCoverDue: false };
  const storing =
    book.wasAnalysed === 1 ? blobs.replace(key, analysis.cover.bytes) : blobs.put(key, analysis.cover.bytes);
  await storing.catch(onFault);
  return { cover: null, isCoverDue: !blobs.isKeeping }; // a cache that fails keeps nothing
};
