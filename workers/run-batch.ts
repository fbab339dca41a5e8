// Jobs that came together, one after the other. What a job leaves to the next is what it leaves to any job of this thread.
import { type BatchResult, beginJob, type JobBatch } from '../core/model/job-batch.js';
import type { Job, Outcome } from '../core/model/jobs.js';
import { monotonicMs } from '../core/model/monotonic.js';

export interface BatchParts {
  readonly runOne: (job: Job) => Promise<Outcome<unknown>>;
  /** True when this thread should run no other job after one that ended like this. */
  readonly isSpent: (outcome: Outcome<unknown>) => boolean;
  readonly tell: (batch: number, results: readonly BatchResult[]) => void;
}

/** Results wait this long for others: a message costs both sides more than a small job's result is worth. */
const TOLD_AFTER_MS = 50;

/** Returns the results that were not told before. */
export const runBatch = async (
  { batch = 0, following = [], ...first }: JobBatch,
  { runOne, isSpent, tell }: BatchParts,
): Promise<readonly BatchResult[]> => {
  let toldMs = performance.now();
  let results: BatchResult[] = [{ at: 0, outcome: await runOne(first) }];
  for (const [index, { limitMs, ...next }] of following.entries()) {
    if (results.some(({ outcome }) => isSpent(outcome))) break;
    if (!beginJob(next.control)) continue;
    if (performance.now() - toldMs > TOLD_AFTER_MS) {
      tell(batch, results);
      results = [];
      toldMs = performance.now();
    }
    results.push({ at: index + 1, outcome: await runOne({ ...next, deadlineMs: monotonicMs() + limitMs }) });
  }
  return results;
};
