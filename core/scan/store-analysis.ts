// Writes the results of analyses: one transaction for a batch of books.
import { storedRules } from '../catalog/apply-rules.js';
import { hear } from '../catalog/settle-book.js';
import { settleBooks, statesOf } from '../catalog/settled-books.js';
import { raiseRatings } from '../catalog/settled-series.js';
import { TERM_KINDS } from '../catalog/taxonomy-links.js';
import { isSilence } from '../engine/disks.js';
import { groupedBy } from '../model/grouped.js';
import type { Analysis } from '../model/jobs.js';
import type { Tx } from '../store/db.js';
import { ASPECTS, SYSTEM, updated } from '../store/feed.js';
import type { DueBook, Finished, ScanParts } from './context.js';
import { DUE, markSeriesDue } from './due-series.js';
import { followPages, type OldPages, oldPages, pagedOf } from './follow-pages.js';
import { judgeSeries } from './judged.js';
import { reasonOf } from './reason.js';
import { sourceOf } from './source-of-file.js';
import { storePages } from './store-pages.js';
import { storeOutlines, storeRemarks } from './store-remarks.js';

export interface Marks {
  /** Books about to be parsed: one more attempt for each. */
  readonly mark?: readonly number[];
  /** Books that were marked and then not parsed. */
  readonly unmark?: readonly number[];
}

/**
 * What the attempts of a due book say. Each is counted before the file is parsed, and taken back if it leads to a result. A book that was
 * under way among others when the process died is suspected. It is blamed if it was alone, or if it took its thread or too much time.
 */
export const ATTEMPTS = { suspected: 1, blamed: 2, quarantined: 3 } as const;

/** An analysis may find a different file, different pages and different facts. */
const ANALYSED = ASPECTS.list | ASPECTS.text | ASPECTS.content | ASPECTS.cover;

/** Errors that say nothing about the file: it stays due, and the attempt does not count. */
const PASSING = new Set(['Cancelled', 'Overloaded', 'FileUnreadable', 'FileChanged']);
/** Errors that count as an attempt: the file may have killed its thread. */
const DEADLY = new Set(['Timeout', 'WorkerCrashed']);

const keysOf = (all: readonly { readonly book: DueBook }[]): readonly number[] => all.map(({ book }) => book.key);

/** A book as it is fetched, and what has happened to its row since then. */
interface StoredBook extends DueBook {
  /** Its row was marked as due again while it was being analysed; that mark is not of this analysis. */
  readonly isDueAgain: boolean;
  readonly seriesHasDirection: boolean;
  readonly wasNeverReadable: boolean;
}

interface Analysed {
  readonly book: StoredBook;
  readonly analysis: Analysis;
}

type Ended = Finished & { readonly book: StoredBook };

const keyList = (all: readonly { readonly book: DueBook }[]): string => JSON.stringify(keysOf(all));

/** Whether the file has metadata, or may have had some when it was last analysed. */
const mayHaveMetadata = ({ book, analysis }: Analysed): boolean => analysis.metadata !== null || book.wasAnalysed === 1;

/** Numbers, and titles made from them. */
const dueByRules = ({ rules }: DueBook, dependsOnFile: boolean): number => {
  const { dependOnFiles, areChanged } = storedRules(rules);
  return areChanged || (dependOnFiles && dependsOnFile) ? DUE.numbers : 0;
};

/** A series has the direction that more than half of its books state, so each book counts, whatever is found in it. */
const dueByShare = ({ seriesHasDirection }: StoredBook): number => (seriesHasDirection ? DUE.metadata : 0);

/** If a book was never read before, and its analysis finds no metadata, its series has nothing else to take from it. */
const dueBy = (one: Analysed): number =>
  dueByRules(one.book, mayHaveMetadata(one)) | dueByShare(one.book) | (mayHaveMetadata(one) ? DUE.metadata : 0);

/** Marks the series too. Counters move by the difference, so the cost of a book does not grow with its series; one deleted meanwhile counts no more. */
const storeCounters = async (tx: Tx, analysed: readonly Analysed[]): Promise<void> => {
  await tx.run(
    `UPDATE series SET page_count = page_count + n.pages, file_size = file_size + n.size, due = series.due | n.due
     FROM (SELECT b.series_id AS id, sum(((j.value ->> 1) - b.page_count) * (1 - b.deleted)) AS pages, sum(((j.value ->> 2) - b.file_size) * (1 - b.deleted)) AS size,
         max(j.value ->> 3) AS due
       FROM json_each(?) j CROSS JOIN book b ON b.id = j.value ->> 0 GROUP BY b.series_id) n WHERE series.id = n.id`,
    [JSON.stringify(analysed.map((one) => [one.book.key, one.analysis.pageCount, one.analysis.sizeBytes, dueBy(one)]))],
  );
};

/** Stores what was found about the files themselves. Pages and cover get new addresses unless the hash says that the file is the same. */
const storeFiles = async (tx: Tx, analysed: readonly Analysed[], nowMs: number): Promise<void> => {
  await tx.run(
    `UPDATE book SET file_hash = j.value ->> 1, hash_due = j.value ->> 9,
       revision = revision + (koreader_hash IS NOT NULL AND (file_hash <> j.value ->> 1 OR j.value ->> 9)),
       koreader_hash = j.value ->> 2, never_readable = min(never_readable, 1 - (j.value ->> 4)), page_count = j.value ->> 3, analyzed = j.value ->> 4, analysis_error = j.value ->> 5,
       analysis_kind = j.value ->> 6, due = j.value ->> 7, cover_due = j.value ->> 8, epub_kind = j.value ->> 10, page_hashes = j.value ->> 11,
       attempts = CASE j.value ->> 7 WHEN 1 THEN attempts ELSE 0 END, updated_at = ?1
     FROM json_each(?2) j WHERE book.id = j.value ->> 0`,
    [
      nowMs,
      JSON.stringify(
        analysed.map(({ book, analysis }) => [
          book.key,
          analysis.fileHash,
          analysis.koreaderHash,
          analysis.pageCount,
          Number(analysis.fault === null),
          analysis.fault === null ? null : reasonOf(analysis.fault),
          analysis.fault?.kind ?? null,
          Number(book.isDueAgain),
          Number(analysis.isCoverDue),
          Number(analysis.isHashDue),
          analysis.epubKind,
          analysis.pageHashes,
        ]),
      ),
    ],
  );
};

/** By itself: the scan has stored all this from the names of files, and writing a column writes the entries of its indexes even if nothing changes. */
const storeFileFacts = async (tx: Tx, analysed: readonly Analysed[]): Promise<void> => {
  await tx.run(
    `UPDATE book SET file_size = j.value ->> 1, file_mtime = j.value ->> 2, format = coalesce(j.value ->> 3, format)
     FROM json_each(?) j WHERE book.id = j.value ->> 0
       AND (file_size, file_mtime, format) IS NOT (j.value ->> 1, j.value ->> 2, coalesce(j.value ->> 3, format))`,
    [
      JSON.stringify(
        analysed.map(({ book, analysis: { sizeBytes, mtimeMs, format } }) => [book.key, sizeBytes, mtimeMs, format]),
      ),
    ],
  );
};

/** Stores what the files say about themselves. */
const storeMetadata = async (tx: Tx, analysed: readonly Analysed[], nowMs: number): Promise<void> => {
  const states = await statesOf(tx, keysOf(analysed));
  const changes = analysed.flatMap(({ book, analysis }) => {
    const state = states.get(book.key);
    if (state === undefined) return [];
    return [{ book, state: hear(state, 'file', sourceOf(analysis, state.said.get('file'))), terms: TERM_KINDS }];
  });
  await settleBooks(tx, changes, nowMs);
  const rated = analysed.filter(({ analysis: { metadata } }) => (metadata?.series.ageRating ?? null) !== null);
  await raiseRatings(tx, keysOf(rated), nowMs);
};

const keepPlaces = async (tx: Tx, old: readonly OldPages[], analysed: readonly Analysed[]): Promise<void> => {
  const analyses = new Map(analysed.map(({ book, analysis }) => [book.key, analysis]));
  for (const one of old) {
    const analysis = analyses.get(one.key);
    if (analysis === undefined) continue;
    const { pageTable, outline, pageCount, epubKind, fileHash, koreaderHash, isHashDue } = analysis;
    const now = pagedOf({ table: pageTable, outline, pageCount, epubKind });
    const isSameHash = one.fileHash === fileHash || isHashDue;
    const isSameFile = one.fileHash !== '' && one.koreaderHash === koreaderHash && isSameHash;
    if (now !== undefined) await followPages(tx, one, now, isSameFile);
  }
};

const storeFound = async (tx: Tx, analysed: readonly Analysed[], nowMs: number): Promise<void> => {
  if (analysed.length === 0) return;
  const old = await oldPages(tx, keysOf(analysed));
  await storeCounters(tx, analysed);
  await storePages(tx, analysed);
  await storeFiles(tx, analysed, nowMs);
  await storeFileFacts(tx, analysed);
  await storeMetadata(tx, analysed, nowMs);
  await keepPlaces(tx, old, analysed);
};

/** The disk or the moment is to blame; only an unreadable file deserves a remark. */
const isNoFinding = (kind: string): boolean => PASSING.has(kind) && kind !== 'FileUnreadable';

const storeFailed = async (tx: Tx, { book, error }: Ended, nowMs: number): Promise<void> => {
  if (error === null) return;
  if (PASSING.has(error.kind)) {
    const message = error.kind === 'FileUnreadable' && !isSilence(error) ? error.message : null;
    await tx.run(
      `UPDATE book SET attempts = CASE ?5 WHEN 1 THEN 0 ELSE attempts END, analysis_error = coalesce(?1, analysis_error),
         analysis_kind = CASE WHEN ?1 IS NULL THEN analysis_kind ELSE ?2 END, updated_at = ?3 WHERE id = ?4`,
      [message, error.kind, nowMs, book.key, Number(book.isCounted)],
    );
    return;
  }
  const deadly = DEADLY.has(error.kind);
  await tx.run(
    `UPDATE book SET due = ?, attempts = CASE ? WHEN 1 THEN max(attempts, ?) ELSE 0 END, analysis_error = ?, analysis_kind = ?, analyzed = 0,
       hash_due = max(hash_due, file_hash = ''), updated_at = ? WHERE id = ?`,
    [
      Number(deadly || book.isDueAgain),
      Number(deadly),
      Math.max(book.attempts + 1, ATTEMPTS.blamed),
      reasonOf(error),
      error.kind,
      nowMs,
      book.key,
    ],
  );
};

interface Row {
  readonly id: number;
  readonly seriesKey: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly due: number;
  readonly attempts: number;
  readonly hasDirection: number;
  readonly neverReadable: number;
}

/** False when a scan saw another version of the file in the meantime, and not the one that was analysed: the result is of a past file. */
const isOfNow = ({ book, analysis }: Finished, { size, mtimeMs }: Row): boolean =>
  [book, { size: analysis?.sizeBytes, mtimeMs: analysis?.mtimeMs }].some(
    (version) => version.size === size && version.mtimeMs === mtimeMs,
  );

/** Whoever marks a book clears its attempts. */
const isDueAgain = ({ due, attempts, isCounted }: DueBook, row: Row): boolean =>
  row.due === 1 && (due === 0 || row.attempts < attempts + Number(isCounted));

/** While it was being analysed, a book may have been removed or marked, moved to another series, or its file replaced. */
const stillThere = async (tx: Tx, all: readonly Finished[]): Promise<readonly Ended[]> => {
  const rows = await tx.all<Row>(
    `SELECT b.id, b.series_id AS seriesKey, b.file_size AS size, b.file_mtime AS mtimeMs, b.due, b.attempts, s.reading_direction IS NOT NULL AS hasDirection, b.never_readable AS neverReadable
     FROM json_each(?) j CROSS JOIN book b NOT INDEXED ON b.id = j.value JOIN series s ON s.id = b.series_id`,
    [keyList(all)],
  );
  const rowOf = new Map(rows.map((row) => [row.id, row]));
  return all.flatMap((one): Ended[] => {
    const row = rowOf.get(one.book.key);
    if (row === undefined || !isOfNow(one, row)) return [];
    const ofNow = {
      seriesKey: row.seriesKey,
      seriesHasDirection: row.hasDirection === 1,
      wasNeverReadable: row.neverReadable === 1,
    };
    return [{ ...one, book: { ...one.book, ...ofNow, isDueAgain: isDueAgain(one.book, row) } }];
  });
};

/** Readable for the first time: viewers with an age limit may see it from now on. */
const becameReadable = ({ book, analysis }: Ended): boolean => book.wasNeverReadable && analysis?.fault === null;

export const storeAnalyses = async (parts: ScanParts, all: readonly Finished[], marks: Marks = {}): Promise<void> => {
  const now = parts.clock.now();
  const withDue = await parts.db.write(SYSTEM, 'background', async (tx) => {
    const finished = await stillThere(tx, all);
    const failed = finished.filter(({ analysis }) => analysis === null);
    for (const one of failed) {
      await storeFailed(tx, one, now);
      await markSeriesDue(tx, [one.book.seriesKey], dueByRules(one.book, true) | dueByShare(one.book));
    }
    const analysed = finished.flatMap(({ book, analysis }) => (analysis === null ? [] : [{ book, analysis }]));
    await storeFound(tx, analysed, now);
    await storeOutlines(tx, finished);
    await storeRemarks(
      tx,
      finished.filter(({ error }) => error === null || !isNoFinding(error.kind)),
      now,
    );
    for (const [wasNeverReadable, some] of groupedBy(finished, becameReadable))
      tx.report({ ...updated('book', keysOf(some), ANALYSED), wasNeverReadable });
    const series = new Set(analysed.map(({ book }) => book.seriesKey));
    tx.report(updated('series', [...series], ASPECTS.list));
    await judgeSeries(tx, [...new Set(finished.map(({ book }) => book.seriesKey))]);
    await storeMarks(tx, marks);
    return new Set(
      analysed.filter(({ analysis }) => analysis.isCoverDue || analysis.isHashDue).map(({ book }) => book.libraryKey),
    );
  });
  for (const libraryKey of withDue) parts.onDue(libraryKey);
};

const storeMarks = async (tx: Tx, { mark = [], unmark = [] }: Marks): Promise<void> => {
  for (const [keys, attempts] of [
    [mark, 'attempts + 1'],
    [unmark, 'max(0, attempts - 1)'],
  ] as const) {
    if (keys.length === 0) continue;
    await tx.run(`UPDATE book SET attempts = ${attempts} WHERE id IN (SELECT value FROM json_each(?))`, [
      JSON.stringify(keys),
    ]);
    tx.report(updated('book', keys, ASPECTS.details));
  }
};
