// Reads a folder without a database: what a scan would find, and how fast this machine finds it. Keeps only counts.

import type { Pool } from '../engine/pool.js';
import { AppError } from '../model/errors.js';
import { BOOK_FORMATS } from '../model/formats.js';
import type { Analysis, Limits, ThumbnailOptions, WalkedFolder } from '../model/jobs.js';
import { PageTable } from '../model/page-table.js';

export interface SurveyParts {
  readonly pool: Pool;
  readonly limits: Limits;
  readonly thumbnail: ThumbnailOptions;
}

export interface Survey {
  readonly folders: number;
  readonly books: number;
  readonly pages: number;
  readonly bytes: number;
  readonly walkMs: number;
  readonly analysisMs: number;
  /** At most a hundred; `unreadableCount` counts all. */
  readonly unreadable: readonly { readonly path: string; readonly message: string }[];
  readonly unreadableCount: number;
}

const WALK_BATCH = 20_000;
const UNREADABLE_KEPT = 100;

class Tally {
  folders = 0;
  books = 0;
  pages = 0;
  bytes = 0;
  walkMs = 0;
  unreadableCount = 0;
  readonly unreadable: { path: string; message: string }[] = [];

  fault(path: string, message: string): void {
    this.unreadableCount += 1;
    if (this.unreadable.length < UNREADABLE_KEPT) this.unreadable.push({ path, message });
  }

  add(path: string, analysis: Analysis): void {
    this.pages += analysis.pageTable === null ? 0 : new PageTable(analysis.pageTable).pageCount;
    this.bytes += analysis.sizeBytes;
    if (analysis.fault !== null) this.fault(path, analysis.fault.message);
  }
}

const pathsOf = (root: string, folder: WalkedFolder): string[] =>
  (folder.files?.names ?? []).map((name) =>
    folder.path === '' ? `${root}/${name}` : `${root}/${folder.path}/${name}`,
  );

const analyseAll = async (
  parts: SurveyParts,
  root: string,
  paths: readonly string[],
  tally: Tally,
  onBook: (books: number) => void,
): Promise<void> => {
  const waiting = [...paths].reverse();
  const worker = async (): Promise<void> => {
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      const input = { path, root, limits: parts.limits, thumbnail: parts.thumbnail, withCover: false };
      try {
        tally.add(path, await parts.pool.run('analyze', input, { lane: 'background' }));
      } catch (thrown) {
        tally.fault(path, thrown instanceof AppError ? thrown.message : String(thrown));
      }
      tally.books += 1;
      onBook(tally.books);
    }
  };
  await Promise.all(Array.from({ length: parts.pool.backgroundWidth * 2 + 2 }, worker));
};

/** `onBook` is called after every book. */
export const survey = async (parts: SurveyParts, root: string, onBook: (books: number) => void): Promise<Survey> => {
  const tally = new Tally();
  const started = performance.now();
  let rest: readonly string[] = [''];
  while (rest.length > 0) {
    const walkStarted = performance.now();
    const input = {
      root,
      folders: rest,
      known: new Map<string, string>(),
      extensions: BOOK_FORMATS,
      excluded: '',
      readsSeries: false,
      fileBudget: WALK_BATCH,
    };
    const found = await parts.pool.run('walk', input, { lane: 'background' });
    tally.walkMs += performance.now() - walkStarted;
    tally.folders += found.folders.length;
    for (const { path, reason } of found.unreadable) tally.fault(path, reason);
    tally.unreadableCount += found.unreadableCount - found.unreadable.length;
    await analyseAll(
      parts,
      root,
      found.folders.flatMap((folder) => pathsOf(root, folder)),
      tally,
      onBook,
    );
    rest = found.rest;
  }
  const { folders, books, pages, bytes, walkMs, unreadable, unreadableCount } = tally;
  return {
    folders,
    books,
    pages,
    bytes,
    walkMs,
    analysisMs: performance.now() - started - walkMs,
    unreadable,
    unreadableCount,
  };
};
