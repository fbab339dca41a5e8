// What a pool of threads is made of and what it offers. Knows neither threads nor jobs.
import type { JobName, Jobs } from '../model/jobs.js';
import type { Tracing } from '../model/tracing.js';
import type { OpenDocuments } from './open-documents.js';
import type { RunOptions } from './pool-entry.js';
import type { PoolTally } from './pool-tally.js';
import type { Readers } from './readers.js';

export interface PoolOptions {
  readonly readers?: Readers;
  /** URL of the worker entry; a string, so that core does not import workers. */
  readonly entry: string;
  readonly threads: number;
  readonly idleTimeoutMs: number;
  readonly queueInteractive: number;
  readonly queueBackground: number;
  readonly jobDeadlineMs: number;
  readonly tracing?: Tracing;
  /** The file in which threads record what they decode (decode-journal.ts). */
  readonly journal?: string | undefined;
  /** Passwords of archives, in shared memory (archive-passwords.ts). */
  readonly passwords?: SharedArrayBuffer;
  /** Called when a thread ends. */
  readonly onThreadEnded?: () => void;
  /** Receives unexpected errors with their trace; callers only get a message that is safe to show. */
  readonly onFault?: (thrown: unknown) => void;
}

export interface PoolLoad {
  readonly running: number;
  readonly waiting: number;
  /** Of those that wait. */
  readonly waitingInteractive: number;
  readonly threads: number;
  /** Jobs that have ended since the start, well or not. */
  readonly ended: number;
  /** Jobs that found no thread because none could be started, since a thread last began one. */
  readonly notStarted: number;
}

export interface Pool {
  run<K extends JobName>(name: K, input: Jobs[K]['input'], options: RunOptions): Promise<Jobs[K]['output']>;
  /** Jobs the background lane can run at once. */
  readonly backgroundWidth: number;
  /** Background jobs that one piece of work may ask for at once: a quarter of their queue, so that others find room. */
  readonly backgroundShare: number;
  load(): PoolLoad;
  readonly tally: PoolTally;
  /** Documents that threads keep open; one per thread. */
  readonly documents: OpenDocuments;
  /** Terminated threads that have not exited: they are blocked on a disk that does not answer. */
  readonly lostThreads: number;
  /** From now on, threads of jobs without a caller are terminated soon: the program is about to exit. */
  hurry(): void;
  close(): Promise<void>;
}
