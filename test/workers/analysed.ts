// The analysis of one file, in this process and without a thread.

import { type Analysis, CONTROL_BYTES } from '../../core/model/jobs.js';
import { monotonicMs } from '../../core/model/monotonic.js';
import { analyze } from '../../workers/jobs/analyze.js';
import { runJob } from '../../workers/run.js';
import { LIMITS } from '../limits.js';

export type { Analysis } from '../../core/model/jobs.js';

const DEADLINE_MS = 30_000;

export const analysed = (path: string): Promise<Analysis> =>
  runJob(
    analyze,
    { path, limits: LIMITS, thumbnail: { side: 200, quality: 80 }, withCover: true },
    { control: new SharedArrayBuffer(CONTROL_BYTES), deadlineMs: monotonicMs() + DEADLINE_MS, isPatient: true },
    [],
  );
