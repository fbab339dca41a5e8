// What a task is: a named piece of background work, stored until it is done, and the function that does it.

export type TaskState = 'pending' | 'running' | 'completed' | 'failed' | 'cancelled';

/** What the work is about. */
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
  /** The highest is started first. */
  readonly priority: number;
  readonly state: TaskState;
  readonly current: number;
  readonly total: number | null;
  /** What the function stored last to go on from; null when it stored nothing. */
  readonly checkpoint: unknown;
  /** Starts since the last stored progress. */
  readonly starts: number;
  readonly result: unknown;
  /** Why it failed; may be shown to anyone. */
  readonly error: string | null;
  readonly createdAt: number;
  readonly startedAt: number | null;
  readonly completedAt: number | null;
}

/** What the function of a task gets. */
export interface TaskContext extends Pick<Task, 'id' | 'target' | 'parameters'> {
  /** Aborted by a cancellation and when the server stops. The function then ends soon, by throwing. */
  readonly signal: AbortSignal;
  /** Whether somebody cancelled it; an abort without that is the end of the server. */
  isCancelled(): boolean;
  /** Costs nothing to call often: it is stored at most once a second. */
  progress(current: number, total: number | null): void;
  /** What was stored by the last `checkpoint`; null at first. */
  reached(): unknown;
  /** Stores where the next start goes on. */
  checkpoint(value: unknown): Promise<void>;
}

export interface TaskType {
  /** Tasks of one lane share its width. */
  readonly lane: string;
  /** Does the work; may be called again after a full disk or a restart, and then goes on. What it returns is kept as the result. */
  run(context: TaskContext): Promise<unknown>;
  /** The reason why nobody may cancel it, for whoever tries. */
  readonly cannotCancel?: string;
  /** Told of one that was cancelled while it waited; what runs sees its signal instead. */
  cancelled?(task: Task): Promise<void>;
}
