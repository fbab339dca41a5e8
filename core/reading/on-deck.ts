// What a user reads next. Walks rows of one user, never a table of all books. Where the planner would use the primary key and read all rows
// of that user, the query names the index; it fails if the index cannot be used.
import { type Book, booksAndTotal, readyRow, unreadyIn } from '../catalog/books.js';
import type { KeptRows } from '../catalog/query/kept-rows.js';
import { andInVisible, andVisibleInSeries } from '../catalog/visibility.js';
import { offsetOf, type PageOf, type Window } from '../model/paging.js';
import type { Viewer } from '../model/viewer.js';
import type { Reads } from '../store/db.js';
import { type InLibraries, inLibrary } from './in-library.js';

const order = (alias: string, direction: 'ASC' | 'DESC'): string =>
  ['place', 'title_sort', 'file_name', 'id'].map((column) => `${alias}.${column} ${direction}`).join(', ');

/** FROM and WHERE over the books of a series without progress. `of` is the reading of the series, `only` restricts which books count. */
const unread = (
  of: string,
  only: string,
): string => `FROM book n INDEXED BY book_by_series WHERE n.series_id = ${of}.series_id AND n.deleted = 0 ${only}
  AND NOT EXISTS (SELECT 1 FROM read_progress p WHERE p.user_id = ${of}.user_id AND p.book_id = n.id)`;

const firstUnread = (only: string): string =>
  `(SELECT n.id ${unread('d', only)} ORDER BY ${order('n', 'ASC')} LIMIT 1)`;

/** Which unread books count, as SQL over the book `n`; and, over a live book `u` that cannot be read now, which do not. */
interface Which {
  readonly only: string;
  readonly except: string;
}

/** Books without a fault that the viewer sees: those that wait for their analysis are read when somebody opens them. */
const wholeFor = ({ scope }: Viewer): Which => {
  const visible = andVisibleInSeries(scope, 'n');
  const hidden = visible === '' ? '' : ' OR u.never_readable = 1';
  return { only: `AND n.analysis_error IS NULL${visible}`, except: `AND (u.analysis_error IS NOT NULL${hidden})` };
};
const READY: Which = { only: `AND ${readyRow('n')}`, except: '' };

/** Whether a series on deck has such a book: surely, if more are unread than do not count; otherwise they are checked. */
const hasOne = ({ only, except }: Which): string =>
  `(r.book_count - r.completed_count > (SELECT count(*) ${unreadyIn('r.series_id')} ${except})
  OR EXISTS (SELECT 1 ${unread('r', only)}))`;

interface Deck {
  readonly libraries: InLibraries;
  readonly window: Window;
  readonly which: Which;
  /** As in BookQuery. */
  readonly totalKey: string;
}

/**
 * The first unread book of each series with a finished book and none in progress. Books that cannot be read are passed over, and series that
 * have no other left out. The most recently read series is first.
 */
export const booksOnDeck = (
  db: Reads,
  viewer: Viewer,
  libraries: InLibraries,
  window: Window,
  kept: KeptRows | null = null,
): Promise<PageOf<Book>> => {
  const totalKey = `on deck ${JSON.stringify(libraries ?? null)}`;
  return onDeck(db, viewer, { libraries, window, which: wholeFor(viewer), totalKey }, kept);
};

/** The same, with books that have been analysed only. */
export const readyOnDeck = (db: Reads, viewer: Viewer, window: Window, kept: KeptRows | null): Promise<PageOf<Book>> =>
  onDeck(db, viewer, { libraries: undefined, window, which: READY, totalKey: 'ready on deck' }, kept);

const onDeck = async (
  db: Reads,
  viewer: Viewer,
  { libraries, window, which, totalKey }: Deck,
  kept: KeptRows | null,
): Promise<PageOf<Book>> => {
  const { join, binds } = inLibrary('series', 'r.series_id', libraries);
  const from = `FROM series_reading r INDEXED BY series_reading_on_deck ${join}
    WHERE r.user_id = ? AND r.completed_count > 0 AND r.in_progress_count = 0 AND r.completed_count < r.book_count${andInVisible(viewer.scope, 'r.series_id')} AND ${hasOne(which)}`;
  const ids = `SELECT ${firstUnread(which.only)} AS id, d.last_read_at AS at, d.series_id AS series
    FROM (SELECT r.user_id, r.series_id, r.last_read_at ${from} ORDER BY r.last_read_at DESC, r.series_id DESC LIMIT ? OFFSET ?) d`;
  const all = [...binds, viewer.userKey];
  const query = {
    ids: { sql: ids, binds: [...all, window.pageSize, offsetOf(window)], rows: window.pageSize },
    order: 'k.at DESC, k.series DESC',
    total: { sql: `SELECT count(*) ${from}`, binds: all },
    totalKey,
  };
  return { ...window, ...(await booksAndTotal(db, viewer, query, kept)) };
};
