// Jobs that a thread gets together. It runs them one after the other, posts results now and then, and returns the rest at its end. Until it
// begins one, that one can be taken back.
import { CONTROL, type Job, type Outcome, type Ran } from './jobs.js';

/** A job behind another. Its time begins when it does. */
export interface FollowingJob extends Omit<Job, 'deadlineMs'> {
  readonly limitMs: number;
}

/** The first job, and those that follow it; the first is number 0. */
export interface JobBatch extends Job {
  readonly batch?: number;
  readonly following?: readonly FollowingJob[];
}

/** `at`: which job. */
export interface BatchResult {
  readonly at: number;
  readonly outcome: Outcome<unknown>;
}

/** Results of a batch that goes on. */
export interface Told {
  readonly batch: number;
  readonly results: readonly BatchResult[];
}

/** What a thread returns: the result of its last job, and before it those that were not told. */
export type BatchEnd = Outcome<unknown> & Ran & { readonly at?: number; readonly others?: readonly BatchResult[] };

const TAKEN_BACK = -1;

const take = (control: SharedArrayBuffer, value: number): boolean =>
  Atomics.compareExchange(new Int32Array(control), CONTROL.progress, 0, value) === 0;

/** Called by the thread. False when the job was taken back. */
export const beginJob = (control: SharedArrayBuffer): boolean => take(control, 1);

/** False when the thread has begun it. */
export const takeBackJob = (control: SharedArrayBuffer): boolean => take(control, TAKEN_BACK);

export const hasBegun = (control: SharedArrayBuffer): boolean =>
  Atomics.load(new Int32Array(control), CONTROL.progress) > 0;
