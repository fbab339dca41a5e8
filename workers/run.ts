// The runner, once for all jobs: check, step, time, next; closes what was opened in reverse, even on failure.
import { AppError } from '../core/model/errors.js';
import type { StepTime } from '../core/model/jobs.js';
import type { Bag } from './bag.js';
import type { JobDefinition, Run } from './step.js';

export interface Control {
  /** One Int32; anything but 0 asks the job to stop. */
  readonly cancel: SharedArrayBuffer;
  /** Milliseconds since the epoch. */
  readonly deadlineMs: number;
}

const checkOf = ({ cancel, deadlineMs }: Control): (() => void) => {
  const flag = new Int32Array(cancel);
  return () => {
    if (Atomics.load(flag, 0) !== 0) throw new AppError('Cancelled');
    if (Date.now() > deadlineMs) throw new AppError('Timeout', 'The work took longer than it may and was stopped.');
  };
};

/** Fills `times` as it goes, so that they are there after a failure too. The name of the failing step goes into an unforeseen error. */
export const runJob = async <I, O>(
  job: JobDefinition<I, O>,
  input: I,
  control: Control,
  times: StepTime[],
): Promise<O> => {
  const closers: (() => void)[] = [];
  const check = checkOf(control);
  const run: Run = { check, onClose: (close) => closers.push(close) };
  let bag = job.start(input);
  try {
    for (const one of job.steps) {
      check();
      const started = performance.now();
      try {
        bag = { ...bag, ...(await one.run(bag as Bag, run)) };
      } catch (thrown) {
        throw thrown instanceof AppError
          ? thrown
          : new Error(`step ${one.name} failed: ${String(thrown)}`, { cause: thrown });
      } finally {
        times.push({ step: one.name, ms: performance.now() - started });
      }
    }
    return job.finish(bag as Bag);
  } finally {
    for (const close of closers.reverse()) close();
  }
};
