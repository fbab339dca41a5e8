// How many threads of libuv's pool are for jobs that read several places of a file at once. The launcher adds them (http/longbox.cts); a
// pool whose size somebody chose has none.

export const jobReadThreads = (): number => Math.max(0, Number(process.env.JOB_READ_THREADS) || 0);

/** Reads that each of so many threads may have under way: even if all of them hang, other work finds a thread. */
export const readsAtOnce = (threads: number): number => Math.floor(jobReadThreads() / threads);
