// The stored outlines of books: reading order and table of contents.
import type { Outline } from '../model/outline.js';
import { unpackOutline } from '../model/stored-outline.js';
import type { Reads } from '../store/db.js';

/** For callers that have checked who may see the book. Null: it has none, or was never analysed. */
export const outlineOfBook = async (db: Reads, bookKey: number): Promise<Outline | null> => {
  const [row] = await db.all<{ outline: Buffer }>(
    `SELECT o.outline FROM book_outline o JOIN book b ON b.id = o.book_id WHERE o.book_id = ? AND b.format IN ('epub', 'pdf')`,
    [bookKey],
  );
  return row === undefined ? null : unpackOutline(row.outline);
};
