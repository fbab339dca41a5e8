// The memory through which the pool and a thread communicate while a job runs.

/** Slots in the shared memory of a job, one Int32 each. */
export const CONTROL = {
  /** Anything but 0 means: stop at the next step or page. */
  cancel: 0,
  /** Increases while the job makes progress; 0 until a thread has begun it. */
  progress: 1,
  /** What it holds of the decoding budget (decode-budget.ts). */
  held: 2,
  /** Whether its compiled readers take memory from that budget. */
  growth: 3,
  /** 1 while it is counted among those that wait for that budget. */
  waits: 4,
  /** How long it has waited for that budget, in milliseconds. That time does not count towards its deadline. */
  waitedMs: 5,
} as const;
export const CONTROL_BYTES = 24;

export const GROWTH = {
  none: 0,
  seen: 1,
  /** An attempt in another thread showed it. */
  expected: 2,
} as const;
