// The entry of a thread while fuzzing: the program's own, which also tells how large the memory of its WASM modules has become.
import { copyFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { BroadcastChannel, threadId } from 'node:worker_threads';
import type { JobBatch } from '../../core/model/job-batch.js';
import { run as runJob } from '../../workers/entry.js';
import { modulesBytes, wasTrapped } from '../../workers/heaps.js';
import { HEAPS, type HeapSeen } from './memory.js';

const channel = new BroadcastChannel(HEAPS);
channel.unref();

/** The file is gone when the trap is heard of: whoever wants to know more finds it beside the failures. */
const keepTrap = (input: object): void => {
  if ('path' in input && typeof input.path === 'string')
    copyFileSync(input.path, join(dirname(dirname(input.path)), `trap-${basename(input.path)}`));
};

export const run = async (job: JobBatch): ReturnType<typeof runJob> => {
  const outcome = await runJob(job);
  if (wasTrapped()) keepTrap(job.input);
  channel.postMessage({ thread: threadId, bytes: modulesBytes(), trapped: wasTrapped() } satisfies HeapSeen);
  return outcome;
};
