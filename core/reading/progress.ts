// Reading progress of a user in a book: the record, its completion rules, and clearing it.
import type { Book } from '../catalog/books.js';
import { andVisibleRow, unknownRow } from '../catalog/public-ids.js';
import type { Clock } from '../engine/clock.js';
import { AppError } from '../model/errors.js';
import type { BookFormat } from '../model/formats.js';
import { bytesOfUuid, newId, uuidOfBytes, uuidOfHex } from '../model/ids.js';
import type { Viewer } from '../model/viewer.js';
import type { Db, Reader as StoreReader, Tx } from '../store/db.js';
import { ASPECTS, updated } from '../store/feed.js';
import {
  type Before,
  completes,
  isKnown,
  type ProgressChange,
  pageOf,
  pageShown,
  pagesRead,
  percentageOf,
  storedOffset,
  storedPercentage,
} from './completion.js';

export interface Progress {
  readonly id: string;
  readonly bookId: string;
  /** 1-based. */
  readonly currentPage: number;
  /** 0 to 1: the share of that page above the window; null when it is not known. */
  readonly pageOffset: number | null;
  /** 0 to 1; null while the number of pages is unknown. */
  readonly percentage: number | null;
  readonly completed: boolean;
  readonly completedAt: number | null;
  readonly startedAt: number;
  /** When it was read, by the device's clock if it sent a time. */
  readonly updatedAt: number;
}

/** The device the user reads on. */
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

/** A record as stored. */
interface Stored {
  readonly page: number;
  readonly pageOffset: number | null;
  readonly percentage: number | null;
  readonly completed: boolean;
  readonly completedAt: number | null;
  readonly startedAt: number;
  readonly updatedAt: number;
}

/** Made for every row of a list: named fields, because rest and spread cost many times as much. */
const recordOf = (
  id: string,
  book: { readonly id: string; readonly format: BookFormat; readonly pageCount: number },
  stored: Stored,
): Progress => ({
  id,
  bookId: book.id,
  currentPage: pageShown(stored.page, book.pageCount),
  pageOffset: stored.pageOffset,
  percentage: percentageOf(book.format, stored.percentage, pagesRead(stored.page, stored.pageOffset), book.pageCount),
  completed: stored.completed,
  completedAt: stored.completedAt,
  startedAt: stored.startedAt,
  updatedAt: stored.updatedAt,
});

/** The record that was read with a book row; undefined when the user has none. */
export const progressOf = (book: Book): Progress | undefined => {
  const { progressId, currentPage, pageOffset, completed, completedAt, percentage, startedAt, readAt } = book;
  if (progressId === null || currentPage === null || startedAt === null || readAt === null) return undefined;
  const stored = {
    page: currentPage,
    pageOffset,
    percentage,
    completed: completed === true,
    completedAt,
    startedAt,
    updatedAt: readAt,
  };
  return recordOf(progressId, book, stored);
};

/** A book and the user's record of it. */
interface State extends Before {
  readonly key: number;
  readonly seriesKey: number;
  readonly clearedAt: number | null;
  /** Why it cannot be read, as clients are told elsewhere too. */
  readonly fault: string | null;
  /** Null when there is no record; the other columns of the record are then null too. */
  readonly uuid: Buffer | null;
  readonly completedAt: number | null;
  readonly startedAt: number;
  readonly updatedAt: number;
}

/** Columns of a record, by the names used here. */
const RECORD =
  'uuid, current_page AS page, page_offset AS pageOffset, percentage, completed, completed_at AS completedAt, started_at AS startedAt, updated_at AS updatedAt';
const RECORD_OF_P = RECORD.replaceAll(/(^|, )/g, '$1p.');

const stateOf = async (from: StoreReader, viewer: Viewer, bookId: string): Promise<State> => {
  const [state] = await from.all<State>(
    `SELECT b.id AS key, b.series_id AS seriesKey, b.page_count AS pageCount, b.analyzed, b.analysis_error AS fault, b.format,
       c.cleared_at AS clearedAt, ${RECORD_OF_P}
     FROM book b LEFT JOIN read_progress p ON p.user_id = ?1 AND p.book_id = b.id
     LEFT JOIN read_cleared c ON c.user_id = ?1 AND c.book_id = b.id WHERE b.uuid = ?2${andVisibleRow(viewer, 'book', 'b')}`,
    [viewer.userKey, bytesOfUuid(bookId)],
  );
  if (state === undefined) throw unknownRow('book');
  return state;
};

const progressIn = (bookId: string, { uuid, page, completed, ...state }: State): Progress | undefined =>
  uuid === null || page === null
    ? undefined
    : recordOf(
        uuidOfBytes(uuid),
        { id: bookId, format: state.format, pageCount: state.pageCount },
        {
          page,
          pageOffset: state.pageOffset,
          percentage: state.percentage,
          completed: completed === 1,
          completedAt: state.completedAt,
          startedAt: state.startedAt,
          updatedAt: state.updatedAt,
        },
      );

export const readProgress = async (db: Db, viewer: Viewer, bookId: string): Promise<Progress | undefined> =>
  progressIn(bookId, await stateOf(db, viewer, bookId));

/** Reports what a user read, and the series counters that depend on it. */
export const reportRead = (tx: Tx, userKey: number, books: readonly number[], series: readonly number[]): void => {
  tx.report({ ...updated('book', books, ASPECTS.reading), userKey });
  tx.report({ ...updated('series', series, ASPECTS.reading), userKey });
};

/** Clients often send times without a fraction: within one second, the last arrival wins. */
const SECOND_MS = 1000;

/** Reading older than the stored record, or than the clearing of it, changes nothing; returns false then. */
export const storeProgress = async (
  tx: Tx,
  reader: Reader,
  bookId: string,
  change: ProgressChange,
  nowMs: number,
): Promise<boolean> => (await store(tx, reader, await stateOf(tx, reader.viewer, bookId), change, nowMs)) !== undefined;

type Columns = Pick<
  State,
  'uuid' | 'page' | 'pageOffset' | 'percentage' | 'completed' | 'completedAt' | 'startedAt' | 'updatedAt'
>;

/** The record as now stored; undefined when nothing was changed. */
const store = async (
  tx: Tx,
  { viewer, device }: Reader,
  state: State,
  change: ProgressChange,
  nowMs: number,
): Promise<Columns | undefined> => {
  const at = Math.min(change.at ?? nowMs, nowMs); // a fast clock must not block what is read next
  if (state.clearedAt !== null && at <= Math.min(state.clearedAt, nowMs) - SECOND_MS) return undefined;
  const page = pageOf(state, change);
  const [written] = await tx.all<Columns>(
    `INSERT INTO read_progress AS p (user_id, book_id, series_id, live, uuid, current_page, percentage, completed, completed_at, started_at,
       updated_at, device_id, device_name, page_offset)
     SELECT ?1, id, series_id, 1 - deleted, ?3, ?4, ?5, ?6, CASE ?6 WHEN 1 THEN ?7 END, ?7, ?7, ?8, ?9, ?11 FROM book WHERE id = ?2
     ON CONFLICT (user_id, book_id) DO UPDATE SET current_page = excluded.current_page, percentage = excluded.percentage,
       completed = excluded.completed,
       completed_at = CASE excluded.completed WHEN 1 THEN coalesce(p.completed_at, excluded.completed_at) END,
       updated_at = max(min(p.updated_at, ?10), excluded.updated_at), device_id = excluded.device_id, device_name = excluded.device_name,
       page_offset = excluded.page_offset
     WHERE excluded.updated_at > min(p.updated_at, ?10) - ${SECOND_MS}
     RETURNING ${RECORD}`,
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
      nowMs, // what was stored before the server's clock was set back counts as stored now
      storedOffset(state, page, change),
    ],
  );
  if (written !== undefined) reportRead(tx, viewer.userKey, [state.key], [state.seriesKey]);
  return written;
};

/** Returns the resulting record; undefined when it was cleared after the time of reading. */
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
  return parts.db.write(reader.viewer.userKey, 'interactive', async (tx) => {
    const state = await stateOf(tx, reader.viewer, bookId);
    return progressIn(bookId, { ...state, ...(await store(tx, reader, state, change, now)) });
  });
};

/** The last page is stored while its end has not been seen: fetching it then finishes the book, as it does for whoever comes from before. */
const isOnLast = ({ page, pageCount, pageOffset }: State): boolean => pageOffset !== null && page === pageCount;

/** Moves the reader on to a page. A page before the stored one changes nothing, and a finished book stays finished. */
export const advanceProgress = async (
  { db, clock }: ReadingParts,
  reader: Reader,
  bookId: string,
  currentPage: number,
): Promise<void> => {
  const now = clock.now();
  await db.write(reader.viewer.userKey, 'interactive', async (tx) => {
    const state = await stateOf(tx, reader.viewer, bookId);
    if (state.completed === 1 || currentPage <= (state.page ?? 0) - Number(isOnLast(state))) return;
    await store(tx, reader, state, { currentPage }, now);
  });
};

const whyNotRead = ({ fault, analyzed }: State): string => {
  if (fault !== null) return `The book cannot be read. ${fault}`;
  return analyzed === 1
    ? 'The book has no pages.'
    : 'The book has not been analysed yet, so its last page is not known.';
};

/** Returns the resulting record. */
export const markBookRead = async (
  parts: ReadingParts,
  reader: Reader,
  bookId: string,
): Promise<Progress | undefined> => {
  const now = parts.clock.now();
  return parts.db.write(reader.viewer.userKey, 'interactive', async (tx) => {
    const state = await stateOf(tx, reader.viewer, bookId);
    if (!isKnown(state)) throw new AppError('Conflict', whyNotRead(state));
    return progressIn(bookId, { ...state, ...(await store(tx, reader, state, { isCompleted: true }, now)) });
  });
};

/** Clears what a user read in these books, and remembers when. Returns how many had progress. */
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
  await db.write(viewer.userKey, 'interactive', async (tx) => {
    const { key } = await stateOf(tx, viewer, bookId);
    await clearBooks(tx, viewer, [key], now);
  });
};
