// Lists that follow from reading: in progress, on deck, recently read. Each walks rows of one user, never a table of all books. Where the
// planner would take the primary key and read everything of that user, the index is named; a query that cannot use it fails.
import { type Book, booksOf } from '../catalog/books.js';
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

const countOf = async (db: Db, sql: string, binds: readonly Bind[]): Promise<number> => {
  const [row] = await db.all<{ n: number }>(`SELECT count(*) AS n ${sql}`, binds);
  return row?.n ?? 0;
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
  const items = await booksOf(db, userKey, ids, [...all, window.pageSize, offsetOf(window)], NEWEST_FIRST);
  return { ...window, items, total: await countOf(db, from, all) };
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

/**
 * The finished book that stands last in its series. Found among the finished ones or from the end of the series, whichever is shorter:
 * either may have thousands.
 */
const FURTHEST = `CASE WHEN r.completed_count * 2 < r.book_count
  THEN (SELECT b.id FROM read_progress p INDEXED BY read_progress_in_series CROSS JOIN book b ON b.id = p.book_id
    WHERE p.user_id = r.user_id AND p.series_id = r.series_id AND p.live = 1 AND p.completed = 1 ORDER BY ${order('b', 'DESC')} LIMIT 1)
  ELSE (SELECT b.id FROM book b WHERE b.series_id = r.series_id AND b.deleted = 0
    AND EXISTS (SELECT 1 FROM read_progress p WHERE p.user_id = r.user_id AND p.book_id = b.id AND p.completed = 1)
    ORDER BY ${order('b', 'DESC')} LIMIT 1) END`;

const firstUnread = (
  after: string,
): string => `(SELECT n.id FROM book n WHERE n.series_id = d.series_id AND n.deleted = 0 ${after}
  AND NOT EXISTS (SELECT 1 FROM read_progress p WHERE p.user_id = d.user_id AND p.book_id = n.id) ORDER BY ${order('n', 'ASC')} LIMIT 1)`;

const AFTER_FURTHEST = 'AND (n.place, n.title_sort, n.file_name, n.id) > (f.place, f.title_sort, f.file_name, f.id)';

/**
 * The next unread book of each series in which a book is finished and none is begun: the first unread one behind the last finished, else
 * the first unread. The series read last comes first.
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
  const ids = `SELECT coalesce(${firstUnread(AFTER_FURTHEST)}, ${firstUnread('')}) AS id, d.last_read_at AS at, d.series_id AS series
    FROM (SELECT r.user_id, r.series_id, r.last_read_at, ${FURTHEST} AS furthest ${from}
      ORDER BY r.last_read_at DESC, r.series_id DESC LIMIT ? OFFSET ?) d CROSS JOIN book f ON f.id = d.furthest`;
  const all = [...binds, userKey];
  const rest = [window.pageSize, offsetOf(window)];
  const items = await booksOf(db, userKey, ids, [...all, ...rest], 'k.at DESC, k.series DESC');
  return { ...window, items, total: await countOf(db, from, all) };
};
