// The entry of a thread while fuzzing: the program's own, which also tells how large the memory of its WASM modules has become.
import { BroadcastChannel, threadId } from 'node:worker_threads';
import type { Job, JobName, Outcome, Ran } from '../../core/model/jobs.js';
import { run as runJob } from '../../workers/entry.js';
import { heapBytes, wasTrapped } from '../../workers/heaps.js';

export const HEAPS = 'fuzz-heaps';

export interface HeapSeen {
  readonly thread: number;
  readonly bytes: number;
  readonly trapped: boolean;
}

const channel = new BroadcastChannel(HEAPS);
channel.unref();

export const run = async <K extends JobName>(job: Job<K>): Promise<Outcome<unknown> & Ran> => {
  const outcome = await runJob(job);
  channel.postMessage({ thread: threadId, bytes: heapBytes(), trapped: wasTrapped() } satisfies HeapSeen);
  return outcome;
};
