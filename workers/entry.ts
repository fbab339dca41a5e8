// What a thread runs. Takes a job, or several for one after the other, catches everything, returns an Outcome; byte results are moved, not
// copied.
import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { parentPort, threadId } from 'node:worker_threads';
import { Piscina } from 'piscina';
import type { Wake, Woken } from '../core/model/document-news.js';
import { faultOf } from '../core/model/errors.js';
import type { BatchEnd, BatchResult, JobBatch, Told } from '../core/model/job-batch.js';
import { CONTROL, type Job, type JobName, type Journaled, type Outcome, type StepTime } from '../core/model/jobs.js';
import { isMoved, isRoomWanted } from './decode-budget.js';
import { clearEnded, noteBegun, noteEnded } from './decode-journal.js';
import { heapBytes, isHeapSpent } from './heaps.js';
import { JOBS } from './jobs.js';
import { closeIfAsked } from './kept-document.js';
import { runJob } from './run.js';
import { runBatch } from './run-batch.js';
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

const moved = (end: BatchEnd, buffers: ArrayBuffer[]): BatchEnd =>
  buffers.length === 0
    ? end
    : (Piscina.move({ [Piscina.transferableSymbol]: buffers, [Piscina.valueSymbol]: end } as never) as never);

const loaded = new Map<JobName, JobDefinition<unknown, unknown>>();

/** An import of what is loaded already takes longer than finding it here. */
const jobOf = async (name: JobName): Promise<JobDefinition<unknown, unknown>> => {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  // The table is typed name by name; here a name is only known to be one of them.
  const job = (await JOBS[name]()) as unknown as JobDefinition<unknown, unknown>;
  loaded.set(name, job);
  return job;
};

const journalKeyOf = (input: object & Journaled): string | undefined => input.journalKey;

const runOne = async ({ name, input, ...control }: Job): Promise<Outcome<unknown>> => {
  const times: StepTime[] = [];
  const journalKey = journalKeyOf(input);
  if (journalKey === undefined) clearEnded();
  else noteBegun(journalKey);
  try {
    return { ok: true, value: await runJob(await jobOf(name), input, control, times), times };
  } catch (thrown) {
    return { ok: false, error: faultOf(thrown), times };
  } finally {
    if (journalKey !== undefined) noteEnded();
  }
};

/** A module that could not be loaded for lack of descriptors would stay missing in this thread. */
const isSpent = (outcome: Outcome<unknown>): boolean =>
  isHeapSpent() || isRoomWanted() || (!outcome.ok && outcome.error.kind === 'Overloaded');

const buffersIn = (results: readonly BatchResult[]): ArrayBuffer[] =>
  results.flatMap(({ outcome }) => (outcome.ok ? buffersOf(outcome.value) : []));

const tell = (batch: number, results: readonly BatchResult[]): void =>
  parentPort?.postMessage({ batch, results } satisfies Told, buffersIn(results));

const runAll = async (jobs: JobBatch): Promise<BatchEnd> => {
  Atomics.add(new Int32Array(jobs.control), CONTROL.progress, 1);
  const results = await runBatch(jobs, { runOne, isSpent, tell }).finally(clearEnded);
  const [last, ...others] = results.toReversed();
  if (last === undefined) throw new Error('A batch ended without a result.');
  const { at, outcome } = last;
  const ran = { thread: threadId, retire: isSpent(outcome), again: !outcome.ok && isMoved(), heapBytes: heapBytes() };
  return moved({ ...outcome, ...ran, at, others }, buffersIn(results));
};

/** Also called with a `Wake`. */
export const run = async (jobs: JobBatch | Wake): Promise<BatchEnd | Woken> => {
  closeIfAsked();
  if ('wake' in jobs) return { thread: threadId, retire: isRoomWanted() };
  try {
    return await runAll(jobs);
  } finally {
    closeIfAsked();
  }
};
