// A job in the pool, and its errors.
import { AppError } from '../model/errors.js';
import type { JobName } from '../model/jobs.js';

/** Interactive: a caller waits, so it gets the next free thread. Background: nobody does. */
export type PoolLane = 'interactive' | 'background';

export interface Entry {
  readonly name: JobName;
  readonly input: unknown;
  readonly lane: PoolLane;
  /** Who waits for it; 0: the server itself. */
  readonly user: number;
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
  readonly lost: number;
}

/** A job handed to Piscina, which starts a thread for it when none is free. */
export interface HandedOut {
  readonly entry: Entry;
  readonly kill: AbortController;
  /** Why its thread could not be started. */
  startFailure: unknown;
}

export const subjectOf = (input: object): string => ('path' in input ? String(input.path) : 'no file');

export const tooLong = ({ name, limitMs, isPatient }: Entry, cause?: unknown): AppError => {
  const what = isPatient ? 'made no progress for' : 'took longer than';
  return new AppError('Timeout', `The job ${name} ${what} ${limitMs / 1000} s and was stopped.`, null, cause);
};

export const notStarted = (cause: unknown): AppError =>
  new AppError('Overloaded', 'No worker thread could be started; try again in a moment.', null, cause);
