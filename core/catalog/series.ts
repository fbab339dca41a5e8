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
  readonly completedCount: number;
  readonly maxVolume: number | null;
  readonly maxChapter: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

const columnsFor = (userKey: number) =>
  packed<Series>({
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
    completedCount: {
      sql: `(SELECT count(*) FROM book b JOIN read_progress p ON p.user_id = ${userKey} AND p.book_id = b.id
             WHERE b.series_id = s.id AND b.deleted = 0 AND p.completed = 1)`,
    },
    maxVolume: { sql: '(SELECT max(volume) FROM book b WHERE b.series_id = s.id AND b.deleted = 0)' },
    maxChapter: { sql: '(SELECT max(chapter) FROM book b WHERE b.series_id = s.id AND b.deleted = 0)' },
    createdAt: { sql: 's.created_at' },
    updatedAt: { sql: 's.updated_at' },
  });

const rowsOf = async (
  db: Db,
  userKey: number,
  ids: string,
  binds: readonly Bind[],
  order: string,
): Promise<Series[]> => {
  const columns = columnsFor(userKey);
  const rows = await db.json<unknown[][]>(
    `SELECT json_group_array(json(row)) FROM (
       SELECT ${columns.expression} AS row FROM (${ids}) k CROSS JOIN series s ON s.id = k.id
       JOIN library l ON l.id = s.library_id ORDER BY ${order})`,
    binds,
  );
  return rows.map(columns.read);
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
  const items = await rowsOf(
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
  const [series] = await rowsOf(db, userKey, 'SELECT id FROM series WHERE uuid = ?', [bytesOfUuid(id)], 's.id');
  if (series === undefined) throw new AppError('NotFound', 'There is no series with this id.');
  return series;
};

/** When the user last finished a book of the series; null when no book of it is finished. */
export const lastCompletedAt = async (db: Db, userKey: number, seriesKey: number): Promise<number | null> => {
  const [row] = await db.all<{ at: number | null }>(
    `SELECT max(p.completed_at) AS at FROM book b JOIN read_progress p ON p.user_id = ? AND p.book_id = b.id
     WHERE b.series_id = ? AND b.deleted = 0 AND p.completed = 1`,
    [userKey, seriesKey],
  );
  return row?.at ?? null;
};

/** The book whose cover stands for a series: the first in reading order that has pages. Undefined when none has. */
export const coverBookOfSeries = async (db: Db, seriesKey: number): Promise<Buffer | undefined> => {
  const [row] = await db.all<{ uuid: Buffer }>(
    'SELECT uuid FROM book WHERE series_id = ? AND deleted = 0 AND page_count > 0 ORDER BY number IS NULL, number, id LIMIT 1',
    [seriesKey],
  );
  return row?.uuid;
};

/** The book whose cover stands for a library: that of its first series by name that has one. */
export const coverBookOfLibrary = async (db: Db, libraryKey: number): Promise<Buffer | undefined> => {
  const [row] = await db.all<{ uuid: Buffer }>(
    `SELECT b.uuid FROM series s JOIN book b ON b.series_id = s.id
     WHERE s.library_id = ? AND s.book_count > 0 AND b.deleted = 0 AND b.page_count > 0
     ORDER BY s.name_sort, s.id, b.number IS NULL, b.number, b.id LIMIT 1`,
    [libraryKey],
  );
  return row?.uuid;
};

/** The series whose keys a query finds, in the order of its column `place`. */
export const seriesInOrder = (db: Db, userKey: number, keys: string, binds: readonly Bind[]): Promise<Series[]> =>
  rowsOf(db, userKey, keys, binds, 'k.place');
