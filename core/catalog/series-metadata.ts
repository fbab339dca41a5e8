// The metadata of one series: reads it, changes it, locks its fields, and resets it to what its folder and books say.
import type { Clock } from '../engine/clock.js';
import { formatOf, stemOf } from '../model/formats.js';
import { bytesOfUuid } from '../model/ids.js';
import type { Author, SeriesStatus } from '../model/metadata.js';
import { sortKeyOf } from '../model/sort-key.js';
import type { Viewer } from '../model/viewer.js';
import { keyList } from '../store/by-key.js';
import type { Bind, Db, Reads, Tx } from '../store/db.js';
import { ASPECTS, updated } from '../store/feed.js';
import { packed } from '../store/packed.js';
import { told } from '../store/told-reports.js';
import { isSilent } from './book-facts.js';
import { checkedLanguage, refuseTooMuch } from './checked-facts.js';
import type { ReadingDirection } from './libraries.js';
import { unknownRow } from './public-ids.js';
import { reportBooksOf } from './report-rows.js';
import { type Cleared, SETTLED_FIELDS, settleSeries, toldOfSeries } from './settle-series.js';
import { settleManySeries, sourcesOfSeries } from './settled-series.js';
import { settleUnions } from './taxonomy-links.js';
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

type Field = keyof SeriesFields;
export type SeriesLock = Field | 'alternateTitles' | 'cover' | 'genres' | 'tags';
export type SeriesChange = { readonly [K in Field]?: SeriesFields[K] | null | undefined };
export type SeriesLockChange = { readonly [K in SeriesLock]?: boolean | undefined };

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
const NO_FIELDS: Omit<SeriesFields, 'title'> = {
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

const FIELDS: readonly Field[] = ['title', ...(Object.keys(NO_FIELDS) as (keyof typeof NO_FIELDS)[])];

export const SERIES_LOCKS: readonly SeriesLock[] = [...FIELDS, 'alternateTitles', 'cover', 'genres', 'tags'];

const find = async (from: Pick<Db, 'all'>, viewer: Viewer, id: string): Promise<SeriesMetadata> => {
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

export const seriesMetadata = (db: Db, viewer: Viewer, id: string): Promise<SeriesMetadata> => find(db, viewer, id);

/** The title a series has by default: its folder, or its file for a single file in the root of the library. */
const titleOfPath = (path: string): string => {
  const last = path.slice(path.lastIndexOf('/') + 1);
  return last === path && formatOf(path) !== undefined ? stemOf(path) : last;
};

const jsonOrNull = (value: unknown): Bind => (value === null ? null : JSON.stringify(value));

const write = async (tx: Tx, old: SeriesMetadata, series: SeriesMetadata, nowMs: number): Promise<void> => {
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
  const isOfBooks =
    series.title !== old.title || series.titleSort !== old.titleSort || series.ageRating !== old.ageRating;
  if (isOfBooks) await reportBooksOf(tx, [series.key], ASPECTS.list | ASPECTS.text);
};

const changed = (old: SeriesMetadata, change: SeriesChange): SeriesMetadata => {
  const named = FIELDS.filter((field) => change[field] !== undefined);
  const set = named.filter((field) => change[field] !== null);
  const cleared = { ...NO_FIELDS, title: titleOfPath(old.path) };
  return {
    ...old,
    ...(Object.fromEntries(named.map((field) => [field, change[field] ?? cleared[field]])) as Partial<SeriesFields>),
    locks: SERIES_LOCKS.filter((lock) => old.locks.includes(lock) || set.some((field) => field === lock)),
  };
};

/** Fields cleared without a lock, and those cleared earlier that this change does not touch. */
const clearedBy = async (
  tx: Tx,
  next: SeriesMetadata,
  change: SeriesChange,
  leftOut: ReadonlySet<string>,
): Promise<Cleared | null> => {
  const free = SETTLED_FIELDS.filter((field) => !next.locks.includes(field));
  const kept = free.filter((field) => change[field] === undefined && field in (next.cleared ?? {}));
  const emptied = free.filter((field) => change[field] === null && !leftOut.has(field));
  const sources = emptied.length === 0 ? undefined : await sourcesOfSeries(tx, next.key);
  const told = sources && toldOfSeries(sources, new Set(next.locks));
  const entries = [
    ...kept.map((field) => [field, next.cleared?.[field]]),
    ...emptied.filter((field) => !isSilent(told?.[field])).map((field) => [field, told?.[field]]),
  ];
  return entries.length === 0 ? null : (Object.fromEntries(entries) as Cleared);
};

/**
 * The rating decides who may see the series. If no user has set one, it does not wait for an analysis: it is taken from the books at once.
 */
const ratingOfBooks = async (tx: Tx, old: SeriesMetadata): Promise<number | null> => {
  const sources = await sourcesOfSeries(tx, old.key);
  return sources === undefined
    ? null
    : settleSeries(sources, { values: old, locks: new Set(), cleared: {} }).values.ageRating;
};

/**
 * Absent keeps, null clears, a value sets the field and locks it. `leftOut`: fields that are null because a replacement did not name them;
 * the next analysis fills them again.
 */
export const changeSeriesMetadata = async (
  db: Db,
  clock: Clock,
  viewer: Viewer,
  id: string,
  asked: SeriesChange,
  leftOut: ReadonlySet<string> = new Set(),
): Promise<SeriesMetadata> => {
  const now = clock.now();
  const change = { ...asked, language: checkedLanguage('language', asked.language) };
  refuseTooMuch({}, change, change);
  return db.write(viewer.userKey, 'interactive', async (tx) => {
    const old = await find(tx, viewer, id);
    const made = changed(old, change);
    const isRatedByBooks = leftOut.has('ageRating') && !made.locks.includes('ageRating');
    const ageRating = isRatedByBooks ? await ratingOfBooks(tx, old) : made.ageRating;
    const next = { ...made, ageRating, cleared: await clearedBy(tx, made, change, leftOut), updatedAt: now };
    await write(tx, old, next, now);
    const named = FIELDS.filter((field) => change[field] !== undefined);
    tx.report(told('series', [old.key], [...new Set(named.map((field) => (field === 'title' ? field : 'metadata')))]));
    return next;
  });
};

/**
 * Absent keeps, true locks, false unlocks. An unlocked field shows at once what the sources say, and so does an unlocked list of genres or
 * tags.
 */
export const changeSeriesLocks = async (
  db: Db,
  clock: Clock,
  viewer: Viewer,
  id: string,
  change: SeriesLockChange,
): Promise<SeriesMetadata> => {
  const now = clock.now();
  return db.write(viewer.userKey, 'interactive', async (tx) => {
    const old = await find(tx, viewer, id);
    const locks = SERIES_LOCKS.filter((lock) => change[lock] ?? old.locks.includes(lock));
    const unlocked = SETTLED_FIELDS.filter((field) => old.locks.includes(field) && !locks.includes(field));
    const isKnown = unlocked.length > 0 && (await sourcesOfSeries(tx, old.key))?.isComplete === true;
    const emptied = Object.fromEntries(isKnown ? unlocked.map((field) => [field, null]) : []);
    const open = { ...old, ...emptied, locks, updatedAt: now };
    await write(tx, old, { ...open, cleared: await clearedBy(tx, open, {}, new Set()) }, now);
    if (unlocked.length > 0) await settleManySeries(tx, [old.key], now);
    await settleUnions(tx, [old.key]);
    tx.report(told('series', [old.key], ['metadata_locks']));
    return find(tx, viewer, id);
  });
};

/**
 * Discards everything that was set or found, locks included. Genres, tags and rating are taken from the books; the rest follows with their
 * next analysis.
 */
export const resetSeriesMetadata = async (db: Db, clock: Clock, viewer: Viewer, id: string): Promise<void> => {
  const now = clock.now();
  await db.write(viewer.userKey, 'interactive', async (tx) => {
    const old = await find(tx, viewer, id);
    const ageRating = await ratingOfBooks(tx, old);
    const empty = {
      ...old,
      ...NO_FIELDS,
      title: titleOfPath(old.path),
      ageRating,
      links: null,
      locks: [],
      cleared: null,
    };
    await write(tx, old, empty, now);
    await tx.run('DELETE FROM series_title WHERE series_id = ?', [old.key]);
    await settleUnions(tx, [old.key]);
    tx.report(told('series', [old.key], ['title', 'metadata', 'metadata_locks', 'alternate_titles', 'genres', 'tags']));
  });
};
