// Adds what people did with a missing book to the book that now has its content, and removes the record of the missing one. Of two places of
// a reader, the further one stays; nothing that was read, listed or edited is lost.
import { followReplaced } from '../catalog/covers/replaced.js';
import { type GoneBook, reportGoneBooks } from '../catalog/report-rows.js';
import { placesOf, settleBooks, statesOf } from '../catalog/settled-books.js';
import { settleUnions, TERM_KINDS } from '../catalog/taxonomy-links.js';
import { type Paged, pageMove } from '../model/page-moves.js';
import type { Tx } from '../store/db.js';
import { ASPECTS, SYSTEM, updated } from '../store/feed.js';
import type { ScanContext } from './context.js';
import { countersOf, recountSeries } from './counters.js';
import { DUE } from './due-series.js';
import { pagesOfBooks } from './follow-pages.js';

/** Two records of one book, by row keys. */
interface Merge {
  readonly from: { readonly key: number };
  readonly to: { readonly key: number };
}

/** Each may have many readers. */
const PER_TRANSACTION = 20;

interface Reading {
  readonly userKey: number;
  readonly bookKey: number;
  readonly page: number;
  readonly completed: number;
  readonly readAt: number;
  /** When the user cleared the other book. */
  readonly clearedAt: number | null;
}

const pageIn = (before: Paged | undefined, now: Paged | undefined, { page, completed }: Reading): number => {
  if (before === undefined || now === undefined) return page;
  if (completed === 1 && page >= before.pageCount) return Math.max(1, now.pageCount);
  return pageMove(before, now, false)?.(page) ?? page;
};

const isFurther = (one: Reading, page: number, other: Reading): boolean =>
  one.completed === other.completed
    ? page > other.page || (page === other.page && one.readAt > other.readAt)
    : one.completed === 1;

const mergeReadings = async (tx: Tx, from: number, to: number): Promise<void> => {
  const readings = await tx.all<Reading>(
    `SELECT p.user_id AS userKey, p.book_id AS bookKey, p.current_page AS page, p.completed, p.updated_at AS readAt, c.cleared_at AS clearedAt
     FROM read_progress p LEFT JOIN read_cleared c ON c.user_id = p.user_id AND c.book_id = ?2 WHERE p.book_id IN (?1, ?2)`,
    [from, to],
  );
  await tx.run('DELETE FROM read_position WHERE book_id = ?', [from]);
  const pages = await pagesOfBooks(tx, [from, to]);
  for (const reading of readings.filter(({ bookKey }) => bookKey === from)) {
    const { userKey, clearedAt, readAt } = reading;
    const other = readings.find((one) => one.bookKey === to && one.userKey === userKey);
    const page = pageIn(pages.get(from), pages.get(to), reading);
    const isOlder = clearedAt !== null && clearedAt >= readAt;
    if (isOlder || (other !== undefined && !isFurther(reading, page, other))) continue;
    await tx.run('DELETE FROM read_progress WHERE user_id = ? AND book_id = ?', [userKey, to]);
    await tx.run(
      `UPDATE read_progress SET book_id = ?1, series_id = b.series_id, live = 1 - b.deleted, current_page = ?3,
         page_offset = CASE read_progress.current_page WHEN ?3 THEN read_progress.page_offset END, device_id = NULL, device_name = NULL,
         updated_at = max(read_progress.updated_at, ?4)
       FROM book b WHERE b.id = ?1 AND user_id = ?2 AND book_id = ?5`,
      [to, userKey, page, other?.readAt ?? 0, from],
    );
  }
  for (const userKey of new Set(readings.map((one) => one.userKey)))
    tx.report({ ...updated('book', [to], ASPECTS.reading), userKey });
};

/** Rows that name a book, where one may be there already. What is left is deleted with the book. */
const MOVED = ['read_completion', 'read_cleared', 'read_list_book', 'want_to_read'] as const;

const moveRows = async (tx: Tx, from: number, to: number): Promise<void> => {
  for (const table of MOVED) await tx.run(`UPDATE OR IGNORE ${table} SET book_id = ? WHERE book_id = ?`, [to, from]);
  await tx.run(
    `UPDATE cover SET book_id = ?1, selected = selected AND NOT EXISTS (SELECT 1 FROM cover c WHERE c.book_id = ?1 AND c.selected = 1)
     WHERE book_id = ?2`,
    [to, from],
  );
  await tx.run(
    'UPDATE sync_document SET book = (SELECT uuid FROM book WHERE id = ?) WHERE book = (SELECT uuid FROM book WHERE id = ?)',
    [to, from],
  );
  tx.report(updated('book', [from, to], ASPECTS.list | ASPECTS.members | ASPECTS.cover | ASPECTS.details));
  tx.report(updated('document', 'all', ASPECTS.details));
};

/** What a user set for the book that stays counts. */
const mergeEdits = async (tx: Tx, from: number, to: number, nowMs: number): Promise<void> => {
  const states = await statesOf(tx, [from, to]);
  const [old, now] = [states.get(from), states.get(to)];
  const [book] = await placesOf(tx, 'b.id = ?', [to]);
  if (old === undefined || now === undefined || book === undefined) return;
  if (old.locks.size === 0 && Object.keys(old.user).length === 0) return;
  const state = { ...now, user: { ...old.user, ...now.user }, locks: new Set([...old.locks, ...now.locks]) };
  await settleBooks(tx, [{ book, state, terms: TERM_KINDS }], nowMs);
};

export const mergeOne = async (tx: Tx, libraryKey: number, { from, to }: Merge, nowMs: number): Promise<void> => {
  const rows = await tx.all<GoneBook>(
    'SELECT id, hex(uuid) AS hex, series_id AS series, never_readable AS neverReadable FROM book WHERE id IN (?, ?)',
    [from.key, to.key],
  );
  if (rows.length < 2) return;
  const touched = [...new Set(rows.map(({ series }) => series))];
  const before = await countersOf(tx, touched);
  await mergeReadings(tx, from.key, to.key);
  await moveRows(tx, from.key, to.key);
  await mergeEdits(tx, from.key, to.key, nowMs);
  await tx.run('DELETE FROM book WHERE id = ?', [from.key]);
  const gone = rows.filter(({ id }) => id === from.key);
  reportGoneBooks(tx, libraryKey, gone);
  const replaced = gone.map(({ hex }) => ({ goneHex: hex, present: to.key }));
  await followReplaced(tx, replaced, nowMs);
  await recountSeries(tx, libraryKey, touched, before, DUE.all, nowMs);
  await settleUnions(tx, touched);
};

export const mergeBooks = async (
  { parts, library, findings }: ScanContext,
  merges: readonly Merge[],
): Promise<void> => {
  for (let at = 0; at < merges.length; at += PER_TRANSACTION) {
    const some = merges.slice(at, at + PER_TRANSACTION);
    const now = parts.clock.now();
    await parts.db.write(SYSTEM, 'background', async (tx) => {
      for (const merge of some) await mergeOne(tx, library.key, merge, now);
    });
    for (const { from } of some) findings.missing.delete(from.key);
  }
};
