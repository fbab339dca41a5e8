// What a task is: a named piece of background work, stored until it is done, and the function that does it.

import type { Viewer } from '../model/viewer.js';
import type { Reader } from '../store/db.js';

export type TaskState = 'pending' | 'running' | 'completed' | 'failed' | 'cancelled';

/** The row the work is about. */
export interface TaskTarget {
  readonly kind: 'library' | 'series' | 'book';
  readonly id: string;
}

export type TaskParameters = Readonly<Record<string, unknown>>;

export interface Task {
  readonly key: number;
  readonly id: string;
  readonly type: string;
  readonly target: TaskTarget | null;
  readonly parameters: TaskParameters;
  /** The highest starts first. */
  readonly priority: number;
  readonly state: TaskState;
  readonly current: number;
  readonly total: number | null;
  /** The last stored checkpoint, to resume from; null if there is none. */
  readonly checkpoint: unknown;
  /** Starts since the task last made progress. */
  readonly starts: number;
  readonly result: unknown;
  /** Why it failed; may be shown to anyone. */
  readonly error: string | null;
  /** It starts no earlier; 0: at once. */
  readonly scheduledAt: number;
  readonly createdAt: number;
  /** When somebody made it wait once more; null if nobody has. */
  readonly waitingSince: number | null;
  readonly startedAt: number | null;
  readonly completedAt: number | null;
}

/** What the function of a task receives. */
export interface TaskContext extends Pick<Task, 'id' | 'target' | 'parameters'> {
  /** Aborted by a cancellation and when the server stops. The function must then end soon, by throwing. */
  readonly signal: AbortSignal;
  /** Whether a user cancelled it; otherwise an abort means that the server is stopping. */
  isCancelled(): boolean;
  /** Cheap to call often: it is stored at most once a second. */
  progress(current: number, total: number | null): void;
  /** The value stored by the last `checkpoint`; null at first. */
  reached(): unknown;
  /** So many more bytes of books were read, for the measurements. */
  read(bytes: number): void;
  /** Stores where the next start resumes. */
  checkpoint(value: unknown): Promise<void>;
}

export interface TaskType {
  /** Tasks of one lane share its width. */
  readonly lane: string;
  /** Does the work. May be called again after a full disk or a restart, and then resumes. Its return value is kept as the result. */
  run(context: TaskContext): Promise<unknown>;
  /** Throws for somebody who may neither enqueue this nor make it run again. */
  refuse?(viewer: Viewer, about: Pick<Task, 'target' | 'parameters'>): void;
  /** If set, the task cannot be cancelled, and callers who try get this reason. */
  readonly cannotCancel?: string;
  /**
   * For work that leaves its results in other rows: numbers from these rows that change whenever the work makes progress. If a process dies
   * and they are the same as at its start, that start counts as a crash. Without a measure, a new checkpoint counts as progress.
   */
  measure?(from: Reader, target: TaskTarget | null): Promise<unknown>;
  /** Called before a task that has ended is made to wait again; what it throws refuses that. */
  again?(task: Task): Promise<void>;
  /** Called when a waiting task is cancelled, or after the function of a cancelled one has ended. */
  cancelled?(task: Task): Promise<void>;
}
