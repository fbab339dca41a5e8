// Books with something wrong or odd about them, by kind of remark.

import { bytesOfUuid } from '../model/ids.js';
import type { RemarkType } from '../model/jobs.js';
import { offsetOf, type Window } from '../model/paging.js';
import type { Viewer } from '../model/viewer.js';
import type { Bind, Reads } from '../store/db.js';
import { type Book, booksByKeys } from './books.js';
import { askerOf, type ReadParts } from './list-reads.js';
import { andVisibleBook } from './visibility.js';

export interface BookError {
  readonly bookKey: number;
  readonly type: RemarkType;
  readonly message: string;
  /** The kind of error that makes the book unreadable; null for a remark about a readable book. */
  readonly fault: string | null;
  readonly occurredAt: number;
}

export interface ErrorFilter {
  readonly libraryId?: string | undefined;
  readonly seriesId?: string | undefined;
  readonly type?: RemarkType | undefined;
}

export interface BookErrors extends Window {
  readonly books: readonly Book[];
  readonly errors: readonly BookError[];
  /** Books by kind of remark; a book may count more than once. */
  readonly counts: ReadonlyMap<RemarkType, number>;
  readonly total: number;
}

const fromOf = ({ scope }: Viewer): string => `FROM book_error e JOIN book b ON b.id = e.book_id
  WHERE b.deleted = 0 AND (?1 IS NULL OR b.library_id = (SELECT id FROM library WHERE uuid = ?1)) AND (?2 IS NULL OR e.type = ?2)
    AND (?3 IS NULL OR b.series_id = (SELECT id FROM series WHERE uuid = ?3))${andVisibleBook(scope, 'b')}`;

const uuidOrNull = (id: string | undefined): Buffer | null => (id === undefined ? null : bytesOfUuid(id));

const bindsOf = ({ libraryId, seriesId, type }: ErrorFilter): readonly Bind[] => [
  uuidOrNull(libraryId),
  type ?? null,
  uuidOrNull(seriesId),
];

/** Newest first. */
export const listBookErrors = (
  parts: ReadParts,
  viewer: Viewer,
  filter: ErrorFilter,
  window: Window,
): Promise<BookErrors> => parts.db.snapshot((reads) => errorsIn(reads, viewer, filter, window), askerOf(parts, viewer));

const errorsIn = async (db: Reads, viewer: Viewer, filter: ErrorFilter, window: Window): Promise<BookErrors> => {
  const binds = bindsOf(filter);
  const counts = await db.all<{ type: RemarkType; n: number }>(
    `SELECT e.type, count(*) AS n ${fromOf(viewer)} GROUP BY e.type`,
    binds,
  );
  const [total] = await db.all<{ n: number }>(`SELECT count(DISTINCT e.book_id) AS n ${fromOf(viewer)}`, binds);
  const keys = await db.all<{ id: number }>(
    `SELECT b.id ${fromOf(viewer)} GROUP BY b.id ORDER BY max(e.occurred_at) DESC, b.id LIMIT ?4 OFFSET ?5`,
    [...binds, window.pageSize, offsetOf(window)],
  );
  const books = await booksByKeys(
    db,
    viewer,
    keys.map(({ id }) => id),
  );
  const errors = await db.all<BookError>(
    `SELECT book_id AS bookKey, type, message, fault, occurred_at AS occurredAt FROM book_error
     WHERE book_id IN (SELECT value FROM json_each(?1)) AND (?2 IS NULL OR type = ?2) ORDER BY type, occurred_at DESC`,
    [JSON.stringify(keys.map(({ id }) => id)), filter.type ?? null],
  );
  return { ...window, books, errors, counts: new Map(counts.map((row) => [row.type, row.n])), total: total?.n ?? 0 };
};

/** Keys of all live books the viewer sees that cannot be read, or that have a remark of the requested kind. */
export const failedBooks = async (db: Reads, viewer: Viewer, filter: ErrorFilter): Promise<readonly number[]> => {
  const rows = await db.all<{ id: number }>(
    `SELECT DISTINCT b.id ${fromOf(viewer)} AND (?2 IS NOT NULL OR e.fault IS NOT NULL)`,
    bindsOf(filter),
  );
  return rows.map(({ id }) => id);
};

/** Whether a book has a remark of one of these kinds. */
export const hasErrorOf = async (db: Reads, bookKey: number, types: readonly RemarkType[]): Promise<boolean> => {
  const [row] = await db.all<{ n: number }>(
    'SELECT count(*) AS n FROM book_error WHERE book_id = ? AND type IN (SELECT value FROM json_each(?))',
    [bookKey, JSON.stringify(types)],
  );
  return (row?.n ?? 0) > 0;
};

/** What is odd about a book that can be read: pages that cannot be shown, images that were left out. */
export const remarksOf = (db: Reads, bookKey: number): Promise<readonly Pick<BookError, 'type' | 'message'>[]> =>
  db.all('SELECT type, message FROM book_error WHERE book_id = ? AND fault IS NULL ORDER BY type', [bookKey]);
