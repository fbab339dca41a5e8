// Books: their rows as a user sees them. Each row includes the user's own progress.
import type { BookFormat } from '../model/formats.js';
import { bytesOfUuid } from '../model/ids.js';
import type { EpubKind } from '../model/outline.js';
import type { Viewer } from '../model/viewer.js';
import { keyList } from '../store/by-key.js';
import type { Reads } from '../store/db.js';
import { type Ids, packed, type Query, rowsAndTotal } from '../store/packed.js';
import type { ReadingDirection } from './libraries.js';
import { bySize, type Summarised, summaryColumns } from './long-summaries.js';
import { andVisibleRow, unknownRow } from './public-ids.js';
import type { KeptRows, KeysAndTotal, RowsAndTotal } from './query/kept-rows.js';
import { SOURCES } from './sources.js';
import { andVisibleInSeries } from './visibility.js';

export interface Book extends Summarised {
  readonly id: string;
  readonly libraryId: string;
  readonly libraryName: string;
  readonly seriesId: string;
  readonly seriesName: string;
  readonly title: string;
  /** The sort title, as a user or the file wrote it, if it is not the title. */
  readonly titleSort: string | null;
  readonly number: number | null;
  /** The number that its metadata states as text, else the one in its name; never its place among the files. */
  readonly issueNumber: string | number | null;
  readonly volume: number | null;
  readonly chapter: number | null;
  readonly pageCount: number;
  readonly format: BookFormat;
  /** Null for what is no EPUB, and while it is not analysed. */
  readonly epubKind: EpubKind | null;
  readonly fileSize: number;
  readonly fileMtime: number;
  readonly revision: number;
  readonly fileHash: string;
  readonly koreaderHash: string | null;
  readonly path: string;
  readonly analyzed: boolean;
  readonly analysisError: string | null;
  readonly deleted: boolean;
  readonly readingDirection: ReadingDirection;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** The user's own progress; progressId is null when there is none. */
  readonly progressId: string | null;
  readonly currentPage: number | null;
  readonly pageOffset: number | null;
  readonly completed: boolean | null;
  readonly completedAt: number | null;
  readonly startedAt: number | null;
  readonly readAt: number | null;
  readonly percentage: number | null;
  /** Whether the book is in the user's queue of books to read. */
  readonly wanted: boolean;
}

const pathTo = (name: string): string =>
  `l.root || '/' || CASE f.path WHEN '' THEN '' ELSE f.path || '/' END || ${name}`;

/** The path of a book's file: library root, folder, file name. */
export const BOOK_PATH = pathTo('b.file_name');

/** A deleted book whose path another one took has a slash and its key after the name (core/scan/apply-moves.ts). */
const SHOWN_PATH = pathTo("substr(b.file_name || '/', 1, instr(b.file_name || '/', '/') - 1)");

/**
 * A series has the direction that somebody set, or one on which all its books agree; what the file of the book states is looked up only where
 * it has none. A series whose direction is locked as empty has that of its library.
 */
const DIRECTION = `coalesce(s.reading_direction, CASE instr(s.locks, '"readingDirection"') WHEN 0 THEN
  (SELECT o.series ->> '$.readingDirection' FROM book_source o WHERE o.book_id = b.id AND o.source = ${SOURCES.file.id}) END, l.reading_direction)`;

const columnsOf = bySize((longest) =>
  packed<Book>({
    key: { sql: 'b.id' },
    id: { sql: 'b.uuid', as: 'uuid' },
    libraryId: { sql: 'l.uuid', as: 'uuid' },
    libraryName: { sql: 'l.name' },
    seriesId: { sql: 's.uuid', as: 'uuid' },
    seriesName: { sql: 's.name' },
    title: { sql: 'b.title' },
    titleSort: { sql: "m.facts ->> '$.titleSort'" },
    number: { sql: 'b.number' },
    issueNumber: {
      sql: "coalesce(nullif(trim(m.facts ->> '$.number'), ''), iif(b.number_locked, NULL, b.told_number))",
    },
    volume: { sql: 'b.volume' },
    chapter: { sql: 'b.chapter' },
    pageCount: { sql: 'b.page_count' },
    format: { sql: 'b.format' },
    epubKind: { sql: 'b.epub_kind' },
    fileSize: { sql: 'b.file_size' },
    fileMtime: { sql: 'b.file_mtime' },
    revision: { sql: 'b.revision' },
    fileHash: { sql: 'b.file_hash' },
    koreaderHash: { sql: 'b.koreader_hash' },
    path: { sql: SHOWN_PATH },
    analyzed: { sql: 'b.analyzed', as: 'boolean' },
    analysisError: { sql: 'b.analysis_error' },
    deleted: { sql: 'b.deleted', as: 'boolean' },
    readingDirection: { sql: DIRECTION },
    ...summaryColumns("m.facts ->> '$.summary'", 'm.facts', longest),
    createdAt: { sql: 'b.created_at' },
    updatedAt: { sql: 'b.updated_at' },
    progressId: { sql: 'p.uuid', as: 'uuid' },
    currentPage: { sql: 'p.current_page' },
    pageOffset: { sql: 'p.page_offset' },
    completed: { sql: 'p.completed', as: 'boolean' },
    completedAt: { sql: 'p.completed_at' },
    startedAt: { sql: 'p.started_at' },
    readAt: { sql: 'p.updated_at' },
    percentage: { sql: 'p.percentage' },
    wanted: { sql: 'w.id IS NOT NULL', as: 'boolean' },
  }),
);

/** SQL over a row of the table `book`: its analysis ended with an error or found no pages. One that has not been analysed yet may turn out readable. */
export const unreadableRow = (alias: string): string =>
  `(${alias}.analysis_error IS NOT NULL OR (${alias}.analyzed = 1 AND ${alias}.page_count = 0))`;

/** SQL over a row of the table `book`: it has been analysed and can be read. */
export const readyRow = (alias: string): string => `${alias}.analyzed = 1 AND ${alias}.analysis_error IS NULL`;

/** FROM and WHERE over the live books `u` of a series that cannot be read: an index holds these few. `series` is SQL for its key. */
export const unreadyIn = (series: string): string => `FROM book u INDEXED BY book_unready
  WHERE u.series_id = ${series} AND u.deleted = 0 AND (u.analyzed = 0 OR u.analysis_error IS NOT NULL)`;

/** Binds the values of the ids query, then the user twice. A user key in the text would give each user separate statements. */
const packedBooks = (viewer: Viewer, { sql, binds, rows }: Ids, order: string): Query => ({
  sql: `SELECT json_group_array(json(row)) FROM (
  SELECT ${columnsOf(rows).expression} AS row FROM (${sql}) k CROSS JOIN book b ON b.id = k.id
  JOIN library l ON l.id = b.library_id AND l.removing = 0 JOIN series s ON s.id = b.series_id JOIN folder f ON f.id = b.folder_id
  LEFT JOIN book_metadata m ON m.book_id = b.id
  LEFT JOIN read_progress p ON p.user_id = ? AND p.book_id = b.id
  LEFT JOIN want_to_read w ON w.user_id = ? AND w.book_id = b.id
  ORDER BY ${order})`,
  binds: [...binds, viewer.userKey, viewer.userKey],
});

/**
 * Books by a query for their ids, as the user sees them. Reads ids first (walking one index), then the wide rows of that page only, so deep
 * pages stay cheap. `order` may refer to the book (b), the progress (p) and columns of the query (k).
 */
export const booksOf = async (db: Reads, viewer: Viewer, ids: Ids, order: string): Promise<Book[]> => {
  const query = packedBooks(viewer, ids, order);
  return (await db.json<unknown[][]>(query.sql, query.binds)).map(columnsOf(ids.rows).read);
};

const exactly = (total: number): Query => ({ sql: 'SELECT ?', binds: [total] });

export interface BookQuery {
  readonly ids: Ids;
  /** May refer to columns of the query for ids (k) only. */
  readonly order: string;
  /** Counts the books on all pages. */
  readonly total: Query;
  /** Set for lists that are expensive to count: the key under which the total is cached until something changes for the user. */
  readonly totalKey?: string | undefined;
}

/** The same, with a total counted by another query at the same moment. */
export const booksAndTotal = (
  db: Reads,
  viewer: Viewer,
  { ids, order, total, totalKey }: BookQuery,
  kept: KeptRows | null,
): Promise<RowsAndTotal<Book>> => {
  const readWith = (count: Query): Promise<RowsAndTotal<Book>> => {
    const read = (known?: number): Promise<RowsAndTotal<Book>> =>
      rowsAndTotal(
        db,
        columnsOf(ids.rows),
        packedBooks(viewer, ids, order),
        known === undefined ? count : exactly(known),
      );
    if (kept === null) return read();
    return kept.asOne('book', viewer, () => keysAndTotal(db, { ids, order, total: count }), read);
  };
  return kept === null || totalKey === undefined ? readWith(total) : kept.withTotal(viewer, totalKey, total, readWith);
};

const keysAndTotal = async (db: Reads, { ids, order, total }: BookQuery): Promise<KeysAndTotal> => {
  const keys = `SELECT json_group_array(id) FROM (SELECT k.id FROM (${ids.sql}) k ORDER BY ${order})`;
  const sql = `SELECT (${keys}) AS keys, (${total.sql}) AS total`;
  const [found] = await db.all<{ keys: string; total: number }>(sql, [...ids.binds, ...total.binds]);
  return { keys: JSON.parse(found?.keys ?? '[]') as number[], total: found?.total ?? 0 };
};

/** Rows of these keys in this order. A key that has vanished is left out. */
export const booksByKeys = (db: Reads, viewer: Viewer, keys: readonly number[]): Promise<Book[]> =>
  keys.length === 0
    ? Promise.resolve([])
    : booksOf(
        db,
        viewer,
        { sql: 'SELECT value AS id, key AS at FROM json_each(?)', binds: [keyList(keys)], rows: keys.length },
        'k.at',
      );

/** The order of books in their series: those without a number are last. */
export const READING_ORDER = 'b.place, b.title_sort, b.file_name, b.id';

/** The same for reader apps: by the number that is shown to them, which may differ from the order of the files. */
export const NUMBER_ORDER = `b.sort_number, ${READING_ORDER}`;

/** The books of a visible series that the viewer sees, in reading order unless `order` is given. */
export const bookKeysOfSeries = async (
  db: Reads,
  { scope }: Viewer,
  seriesKey: number,
  { includeDeleted, order = READING_ORDER }: { readonly includeDeleted: boolean; readonly order?: string },
): Promise<readonly number[]> => {
  const live = includeDeleted ? '' : 'AND b.deleted = 0';
  const sql = `SELECT b.id FROM book b WHERE b.series_id = ? ${live}${andVisibleInSeries(scope, 'b')} ORDER BY ${order}`;
  return (await db.all<{ id: number }>(sql, [seriesKey])).map(({ id }) => id);
};

const byId = (viewer: Viewer, id: string): Ids => ({
  sql: `SELECT o.id FROM book o WHERE o.uuid = ?${andVisibleRow(viewer, 'book', 'o')}`,
  binds: [bytesOfUuid(id)],
  rows: 1,
});

export const bookById = async (db: Reads, viewer: Viewer, id: string): Promise<Book> => {
  const [book] = await booksOf(db, viewer, byId(viewer, id), 'b.id');
  if (book === undefined) throw unknownRow('book');
  return book;
};

/** The same, with the text that another query finds: one statement costs half of two. */
export const bookAnd = async (
  db: Reads,
  viewer: Viewer,
  id: string,
  also: Query,
): Promise<{ readonly book: Book; readonly also: string | null }> => {
  const books = packedBooks(viewer, byId(viewer, id), 'b.id');
  const sql = `SELECT (${books.sql}) AS list, (${also.sql}) AS also`;
  const [found] = await db.all<{ list: string; also: string | null }>(sql, [...books.binds, ...also.binds]);
  const [row] = JSON.parse(found?.list ?? '[]') as unknown[][];
  if (row === undefined) throw unknownRow('book');
  return { book: columnsOf(1).read(row), also: found?.also ?? null };
};

/** The books whose keys a query finds, ordered by its column `place`. */
export const booksInOrder = (db: Reads, viewer: Viewer, keys: Ids): Promise<Book[]> =>
  booksOf(db, viewer, keys, 'k.place');
