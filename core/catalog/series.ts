// Series: their rows. A series whose books are all gone is hidden, not removed, so books that come back find it again.
import { bytesOfUuid } from '../model/ids.js';
import type { Scope, Viewer } from '../model/viewer.js';
import { keyList } from '../store/by-key.js';
import type { Db, Reads } from '../store/db.js';
import { type Ids, type Packed, packed } from '../store/packed.js';
import { HAS_UPLOADED, selectedSource } from './covers/shown.js';
import type { ReadingDirection } from './libraries.js';
import { bySize, type Summarised, summaryColumns } from './long-summaries.js';
import { unknownRow } from './public-ids.js';
import { andVisible, andVisibleInSeries, visibleBookCount } from './visibility.js';

export interface Series extends Summarised {
  readonly id: string;
  readonly libraryId: string;
  readonly libraryName: string;
  readonly name: string;
  /** The sort title, as a user or the files wrote it, if it is not the name. */
  readonly titleSort: string | null;
  readonly path: string;
  readonly publisher: string | null;
  readonly year: number | null;
  readonly readingDirection: ReadingDirection | null;
  readonly bookCount: number;
  /** The user's own count. */
  readonly completedCount: number;
  readonly wanted: boolean;
  readonly maxVolume: number | null;
  readonly maxChapter: number | null;
  /** The number of different volumes that are complete in one book. */
  readonly volumeCount: number;
  readonly hasUploadedCover: boolean;
  /** custom, book:<uuid> or page:N; null where its cover is from its files. */
  readonly coverSource: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/**
 * A chapter of a volume is not the volume, and comics may have the year of their run as the volume. For viewers without an age
 * limit, it is read from an index that holds nothing else, so a series of ten thousand books costs a millisecond.
 */
export const volumeCount = (live: string): string => `(SELECT count(DISTINCT b.volume) ${live} AND b.volume IS NOT NULL
  AND b.volume NOT BETWEEN 1900 AND 2099 AND (b.chapter IS NULL OR b.chapter = b.volume))`;

const buildColumns = (scope: Scope) => {
  const bookCount = visibleBookCount(scope, 's');
  const live = `FROM book b WHERE b.series_id = s.id AND b.deleted = 0${andVisibleInSeries(scope, 'b')}`;
  return bySize((longest) =>
    packed<Series>({
      key: { sql: 's.id' },
      id: { sql: 's.uuid', as: 'uuid' },
      libraryId: { sql: 'l.uuid', as: 'uuid' },
      libraryName: { sql: 'l.name' },
      name: { sql: 's.name' },
      titleSort: { sql: 's.title_sort' },
      path: { sql: 's.path' },
      ...summaryColumns('s.summary', 's.summary', longest),
      publisher: { sql: 's.publisher' },
      year: { sql: 's.year' },
      readingDirection: { sql: 's.reading_direction' },
      bookCount: { sql: bookCount },
      completedCount: { sql: `min(coalesce(r.completed_count, 0), ${bookCount})` },
      wanted: { sql: 'w.id IS NOT NULL', as: 'boolean' },
      maxVolume: {
        sql: `(SELECT max(volume) ${live} AND b.volume IS NOT NULL)`,
      },
      maxChapter: {
        sql: `(SELECT max(chapter) ${live} AND b.chapter IS NOT NULL)`,
      },
      volumeCount: { sql: volumeCount(live) },
      hasUploadedCover: { sql: HAS_UPLOADED, as: 'boolean' },
      coverSource: { sql: selectedSource(scope) },
      createdAt: { sql: 's.created_at' },
      updatedAt: { sql: 's.updated_at' },
    }),
  );
};

/** Keyed by the SQL of the book count, which has two forms: with and without an age limit. */
const COLUMNS = new Map<string, ReturnType<typeof buildColumns>>();

const columnsFor = ({ scope }: Viewer, rows: number): Packed<Series> => {
  const bookCount = visibleBookCount(scope, 's');
  const columns = COLUMNS.get(bookCount) ?? buildColumns(scope);
  COLUMNS.set(bookCount, columns);
  return columns(rows);
};

/**
 * Series by a query for their ids, as the user sees them. `order` may refer to the series (s), its counters (r) and columns of the query
 * (k).
 */
export const seriesOf = async (
  db: Reads,
  viewer: Viewer,
  { sql, binds, rows }: Ids,
  order: string,
): Promise<Series[]> => {
  const columns = columnsFor(viewer, rows);
  const found = await db.json<unknown[][]>(
    `SELECT json_group_array(json(row)) FROM (
       SELECT ${columns.expression} AS row FROM (${sql}) k CROSS JOIN series s ON s.id = k.id
       JOIN library l ON l.id = s.library_id AND l.removing = 0
       LEFT JOIN series_reading r ON r.user_id = ? AND r.series_id = s.id
       LEFT JOIN want_to_read w ON w.user_id = ? AND w.series_id = s.id ORDER BY ${order})`,
    [...binds, viewer.userKey, viewer.userKey],
  );
  return found.map(columns.read);
};

/** Rows of these keys in this order. A key that has vanished is left out. */
export const seriesByKeys = (db: Reads, viewer: Viewer, keys: readonly number[]): Promise<Series[]> =>
  keys.length === 0
    ? Promise.resolve([])
    : seriesOf(
        db,
        viewer,
        { sql: 'SELECT value AS id, key AS at FROM json_each(?)', binds: [keyList(keys)], rows: keys.length },
        'k.at',
      );

export const seriesById = async (db: Reads, viewer: Viewer, id: string): Promise<Series> => {
  const [series] = await seriesOf(
    db,
    viewer,
    {
      sql: `SELECT o.id FROM series o WHERE o.uuid = ?${andVisible(viewer.scope, 'o')}`,
      binds: [bytesOfUuid(id)],
      rows: 1,
    },
    's.id',
  );
  if (series === undefined) throw unknownRow('series');
  return series;
};

/**
 * The book whose cover represents a series: among those the viewer sees, the first in reading order that has pages; where none is known to
 * have any, the first.
 */
export const coverBookOfSeries = async (db: Db, { scope }: Viewer, seriesKey: number): Promise<Buffer | undefined> => {
  for (const condition of [' AND page_count > 0', '']) {
    const [row] = await db.all<{ uuid: Buffer }>(
      `SELECT uuid FROM book b WHERE series_id = ? AND deleted = 0${condition}${andVisibleInSeries(scope, 'b')} ORDER BY place, id LIMIT 1`,
      [seriesKey],
    );
    if (row !== undefined) return row.uuid;
  }
  return undefined;
};

/** The image file next to the books of a series; undefined when there is none. */
export const coverFileOfSeries = async (
  db: Db,
  seriesKey: number,
): Promise<{ readonly root: string; readonly path: string } | undefined> => {
  const [row] = await db.all<{ root: string; path: string }>(
    `SELECT l.root, l.root || '/' || f.path || '/' || f.cover AS path FROM series s JOIN library l ON l.id = s.library_id AND l.removing = 0
     JOIN folder f ON f.library_id = s.library_id AND f.path = s.path WHERE s.id = ? AND f.path <> '' AND f.cover IS NOT NULL`,
    [seriesKey],
  );
  return row;
};

export interface SeriesRow {
  readonly key: number;
  readonly uuid: Buffer;
}

/** The series whose cover represents a library: its first visible one, by name, that has pages. */
export const coverSeriesOfLibrary = async (
  db: Db,
  viewer: Viewer,
  libraryKey: number,
): Promise<SeriesRow | undefined> => {
  const [row] = await db.all<SeriesRow>(
    `SELECT s.id AS key, s.uuid FROM series s
     WHERE s.library_id = ? AND s.book_count > 0${andVisible(viewer.scope, 's')}
       AND EXISTS (SELECT 1 FROM book b WHERE b.series_id = s.id AND b.deleted = 0 AND b.page_count > 0${andVisibleInSeries(viewer.scope, 'b')})
     ORDER BY s.name_sort, s.id LIMIT 1`,
    [libraryKey],
  );
  return row;
};

/** The series whose keys a query finds, ordered by its column `place`. */
export const seriesInOrder = (db: Reads, viewer: Viewer, keys: Ids): Promise<Series[]> =>
  seriesOf(db, viewer, keys, 'k.place');
