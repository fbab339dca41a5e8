// What can be due after a scan (covers, hashes), which libraries have it, and what makes it: see due-work.ts.
import { AppError } from '../model/errors.js';
import type { Reader } from '../store/db.js';

export interface DueLibrary {
  readonly key: number;
  /** The public id. */
  readonly uuid: Uint8Array;
}

export interface DueCounts {
  readonly made: number;
  readonly failed: number;
}

export interface DuePass {
  readonly libraryKey: number;
  readonly signal: AbortSignal;
  /** Called after some of it was stored. */
  readonly onStored: (counts: DueCounts) => void;
}

/** What is due, and how it is made. */
export interface DueKind {
  /** Of its tasks. */
  readonly type: string;
  readonly lane: string;
  readonly priority: number;
  /** Books of a library for which it is still to be made. */
  left(from: Pick<Reader, 'all'>, libraryKey: number): Promise<number>;
  libraries(from: Pick<Reader, 'all'>): Promise<readonly DueLibrary[]>;
  /** Makes what is due in a library. Throws errors that say nothing about a book; what was not made is due again then. */
  pass(pass: DuePass): Promise<void>;
}

/** What is due by a condition on `b`, which the partial index holds. */
export const dueBooks = (index: string, condition: string): Pick<DueKind, 'left' | 'libraries'> => {
  const due = (library: string): string =>
    `FROM book b INDEXED BY ${index} WHERE b.library_id = ${library} AND ${condition} AND b.deleted = 0`;
  return {
    left: async (from, libraryKey) => {
      const [row] = await from.all<{ n: number }>(`SELECT count(*) AS n ${due('?')}`, [libraryKey]);
      return row?.n ?? 0;
    },
    libraries: (from) =>
      from.all<DueLibrary>(
        `SELECT l.id AS key, l.uuid FROM library l WHERE l.removing = 0 AND EXISTS (SELECT 1 ${due('l.id')}) ORDER BY l.id`,
      ),
  };
};

export const isOverloaded = (thrown: unknown): boolean => thrown instanceof AppError && thrown.kind === 'Overloaded';
