// What a user read most recently.
import { type Book, booksOf } from '../catalog/books.js';
import { andInVisibleBook } from '../catalog/visibility.js';
import type { Viewer } from '../model/viewer.js';
import type { Reads } from '../store/db.js';
import { inLibrary } from './in-library.js';

/** Books with progress of any kind, most recently read first. */
export const recentlyRead = (
  db: Reads,
  viewer: Viewer,
  libraryId: string | undefined,
  limit: number,
): Promise<Book[]> => {
  const { join, binds } = inLibrary('book', 'p.book_id', libraryId);
  const sql = `SELECT p.book_id AS id, p.updated_at AS at FROM read_progress p ${join} WHERE p.user_id = ? AND p.live = 1${andInVisibleBook(viewer.scope, 'p')}
    ORDER BY p.updated_at DESC, p.book_id DESC LIMIT ?`;
  return booksOf(db, viewer, { sql, binds: [...binds, viewer.userKey, limit], rows: limit }, 'k.at DESC, k.id DESC');
};
