// What a thread runs. Takes a job, catches everything, returns an Outcome; byte results are moved, not copied.
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { threadId } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { faultOf } from '../core/model/errors.js';
import { CONTROL, type Job, type JobName, type Outcome, type Ran, type StepTime } from '../core/model/jobs.js';
import { heapBytes, isHeapSpent } from './heaps.js';
import { JOBS } from './jobs.js';
import { runJob } from './run.js';
import type { JobDefinition } from './step.js';

/**
 * Lower priority than the thread that answers requests: readers go before background work. A larger value means a lower priority (nice).
 */
const NICE = 5;

/**
 * On Linux each thread has its own priority, and this link identifies the calling thread. Elsewhere threads share their process's priority.
 */
const stepBack = (): void => {
  if (process.platform !== 'linux') return;
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    if (thread > 0 && thread !== process.pid) setPriority(thread, NICE);
  } catch {
    // No /proc, or a container that forbids it: everything works, but worker threads keep the normal priority.
  }
};

stepBack();

const isOwnBuffer = (value: unknown): value is Uint8Array<ArrayBuffer> =>
  value instanceof Uint8Array && value.buffer instanceof ArrayBuffer && value.byteLength === value.buffer.byteLength;

/** Byte arrays directly in a result, or one level down (a cover), that own their whole buffer. */
const buffersOf = (value: unknown, depth = 2): ArrayBuffer[] => {
  if (isOwnBuffer(value)) return [value.buffer];
  if (depth === 0 || typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof Uint8Array)
    return [];
  return Object.values(value).flatMap((one) => buffersOf(one, depth - 1));
};

const moved = <T>(outcome: Outcome<T> & Ran): Outcome<T> & Ran => {
  const buffers = outcome.ok ? buffersOf(outcome.value) : [];
  if (buffers.length === 0) return outcome;
  return Piscina.move({ [Piscina.transferableSymbol]: buffers, [Piscina.valueSymbol]: outcome } as never) as never;
};

export const run = async <K extends JobName>({
  name,
  input,
  control,
  deadlineMs,
  isPatient,
}: Job<K>): Promise<Outcome<unknown> & Ran> => {
  const times: StepTime[] = [];
  const ran = (isSpent = isHeapSpent()): Ran => ({ thread: threadId, retire: isSpent, heapBytes: heapBytes() });
  Atomics.add(new Int32Array(control), CONTROL.progress, 1);
  try {
    // The table is typed name by name; here a name is only known to be one of them.
    const job = (await JOBS[name]()) as unknown as JobDefinition<unknown, unknown>;
    const value = await runJob(job, input, { control, deadlineMs, isPatient }, times);
    return moved({ ok: true, value, times, ...ran() });
  } catch (thrown) {
    const error = faultOf(thrown);
    // A module that could not be loaded for lack of descriptors would stay missing in this thread.
    return { ok: false, error, times, ...ran(error.kind === 'Overloaded' || isHeapSpent()) };
  }
};
