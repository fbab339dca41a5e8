// What a thread reports of a job besides its result: the time of each step, and its memory.

export interface StepTime {
  readonly step: string;
  /** When it began, on the clock of `monotonicMs`. */
  readonly startMs: number;
  readonly ms: number;
}

/** Which thread ran the job, and whether its own memory has grown so large that it should get no further job. */
export interface Ran {
  readonly thread: number;
  readonly retire: boolean;
  /** True when its last job has no result and is to be run by another thread: it would have waited while this one holds memory. */
  readonly again: boolean;
  /** Memory that replacing that thread would free. */
  readonly heapBytes: number;
}
