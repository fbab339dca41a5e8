// One complete scan of one library: discover -> sweep -> analyse -> settle. Each step is a file in this folder.
import type { Library, ScanMode } from '../catalog/libraries.js';
import { mergeSearchIndex } from '../catalog/search/merge.js';
import { isSilence } from '../engine/disks.js';
import { AppError } from '../model/errors.js';
import type { WalkOutput } from '../model/jobs.js';
import { ASPECTS, SYSTEM, updated } from '../store/feed.js';
import { takeStatistics } from '../store/statistics.js';
import { type DrainOptions, drain } from './analyse.js';
import { type DueBook, type DueFilter, newFindings, type ScanContext, type ScanParts } from './context.js';
import { discover } from './discover.js';
import { inLibrary, settleDue } from './due-series.js';
import { andInPart, type Part } from './part.js';
import { purgeDeleted } from './purge.js';
import { reasonOf } from './reason.js';
import { bytesRead } from './scan-tally.js';
import { sweep } from './sweep.js';

export interface ScanRequest {
  readonly library: Library;
  readonly mode: ScanMode;
  readonly part: Part;
  /** True for a scan that continues after the server stopped during it: the marks of a deep scan are kept as they are. */
  readonly resumed: boolean;
  readonly acceptMissing: boolean;
  /** True when nobody waits for it: files still being written are left to a later scan. */
  readonly settledOnly: boolean;
  readonly signal: AbortSignal;
}

/** What the scan reports while it runs. */
export interface ScanReport {
  /** `seriesKey`: the series of the book that it is about. */
  warn(sentence: string, seriesKey?: number): void;
  looked(found: WalkOutput): void;
  /** So many bytes of books were analysed. */
  read(bytes: number): void;
  progress(found: {
    /** Books are read; before that, folders are listed. */
    readonly isReading: boolean;
    readonly filesTotal: number;
    readonly filesProcessed: number;
    readonly seriesFound: number;
    readonly linksFound: number;
    readonly booksChanged: number;
    readonly booksRemoved: number;
  }): void;
}

const pathInLibrary = ({ folderPath, fileName }: DueBook): string =>
  folderPath === '' ? fileName : `${folderPath}/${fileName}`;

/** The state before the scan, to tell added books from old ones. */
const stateBefore = async (
  { db }: ScanParts,
  library: Library,
): Promise<Pick<ScanContext, 'hadBooks' | 'lastKeyBefore'>> => {
  const [row] = await db.all<{ had: number; last: number }>(
    'SELECT EXISTS (SELECT 1 FROM book WHERE library_id = ?) AS had, (SELECT coalesce(max(id), 0) FROM book) AS last',
    [library.key],
  );
  return { hadBooks: row?.had === 1, lastKeyBefore: row?.last ?? 0 };
};

const dueCount = async ({ db }: ScanParts, library: Library, part: Part): Promise<number> => {
  const { sql, binds } = andInPart(library, part);
  const [row] = await db.all<{ n: number }>(
    `SELECT count(*) AS n FROM book b INDEXED BY book_due WHERE b.library_id = ? AND b.due = 1 AND b.deleted = 0${sql}`,
    [library.key, ...binds],
  );
  return row?.n ?? 0;
};

const seriesCount = async ({ db }: ScanParts, library: Library): Promise<number> => {
  const [row] = await db.all<{ n: number }>('SELECT series_count AS n FROM library WHERE id = ?', [library.key]);
  return row?.n ?? 0;
};

/** After a deep scan, changed rules count as applied. */
const settleRules = async ({ db }: ScanParts, request: ScanRequest): Promise<void> => {
  const { library, mode, part } = request;
  if (mode !== 'deep' || part !== null || !library.rulesChanged) return;
  await db.write(SYSTEM, 'background', (tx) => {
    tx.report(updated('library', [library.key], ASPECTS.details));
    return tx.run('UPDATE library SET rules_changed = 0 WHERE id = ? AND updated_at = ?', [
      library.key,
      library.updatedAt,
    ]);
  });
};

/** Exact counters and, after a scan that changed much, fresh statistics for the query planner and a merged search index. */
const settle = async (
  { db, clock }: ScanParts,
  { library, part }: ScanRequest,
  changed: number,
  isSwept: boolean,
): Promise<void> => {
  const isWhole = part === null;
  const books = await db.write(SYSTEM, 'background', async (tx) => {
    await tx.run(
      `UPDATE library SET last_scanned_at = iif(?3, ?1, last_scanned_at), former_root = iif(?4 AND root = ?5, NULL, former_root),
         (series_count, book_count) =
         (SELECT count(*), coalesce(sum(book_count), 0) FROM series WHERE library_id = library.id AND book_count > 0) WHERE id = ?2`,
      [clock.now(), library.key, Number(isWhole), Number(isWhole && isSwept), library.root],
    );
    tx.report(updated('library', [library.key], ASPECTS.details));
    const [row] = await tx.all<{ n: number }>('SELECT book_count AS n FROM library WHERE id = ?', [library.key]);
    return row?.n ?? 0;
  });
  if (changed * 10 <= books) return;
  await takeStatistics(db);
  await mergeSearchIndex(db);
};

/** Analyses due books. A disk that does not answer ends it: the books stay due, and there is no point in trying each of them. */
const analyser =
  (parts: ScanParts, { signal }: ScanRequest, report: ScanReport, ended: (count: number) => void) =>
  async (filter: DueFilter): Promise<void> => {
    const silence = new AbortController();
    const onStored: DrainOptions['onStored'] = (finished) => {
      const unanswered = finished.find(({ error }) => isSilence(error))?.error;
      if (unanswered !== undefined) silence.abort(unanswered);
      // Those that were under way when the scan was stopped are read another time.
      const done = finished.filter(({ error }) => error?.kind !== 'Cancelled');
      report.read(bytesRead(finished));
      ended(done.length);
      for (const { book, analysis, error } of done) {
        const fault = analysis === null ? error : analysis.fault;
        if (fault !== null) report.warn(`${pathInLibrary(book)}: ${reasonOf(fault)}`, book.seriesKey);
        for (const { type, message } of analysis?.notes ?? [])
          if (type === 'other') report.warn(`${pathInLibrary(book)}: ${message}`, book.seriesKey);
      }
    };
    await drain(parts, { filter, onStored, isListed: true, signal: AbortSignal.any([signal, silence.signal]) }).catch(
      (thrown: unknown) => {
        throw silence.signal.aborted ? silence.signal.reason : thrown;
      },
    );
  };

export const runScan = async (parts: ScanParts, request: ScanRequest, report: ScanReport): Promise<void> => {
  const { library, part, signal } = request;
  const { tracing } = parts;
  const findings = newFindings();
  const progress = (isReading: boolean, seriesFound = 0): void =>
    report.progress({
      isReading,
      filesTotal: findings.filesFound,
      filesProcessed: Math.max(0, Math.min(findings.filesFound, findings.filesProcessed)),
      seriesFound,
      linksFound: findings.linksFound,
      booksChanged: findings.booksChanged,
      booksRemoved: findings.booksRemoved,
    });
  const analyse = analyser(parts, request, report, (count) => {
    findings.filesProcessed += count;
    progress(true);
  });
  const context: ScanContext = {
    parts,
    library,
    part,
    mode: request.resumed ? 'normal' : request.mode,
    signal,
    ...(await stateBefore(parts, library)),
    findings,
    warn: report.warn,
    settledOnly: request.settledOnly,
    looked: report.looked,
    analyse: (bookKeys) =>
      analyse({ where: 'b.id IN (SELECT value FROM json_each(?))', binds: [JSON.stringify(bookKeys)] }),
    tell: () => progress(false),
  };
  // Files that have not changed count as processed while they are found, but not those that are still to be read.
  findings.filesProcessed -= await dueCount(parts, library, part);
  const discovery = await tracing.phase('scan discover', () => discover(context));
  if (signal.aborted) throw new AppError('Cancelled');
  const isSwept = await tracing.phase('scan sweep', () => sweep(context, discovery, request.acceptMissing));
  const settleSeries = () =>
    tracing.phase('scan settle', () => settleDue(parts, inLibrary(library.key), 'background', signal));
  await settleSeries();
  const due = await dueCount(parts, library, part);
  findings.filesProcessed = Math.max(0, findings.filesFound - due);
  progress(true, await seriesCount(parts, library));
  const within = andInPart(library, part);
  await tracing.phase('scan analyse', () =>
    analyse({ where: `b.library_id = ?${within.sql}`, binds: [library.key, ...within.binds] }),
  );
  await settleSeries();
  await settleRules(parts, request);
  await tracing.phase('scan count', () => settle(parts, request, due, isSwept));
  if (library.scanPurge && part === null) await purgeDeleted(parts.db, SYSTEM, { libraryKey: library.key }, signal);
  findings.filesProcessed = findings.filesFound;
  progress(true, await seriesCount(parts, library));
};
