// Stores what a scan found, whatever happens: waits for a full disk, and lets no book keep others from being stored.
import { AppError } from '../model/errors.js';
import { patiently } from '../store/retry-writes.js';
import type { Finished, ScanParts } from './context.js';
import { type Marks, storeAnalyses } from './store-analysis.js';

const isCancelled = (thrown: unknown): boolean => thrown instanceof AppError && thrown.kind === 'Cancelled';

/** A book that cannot be stored stays due, without a remark: it was read, so its file is not to blame. */
const saveOne = async (parts: ScanParts, signal: AbortSignal, one: Finished): Promise<void> => {
  try {
    await patiently(parts.db, signal, () => storeAnalyses(parts, [one]));
  } catch (thrown) {
    if (isCancelled(thrown)) throw thrown;
    parts.onFault(new Error(`The analysis of book ${one.book.id} cannot be stored.`, { cause: thrown }));
    await patiently(parts.db, signal, () => storeAnalyses(parts, [], { unmark: [one.book.key] }));
  }
};

export const saveAnalyses = async (
  parts: ScanParts,
  signal: AbortSignal,
  finished: readonly Finished[],
  marks: Marks,
): Promise<void> => {
  try {
    await patiently(parts.db, signal, () => storeAnalyses(parts, finished, marks));
  } catch (thrown) {
    if (isCancelled(thrown) || finished.length === 0) throw thrown;
    for (const one of finished) await saveOne(parts, signal, one);
    await patiently(parts.db, signal, () => storeAnalyses(parts, [], marks));
  }
};
