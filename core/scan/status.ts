// The state of one scan: live while it runs, and stored at each transition, so that a killed server knows what to resume.
import { type Library, libraryFor, type ScanMode, visibleLibraries } from '../catalog/libraries.js';
import { andVisible } from '../catalog/visibility.js';
import { faultOf } from '../model/errors.js';
import { bytesOfUuid } from '../model/ids.js';
import { isLimited, type Viewer } from '../model/viewer.js';
import { keyList } from '../store/by-key.js';
import type { Db, Reader, Tx } from '../store/db.js';
import { ASPECTS, keysIn, updated } from '../store/feed.js';
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
  /** Known books whose file size or modification time had changed. */
  readonly booksChanged: number;
  /** Books removed because their files were gone. */
  readonly booksRemoved: number;
  readonly errors: readonly string[];
  /** The series that each of the errors is about; null where it is about none, or about something that may be hidden from some. */
  readonly errorSeries: readonly (number | null)[];
  /** Books read per second, over the last half minute; 0 while that is unknown. */
  readonly rate: number;
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
  booksChanged: 0,
  booksRemoved: 0,
  errors: [],
  errorSeries: [],
  rate: 0,
  startedAt: nowMs,
  completedAt: null,
});

/** How long a scan still takes; null while that is unknown. */
export const secondsLeft = ({ state, rate, filesTotal, filesProcessed }: ScanStatus): number | null =>
  state !== 'running' || rate <= 0 ? null : Math.ceil(Math.max(0, filesTotal - filesProcessed) / rate);

/** A status, and the covers that follow the analysis: those of the books processed so far, and how many of them are not due. */
export interface ScanProgress extends ScanStatus {
  readonly secondsLeft: number | null;
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
  const coversProcessed = Math.max(0, coversTotal - left);
  return { ...status, secondsLeft: secondsLeft(status), coversTotal, coversProcessed };
};

/**
 * The errors about series that the viewer sees. None for viewers with an age limit: errors name files that cannot be read, whose age rating is
 * unknown.
 */
const errorsFor = async (
  db: Db,
  { scope }: Viewer,
  { errors, errorSeries }: ScanStatus,
): Promise<readonly string[]> => {
  const about = errorSeries.filter((key) => key !== null);
  if (about.length === 0 || scope.ageLimit !== null) return [];
  const sql = `SELECT s.id FROM series s WHERE s.id IN (SELECT value FROM json_each(?))${andVisible(scope, 's')}`;
  const seen = new Set<number | null>(keysIn(await db.all<{ id: number }>(sql, [JSON.stringify(about)])));
  return errors.filter((_, at) => seen.has(errorSeries[at] ?? null));
};

/**
 * For a user who may not see all of a library: faults are those of books that the user sees, because they name files, and totals count only
 * what the user sees. The progress and the time left stay the same.
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
    booksChanged: 0,
    booksRemoved: 0,
    rate: all.filesTotal === 0 ? 0 : (all.rate / all.filesTotal) * bookCount,
    errors: await errorsFor(parts.db, viewer, status),
    errorSeries: [],
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

/** Errors are stored with their series; before schema 28, as sentences alone. As text: JSON would become part of the packed row. */
const errorPart = (sql: string): string => `((SELECT json_group_array(${sql}) FROM json_each(c.errors) j) || '')`;

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
  booksChanged: { sql: 'c.books_changed' },
  booksRemoved: { sql: 'c.books_removed' },
  errors: { sql: errorPart("CASE j.type WHEN 'array' THEN j.value ->> 0 ELSE j.value END"), as: 'json' },
  errorSeries: { sql: errorPart("CASE j.type WHEN 'array' THEN j.value ->> 1 END"), as: 'json' },
  rate: { sql: '0' },
  startedAt: { sql: 'c.started_at' },
  completedAt: { sql: 'c.completed_at' },
});

const read = async (db: Reader, where: string, binds: readonly (number | string)[]): Promise<ScanStatus[]> => {
  const rows = await db.all<{ row: string }>(
    `SELECT ${COLUMNS.expression} AS row FROM scan c JOIN library l ON l.id = c.library_id AND l.removing = 0 ${where}`,
    binds,
  );
  return rows.map(({ row }) => COLUMNS.read(JSON.parse(row) as unknown[]));
};

export const storedStatus = async (db: Db, libraryKey: number): Promise<ScanStatus | undefined> =>
  (await read(db, 'WHERE c.library_id = ?', [libraryKey]))[0];

/** The last scans of libraries. */
export const storedStatuses = (from: Reader, libraryKeys: readonly number[]): Promise<ScanStatus[]> =>
  read(from, 'WHERE c.library_id IN (SELECT value FROM json_each(?))', [keyList(libraryKeys)]);

/** Scans that were in progress when the server stopped. */
export const interruptedScans = (db: Db): Promise<ScanStatus[]> =>
  read(db, `WHERE c.status IN ('pending', 'running') ORDER BY c.started_at`, []);

/** False when the library is gone. */
export const storeStatus = async (tx: Tx, status: ScanStatus): Promise<boolean> => {
  const stored = await tx.run(
    `INSERT INTO scan (library_id, mode, status, files_total, files_processed, series_found, books_found, links_found, books_changed, books_removed, errors, started_at, completed_at)
     SELECT id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM library WHERE id = ? AND removing = 0
     ON CONFLICT (library_id) DO UPDATE SET mode = excluded.mode, status = excluded.status, files_total = excluded.files_total,
       files_processed = excluded.files_processed, series_found = excluded.series_found, books_found = excluded.books_found,
       links_found = excluded.links_found, books_changed = excluded.books_changed, books_removed = excluded.books_removed, errors = excluded.errors, started_at = excluded.started_at, completed_at = excluded.completed_at`,
    [
      status.mode,
      status.state,
      status.filesTotal,
      status.filesProcessed,
      status.seriesFound,
      status.booksFound,
      status.linksFound,
      status.booksChanged,
      status.booksRemoved,
      JSON.stringify(status.errors.map((sentence, at) => [sentence, status.errorSeries[at] ?? null])),
      status.startedAt,
      status.completedAt,
      status.libraryKey,
    ],
  );
  tx.report(updated('scan', [status.libraryKey], ASPECTS.details));
  return stored > 0;
};

/** Keeps the first hundred sentences. */
export const withError = (status: ScanStatus, sentence: string, seriesKey: number | null = null): ScanStatus => {
  const { errors, errorSeries } = status;
  if (errors.length >= ERRORS_KEPT) return status;
  return { ...status, errors: [...errors, sentence], errorSeries: [...errorSeries, seriesKey] };
};

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
