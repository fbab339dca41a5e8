// Which covers are due (book.cover_due, schema 23). A cover comes due when its book is analysed without it. The newest books go first.
import type { Reader } from '../store/db.js';
import type { DueLibrary } from './due-kind.js';

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

const INDEXED = 'book b INDEXED BY book_cover_due';

/** The newest books of a library with this state. */
export const booksWithCover = (
  from: Pick<Reader, 'all'>,
  libraryKey: number,
  state: 1 | 2,
  limit: number,
): Promise<CoverBook[]> =>
  from.all<CoverBook>(
    `SELECT b.id AS key, b.uuid, b.revision, b.file_size AS size, b.file_mtime AS mtime
     FROM library l CROSS JOIN ${INDEXED} ON b.library_id = l.id
     WHERE l.id = ? AND l.removing = 0 AND b.cover_due = ? AND b.cover_due <> 0 AND b.deleted = 0 ORDER BY b.id DESC LIMIT ?`,
    [libraryKey, state, limit],
  );

/** Covers of a library that are still to be made. */
export const coversLeft = async (from: Pick<Reader, 'all'>, libraryKey: number): Promise<number> => {
  const [row] = await from.all<{ n: number }>(
    `SELECT count(*) AS n FROM ${INDEXED} WHERE b.library_id = ? AND b.cover_due <> 0 AND b.deleted = 0`,
    [libraryKey],
  );
  return row?.n ?? 0;
};

export const librariesWithDueCovers = (from: Pick<Reader, 'all'>): Promise<DueLibrary[]> =>
  from.all<DueLibrary>(
    `SELECT l.id AS key, l.uuid FROM library l WHERE l.removing = 0
       AND EXISTS (SELECT 1 FROM ${INDEXED} WHERE b.library_id = l.id AND b.cover_due <> 0 AND b.deleted = 0) ORDER BY l.id`,
  );
