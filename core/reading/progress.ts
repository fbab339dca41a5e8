// Reading progress of a user in a book: one record, its rules of completion, and clearing it.
import { type Book, bookById } from '../catalog/books.js';
import { andVisibleRow, unknownRow } from '../catalog/resolve.js';
import type { Clock } from '../engine/clock.js';
import { AppError } from '../model/errors.js';
import type { BookFormat } from '../model/formats.js';
import { bytesOfUuid, newId, uuidOfHex } from '../model/ids.js';
import type { Viewer } from '../model/viewer.js';
import type { Db, Tx } from '../store/db.js';
import { ASPECTS, updated } from '../store/feed.js';

export interface Progress {
  readonly id: string;
  readonly bookId: string;
  /** 1-based. */
  readonly currentPage: number;
  /** 0 to 1; null while the number of pages is not known. */
  readonly percentage: number | null;
  readonly completed: boolean;
  readonly completedAt: number | null;
  readonly startedAt: number;
  /** When it was read, by the clock of the device where that named a time. */
  readonly updatedAt: number;
}

/** What the user reads on. */
export interface Device {
  readonly id: string;
  readonly name: string | null;
}

export interface Reader {
  readonly viewer: Viewer;
  readonly device: Device;
}

export interface ReadingParts {
  readonly db: Db;
  readonly clock: Clock;
}

export interface ProgressChange {
  /** 1-based. Absent: the page of `percentage`; else it stays, or is the last when the book is completed. */
  readonly currentPage?: number | undefined;
  readonly isCompleted?: boolean | undefined;
  /** 0 to 1. Kept for EPUB, whose pages depend on the device; elsewhere it only tells the page. */
  readonly percentage?: number | undefined;
  /** When it was read, by the client's clock; now when absent. */
  readonly at?: number | undefined;
}

/** The stored percentage of an EPUB, else the page's share of the pages. */
export const percentageOf = (
  format: BookFormat,
  stored: number | null,
  page: number,
  pageCount: number,
): number | null => {
  if (format === 'epub' && stored !== null) return stored;
  return pageCount > 0 ? Math.min(1, page / pageCount) : null;
};

/** A book may have fewer pages than when it was read; where somebody was is kept as it is, and shown as the nearest page. */
export const pageShown = (page: number, pageCount: number): number =>
  pageCount > 0 ? Math.min(page, pageCount) : page;

/** The record that came with a book row; undefined when the user has none. */
export const progressOf = (book: Book): Progress | undefined => {
  const { progressId, currentPage, completed, startedAt, readAt } = book;
  if (progressId === null || currentPage === null || startedAt === null || readAt === null) return undefined;
  return {
    id: progressId,
    bookId: book.id,
    currentPage: pageShown(currentPage, book.pageCount),
    percentage: percentageOf(book.format, book.percentage, currentPage, book.pageCount),
    completed: completed === true,
    completedAt: book.completedAt,
    startedAt,
    updatedAt: readAt,
  };
};

export const readProgress = async (db: Db, viewer: Viewer, bookId: string): Promise<Progress | undefined> =>
  progressOf(await bookById(db, viewer, bookId));

/** What the rules have to know of a book and the record before the change. */
interface State {
  readonly key: number;
  readonly seriesKey: number;
  readonly pageCount: number;
  readonly analyzed: number;
  readonly format: BookFormat;
  readonly page: number | null;
  readonly percentage: number | null;
  readonly completed: number | null;
  readonly clearedAt: number | null;
}

const stateOf = async (tx: Tx, viewer: Viewer, bookId: string): Promise<State> => {
  const [state] = await tx.all<State>(
    `SELECT b.id AS key, b.series_id AS seriesKey, b.page_count AS pageCount, b.analyzed, b.format, p.current_page AS page, p.percentage, p.completed, c.cleared_at AS clearedAt
     FROM book b LEFT JOIN read_progress p ON p.user_id = ?1 AND p.book_id = b.id
     LEFT JOIN read_cleared c ON c.user_id = ?1 AND c.book_id = b.id WHERE b.uuid = ?2${andVisibleRow(viewer, 'book', 'b')}`,
    [viewer.userKey, bytesOfUuid(bookId)],
  );
  if (state === undefined) throw unknownRow('book');
  return state;
};

/** While a book is not analysed its last page is not known. */
const isKnown = ({ analyzed, pageCount }: State): boolean => analyzed === 1 && pageCount > 0;

/** The end matter of a book is rarely turned to: an EPUB this far is read. */
const READ_FROM = 0.98;

const pageOf = (state: State, { currentPage, percentage, isCompleted }: ProgressChange): number => {
  const { pageCount } = state;
  const known = isKnown(state);
  // Readers count covers and end matter in their own ways: a page outside the book is its nearest one.
  if (currentPage !== undefined) return Math.max(1, known ? Math.min(pageCount, currentPage) : currentPage);
  if (!known) return state.page ?? 1;
  if (percentage !== undefined) return Math.max(1, Math.min(pageCount, Math.ceil(percentage * pageCount)));
  return isCompleted === true ? pageCount : Math.min(state.page ?? 1, pageCount);
};

/**
 * Reaching the end completes, and so does saying so; an explicit false wins below the end, and going back is honoured. Nothing completes
 * while the end is not known; what was completed before stays so then, unless the user says otherwise.
 */
const completes = (state: State, page: number, { isCompleted, percentage }: ProgressChange): boolean => {
  if (!isKnown(state)) return state.completed === 1 && isCompleted !== false;
  const atEnd =
    state.format === 'epub' && percentage !== undefined
      ? percentage >= (isCompleted === false ? 1 : READ_FROM)
      : page >= state.pageCount;
  return atEnd || isCompleted === true;
};

const storedPercentage = (state: State, change: ProgressChange): number | null => {
  if (state.format !== 'epub') return null;
  if (change.percentage !== undefined) return change.percentage;
  return change.currentPage === undefined && change.isCompleted !== true ? state.percentage : null;
};

/** What a user read, and the counters of the series that follow from it. */
export const reportRead = (tx: Tx, userKey: number, books: readonly number[], series: readonly number[]): void => {
  tx.report({ ...updated('book', books, ASPECTS.reading), userKey });
  tx.report({ ...updated('series', series, ASPECTS.reading), userKey });
};

/** Times of clients often come without a fraction: within a second, what arrives last counts. */
const SECOND_MS = 1000;

/** Reading that is older than what is stored, or than its clearing, changes nothing. False when that was so. */
export const storeProgress = async (
  tx: Tx,
  { viewer, device }: Reader,
  bookId: string,
  change: ProgressChange,
  nowMs: number,
): Promise<boolean> => {
  const state = await stateOf(tx, viewer, bookId);
  const at = Math.min(change.at ?? nowMs, nowMs); // a clock that is fast must not shut out what is read next
  if (state.clearedAt !== null && at <= state.clearedAt - SECOND_MS) return false;
  const page = pageOf(state, change);
  const written = await tx.run(
    `INSERT INTO read_progress (user_id, book_id, series_id, live, uuid, current_page, percentage, completed, completed_at, started_at,
       updated_at, device_id, device_name)
     SELECT ?1, id, series_id, 1 - deleted, ?3, ?4, ?5, ?6, CASE ?6 WHEN 1 THEN ?7 END, ?7, ?7, ?8, ?9 FROM book WHERE id = ?2
     ON CONFLICT (user_id, book_id) DO UPDATE SET current_page = excluded.current_page, percentage = excluded.percentage,
       completed = excluded.completed,
       completed_at = CASE excluded.completed WHEN 1 THEN coalesce(read_progress.completed_at, excluded.completed_at) END,
       updated_at = max(read_progress.updated_at, excluded.updated_at), device_id = excluded.device_id, device_name = excluded.device_name
     WHERE excluded.updated_at > read_progress.updated_at - ${SECOND_MS}`,
    [
      viewer.userKey,
      state.key,
      bytesOfUuid(uuidOfHex(newId(nowMs))),
      page,
      storedPercentage(state, change),
      Number(completes(state, page, change)),
      at,
      device.id,
      device.name,
    ],
  );
  if (written > 0) reportRead(tx, viewer.userKey, [state.key], [state.seriesKey]);
  return written > 0;
};

/** Answers the record as it is afterwards; undefined when it was cleared since the time of reading. */
export const updateProgress = async (
  parts: ReadingParts,
  reader: Reader,
  bookId: string,
  change: ProgressChange,
): Promise<Progress | undefined> => {
  if (change.currentPage === undefined && change.isCompleted === undefined && change.percentage === undefined) {
    throw new AppError('BadRequest', 'The body must have current_page, is_completed or progressPercentage.', [
      { path: 'current_page', message: 'is required' },
    ]);
  }
  const now = parts.clock.now();
  await parts.db.write('interactive', (tx) => storeProgress(tx, reader, bookId, change, now));
  return readProgress(parts.db, reader.viewer, bookId);
};

/** Answers the record; undefined when it was cleared at the same moment. */
export const markBookRead = async (
  parts: ReadingParts,
  reader: Reader,
  bookId: string,
): Promise<Progress | undefined> => {
  const now = parts.clock.now();
  await parts.db.write('interactive', async (tx) => {
    if (!isKnown(await stateOf(tx, reader.viewer, bookId)))
      throw new AppError('Conflict', 'The book has not been analysed yet, so its last page is not known.');
    await storeProgress(tx, reader, bookId, { isCompleted: true }, now);
  });
  return readProgress(parts.db, reader.viewer, bookId);
};

/** Clears what a user read in these books, and remembers when. Gives how many had progress. */
export const clearBooks = async (tx: Tx, viewer: Viewer, books: readonly number[], nowMs: number): Promise<number> => {
  const keys = JSON.stringify(books);
  await tx.run(
    'INSERT OR REPLACE INTO read_cleared (user_id, book_id, cleared_at) SELECT ?, value, ? FROM json_each(?)',
    [viewer.userKey, nowMs, keys],
  );
  const cleared = await tx.all<{ seriesKey: number }>(
    'DELETE FROM read_progress WHERE user_id = ? AND book_id IN (SELECT value FROM json_each(?)) RETURNING series_id AS seriesKey',
    [viewer.userKey, keys],
  );
  reportRead(tx, viewer.userKey, books, [...new Set(cleared.map(({ seriesKey }) => seriesKey))]);
  return cleared.length;
};

/** Also succeeds when there was none. */
export const clearProgress = async ({ db, clock }: ReadingParts, viewer: Viewer, bookId: string): Promise<void> => {
  const now = clock.now();
  await db.write('interactive', async (tx) => {
    const { key } = await stateOf(tx, viewer, bookId);
    await clearBooks(tx, viewer, [key], now);
  });
};
