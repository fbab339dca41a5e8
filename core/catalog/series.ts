// Series: their rows. A series whose books are all gone is hidden, not removed: what comes back finds it again.
import { AppError } from '../model/errors.js';
import { bytesOfUuid } from '../model/ids.js';
import type { Bind, Db } from '../store/db.js';
import { packed } from '../store/packed.js';
import type { IdQuery } from './conditions/formula.js';
import type { ReadingDirection } from './libraries.js';
import type { ListParts } from './lists/page.js';

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

/** `completed`: how many live books of the series the user finished, as an expression. */
const columnsFor = (completed: string) =>
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
    completedCount: { sql: completed },
    maxVolume: { sql: '(SELECT max(volume) FROM book b WHERE b.series_id = s.id AND b.deleted = 0)' },
    maxChapter: { sql: '(SELECT max(chapter) FROM book b WHERE b.series_id = s.id AND b.deleted = 0)' },
    createdAt: { sql: 's.created_at' },
    updatedAt: { sql: 's.updated_at' },
  });

/** Looks at every book of the series. */
const completedBy = (userKey: number): string =>
  `(SELECT count(*) FROM book b JOIN read_progress p ON p.user_id = ${userKey} AND p.book_id = b.id
    WHERE b.series_id = s.id AND b.deleted = 0 AND p.completed = 1)`;

const rowsOf = async (
  db: Db,
  completed: string,
  ids: string,
  binds: readonly Bind[],
  order: string,
): Promise<Series[]> => {
  const columns = columnsFor(completed);
  const rows = await db.json<unknown[][]>(
    `SELECT json_group_array(json(row)) FROM (
       SELECT ${columns.expression} AS row FROM (${ids}) k CROSS JOIN series s ON s.id = k.id
       JOIN library l ON l.id = s.library_id ORDER BY ${order})`,
    binds,
  );
  return rows.map(columns.read);
};

/** Up to this many books are looked at one by one for what the user finished; beyond it, what the user finished is. */
const PROBES_MAX = 3000;

/** Series of the books the user finished, once for each book. */
const finishedOf = (userKey: number): IdQuery => ({
  sql: `SELECT b.series_id AS id FROM read_progress p CROSS JOIN book b ON b.id = p.book_id
    WHERE p.user_id = ? AND p.completed = 1 AND b.deleted = 0`,
  binds: [userKey],
  scope: 'reading',
});

/** Rows of these keys in this order. A key that vanished meanwhile is left out. */
export const seriesByKeys = async (
  { db, sets }: Pick<ListParts, 'db' | 'sets'>,
  userKey: number,
  keys: readonly number[],
): Promise<Series[]> => {
  if (keys.length === 0) return [];
  const list = JSON.stringify(keys);
  const [books] = await db.all<{ n: number }>(
    'SELECT sum(s.book_count) AS n FROM json_each(?) j CROSS JOIN series s ON s.id = j.value',
    [list],
  );
  const isMuch = (books?.n ?? 0) > PROBES_MAX;
  const ids = 'SELECT value AS id, key AS at FROM json_each(?)';
  const rows = await rowsOf(db, isMuch ? '0' : completedBy(userKey), ids, [list], 'k.at');
  if (!isMuch) return rows;
  const counts = new Map(keys.map((key) => [key, 0]));
  for (const key of await sets.order(finishedOf(userKey))) {
    const count = counts.get(key);
    if (count !== undefined) counts.set(key, count + 1);
  }
  return rows.map((row) => ({ ...row, completedCount: counts.get(row.key) ?? 0 }));
};

export const seriesById = async (db: Db, userKey: number, id: string): Promise<Series> => {
  const [series] = await rowsOf(
    db,
    completedBy(userKey),
    'SELECT id FROM series WHERE uuid = ?',
    [bytesOfUuid(id)],
    's.id',
  );
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
