// What the pool has done since the start of the server, for the measurements.
import { Distribution } from '../model/tally.js';
import type { PoolLane } from './pool-entry.js';

const SECONDS = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60, 300];

export type JobEnd = 'done' | 'failed';

export class PoolTally {
  /** Seconds from the request for a job to its start. */
  readonly waits: Readonly<Record<PoolLane, Distribution>> = {
    interactive: new Distribution(SECONDS),
    background: new Distribution(SECONDS),
  };
  /** By the name of the job and how it ended. */
  readonly jobs = new Map<string, Record<JobEnd, number>>();

  started(lane: PoolLane, waitedMs: number): void {
    this.waits[lane].note(waitedMs / 1000);
  }

  ended(name: string, end: JobEnd): void {
    const counts = this.jobs.get(name) ?? { done: 0, failed: 0 };
    counts[end] += 1;
    this.jobs.set(name, counts);
  }
}
