// What reader apps show of series beyond the rows of lists: metadata, terms, counts of what the user has read, and what its books say.
import { type AlternateTitle, titlesOfKeys } from '../catalog/alternate-titles.js';
import type { Series } from '../catalog/series.js';
import { metadataOfSeries, type SeriesMetadata } from '../catalog/series-record.js';
import { pathShown } from '../catalog/shown-paths.js';
import { IS_SINGLE_FILE } from '../catalog/sql/single-file.js';
import { type Term, termsOfKeys } from '../catalog/taxonomy.js';
import { andVisibleInSeries } from '../catalog/visibility.js';
import type { Author } from '../model/metadata.js';
import type { Viewer } from '../model/viewer.js';
import { keyList } from '../store/by-key.js';
import type { Reads } from '../store/db.js';
import { packed } from '../store/packed.js';

/** What the books of a series say together. */
export interface OfBooks {
  /** Of the newest file; null when none is left. */
  readonly fileTime: number | null;
  /** The day the first one came out: year, month and day as one number, zeros for what is not known. */
  readonly released: number | null;
  /** Of the first of its first books that has one, and the number of that book. */
  readonly summary: string | null;
  readonly summaryNumber: string | null;
}

export interface SeriesRecord extends OfBooks {
  /** Everybody credited in one of its books or in the series itself, by name. */
  readonly people: readonly Author[];
  readonly series: Series;
  readonly metadata: SeriesMetadata;
  readonly genres: readonly string[];
  readonly tags: readonly string[];
  readonly titles: readonly AlternateTitle[];
  /** Names of its sharing tags; empty for everybody but administrators, since they tell what is hidden from others. */
  readonly sharingTags: readonly string[];
  /** Where it lies, as far as the viewer may know. */
  readonly place: string;
  readonly inProgressCount: number;
  readonly isOneshot: boolean;
}

interface Beside extends OfBooks {
  readonly people: readonly Author[];
  readonly isOneshot: boolean;
  readonly key: number;
  readonly root: string;
  readonly inProgressCount: number;
  readonly sharingTags: readonly string[];
}

/** Summaries are looked for in so many books, so that a long series without any costs no more than others. */
const FIRST_BOOKS = 5;

const FIRST_SUMMARY = (live: string, wanted: string): string =>
  `(SELECT ${wanted} FROM (SELECT b.id, b.number ${live} ORDER BY b.place LIMIT ${FIRST_BOOKS}) f
    CROSS JOIN book_metadata m ON m.book_id = f.id WHERE m.facts ->> '$.summary' IS NOT NULL LIMIT 1)`;

const liveFor = ({ scope }: Viewer): string =>
  `FROM book b WHERE b.series_id = s.id AND b.deleted = 0${andVisibleInSeries(scope, 'b')}`;

const columnsFor = (viewer: Viewer) => {
  const live = liveFor(viewer);
  return packed<Beside>({
    key: { sql: 's.id' },
    root: { sql: 'l.root' },
    inProgressCount: { sql: 'coalesce(r.in_progress_count, 0)' },
    isOneshot: { sql: IS_SINGLE_FILE, as: 'boolean' },
    people: {
      sql: `'' || (SELECT json_group_array(json_object('name', name, 'role', role)) FROM (SELECT p.name, c.role FROM credit c
        CROSS JOIN person p ON p.id = c.person_id WHERE c.series_id = s.id ORDER BY p.name))`,
      as: 'json',
    },
    fileTime: { sql: `(SELECT max(b.file_mtime) ${live})` },
    released: { sql: `(SELECT min(b.released) ${live})` },
    summary: { sql: FIRST_SUMMARY(live, "m.facts ->> '$.summary'") },
    summaryNumber: { sql: FIRST_SUMMARY(live, "coalesce(m.facts ->> '$.number', CAST(f.number AS TEXT))") },
    sharingTags: {
      sql: viewer.administers
        ? "'' || (SELECT json_group_array(name) FROM (SELECT t.name FROM series_sharing_tag c CROSS JOIN sharing_tag t ON t.id = c.sharing_tag_id WHERE c.series_id = s.id ORDER BY t.name_key))"
        : "'[]'",
      as: 'json',
    },
  });
};

const besideOf = async (db: Reads, viewer: Viewer, keys: readonly number[]): Promise<ReadonlyMap<number, Beside>> => {
  const columns = columnsFor(viewer);
  const rows = await db.json<unknown[][]>(
    `SELECT json_group_array(json(row)) FROM (SELECT ${columns.expression} AS row FROM json_each(?) j CROSS JOIN series s ON s.id = j.value
       JOIN library l ON l.id = s.library_id LEFT JOIN series_reading r ON r.user_id = ? AND r.series_id = s.id)`,
    [keyList(keys), viewer.userKey],
  );
  return new Map(rows.map(columns.read).map((row) => [row.key, row]));
};

const namesOf = (terms: readonly Term[] | undefined): readonly string[] => (terms ?? []).map(({ name }) => name);

/** The records of these series, in their order; a series that has vanished is left out. */
export const seriesRecords = async (db: Reads, viewer: Viewer, rows: readonly Series[]): Promise<SeriesRecord[]> => {
  if (rows.length === 0) return [];
  const keys = rows.map(({ key }) => key);
  const [beside, metadata, genres, tags, titles] = await Promise.all([
    besideOf(db, viewer, keys),
    metadataOfSeries(db, keys),
    termsOfKeys(db, 'genre', 'series', keys),
    termsOfKeys(db, 'tag', 'series', keys),
    titlesOfKeys(db, keys),
  ]);
  return rows.flatMap((series) => {
    const [more, own] = [beside.get(series.key), metadata.get(series.key)];
    if (more === undefined || own === undefined) return [];
    const { key: _, root, ...found } = more;
    return [
      {
        ...found,
        inProgressCount: Math.min(found.inProgressCount, series.bookCount - series.completedCount),
        series,
        metadata: own,
        genres: namesOf(genres.get(series.key)),
        tags: namesOf(tags.get(series.key)),
        titles: titles.get(series.key) ?? [],
        place: pathShown(viewer, { name: series.libraryName, root }, series.path),
      },
    ];
  });
};
