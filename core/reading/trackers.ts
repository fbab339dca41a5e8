// What a tracker needs of a series or a read list: how many books are read, how far without a gap, and marking all up to a point. Trackers
// count in numbers of 32 bits, where 1.1 is not the 1.1 of JavaScript, so numbers are compared in those.

import { unreadableRow } from '../catalog/books.js';
import { readListBooks } from '../catalog/collections/contents.js';
import type { ListKind } from '../catalog/collections/kinds.js';
import { resolve } from '../catalog/public-ids.js';
import { andVisibleInSeries } from '../catalog/visibility.js';
import type { Viewer } from '../model/viewer.js';
import { keyList } from '../store/by-key.js';
import type { Reads } from '../store/db.js';
import { WANTED_ID } from './app-lists.js';
import { type Marked, markKeysRead } from './mark.js';
import type { Reader, ReadingParts } from './progress.js';
import { wantedInOrder } from './want-to-read.js';

/** What has books to track. */
export type Tracked = 'series' | Extract<ListKind, 'read_list'>;

export interface ReadCounts {
  readonly books: number;
  readonly read: number;
  readonly unread: number;
  readonly inProgress: number;
  /** The length of the run of read books at the start. Books that cannot be read count as part of it, but it ends with a read one. */
  readonly readInARow: number;
}

export interface SeriesTrack extends ReadCounts {
  /** The number of the last book of that run; 0 if there is none. */
  readonly lastNumber: number;
  readonly maxNumber: number;
}

interface TrackedBook {
  readonly key: number;
  readonly number: number;
  readonly state: 'unread' | 'inProgress' | 'read';
  /** Its analysis ended with an error or found no pages. One that has not been analysed yet may turn out readable. */
  readonly isUnreadable: boolean;
}

type Row = readonly [key: number, number: number, completed: number | null, isUnreadable: 0 | 1];

const COLUMNS = `json_group_array(json_array(b.id, b.sort_number, p.completed, ${unreadableRow('b')}))`;
const JOINS = 'LEFT JOIN read_progress p ON p.user_id = ?1 AND p.book_id = b.id';

const bookOf = ([key, number, completed, isUnreadable]: Row): TrackedBook => ({
  key,
  number: Math.fround(number),
  state: completed === null ? 'unread' : completed === 1 ? 'read' : 'inProgress',
  isUnreadable: isUnreadable === 1,
});

/** In the order that reader apps are shown. */
const seriesBooks = async (db: Reads, viewer: Viewer, id: string): Promise<readonly TrackedBook[]> => {
  const { key } = await resolve(db, 'series', id, viewer);
  const rows = await db.json<Row[]>(
    `SELECT ${COLUMNS} FROM (SELECT * FROM book b WHERE series_id = ?2 AND deleted = 0${andVisibleInSeries(viewer.scope, 'b')} ORDER BY sort_number, place, title_sort, file_name, id) b ${JOINS}`,
    [viewer.userKey, key],
  );
  return rows.map(bookOf);
};

/** In the order of the list, which may be the user's queue. */
const listBooks = async (db: Reads, viewer: Viewer, id: string): Promise<readonly TrackedBook[]> => {
  const keys = await (id === WANTED_ID ? wantedInOrder(db, viewer, 'book') : readListBooks(db, viewer, id));
  const rows = await db.json<Row[]>(
    `SELECT ${COLUMNS} FROM (SELECT * FROM json_each(?2) ORDER BY key) j CROSS JOIN book b ON b.id = j.value ${JOINS}`,
    [viewer.userKey, keyList(keys)],
  );
  return rows.map(bookOf);
};

const BOOKS = { series: seriesBooks, read_list: listBooks } as const satisfies Record<Tracked, unknown>;

/** A book that cannot be read is not a gap: trackers would never get past it. */
const runOf = (books: readonly TrackedBook[]): number => {
  const open = books.findIndex(({ state, isUnreadable }) => state !== 'read' && !isUnreadable);
  return (open < 0 ? books : books.slice(0, open)).findLastIndex(({ state }) => state === 'read') + 1;
};

const countsOf = (books: readonly TrackedBook[]): ReadCounts => {
  const count = (state: TrackedBook['state']): number => books.filter((one) => one.state === state).length;
  return {
    books: books.length,
    read: count('read'),
    unread: count('unread'),
    inProgress: count('inProgress'),
    readInARow: runOf(books),
  };
};

export const readCounts = async (db: Reads, viewer: Viewer, tracked: Tracked, id: string): Promise<ReadCounts> =>
  countsOf(await BOOKS[tracked](db, viewer, id));

export const seriesTrack = async (db: Reads, viewer: Viewer, id: string): Promise<SeriesTrack> => {
  const books = await seriesBooks(db, viewer, id);
  const counts = countsOf(books);
  return {
    ...counts,
    lastNumber: books[counts.readInARow - 1]?.number ?? 0,
    maxNumber: books.at(-1)?.number ?? 0,
  };
};

const mark = (parts: ReadingParts, reader: Reader, books: readonly TrackedBook[]): Promise<Marked> => {
  const open = books.filter(({ state }) => state !== 'read').map(({ key }) => key);
  return markKeysRead(parts, reader, open);
};

/** Marks the books of a series up to a number as read. Nothing is marked as unread, so 0 changes nothing. */
export const markUpToNumber = async (
  parts: ReadingParts,
  reader: Reader,
  seriesId: string,
  number: number,
): Promise<Marked> => {
  const books = await seriesBooks(parts.db, reader.viewer, seriesId);
  const last = Math.fround(number);
  return mark(parts, reader, last > 0 ? books.filter((book) => book.number <= last) : []);
};

/** Marks the first books as read, as many as `count` says. */
export const markFirst = async (
  parts: ReadingParts,
  reader: Reader,
  tracked: Tracked,
  id: string,
  count: number,
): Promise<Marked> => {
  const books = await BOOKS[tracked](parts.db, reader.viewer, id);
  return mark(parts, reader, books.slice(0, Math.max(0, count)));
};
