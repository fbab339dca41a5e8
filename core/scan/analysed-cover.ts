// The cover of a book that was just analysed: kept, made now where that is cheap, or due.
import type { RunOptions } from '../engine/pool.js';
import type { Analysis, Cover } from '../model/jobs.js';
import { PageTable } from '../model/page-table.js';
import { coverKey, versionOf } from '../pages/version.js';
import type { DueBook, ScanParts } from './context.js';

/** Time limit for rendering a cover. A book whose first page takes longer is still a book. */
const COVER_DEADLINE_MS = 20_000;

/** For whom, and how long. */
export interface AnalysisRun extends Pick<RunOptions, 'lane' | 'user' | 'signal' | 'deadlineMs'> {
  readonly withCover: boolean;
}

/** The cover of a book whose pages are rendered. Made apart from the analysis, so that a malicious page does not cost us the book. */
const drawnCover = async (
  { pool, limits, thumbnail }: ScanParts,
  { path, root }: DueBook,
  { format, fault, pageTable }: Analysis,
  { lane, user, signal }: AnalysisRun,
): Promise<Cover | null> => {
  if (format !== 'pdf' || fault !== null || pageTable === null) return null;
  const first = new PageTable(pageTable).firstSound();
  if (first === undefined) return null;
  const input = { path, root, pages: [first], thumbnail, limits };
  return pool.run('cover', input, { lane, user, signal, deadlineMs: COVER_DEADLINE_MS }).catch(() => null);
};

/**
 * Keeps the cover, or finds out whether it is still due: one that is in the cache is not. Nothing depends on the cover, which is made again
 * when somebody views it.
 */
export const settleCover = async (
  parts: ScanParts,
  book: DueBook,
  analysis: Analysis,
  run: AnalysisRun,
): Promise<Pick<Analysis, 'cover' | 'isCoverDue'>> => {
  const { blobs, thumbnail, onFault } = parts;
  const revision = book.revision + Number(book.fileHash !== '' && book.fileHash !== analysis.fileHash);
  const key = coverKey(book.id, versionOf(revision, analysis.sizeBytes, analysis.mtimeMs), thumbnail);
  if (analysis.isCoverDue && blobs.has(key)) return { cover: null, isCoverDue: false };
  const drawn = run.withCover && analysis.isCoverDue ? await drawnCover(parts, book, analysis, run) : null;
  const cover = analysis.cover ?? drawn;
  if (cover !== null) await blobs.put(key, cover.bytes).catch(onFault);
  return { cover: null, isCoverDue: analysis.isCoverDue && cover === null };
};
