// What a user has begun and not finished. Walks rows of one user, never a table of all books. Where the planner would use the primary key
// and read all rows of that user, the query names the index; it fails if the index cannot be used.
import { type Book, booksAndTotal, unreadyIn } from '../catalog/books.js';
import type { KeptRows } from '../catalog/query/kept-rows.js';
import { type Series, seriesOf } from '../catalog/series.js';
import { andInVisibleBook, andVisible } from '../catalog/visibility.js';
import { offsetOf, type PageOf, type Window } from '../model/paging.js';
import type { Viewer } from '../model/viewer.js';
import type { Reads } from '../store/db.js';
import { inLibrary } from './in-library.js';

const AND_READY = ` AND NOT EXISTS (SELECT 1 ${unreadyIn('p.series_id')} AND u.id = p.book_id)`;

/** Books begun and not finished, most recently read first. */
export const booksInProgress = (
  db: Reads,
  viewer: Viewer,
  libraryId: string | undefined,
  window: Window,
  kept: KeptRows | null = null,
): Promise<PageOf<Book>> => begun(db, viewer, { libraryId, window, only: '' }, kept);

/** Those of them that can be read now. */
export const readyInProgress = (
  db: Reads,
  viewer: Viewer,
  window: Window,
  kept: KeptRows | null,
): Promise<PageOf<Book>> =>
  begun(db, viewer, { libraryId: undefined, window, only: AND_READY, totalKey: 'ready in progress' }, kept);

interface Wanted {
  readonly libraryId: string | undefined;
  readonly window: Window;
  /** SQL over the progress `p`. */
  readonly only: string;
  /** As in BookQuery. */
  readonly totalKey?: string;
}

const begun = async (
  db: Reads,
  viewer: Viewer,
  { libraryId, window, only, totalKey }: Wanted,
  kept: KeptRows | null,
): Promise<PageOf<Book>> => {
  const { join, binds } = inLibrary('book', 'p.book_id', libraryId);
  const from = `FROM read_progress p INDEXED BY read_progress_open ${join}
    WHERE p.user_id = ? AND p.live = 1 AND p.completed = 0${andInVisibleBook(viewer.scope, 'p')}${only}`;
  const ids = `SELECT p.book_id AS id, p.updated_at AS at ${from} ORDER BY p.updated_at DESC, p.book_id DESC LIMIT ? OFFSET ?`;
  const all = [...binds, viewer.userKey];
  const query = {
    ids: { sql: ids, binds: [...all, window.pageSize, offsetOf(window)], rows: window.pageSize },
    order: 'k.at DESC, k.id DESC',
    total: { sql: `SELECT count(*) ${from}`, binds: all },
    totalKey,
  };
  return { ...window, ...(await booksAndTotal(db, viewer, query, kept)) };
};

/** Series with a book that is begun and not finished, by name. */
export const seriesInProgress = (
  db: Reads,
  viewer: Viewer,
  libraryId: string | undefined,
  limit: number,
): Promise<Series[]> => {
  const { join, binds } = inLibrary('series', 'r.series_id', libraryId);
  const sql = `SELECT r.series_id AS id FROM series_reading r INDEXED BY series_reading_open ${join} CROSS JOIN series n ON n.id = r.series_id
    WHERE r.user_id = ? AND r.in_progress_count > 0${andVisible(viewer.scope, 'n')} ORDER BY n.name_sort, n.library_id, n.id LIMIT ?`;
  return seriesOf(
    db,
    viewer,
    { sql, binds: [...binds, viewer.userKey, limit], rows: limit },
    's.name_sort, s.library_id, s.id',
  );
};
