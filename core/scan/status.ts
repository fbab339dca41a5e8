// The state of one scan: live while it runs, and stored at each transition, so that a killed server knows what to resume.
import { type Library, libraryFor, type ScanMode, visibleLibraries } from '../catalog/libraries.js';
import { faultOf } from '../model/errors.js';
import { bytesOfUuid } from '../model/ids.js';
import { isLimited, type Viewer } from '../model/viewer.js';
import type { Db, Reader, Tx } from '../store/db.js';
import { ASPECTS, updated } from '../store/feed.js';
import { packed } from '../store/packed.js';
import type { TaskTarget } from '../tasks/task.js';
import type { CoverCounts } from './cover-counts.js';

export type ScanState = 'pending' | 'running' | 'completed' | 'failed' | 'cancelled';

export interface ScanStatus {
  readonly libraryKey: number;
  readonly libraryId: string;
  readonly mode: ScanMode;
  readonly state: ScanState;
  readonly filesTotal: number;
  readonly filesProcessed: number;
  readonly seriesFound: number;
  readonly booksFound: number;
  /** Symbolic links in the library; none is followed. */
  readonly linksFound: number;
  readonly errors: readonly string[];
  readonly startedAt: number;
  readonly completedAt: number | null;
}

/** Of a scan that waits. */
export const newStatus = ({ key, id }: Library, mode: ScanMode, nowMs: number): ScanStatus => ({
  libraryKey: key,
  libraryId: id,
  mode,
  state: 'pending',
  filesTotal: 0,
  filesProcessed: 0,
  seriesFound: 0,
  booksFound: 0,
  linksFound: 0,
  errors: [],
  startedAt: nowMs,
  completedAt: null,
});

/** A status, and the covers that follow the analysis: those of the books processed so far, and how many of them are not due. */
export interface ScanProgress extends ScanStatus {
  readonly coversTotal: number;
  readonly coversProcessed: number;
}

interface StatusParts {
  readonly db: Db;
  readonly coverCounts: CoverCounts;
}

export const withCovers = async ({ coverCounts }: StatusParts, status: ScanStatus): Promise<ScanProgress> => {
  const coversTotal = status.filesProcessed;
  const left = await coverCounts.left(status.libraryKey);
  return { ...status, coversTotal, coversProcessed: Math.max(0, coversTotal - left) };
};

/**
 * For a user who may not see all of a library: faults are left out, because they name files, and totals count only what the user sees. The
 * progress stays the same.
 */
export const scanAsSeen = async (parts: StatusParts, viewer: Viewer, status: ScanStatus): Promise<ScanProgress> => {
  const all = await withCovers(parts, status);
  if (!isLimited({ ...viewer.scope, libraries: null })) return all;
  const { bookCount, seriesCount } = await libraryFor(parts.db, viewer, status.libraryId);
  const share = (part: number): number => (all.filesTotal === 0 ? 0 : Math.round((part / all.filesTotal) * bookCount));
  return {
    ...all,
    filesTotal: bookCount,
    filesProcessed: share(all.filesProcessed),
    booksFound: bookCount,
    coversTotal: share(all.coversTotal),
    coversProcessed: share(all.coversProcessed),
    seriesFound: seriesCount,
    linksFound: 0,
    errors: [],
  };
};

const undefinedIfMissing = (thrown: unknown): undefined => {
  if (faultOf(thrown).kind !== 'NotFound') throw thrown;
};

/** The scans a user may know about. A library that is removed meanwhile is left out; the others are still listed. */
export const scansAsSeen = async (
  parts: StatusParts,
  viewer: Viewer,
  scans: readonly ScanStatus[],
): Promise<ScanProgress[]> => {
  const isVisible = await visibleLibraries(parts.db, viewer);
  const visible = scans.filter(({ libraryId }) => isVisible(libraryId));
  const seen = await Promise.all(visible.map((status) => scanAsSeen(parts, viewer, status).catch(undefinedIfMissing)));
  return seen.filter((status) => status !== undefined);
};

const ERRORS_KEPT = 100;

const COLUMNS = packed<ScanStatus>({
  libraryKey: { sql: 'c.library_id' },
  libraryId: { sql: 'l.uuid', as: 'uuid' },
  mode: { sql: 'c.mode' },
  state: { sql: 'c.status' },
  filesTotal: { sql: 'c.files_total' },
  filesProcessed: { sql: 'c.files_processed' },
  seriesFound: { sql: 'c.series_found' },
  booksFound: { sql: 'c.books_found' },
  linksFound: { sql: 'c.links_found' },
  errors: { sql: 'c.errors', as: 'json' },
  startedAt: { sql: 'c.started_at' },
  completedAt: { sql: 'c.completed_at' },
});

const read = async (db: Db, where: string, binds: readonly (number | string)[]): Promise<ScanStatus[]> => {
  const rows = await db.all<{ row: string }>(
    `SELECT ${COLUMNS.expression} AS row FROM scan c JOIN library l ON l.id = c.library_id AND l.removing = 0 ${where}`,
    binds,
  );
  return rows.map(({ row }) => COLUMNS.read(JSON.parse(row) as unknown[]));
};

export const storedStatus = async (db: Db, libraryKey: number): Promise<ScanStatus | undefined> =>
  (await read(db, 'WHERE c.library_id = ?', [libraryKey]))[0];

/** Scans that were in progress when the server stopped. */
export const interruptedScans = (db: Db): Promise<ScanStatus[]> =>
  read(db, `WHERE c.status IN ('pending', 'running') ORDER BY c.started_at`, []);

/** False when the library is gone. */
export const storeStatus = async (tx: Tx, status: ScanStatus): Promise<boolean> => {
  const stored = await tx.run(
    `INSERT INTO scan (library_id, mode, status, files_total, files_processed, series_found, books_found, links_found, errors, started_at, completed_at)
     SELECT id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM library WHERE id = ? AND removing = 0
     ON CONFLICT (library_id) DO UPDATE SET mode = excluded.mode, status = excluded.status, files_total = excluded.files_total,
       files_processed = excluded.files_processed, series_found = excluded.series_found, books_found = excluded.books_found,
       links_found = excluded.links_found, errors = excluded.errors, started_at = excluded.started_at, completed_at = excluded.completed_at`,
    [
      status.mode,
      status.state,
      status.filesTotal,
      status.filesProcessed,
      status.seriesFound,
      status.booksFound,
      status.linksFound,
      JSON.stringify(status.errors),
      status.startedAt,
      status.completedAt,
      status.libraryKey,
    ],
  );
  tx.report(updated('scan', [status.libraryKey], ASPECTS.details));
  return stored > 0;
};

/** Keeps the first hundred sentences. */
export const withError = (status: ScanStatus, sentence: string): ScanStatus =>
  status.errors.length >= ERRORS_KEPT ? status : { ...status, errors: [...status.errors, sentence] };

/** Changes whenever a scan finds, reads or sets aside a book, and when a book has crashed the process. */
export const scanMeasure = async (from: Reader, target: TaskTarget | null): Promise<unknown> => {
  const due = 'FROM book b INDEXED BY book_due WHERE b.library_id = l.id AND b.due = 1';
  const [row] = await from.all(
    `SELECT l.series_count AS series, l.book_count AS books, (SELECT count(*) ${due}) AS due, (SELECT coalesce(sum(b.attempts), 0) ${due}) AS attempts
     FROM library l WHERE l.uuid = ?`,
    [target === null ? null : bytesOfUuid(target.id)],
  );
  return row;
};
