// The runner of all jobs: check, step, time, next; closes what was opened in reverse order, even on failure.

import { AppError } from '../core/model/errors.js';
import { CONTROL, type Job, type StepTime } from '../core/model/jobs.js';
import { monotonicMs } from '../core/model/monotonic.js';
import {
  beginRoom,
  endRoom,
  enterRoom,
  growRoom,
  growsAtFirst,
  leaveRoom,
  roomBytes,
  tryRoom,
} from './decode-budget.js';
import { boundHeaps, grownBytes, isHeapSpent } from './heaps.js';
import type { JobDefinition, Run } from './step.js';
import type { Bag } from './step-values.js';

export type Control = Pick<Job, 'control' | 'deadlineMs' | 'isPatient'>;

/** The slowest disk from which a whole file is read: a job that reads gets that much more time than one that does not. */
const SLOW_BYTES_PER_MS = 1000;

/** Compiled code has to stop by itself before its thread is terminated: otherwise it goes on without it. */
const STOPPING_S = 3;
/** The image library refuses longer time limits. */
const COMPILED_MAX_S = 3600;

const runOf = ({ control, deadlineMs, isPatient }: Control, closers: (() => void)[]): Run => {
  const shared = new Int32Array(control);
  let limitMs = deadlineMs;
  // It does not pass while the job waits for memory.
  const untilMs = (): number => limitMs + Atomics.load(shared, CONTROL.waitedMs);
  const onWait = (): void => {
    run.check();
    run.advance(); // it waits for others, and is not hanging
  };
  const run: Run = {
    check: () => {
      if (Atomics.load(shared, CONTROL.cancel) !== 0) throw new AppError('Cancelled');
      if (monotonicMs() > untilMs()) throw new AppError('Timeout', 'The work exceeded its time limit and was stopped.');
    },
    advance: () => {
      Atomics.add(shared, CONTROL.progress, 1);
    },
    allow: (bytes) => {
      if (isPatient) limitMs += bytes / SLOW_BYTES_PER_MS;
    },
    keepRoom: (bytes) => enterRoom({ shared, bytes, onWait, hasCaller: !isPatient }),
    growRoom: (bytes) => tryRoom(shared, bytes),
    leaveRoom: () => leaveRoom(shared, grownBytes()),
    isGrowing: () => growsAtFirst(shared),
    secondsLeft: () => {
      const left = Math.floor((untilMs() - monotonicMs()) / 1000) - STOPPING_S;
      return Math.min(COMPILED_MAX_S, Math.max(1, left));
    },
    onClose: (close) => closers.push(close),
  };
  return run;
};

/** Fills `times` as it goes, so that they are available after a failure too. An unexpected error names the failing step. */
export const runJob = async <I, O>(
  job: JobDefinition<I, O>,
  input: I,
  control: Control,
  times: StepTime[],
): Promise<O> => {
  const closers: (() => void)[] = [];
  const run = runOf(control, closers);
  const shared = new Int32Array(control.control);
  beginRoom();
  boundHeaps({ held: () => roomBytes(shared), take: (bytes) => growRoom(shared, bytes) });
  // The memory of a thread that ends after this job is only free once it has ended; the pool releases it then.
  run.onClose(() => {
    if (!isHeapSpent()) endRoom(shared, grownBytes());
  });
  let bag = job.start(input);
  try {
    for (const one of job.steps) {
      run.check();
      const startMs = monotonicMs();
      try {
        bag = { ...bag, ...(await one.run(bag as Bag, run)) };
      } catch (thrown) {
        throw thrown instanceof AppError
          ? thrown
          : new Error(`step ${one.name} failed: ${String(thrown)}`, { cause: thrown });
      } finally {
        times.push({ step: one.name, startMs, ms: monotonicMs() - startMs });
      }
    }
    return job.finish(bag as Bag);
  } finally {
    for (const close of closers.reverse()) close();
  }
};
