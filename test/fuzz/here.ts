// Jobs in this process, without a thread: what they throw is seen as it is.

import { CONTROL_BYTES, type JobName, type Jobs } from '../../core/model/jobs.js';
import { monotonicMs } from '../../core/model/monotonic.js';
import { JOBS } from '../../workers/jobs.js';
import { runJob } from '../../workers/run.js';
import type { JobDefinition } from '../../workers/step.js';
import type { Runs } from './exercise.js';

const DEADLINE_MS = 10_000;

export const runsHere: Runs = async <K extends JobName>(
  name: K,
  input: Jobs[K]['input'],
): Promise<Jobs[K]['output']> => {
  // The table is typed name by name; here a name is only known to be one of them.
  const job = (await JOBS[name]()) as unknown as JobDefinition<Jobs[K]['input'], Jobs[K]['output']>;
  return runJob(
    job,
    input,
    { control: new SharedArrayBuffer(CONTROL_BYTES), deadlineMs: monotonicMs() + DEADLINE_MS, isPatient: true },
    [],
  );
};
