// The exact position inside a book as a reading app reports it (a Readium progression document). Stored as received; its page, share and
// time also update the progress.
import { bookById } from '../catalog/books.js';
import { resolve } from '../catalog/public-ids.js';
import { AppError } from '../model/errors.js';
import type { Viewer } from '../model/viewer.js';
import type { Db } from '../store/db.js';
import type { ProgressChange } from './completion.js';
import { type Reader, type ReadingParts, storeProgress } from './progress.js';

const BYTES_MAX = 32 * 1024;

/** The parts of the document that are used. */
export interface Position {
  readonly document: unknown;
  /** 1-based position in the whole book. */
  readonly position: number | undefined;
  /** 0 to 1, of the whole book. */
  readonly share: number | undefined;
  readonly at: number | undefined;
}

/** Undefined when there is none. */
export const readPosition = async (db: Db, viewer: Viewer, bookId: string): Promise<unknown> => {
  const book = await resolve(db, 'book', bookId, viewer);
  const [row] = await db.all<{ document: string }>(
    'SELECT document FROM read_position WHERE user_id = ? AND book_id = ?',
    [viewer.userKey, book.key],
  );
  return row === undefined ? undefined : JSON.parse(row.document);
};

/** Apps count positions in their own ways: a position beyond the last page is ignored, and the share determines the page. */
const progressChange = ({ position, share, at }: Position, pageCount: number): ProgressChange => ({
  currentPage: position !== undefined && position >= 1 && position <= pageCount ? position : undefined,
  percentage: share,
  at,
});

/** A document older than the stored reading changes nothing; returns false then. */
export const storePosition = async (
  { db, clock }: ReadingParts,
  reader: Reader,
  bookId: string,
  position: Position,
): Promise<boolean> => {
  const text = JSON.stringify(position.document);
  if (Buffer.byteLength(text) > BYTES_MAX)
    throw new AppError('PayloadTooLarge', `A progression document may have at most ${BYTES_MAX} bytes.`);
  const book = await bookById(db, reader.viewer, bookId);
  const now = clock.now();
  return db.write(reader.viewer.userKey, 'interactive', async (tx) => {
    if (!(await storeProgress(tx, reader, bookId, progressChange(position, book.pageCount), now))) return false;
    await tx.run(
      `INSERT INTO read_position (user_id, book_id, document) VALUES (?, ?, ?)
       ON CONFLICT (user_id, book_id) DO UPDATE SET document = excluded.document`,
      [reader.viewer.userKey, book.key, text],
    );
    return true;
  });
};
