// Who waits for a job.

/** Interactive: somebody waits, the next free thread is theirs. Background: at most all threads but one. */
export type PoolLane = 'interactive' | 'background';
