// Lists that follow from reading: in progress, on deck, recently read. Each walks rows of one user, never a table of all books. Where the
// planner would take the primary key and read everything of that user, the index is named; a query that cannot use it fails.
import { type Book, booksAndTotal, booksOf } from '../catalog/books.js';
import { offsetOf, type PageOf, type Window } from '../catalog/paging.js';
import { type Series, seriesOf } from '../catalog/series.js';
import { bytesOfUuid } from '../model/ids.js';
import type { Bind, Db } from '../store/db.js';

/** Narrowing to a library: a join for the table that knows it, and its bind. A library that does not exist leaves nothing. */
interface Narrowed {
  readonly join: string;
  readonly binds: readonly Bind[];
}

const narrowed = (table: 'book' | 'series', key: string, libraryId: string | undefined): Narrowed =>
  libraryId === undefined
    ? { join: '', binds: [] }
    : {
        join: `CROSS JOIN ${table} o ON o.id = ${key} AND o.library_id = (SELECT id FROM library WHERE uuid = ?)`,
        binds: [bytesOfUuid(libraryId)],
      };

const NEWEST_FIRST = 'k.at DESC, k.id DESC';

/** Books that are begun and not finished, the one read last first. */
export const booksInProgress = async (
  db: Db,
  userKey: number,
  libraryId: string | undefined,
  window: Window,
): Promise<PageOf<Book>> => {
  const { join, binds } = narrowed('book', 'p.book_id', libraryId);
  const from = `FROM read_progress p ${join} WHERE p.user_id = ? AND p.live = 1 AND p.completed = 0`;
  const ids = `SELECT p.book_id AS id, p.updated_at AS at ${from} ORDER BY p.updated_at DESC, p.book_id DESC LIMIT ? OFFSET ?`;
  const all = [...binds, userKey];
  const page = { sql: ids, binds: [...all, window.pageSize, offsetOf(window)] };
  const total = { sql: `SELECT count(*) ${from}`, binds: all };
  return { ...window, ...(await booksAndTotal(db, userKey, page, NEWEST_FIRST, total)) };
};

/** Books with progress of any kind, the one read last first. */
export const recentlyRead = (
  db: Db,
  userKey: number,
  libraryId: string | undefined,
  limit: number,
): Promise<Book[]> => {
  const { join, binds } = narrowed('book', 'p.book_id', libraryId);
  const ids = `SELECT p.book_id AS id, p.updated_at AS at FROM read_progress p ${join} WHERE p.user_id = ? AND p.live = 1
    ORDER BY p.updated_at DESC, p.book_id DESC LIMIT ?`;
  return booksOf(db, userKey, ids, [...binds, userKey, limit], NEWEST_FIRST);
};

/** Series with a book that is begun and not finished, by name. */
export const seriesInProgress = (
  db: Db,
  userKey: number,
  libraryId: string | undefined,
  limit: number,
): Promise<Series[]> => {
  const { join, binds } = narrowed('series', 'r.series_id', libraryId);
  const ids = `SELECT r.series_id AS id FROM series_reading r INDEXED BY series_reading_open ${join} CROSS JOIN series n ON n.id = r.series_id
    WHERE r.user_id = ? AND r.in_progress_count > 0 ORDER BY n.name_sort, n.library_id, n.id LIMIT ?`;
  return seriesOf(db, userKey, ids, [...binds, userKey, limit], 's.name_sort, s.library_id, s.id');
};

const order = (alias: string, direction: 'ASC' | 'DESC'): string =>
  ['place', 'title_sort', 'file_name', 'id'].map((column) => `${alias}.${column} ${direction}`).join(', ');

/** The first book of a series without progress. `only` narrows what counts. */
const firstUnread = (
  only: string,
): string => `(SELECT n.id FROM book n WHERE n.series_id = d.series_id AND n.deleted = 0 ${only}
  AND NOT EXISTS (SELECT 1 FROM read_progress p WHERE p.user_id = d.user_id AND p.book_id = n.id) ORDER BY ${order('n', 'ASC')} LIMIT 1)`;

/**
 * The first unread book of each series in which a book is finished and none is begun; one that cannot be read waits for all that can. The
 * series read last comes first.
 */
export const booksOnDeck = async (
  db: Db,
  userKey: number,
  libraryId: string | undefined,
  window: Window,
): Promise<PageOf<Book>> => {
  const { join, binds } = narrowed('series', 'r.series_id', libraryId);
  const from = `FROM series_reading r INDEXED BY series_reading_on_deck ${join}
    WHERE r.user_id = ? AND r.completed_count > 0 AND r.in_progress_count = 0 AND r.completed_count < r.book_count`;
  const ids = `SELECT coalesce(${firstUnread('AND n.analysis_error IS NULL')}, ${firstUnread('')}) AS id, d.last_read_at AS at, d.series_id AS series
    FROM (SELECT r.user_id, r.series_id, r.last_read_at ${from} ORDER BY r.last_read_at DESC, r.series_id DESC LIMIT ? OFFSET ?) d`;
  const all = [...binds, userKey];
  const page = { sql: ids, binds: [...all, window.pageSize, offsetOf(window)] };
  const total = { sql: `SELECT count(*) ${from}`, binds: all };
  return { ...window, ...(await booksAndTotal(db, userKey, page, 'k.at DESC, k.series DESC', total)) };
};
