// What a step is, and how steps become a job: what each needs must be provided before it.
import type { Bag } from './step-values.js';

/** What the runner offers a step. */
export interface Run {
  /** Throws Cancelled when the job was told to stop or is past its deadline. Long loops call it. */
  check(): void;
  /** Reports progress; a job that does not for long is ended. */
  advance(): void;
  /** Extends the job's time by what reading this many bytes from a slow disk may take. */
  allow(bytes: number): void;
  /**
   * Waits for memory and keeps it to the end of the job, unless `leaveRoom` frees it. The job should hold none: one that waits while holding
   * memory blocks others, and gives up after a while (Overloaded). LimitExceeded when it is more than the whole budget.
   */
  keepRoom(bytes: number): void;
  /** Takes more memory without waiting, and keeps it likewise; false when there is not that much. */
  growRoom(bytes: number): boolean;
  /** Frees the memory that the job holds, except for what the compiled readers have grown by: they never shrink. */
  leaveRoom(): void;
  /** True when an attempt in another thread showed that the readers will grow: the room for that is taken before. */
  isGrowing(): boolean;
  /** Whole seconds until the job is stopped, less what stopping takes; at least one. */
  secondsLeft(): number;
  /** Registers something to close when the job ends, however it ends; closed in reverse order. */
  onClose(close: () => void): void;
}

export type Key = keyof Bag;

interface TypedStep<N extends Key, G extends Key> {
  readonly name: string;
  readonly needs: readonly N[];
  readonly gives: readonly G[];
  readonly run: (bag: Pick<Bag, N>, run: Run) => Pick<Bag, G> | Promise<Pick<Bag, G>>;
}

/** A step with its types erased, as a job lists it. */
export interface Step {
  readonly name: string;
  readonly needs: readonly Key[];
  readonly gives: readonly Key[];
  readonly run: (bag: Bag, run: Run) => Partial<Bag> | Promise<Partial<Bag>>;
}

export const step = <N extends Key, G extends Key>(typed: TypedStep<N, G>): Step => typed;

export interface JobDefinition<I, O> {
  readonly name: string;
  readonly start: (input: I) => Partial<Bag>;
  readonly steps: readonly Step[];
  readonly finish: (bag: Bag) => O;
}

interface JobPlan<I, O> extends JobDefinition<I, O> {
  /** Keys that `start` provides. */
  readonly starts: readonly Key[];
}

/** Throws at load time when a step needs something that no earlier step provides. */
export const defineJob = <I, O>({ starts, ...job }: JobPlan<I, O>): JobDefinition<I, O> => {
  const given = new Set<Key>(starts);
  for (const { name, needs, gives } of job.steps) {
    for (const need of needs) {
      if (!given.has(need))
        throw new Error(`job ${job.name}: step ${name} needs ${need}, which no earlier step provides`);
    }
    for (const key of gives) given.add(key);
  }
  return job;
};
