// Which covers are due (book.cover_due, schema 23). A cover comes due when its book is analysed without it. The newest books go first.
import type { Reader } from '../store/db.js';
import { dueBooks } from './due-kind.js';

export const COVER = {
  none: 0,
  due: 1,
  /** Somebody began to make it. After a crash it is suspected of having caused that. */
  begun: 2,
} as const;

export interface CoverBook {
  readonly key: number;
  readonly uuid: Uint8Array;
  readonly revision: number;
  readonly size: number;
  readonly mtime: number;
}

/** The newest books of a library with this state. */
export const booksWithCover = (
  from: Pick<Reader, 'all'>,
  libraryKey: number,
  state: 1 | 2,
  limit: number,
): Promise<CoverBook[]> =>
  from.all<CoverBook>(
    `SELECT b.id AS key, b.uuid, b.revision, b.file_size AS size, b.file_mtime AS mtime
     FROM library l CROSS JOIN book b INDEXED BY book_cover_due ON b.library_id = l.id
     WHERE l.id = ? AND l.removing = 0 AND b.cover_due = ? AND b.cover_due <> 0 AND b.deleted = 0 ORDER BY b.id DESC LIMIT ?`,
    [libraryKey, state, limit],
  );

export const coversDue = dueBooks('book_cover_due', 'b.cover_due <> 0');
