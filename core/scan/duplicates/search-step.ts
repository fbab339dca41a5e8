// What the steps of a search for duplicates share.
import { setImmediate as turn } from 'node:timers/promises';
import { AppError } from '../../model/errors.js';
import type { TaskContext } from '../../tasks/task.js';

export interface SearchStep {
  readonly signal: AbortSignal;
  /** Throws when the search is to stop. */
  check(): void;
  /** Counts one more book that was read. */
  bookRead(): void;
  nowMs(): number;
  /** Keys of the groups that this search has found. */
  readonly seen: Set<number>;
}

export const searchStep = ({ signal, progress }: TaskContext, nowMs: () => number): SearchStep => {
  let books = 0;
  return {
    signal,
    check: () => {
      if (signal.aborted) throw new AppError('Cancelled');
    },
    bookRead: () => {
      books += 1;
      progress(books, null);
    },
    nowMs,
    seen: new Set(),
  };
};

/** A request that comes meanwhile waits this long. */
const SLICE_MS = 5;

/** Lets others have the thread when it was held for a while. */
export const sharing = (): (() => Promise<void>) => {
  let sinceMs = performance.now();
  return async () => {
    if (performance.now() - sinceMs < SLICE_MS) return;
    await turn();
    sinceMs = performance.now();
  };
};
