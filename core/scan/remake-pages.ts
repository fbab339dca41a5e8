// Page tables recomputed by the current rule, with what follows from them: how many pages a book has, and whether any is readable.
import type { NamedPage } from '../model/jobs.js';
import { emptyBook, faultOfPages, notesOfPages } from '../model/page-findings.js';
import { PageTable } from '../model/page-table.js';
import { pagesOf, remadePageTable } from '../model/stored-pages.js';
import { STORED_RULES } from '../model/stored-rules.js';
import type { Tx } from '../store/db.js';
import { ASPECTS, keysIn, updated } from '../store/feed.js';
import { followPages, type OldPages, oldPages, pagedOf } from './follow-pages.js';
import { typeOfFault } from './store-remarks.js';

/** The row keys to process. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

interface Row {
  readonly id: number;
  readonly seriesKey: number;
  readonly deleted: number;
  readonly pageCount: number;
  readonly pageTable: Buffer;
}

/** Undefined: the table cannot be read. Null: it does not change. */
const remade = ({ pageTable }: Row): Uint8Array | null | undefined => {
  try {
    const blob = remadePageTable(pageTable);
    return blob === pageTable ? null : blob;
  } catch {
    return undefined; // not a failure here: the next scan analyses the book again
  }
};

const storeRemarks = async (tx: Tx, key: number, pages: readonly NamedPage[], nowMs: number): Promise<void> => {
  const fault = pages.length === 0 ? emptyBook() : faultOfPages(pages);
  await tx.run("DELETE FROM book_error WHERE book_id = ? AND type = 'page_extraction' AND fault IS NULL", [key]);
  const remarks =
    fault === null
      ? notesOfPages(pages).map(({ type, message }) => [type, message, null])
      : [[typeOfFault(fault.kind), fault.message, fault.kind]];
  for (const [type, message, kind] of remarks)
    await tx.run(
      'INSERT OR REPLACE INTO book_error (book_id, type, message, fault, occurred_at) VALUES (?, ?, ?, ?, ?)',
      [key, type ?? 'other', message ?? '', kind ?? null, nowMs],
    );
  if (fault !== null)
    await tx.run('UPDATE book SET analyzed = 0, analysis_error = ?, analysis_kind = ? WHERE id = ?', [
      fault.message,
      fault.kind,
      key,
    ]);
};

const store = async (tx: Tx, row: Row, blob: Uint8Array, nowMs: number): Promise<void> => {
  const pages = pagesOf(new PageTable(blob));
  await tx.run('UPDATE book_pages SET page_table = ? WHERE book_id = ?', [
    Buffer.from(blob.buffer, blob.byteOffset, blob.byteLength),
    row.id,
  ]);
  await tx.run('UPDATE book SET page_count = ?, updated_at = ? WHERE id = ?', [pages.length, nowMs, row.id]);
  tx.report(updated('series', [row.seriesKey], ASPECTS.list));
  if (row.deleted === 0)
    await tx.run('UPDATE series SET page_count = page_count + ? WHERE id = ?', [
      pages.length - row.pageCount,
      row.seriesKey,
    ]);
  await storeRemarks(tx, row.id, pages, nowMs);
};

const keepPlaces = async (tx: Tx, old: OldPages | undefined, table: Uint8Array): Promise<void> => {
  if (old === undefined) return;
  const { pageCount } = new PageTable(table);
  const now = pagedOf({ table, outline: null, pageCount, epubKind: null });
  if (now !== undefined) await followPages(tx, old, now, true);
};

export const remakePages = async (tx: Tx, { from, to }: Range, nowMs: number): Promise<undefined> => {
  const rows = await tx.all<Row>(
    `SELECT b.id, b.series_id AS seriesKey, b.deleted, b.page_count AS pageCount, p.page_table AS pageTable
     FROM book_pages p CROSS JOIN book b ON b.id = p.book_id WHERE p.book_id BETWEEN ? AND ? AND p.rule <> ?`,
    [from, to, STORED_RULES.pages],
  );
  tx.report(updated('book', keysIn(rows), ASPECTS.list | ASPECTS.content | ASPECTS.cover));
  const old = new Map((await oldPages(tx, keysIn(rows))).map((one) => [one.key, one]));
  for (const row of rows) {
    const blob = remade(row);
    if (blob === null) continue;
    if (blob === undefined) await tx.run('UPDATE book SET due = 1, attempts = 0 WHERE id = ?', [row.id]);
    else {
      await store(tx, row, blob, nowMs);
      await keepPlaces(tx, old.get(row.id), blob);
    }
  }
  await tx.run('UPDATE book_pages SET rule = ?1 WHERE book_id BETWEEN ? AND ? AND rule <> ?1', [
    STORED_RULES.pages,
    from,
    to,
  ]);
  return undefined;
};
