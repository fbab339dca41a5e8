// Reading progress of a user in a book: one record, its rules of completion, and clearing it.
import { type Book, bookById } from '../catalog/books.js';
import type { Clock } from '../engine/clock.js';
import { AppError } from '../model/errors.js';
import { bytesOfUuid, newId, uuidOfHex } from '../model/ids.js';
import type { Db } from '../store/db.js';

export interface Progress {
  readonly id: string;
  readonly bookId: string;
  /** 1-based. */
  readonly currentPage: number;
  readonly pageCount: number;
  readonly completed: boolean;
  readonly completedAt: number | null;
  readonly startedAt: number;
  readonly updatedAt: number;
}

export interface ProgressChange {
  /** 1-based; pages outside the book are moved to its first or last. Absent: the page stays, or is the last when the book is completed. */
  readonly currentPage: number | undefined;
  readonly isCompleted: boolean | undefined;
}

/** The record that came with a book row; undefined when the user has none. */
export const progressOf = (book: Book): Progress | undefined => {
  const { progressId, currentPage, completed, startedAt, readAt } = book;
  if (progressId === null || currentPage === null || startedAt === null || readAt === null) return undefined;
  return {
    id: progressId,
    bookId: book.id,
    currentPage,
    pageCount: book.pageCount,
    completed: completed === true,
    completedAt: book.completedAt,
    startedAt,
    updatedAt: readAt,
  };
};

/**
 * An explicit false wins below the last page; reaching the last page completes; nothing completes by page while the book is not
 * analysed, since its last page is not known. Going back is honoured.
 */
const completes = (book: Book, page: number, isCompleted: boolean | undefined): boolean => {
  const known = book.analyzed && book.pageCount > 0;
  if (known && page >= book.pageCount) return true;
  return isCompleted === true && known;
};

export const readProgress = async (db: Db, userKey: number, bookId: string): Promise<Progress | undefined> =>
  progressOf(await bookById(db, userKey, bookId));

export const updateProgress = async (
  db: Db,
  clock: Clock,
  userKey: number,
  bookId: string,
  change: ProgressChange,
): Promise<Progress> => {
  const book = await bookById(db, userKey, bookId);
  const known = book.analyzed && book.pageCount > 0;
  if (change.currentPage === undefined && change.isCompleted === undefined) {
    throw new AppError('BadRequest', 'The body must have current_page or is_completed.', [
      { path: 'current_page', message: 'is required' },
    ]);
  }
  const wanted =
    change.currentPage ?? (change.isCompleted === true && known ? book.pageCount : (book.currentPage ?? 1));
  const page = Math.max(1, known ? Math.min(wanted, book.pageCount) : wanted);
  const completed = completes(book, page, change.isCompleted);
  const now = clock.now();
  await db.write('interactive', (tx) =>
    tx.run(
      `INSERT INTO read_progress (user_id, book_id, uuid, current_page, completed, completed_at, started_at, updated_at)
       VALUES (?1, ?2, ?3, ?4, ?5, CASE ?5 WHEN 1 THEN ?6 END, ?6, ?6)
       ON CONFLICT (user_id, book_id) DO UPDATE SET current_page = excluded.current_page, completed = excluded.completed,
         completed_at = CASE excluded.completed WHEN 1 THEN coalesce(read_progress.completed_at, excluded.completed_at) END, updated_at = excluded.updated_at`,
      [userKey, book.key, bytesOfUuid(uuidOfHex(newId(now))), page, Number(completed), now],
    ),
  );
  const written = await readProgress(db, userKey, bookId);
  if (written === undefined) throw new AppError('Conflict', 'The progress was cleared at the same moment.');
  return written;
};

/** Also succeeds when there was none. */
export const clearProgress = async (db: Db, userKey: number, bookId: string): Promise<void> => {
  const book = await bookById(db, userKey, bookId);
  await db.write('interactive', (tx) =>
    tx.run('DELETE FROM read_progress WHERE user_id = ? AND book_id = ?', [userKey, book.key]),
  );
};
