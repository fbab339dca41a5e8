// A job in the pool, and its errors.
import { AppError, errorOf, exhaustionOf, type Fault } from '../model/errors.js';
import { CONTROL, CONTROL_BYTES, GROWTH, type JobName } from '../model/jobs.js';
import type { JobSpan } from './job-span.js';
import type { Urgency } from './urgency.js';

/** Interactive: a caller waits, so it gets the next free thread. Background: nobody does. */
export type PoolLane = 'interactive' | 'background';

export interface RunOptions {
  readonly lane: PoolLane;
  /**
   * Aborting removes a queued job at once and asks a running one to stop at its next step. If it does not stop within some seconds, its
   * thread is terminated, since it has no caller left.
   */
  readonly signal?: AbortSignal | undefined;
  /** Shorter than the general deadline, for jobs with a waiting caller; without it a job may run while it makes progress. */
  readonly deadlineMs?: number | undefined;
  /** Who waits for it: users take turns, and one user never holds all threads. Absent or 0: the server itself. */
  readonly user?: number | undefined;
  /** Raising it moves a job that waits in the background to the interactive lane. */
  readonly urgency?: Urgency | undefined;
  /** What the job works on, in words for the log: `book 0189…`. */
  readonly subject?: string;
  /** About how much it reads, if that is known. Small jobs of one kind that wait in the background go to a thread together. */
  readonly bytes?: number | undefined;
  /** It will mostly wait for its disk, so that another thread may work meanwhile. */
  readonly isWaiting?: boolean | undefined;
}

export interface Entry {
  readonly name: JobName;
  readonly input: unknown;
  /** Changes only while it does not run. */
  lane: PoolLane;
  /** Who waits for it; 0: the server itself. Changes with its lane. */
  user: number;
  /** A new one each time it waits. */
  control: SharedArrayBuffer;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (value: unknown) => void;
  readonly reject: (thrown: unknown) => void;
  onAbort: (() => void) | null;
  /** Set while it runs: call it when the job has no caller left. */
  abandon: (() => void) | null;
  readonly limitMs: number;
  readonly isPatient: boolean;
  readonly subject: string;
  /** How often its thread was terminated for reasons other than this job, or it was moved to another. */
  lost: number;
  /** Told when somebody begins to wait for it. */
  readonly urgency: Urgency | undefined;
  readonly bytes: number | undefined;
  readonly isWaiting: boolean;
  readonly span: JobSpan;
  /** When it began to wait. */
  pushedMs: number;
}

const subjectOf = (input: object): string => ('path' in input ? String(input.path) : 'no file');

/** `before`: that of an attempt in another thread. */
export const newControl = (before?: SharedArrayBuffer): SharedArrayBuffer => {
  const control = new SharedArrayBuffer(CONTROL_BYTES);
  if (before !== undefined && new Int32Array(before)[CONTROL.growth] !== GROWTH.none)
    new Int32Array(control)[CONTROL.growth] = GROWTH.expected;
  return control;
};

/** After this many losses of a thread the job itself is the more likely cause. */
export const LOST_MAX = 2;

/** A job that waits. */
export const entryOf = (
  name: JobName,
  input: object,
  options: RunOptions,
  ends: Pick<Entry, 'resolve' | 'reject' | 'span'>,
  jobDeadlineMs: number,
): Entry => ({
  name,
  input,
  lane: options.lane,
  user: options.user ?? 0,
  control: newControl(),
  signal: options.signal,
  ...ends,
  onAbort: null,
  abandon: null,
  limitMs: Math.min(options.deadlineMs ?? Number.POSITIVE_INFINITY, jobDeadlineMs),
  isPatient: options.deadlineMs === undefined,
  subject: options.subject ?? subjectOf(input),
  lost: 0,
  urgency: options.urgency,
  bytes: options.bytes,
  isWaiting: options.isWaiting === true,
  pushedMs: performance.now(),
});

/** Nobody waits for it any more. */
export const leave = (entry: Entry): void => {
  if (entry.onAbort !== null) entry.signal?.removeEventListener('abort', entry.onAbort);
};

export const stopping = (cause?: unknown): AppError =>
  new AppError('Cancelled', 'The server is stopping.', null, cause);

export const tooLong = ({ name, limitMs, isPatient }: Entry, cause?: unknown): AppError => {
  const what = isPatient ? 'made no progress for' : 'took longer than';
  return new AppError('Timeout', `The job ${name} ${what} ${limitMs / 1000} s and was stopped.`, null, cause);
};

export const notStarted = (cause: unknown): AppError =>
  new AppError('Overloaded', 'No worker thread could be started; try again in a moment.', null, cause);

export const crashed = ({ name }: Entry, cause: unknown): AppError =>
  exhaustionOf(cause) ??
  new AppError('WorkerCrashed', `The worker thread of the job ${name} ended unexpectedly.`, null, cause);

/** A job stopped by its deadline reports Cancelled; to the caller that is a time-out. */
export const failureOf = (entry: Entry, isLate: boolean, fault: Fault): AppError => {
  const error = errorOf(fault);
  return error.kind === 'Cancelled' && isLate ? tooLong(entry) : error;
};
