// One scan of one library, whole: discover -> sweep -> analyse -> settle. Every step is a file of this folder.
import type { Library, ScanMode } from '../catalog/libraries.js';
import { AppError } from '../model/errors.js';
import { settlesLate } from '../model/strategies.js';
import { takeStatistics } from '../store/statistics.js';
import { drain } from './analyse.js';
import { newFindings, type ScanContext, type ScanParts } from './context.js';
import { discover } from './discover.js';
import { numberMany } from './numbering.js';
import { supplySeries } from './supply-series.js';
import { sweep } from './sweep.js';

export interface ScanRequest {
  readonly library: Library;
  readonly mode: ScanMode;
  /** True for a scan that goes on after the server ended in the middle of it: deep marks are kept as they are. */
  readonly resumed: boolean;
  readonly acceptMissing: boolean;
  readonly signal: AbortSignal;
}

/** What the scan reports while it runs. */
export interface ScanReport {
  /** From now on the scan may be broken off and gone on with. */
  begun(): void;
  warn(sentence: string): void;
  progress(found: { readonly filesTotal: number; readonly filesProcessed: number; readonly seriesFound: number }): void;
}

const knownCount = async ({ db }: ScanParts, library: Library): Promise<number> => {
  const [row] = await db.all<{ n: number }>('SELECT EXISTS (SELECT 1 FROM book WHERE library_id = ?) AS n', [
    library.key,
  ]);
  return row?.n ?? 0;
};

const dueCount = async ({ db }: ScanParts, library: Library): Promise<number> => {
  const [row] = await db.all<{ n: number }>(
    'SELECT count(*) AS n FROM book INDEXED BY book_due WHERE library_id = ? AND due = 1 AND deleted = 0',
    [library.key],
  );
  return row?.n ?? 0;
};

/** A deep scan reads everything again; what is stored stays in use until its new analysis replaces it. */
const markAllDue = async ({ db }: ScanParts, library: Library): Promise<void> => {
  await db.write('background', (tx) =>
    tx.run('UPDATE book SET due = 1, attempts = 0 WHERE library_id = ? AND deleted = 0', [library.key]),
  );
};

const seriesCount = async ({ db }: ScanParts, library: Library): Promise<number> => {
  const [row] = await db.all<{ n: number }>('SELECT series_count AS n FROM library WHERE id = ?', [library.key]);
  return row?.n ?? 0;
};

/** A scan that goes on does not know which series the first part read, so all are settled; a deep scan has applied changed rules. */
const settleRules = async (parts: ScanParts, { library, mode, resumed }: ScanRequest): Promise<void> => {
  const { db } = parts;
  if (resumed) {
    const rows = await db.all<{ id: number }>('SELECT id FROM series WHERE library_id = ?', [library.key]);
    const keys = rows.map(({ id }) => id);
    if (settlesLate(library) || library.rulesChanged) await numberMany({ db }, keys, library);
    await supplySeries(parts, keys, 'background');
  }
  if (mode !== 'deep' || !library.rulesChanged) return;
  await db.write('background', (tx) =>
    tx.run('UPDATE library SET rules_changed = 0 WHERE id = ? AND updated_at = ?', [library.key, library.updatedAt]),
  );
};

/** Exact counters and fresh statistics for the query planner. */
const settle = async ({ db, clock }: ScanParts, library: Library, changed: number): Promise<void> => {
  await db.write('background', async (tx) => {
    await tx.run(
      `UPDATE library SET last_scanned_at = ?1, (series_count, book_count) =
         (SELECT count(*), coalesce(sum(book_count), 0) FROM series WHERE library_id = library.id AND book_count > 0) WHERE id = ?2`,
      [clock.now(), library.key],
    );
    const [row] = await tx.all<{ n: number }>('SELECT book_count AS n FROM library WHERE id = ?', [library.key]);
    if (changed * 10 > (row?.n ?? 0)) await takeStatistics(tx);
  });
};

export const runScan = async (parts: ScanParts, request: ScanRequest, report: ScanReport): Promise<void> => {
  const { library, signal } = request;
  const findings = newFindings();
  const context: ScanContext = {
    parts,
    library,
    mode: request.resumed ? 'normal' : request.mode,
    signal,
    hadBooks: (await knownCount(parts, library)) > 0,
    findings,
    warn: report.warn,
  };
  const tell = async (): Promise<void> => {
    const seriesFound = await seriesCount(parts, library);
    report.progress({
      filesTotal: findings.filesFound,
      filesProcessed: Math.min(findings.filesFound, findings.filesProcessed),
      seriesFound,
    });
  };
  if (request.mode === 'deep' && !request.resumed) await markAllDue(parts, library);
  report.begun();
  const discovery = await discover(context);
  if (signal.aborted) throw new AppError('Cancelled');
  await sweep(context, discovery, request.acceptMissing);
  const due = await dueCount(parts, library);
  findings.filesProcessed = Math.max(0, findings.filesFound - due);
  await tell();
  await drain(parts, {
    filter: { where: 'b.library_id = ?', binds: [library.key] },
    signal,
    onStored: (finished) => {
      findings.filesProcessed += finished.length;
      report.progress({
        filesTotal: findings.filesFound,
        filesProcessed: Math.min(findings.filesFound, findings.filesProcessed),
        seriesFound: 0,
      });
      for (const { book, analysis, error } of finished) {
        const message = analysis === null ? error?.message : analysis.fault?.message;
        if (message !== undefined) report.warn(`${book.path}: ${message}`);
      }
    },
  });
  await settleRules(parts, request);
  await settle(parts, library, due);
  findings.filesProcessed = findings.filesFound;
  await tell();
};
