// Writes the results of analyses: one transaction for a batch of books.
import { factsToStore, storedRules } from '../catalog/apply-rules.js';
import { columnsOf, NO_FACTS } from '../catalog/book-facts.js';
import { isSilence } from '../engine/disks.js';
import type { Analysis } from '../model/jobs.js';
import { STORED_RULES } from '../model/stored-rules.js';
import type { Tx } from '../store/db.js';
import { ASPECTS, updated } from '../store/feed.js';
import type { DueBook, Finished, ScanParts } from './context.js';
import { reasonOf } from './reason.js';
import { type Merged, mergeMetadata, storeMetadata } from './store-metadata.js';
import { storeOutlines, storeRemarks } from './store-remarks.js';

export interface Marks {
  /** Books that are about to be parsed: one more attempt. */
  readonly mark?: readonly number[];
  /** Books that were marked and then not parsed. */
  readonly unmark?: readonly number[];
}

/** An analysis may find another file, other pages, other facts. */
const ANALYSED = ASPECTS.list | ASPECTS.text | ASPECTS.content | ASPECTS.cover;

/** Errors that say nothing about the file: it stays due, and the attempt does not count. */
const PASSING = new Set(['Cancelled', 'Overloaded', 'FileUnreadable', 'FileChanged']);
/** Errors after which the attempt counts: the file may have ended its thread. */
const DEADLY = new Set(['Timeout', 'WorkerCrashed']);

/** The series counter moves by the difference, so that the cost of a book does not grow with its series. */
const storePages = async (tx: Tx, book: DueBook, analysis: Analysis): Promise<void> => {
  await tx.run(
    'UPDATE series SET page_count = page_count + ? - (SELECT page_count FROM book WHERE id = ?), file_size = file_size + ? - (SELECT file_size FROM book WHERE id = ?) WHERE id = ?',
    [analysis.pageCount, book.key, analysis.sizeBytes, book.key, book.seriesKey],
  );
  if (analysis.pageTable === null) {
    await tx.run('DELETE FROM book_pages WHERE book_id = ?', [book.key]);
    return;
  }
  await tx.run(
    `INSERT INTO book_pages (book_id, page_table, rule) VALUES (?, ?, ?)
     ON CONFLICT (book_id) DO UPDATE SET page_table = excluded.page_table, rule = excluded.rule`,
    [
      book.key,
      Buffer.from(analysis.pageTable.buffer, analysis.pageTable.byteOffset, analysis.pageTable.byteLength),
      STORED_RULES.pages,
    ],
  );
};

const storeFound = async (tx: Tx, { book, analysis, facts, locks }: Merged, nowMs: number): Promise<void> => {
  await storePages(tx, book, analysis);
  const { rules } = storedRules(book.rules);
  const shown = columnsOf(facts ?? NO_FACTS, locks, factsToStore(rules, book, facts));
  await tx.run(
    `UPDATE book SET file_size = ?, file_mtime = ?, revision = revision + (file_hash <> '' AND file_hash <> ?3), file_hash = ?3, koreader_hash = ?,
       format = coalesce(?, format), title = coalesce(?, title), title_sort = coalesce(?, title_sort), volume = ?, chapter = ?, page_count = ?, analyzed = ?, analysis_error = ?, analysis_kind = ?,
       due = 0, attempts = 0, updated_at = ?
     WHERE id = ?`,
    [
      analysis.sizeBytes,
      analysis.mtimeMs,
      analysis.fileHash,
      analysis.koreaderHash,
      analysis.format,
      shown.title,
      shown.titleSort,
      shown.volume,
      shown.chapter,
      analysis.pageCount,
      Number(analysis.fault === null),
      analysis.fault === null ? null : reasonOf(analysis.fault),
      analysis.fault?.kind ?? null,
      nowMs,
      book.key,
    ],
  );
};

/** The disk or the moment is to blame; only an unreadable file is worth a remark. */
const isNoFinding = (kind: string): boolean => PASSING.has(kind) && kind !== 'FileUnreadable';

const storeFailed = async (tx: Tx, { book, error }: Finished, nowMs: number): Promise<void> => {
  if (error === null) return;
  if (PASSING.has(error.kind)) {
    const message = error.kind === 'FileUnreadable' && !isSilence(error) ? error.message : null;
    await tx.run(
      `UPDATE book SET attempts = 0, analysis_error = coalesce(?1, analysis_error),
         analysis_kind = CASE WHEN ?1 IS NULL THEN analysis_kind ELSE ?2 END, updated_at = ?3 WHERE id = ?4`,
      [message, error.kind, nowMs, book.key],
    );
    return;
  }
  const deadly = DEADLY.has(error.kind);
  await tx.run(
    `UPDATE book SET due = ?, attempts = CASE ? WHEN 1 THEN max(attempts, ?) ELSE 0 END, analysis_error = ?, analysis_kind = ?, analyzed = 0, updated_at = ? WHERE id = ?`,
    [Number(deadly), Number(deadly), book.attempts + 1, reasonOf(error), error.kind, nowMs, book.key],
  );
};

const keysOf = (all: readonly Finished[]): readonly number[] => all.map(({ book }) => book.key);

/** A book may have been removed while it was analysed. */
const stillThere = async (tx: Tx, all: readonly Finished[]): Promise<readonly Finished[]> => {
  const keys = JSON.stringify(keysOf(all));
  const rows = await tx.all<{ id: number }>(
    'SELECT b.id FROM json_each(?) j CROSS JOIN book b NOT INDEXED ON b.id = j.value',
    [keys],
  );
  const present = new Set(rows.map(({ id }) => id));
  return all.filter(({ book }) => present.has(book.key));
};

export const storeAnalyses = async (parts: ScanParts, all: readonly Finished[], marks: Marks = {}): Promise<void> => {
  const now = parts.clock.now();
  await parts.db.write('background', async (tx) => {
    const finished = await stillThere(tx, all);
    for (const one of finished) if (one.analysis === null) await storeFailed(tx, one, now);
    const analysed = finished.flatMap(({ book, analysis }) => (analysis === null ? [] : [{ book, analysis }]));
    const merged = await mergeMetadata(tx, analysed);
    for (const one of merged) await storeFound(tx, one, now);
    await storeMetadata(tx, merged, now);
    await storeOutlines(tx, finished);
    await storeRemarks(
      tx,
      finished.filter(({ error }) => error === null || !isNoFinding(error.kind)),
      now,
    );
    tx.report(updated('book', keysOf(finished), ANALYSED));
    const series = new Set(merged.map(({ book }) => book.seriesKey));
    tx.report(updated('series', [...series], ASPECTS.list));
    await storeMarks(tx, marks);
  });
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
