// What the steps of one scan share: the parts of the engine they need, and their findings so far.
import type { Library, ScanMode } from '../catalog/libraries.js';
import type { Clock } from '../engine/clock.js';
import type { Pool } from '../engine/pool.js';
import type { AppError } from '../model/errors.js';
import type { Analysis, Limits, ThumbnailOptions, WalkOutput } from '../model/jobs.js';
import type { Tracing } from '../model/tracing.js';
import type { Blobs } from '../store/blobs.js';
import type { Db } from '../store/db.js';
import type { Part } from './part.js';
import type { ScanTally } from './scan-tally.js';

/** The parts of the engine a scan uses. */
export interface ScanParts {
  readonly db: Db;
  readonly blobs: Blobs;
  readonly pool: Pool;
  readonly clock: Clock;
  readonly tracing: Tracing;
  readonly limits: Limits;
  readonly thumbnail: ThumbnailOptions;
  readonly walkBatchFiles: number;
  readonly tally: ScanTally;
  /** Folders this server writes to; none of them is scanned. */
  readonly ownFolders: readonly string[];
  /** Called when books of a library were stored whose covers or hashes are to be made later. */
  readonly onDue: (libraryKey: number) => void;
  /** Called with unexpected errors; the log says more than the status of a scan. */
  readonly onFault: (thrown: unknown) => void;
}

/** A book whose file was not found, now or earlier. */
export interface Missing {
  readonly key: number;
  readonly id: string;
  readonly folderKey: number;
  readonly seriesKey: number;
  readonly fileName: string;
  readonly fileSize: number;
  readonly fileMtime: number;
  readonly koreaderHash: string | null;
  /** Empty when its file was never hashed. */
  readonly fileHash: string;
  /** Its file was still to be hashed. */
  readonly isHashDue: boolean;
  /** True when an earlier scan already missed it. */
  readonly deleted: boolean;
}

/** Counters and findings of one scan. The only mutable thing its steps share; owned by scan.ts. */
export interface Findings {
  filesFound: number;
  filesProcessed: number;
  /** Symbolic links seen and not followed. */
  linksFound: number;
  /** Known books whose file size or modification time had changed; not those that only changed places. */
  booksChanged: number;
  /** Books whose files are gone. */
  booksRemoved: number;
  readonly missing: Map<number, Missing>;
  /**
   * Deleted books, as they were, whose path now holds a file of another size or time. That file may be a missing book that was moved there.
   */
  readonly revived: Map<number, Missing>;
  /** Sizes of live books before their files changed, by key. */
  readonly changedSizes: Map<number, number>;
  /** Folders whose digest must not be recorded until the sweep has dealt with the books missing from them. */
  readonly heldDigests: Map<number, string>;
}

export interface ScanContext {
  readonly parts: ScanParts;
  readonly library: Library;
  readonly mode: ScanMode;
  /** What is scanned of it. */
  readonly part: Part;
  readonly signal: AbortSignal;
  /** False for the first scan: nothing can have moved yet. */
  readonly hadBooks: boolean;
  /** The highest book key when the scan began. */
  readonly lastKeyBefore: number;
  readonly findings: Findings;
  /** Adds a sentence to the status of the scan. */
  readonly warn: (sentence: string) => void;
  /** Files still being written are left out. */
  readonly settledOnly: boolean;
  /** Is told what each walk found. */
  readonly looked: (found: WalkOutput) => void;
  /** Analyses these books now, if they are due: what moved is recognised by their content. */
  readonly analyse: (bookKeys: readonly number[]) => Promise<void>;
  /** Tells how far discovery has come. */
  readonly tell: () => void;
}

export const newFindings = (): Findings => ({
  filesFound: 0,
  filesProcessed: 0,
  linksFound: 0,
  booksChanged: 0,
  booksRemoved: 0,
  missing: new Map(),
  revived: new Map(),
  changedSizes: new Map(),
  heldDigests: new Map(),
});

/** A book about to be analysed, with the inputs of its stored analysis. */
export interface DueBook {
  readonly key: number;
  readonly id: string;
  readonly libraryKey: number;
  readonly seriesKey: number;
  readonly path: string;
  readonly root: string;
  readonly fileName: string;
  readonly folderPath: string;
  /** RULES_SQL of apply-rules.ts. */
  readonly rules: string | null;
  /** 1 when files that describe books were in its folder when that was last listed. */
  readonly hasSidecars: number;
  /** Empty when its file has never been hashed, or has changed since. */
  readonly fileHash: string;
  /** 1 when it has been analysed before. */
  readonly wasAnalysed: number;
  readonly revision: number;
  readonly attempts: number;
  /** The version of the file that its row named when it was fetched. */
  readonly size: number;
  readonly mtimeMs: number;
  readonly due: number;
  /** Whether an attempt was counted since then. */
  readonly isCounted: boolean;
}

export interface Finished {
  readonly book: DueBook;
  readonly analysis: Analysis | null;
  /** Set when the analysis itself failed; then `analysis` is null. */
  readonly error: AppError | null;
}

/** Which due books a drain takes. */
export interface DueFilter {
  /** SQL over `b`, and its binds. */
  readonly where: string;
  readonly binds: readonly (string | number)[];
}
