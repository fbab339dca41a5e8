// A job in the pool, and its errors.
import { AppError } from '../model/errors.js';
import { CONTROL_BYTES, type JobName } from '../model/jobs.js';
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
}

export interface Entry {
  readonly name: JobName;
  readonly input: unknown;
  /** Changes only while it does not run. */
  lane: PoolLane;
  /** Who waits for it; 0: the server itself. Changes with its lane. */
  user: number;
  readonly control: SharedArrayBuffer;
  readonly signal: AbortSignal | undefined;
  readonly resolve: (value: unknown) => void;
  readonly reject: (thrown: unknown) => void;
  onAbort: (() => void) | null;
  /** Set while it runs: call it when the job has no caller left. */
  abandon: (() => void) | null;
  readonly limitMs: number;
  readonly isPatient: boolean;
  readonly subject: string;
  /** How often its thread was terminated for reasons other than this job. */
  lost: number;
  /** Told when somebody begins to wait for it. */
  readonly urgency: Urgency | undefined;
}

const subjectOf = (input: object): string => ('path' in input ? String(input.path) : 'no file');

/** A job that waits. */
export const entryOf = (
  name: JobName,
  input: object,
  options: RunOptions,
  ends: Pick<Entry, 'resolve' | 'reject'>,
  jobDeadlineMs: number,
): Entry => ({
  name,
  input,
  lane: options.lane,
  user: options.user ?? 0,
  control: new SharedArrayBuffer(CONTROL_BYTES),
  signal: options.signal,
  ...ends,
  onAbort: null,
  abandon: null,
  limitMs: Math.min(options.deadlineMs ?? Number.POSITIVE_INFINITY, jobDeadlineMs),
  isPatient: options.deadlineMs === undefined,
  subject: options.subject ?? subjectOf(input),
  lost: 0,
  urgency: options.urgency,
});

/** A job handed to Piscina, which starts a thread for it when none is free. */
export interface HandedOut {
  readonly entry: Entry;
  readonly kill: AbortController;
  /** Why its thread could not be started. */
  startFailure: unknown;
}

export const tooLong = ({ name, limitMs, isPatient }: Entry, cause?: unknown): AppError => {
  const what = isPatient ? 'made no progress for' : 'took longer than';
  return new AppError('Timeout', `The job ${name} ${what} ${limitMs / 1000} s and was stopped.`, null, cause);
};

export const notStarted = (cause: unknown): AppError =>
  new AppError('Overloaded', 'No worker thread could be started; try again in a moment.', null, cause);
