// Series: their rows and lists. A series whose books are all gone is hidden, not removed: what comes back finds it again.
import { AppError } from '../model/errors.js';
import { bytesOfUuid } from '../model/ids.js';
import type { Bind, Db } from '../store/db.js';
import { packed } from '../store/packed.js';
import type { ReadingDirection } from './libraries.js';
import { offsetOf, type PageOf, type Window } from './paging.js';
import { type Order, orderBy, SERIES_SORTS, type SeriesSort } from './sorts.js';

export interface Series {
  readonly key: number;
  readonly id: string;
  readonly libraryId: string;
  readonly libraryName: string;
  readonly name: string;
  readonly nameSort: string;
  readonly path: string;
  readonly summary: string | null;
  readonly publisher: string | null;
  readonly year: number | null;
  readonly readingDirection: ReadingDirection | null;
  readonly bookCount: number;
  /** Of the asking user. */
  readonly completedCount: number;
  readonly wanted: boolean;
  readonly maxVolume: number | null;
  readonly maxChapter: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

const COLUMNS = packed<Series>({
  key: { sql: 's.id' },
  id: { sql: 's.uuid', as: 'uuid' },
  libraryId: { sql: 'l.uuid', as: 'uuid' },
  libraryName: { sql: 'l.name' },
  name: { sql: 's.name' },
  nameSort: { sql: 'coalesce(s.title_sort, s.name_sort)' },
  path: { sql: 's.path' },
  summary: { sql: 's.summary' },
  publisher: { sql: 's.publisher' },
  year: { sql: 's.year' },
  readingDirection: { sql: 's.reading_direction' },
  bookCount: { sql: 's.book_count' },
  completedCount: { sql: 'coalesce(r.completed_count, 0)' },
  wanted: { sql: 'w.id IS NOT NULL', as: 'boolean' },
  maxVolume: { sql: '(SELECT max(volume) FROM book b WHERE b.series_id = s.id AND b.deleted = 0)' },
  maxChapter: { sql: '(SELECT max(chapter) FROM book b WHERE b.series_id = s.id AND b.deleted = 0)' },
  createdAt: { sql: 's.created_at' },
  updatedAt: { sql: 's.updated_at' },
});

/** Series by a query for their ids, as the user sees them. `order` may name the series (s), its counters (r) and what the query gave (k). */
export const seriesOf = async (
  db: Db,
  userKey: number,
  ids: string,
  binds: readonly Bind[],
  order: string,
): Promise<Series[]> => {
  const rows = await db.json<unknown[][]>(
    `SELECT json_group_array(json(row)) FROM (
       SELECT ${COLUMNS.expression} AS row FROM (${ids}) k CROSS JOIN series s ON s.id = k.id
       JOIN library l ON l.id = s.library_id
       LEFT JOIN series_reading r ON r.user_id = ${userKey} AND r.series_id = s.id
       LEFT JOIN want_to_read w ON w.user_id = ${userKey} AND w.series_id = s.id ORDER BY ${order})`,
    binds,
  );
  return rows.map(COLUMNS.read);
};

export const listSeries = async (
  db: Db,
  userKey: number,
  libraryId: string | undefined,
  order: Order<SeriesSort>,
  window: Window,
): Promise<PageOf<Series>> => {
  const where = libraryId === undefined ? '' : 'AND library_id = (SELECT id FROM library WHERE uuid = ?)';
  const binds: Bind[] = libraryId === undefined ? [] : [bytesOfUuid(libraryId)];
  const column = SERIES_SORTS[order.sort];
  const ids = `SELECT id FROM series WHERE book_count > 0 ${where} ORDER BY ${orderBy(column, order.descending)} LIMIT ? OFFSET ?`;
  const items = await seriesOf(
    db,
    userKey,
    ids,
    [...binds, window.pageSize, offsetOf(window)],
    orderBy(column, order.descending, 's'),
  );
  const [count] = await db.all<{ n: number }>(
    `SELECT coalesce(sum(series_count), 0) AS n FROM library ${libraryId === undefined ? '' : 'WHERE uuid = ?'}`,
    binds,
  );
  return { ...window, items, total: count?.n ?? 0 };
};

export const seriesById = async (db: Db, userKey: number, id: string): Promise<Series> => {
  const [series] = await seriesOf(db, userKey, 'SELECT id FROM series WHERE uuid = ?', [bytesOfUuid(id)], 's.id');
  if (series === undefined) throw new AppError('NotFound', 'There is no series with this id.');
  return series;
};

/** The book whose cover stands for a series: the first in reading order that has pages. Undefined when none has. */
export const coverBookOfSeries = async (db: Db, seriesKey: number): Promise<Buffer | undefined> => {
  const [row] = await db.all<{ uuid: Buffer }>(
    'SELECT uuid FROM book WHERE series_id = ? AND deleted = 0 AND page_count > 0 ORDER BY place, id LIMIT 1',
    [seriesKey],
  );
  return row?.uuid;
};

/** The picture beside the books of a series; undefined when there is none. */
export const coverFileOfSeries = async (db: Db, seriesKey: number): Promise<string | undefined> => {
  const [row] = await db.all<{ path: string }>(
    `SELECT l.root || '/' || f.path || '/' || f.cover AS path FROM series s JOIN library l ON l.id = s.library_id
     JOIN folder f ON f.library_id = s.library_id AND f.path = s.path WHERE s.id = ? AND f.path <> '' AND f.cover IS NOT NULL`,
    [seriesKey],
  );
  return row?.path;
};

/** The book whose cover stands for a library: that of its first series by name that has one. */
export const coverBookOfLibrary = async (db: Db, libraryKey: number): Promise<Buffer | undefined> => {
  const [row] = await db.all<{ uuid: Buffer }>(
    `SELECT b.uuid FROM series s JOIN book b ON b.series_id = s.id
     WHERE s.library_id = ? AND s.book_count > 0 AND b.deleted = 0 AND b.page_count > 0
     ORDER BY s.name_sort, s.id, b.place, b.id LIMIT 1`,
    [libraryKey],
  );
  return row?.uuid;
};

/** The series whose keys a query finds, in the order of its column `place`. */
export const seriesInOrder = (db: Db, userKey: number, keys: string, binds: readonly Bind[]): Promise<Series[]> =>
  seriesOf(db, userKey, keys, binds, 'k.place');
