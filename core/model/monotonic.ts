// A time that all threads of the process share and that never jumps: each thread has its own `performance.now`, and the system time can be
// set while a job runs.

/** Milliseconds since some moment. */
export const monotonicMs = (): number => Number(process.hrtime.bigint() / 1000n) / 1000;
