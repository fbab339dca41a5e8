// The metadata record of one series as it is stored: read and written, with its locks.
import { formatOf, stemOf } from '../model/formats.js';
import { bytesOfUuid } from '../model/ids.js';
import type { Author, SeriesStatus } from '../model/metadata.js';
import { sortKeyOf } from '../model/sort-key.js';
import type { Viewer } from '../model/viewer.js';
import { keyList } from '../store/by-key.js';
import type { Bind, Reader, Reads, Tx } from '../store/db.js';
import { ASPECTS, updated } from '../store/feed.js';
import { packed } from '../store/packed.js';
import type { ReadingDirection } from './libraries.js';
import { unknownRow } from './public-ids.js';
import { reportBooksOf } from './report-rows.js';
import type { Cleared } from './settle-series.js';
import { andVisible } from './visibility.js';

/** The fields users may set. */
export interface SeriesFields {
  readonly title: string;
  /** Null: sorted by its title. */
  readonly titleSort: string | null;
  readonly summary: string | null;
  readonly publisher: string | null;
  readonly imprint: string | null;
  readonly status: SeriesStatus | null;
  readonly year: number | null;
  readonly language: string | null;
  readonly ageRating: number | null;
  /** Null: the direction of its library. */
  readonly readingDirection: ReadingDirection | null;
  readonly totalVolumeCount: number | null;
  readonly totalChapterCount: number | null;
  readonly authors: readonly Author[] | null;
  readonly customMetadata: Readonly<Record<string, unknown>> | null;
}

export interface SeriesLink {
  readonly id: string;
  readonly source: string;
  readonly url: string;
  readonly createdAt: number;
}

export interface SeriesMetadata extends SeriesFields {
  readonly key: number;
  readonly id: string;
  readonly path: string;
  readonly links: readonly SeriesLink[] | null;
  readonly locks: readonly SeriesLock[];
  /** Fields that stay empty until their sources say something else. */
  readonly cleared: Cleared | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

export type SeriesField = keyof SeriesFields;
export type SeriesLock = SeriesField | 'alternateTitles' | 'cover' | 'genres' | 'links' | 'tags';
const COLUMNS = packed<SeriesMetadata>({
  key: { sql: 's.id' },
  id: { sql: 's.uuid', as: 'uuid' },
  path: { sql: 's.path' },
  title: { sql: 's.name' },
  titleSort: { sql: 's.title_sort' },
  summary: { sql: 's.summary' },
  publisher: { sql: 's.publisher' },
  imprint: { sql: 's.imprint' },
  status: { sql: 's.status' },
  year: { sql: 's.year' },
  language: { sql: 's.language' },
  ageRating: { sql: 's.age_rating' },
  readingDirection: { sql: 's.reading_direction' },
  totalVolumeCount: { sql: 's.total_volume_count' },
  totalChapterCount: { sql: 's.total_chapter_count' },
  authors: { sql: 's.authors', as: 'json' },
  customMetadata: { sql: 's.custom', as: 'json' },
  links: { sql: 's.links', as: 'json' },
  locks: { sql: 's.locks', as: 'json' },
  cleared: { sql: 's.cleared', as: 'json' },
  createdAt: { sql: 's.created_at' },
  updatedAt: { sql: 's.updated_at' },
});

/** Everything unset. The title is filled in from the path. */
export const NO_FIELDS: Omit<SeriesFields, 'title'> = {
  titleSort: null,
  summary: null,
  publisher: null,
  imprint: null,
  status: null,
  year: null,
  language: null,
  ageRating: null,
  readingDirection: null,
  totalVolumeCount: null,
  totalChapterCount: null,
  authors: null,
  customMetadata: null,
};

export const FIELDS: readonly SeriesField[] = ['title', ...(Object.keys(NO_FIELDS) as (keyof typeof NO_FIELDS)[])];

export const SERIES_LOCKS: readonly SeriesLock[] = [...FIELDS, 'alternateTitles', 'cover', 'genres', 'links', 'tags'];

export const seriesMetadata = async (
  from: Pick<Reader, 'all'>,
  viewer: Viewer,
  id: string,
): Promise<SeriesMetadata> => {
  const [row] = await from.all<{ row: string }>(
    `SELECT ${COLUMNS.expression} AS row FROM series s WHERE s.uuid = ?${andVisible(viewer.scope, 's')}`,
    [bytesOfUuid(id)],
  );
  if (row === undefined) throw unknownRow('series');
  return COLUMNS.read(JSON.parse(row.row) as unknown[]);
};

/** By series key. */
export const metadataOfSeries = async (
  db: Reads,
  keys: readonly number[],
): Promise<ReadonlyMap<number, SeriesMetadata>> => {
  const rows = await db.json<unknown[][]>(
    `SELECT json_group_array(json(row)) FROM (SELECT ${COLUMNS.expression} AS row
       FROM json_each(?) j CROSS JOIN series s ON s.id = j.value)`,
    [keyList(keys)],
  );
  return new Map(rows.map(COLUMNS.read).map((found) => [found.key, found]));
};

/** The same in a transaction. */
export const seriesRecords = async (tx: Tx, keys: readonly number[]): Promise<ReadonlyMap<number, SeriesMetadata>> => {
  const rows = await tx.all<{ row: string }>(
    `SELECT ${COLUMNS.expression} AS row FROM json_each(?) j CROSS JOIN series s ON s.id = j.value`,
    [keyList(keys)],
  );
  const found = rows.map(({ row }) => COLUMNS.read(JSON.parse(row) as unknown[]));
  return new Map(found.map((one) => [one.key, one]));
};

/** The title a series has by default: its folder, or its file for a single file in the root of the library. */
export const titleOfPath = (path: string): string => {
  const last = path.slice(path.lastIndexOf('/') + 1);
  return last === path && formatOf(path) !== undefined ? stemOf(path) : last;
};

const jsonOrNull = (value: unknown): Bind => (value === null ? null : JSON.stringify(value));

/** What lists find, sort and search the books of a series by. */
const OF_BOOKS = ['title', 'titleSort', 'ageRating', 'publisher', 'language'] as const;

export const writeSeries = async (
  tx: Tx,
  old: SeriesMetadata,
  series: SeriesMetadata,
  nowMs: number,
): Promise<void> => {
  await tx.run(
    `UPDATE series SET name = ?, name_sort = ?, title_sort = ?, summary = ?, publisher = ?, imprint = ?, status = ?, year = ?, language = ?,
       age_rating = ?, reading_direction = ?, total_volume_count = ?, total_chapter_count = ?, authors = ?, custom = ?, links = ?, locks = ?,
       cleared = ?, updated_at = ? WHERE id = ?`,
    [
      series.title,
      sortKeyOf(series.titleSort, series.title),
      series.titleSort,
      series.summary,
      series.publisher,
      series.imprint,
      series.status,
      series.year,
      series.language,
      series.ageRating,
      series.readingDirection,
      series.totalVolumeCount,
      series.totalChapterCount,
      jsonOrNull(series.authors),
      jsonOrNull(series.customMetadata),
      jsonOrNull(series.links),
      JSON.stringify(series.locks),
      jsonOrNull(series.cleared),
      nowMs,
      series.key,
    ],
  );
  tx.report(updated('series', [series.key], ASPECTS.list | ASPECTS.text));
  const isOfBooks = OF_BOOKS.some((field) => series[field] !== old[field]);
  if (isOfBooks) await reportBooksOf(tx, [series.key], ASPECTS.list | ASPECTS.text);
};
