// A step of the schema: statements that run in one transaction or, where one would be too large, batches of work.
import type { Reader, Statements } from './connection.js';

/** How far a batch got: the last row key it has done, and the last one there is. */
export interface Reached {
  readonly key: number;
  readonly lastKey: number;
}

/**
 * Each batch is a transaction that also stores how far it got, so that the next start resumes there. The schema number is stored with the
 * last batch. A step of statements precedes it in the same release, so that no earlier program opens a database that is half done. A batch
 * writes a few megabytes, so that its log stays small. As in all steps, foreign keys are not enforced: nothing cascades.
 */
export interface BatchStep {
  /** What it does, for the log: "metadata by source". */
  readonly name: string;
  /** Statements in the transaction of the first batch: the tables and columns that it fills. */
  readonly first?: string;
  /** One batch, after the last row key that is done (0 at first). Null: nothing was left to do. */
  batch(statements: Statements, done: number): Promise<Reached | null>;
  /**
   * Bytes it adds to the database for good after the last row key that is done; an estimate on the high side. Measured before the first
   * step, so the schema may be any earlier one.
   */
  growth?(reader: Reader, done: number): Promise<number>;
}

export type Step = string | BatchStep;
