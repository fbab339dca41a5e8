// The exact position inside a book as a reading app reports it (a Readium progression document). Stored as received; its page, share and
// time also update the progress. What is read elsewhere afterwards takes its place.
import { type Book, bookById } from '../catalog/books.js';
import { outlineOfBook } from '../catalog/outlines.js';
import { AppError } from '../model/errors.js';
import type { Viewer } from '../model/viewer.js';
import type { Db } from '../store/db.js';
import { pageOf } from './completion.js';
import { type Place, placeOfPosition, placeOfShare, positionOfPage, type Spine, spineOf } from './places.js';
import { changeNamed, namedIn, needsSpine } from './position-document.js';
import { type Device, type Reader, type ReadingParts, storeProgress } from './progress.js';

const BYTES_MAX = 32 * 1024;
/** Rows come as JSON of fifteen digits. */
const SAME_SHARE = 1e-9;

export interface Position {
  readonly document: unknown;
  /** When the app read there; now if it does not say. */
  readonly at: number | undefined;
}

/** Where a user is in a book. */
export interface ReadPlace {
  readonly book: Book;
  /** As an app stored it; undefined when the user has read elsewhere since. */
  readonly document: unknown;
  readonly page: number;
  readonly at: number;
  readonly device: Device;
  /** In an EPUB. */
  readonly place: Place | null;
}

const spineOfBook = async (db: Db, { key, format }: Book): Promise<Spine | null> => {
  const outline = format === 'epub' ? await outlineOfBook(db, key) : null;
  return outline === null ? null : spineOf(outline.spine);
};

/** True while the document names the page and the share that are stored: whatever else was read since, it was the same place. */
const isCurrent = (document: unknown, book: Book, spine: Spine | null): boolean => {
  const named = namedIn(document);
  const change = changeNamed(named, book, needsSpine(book, named) ? spine : null);
  const state = { ...book, analyzed: Number(book.analyzed), page: book.currentPage, completed: Number(book.completed) };
  if (pageOf(state, change) !== book.currentPage) return false;
  if (book.format !== 'epub' || change.percentage === undefined) return true;
  return book.percentage !== null && Math.abs(change.percentage - book.percentage) < SAME_SHARE;
};

const placeIn = ({ percentage, currentPage, pageCount }: Book, spine: Spine): Place | null =>
  (percentage !== null
    ? placeOfShare(spine, percentage)
    : placeOfPosition(spine, positionOfPage(currentPage ?? 1, pageCount, spine.total))) ?? null;

interface Row {
  readonly document: string | null;
  readonly deviceId: string | null;
  readonly deviceName: string | null;
}

/** Undefined when the user has not read in it. */
export const readPosition = async (db: Db, viewer: Viewer, bookId: string): Promise<ReadPlace | undefined> => {
  const book = await bookById(db, viewer, bookId);
  const [row] = await db.all<Row>(
    `SELECT d.document, p.device_id AS deviceId, p.device_name AS deviceName FROM read_progress p
     LEFT JOIN read_position d ON d.user_id = p.user_id AND d.book_id = p.book_id WHERE p.user_id = ? AND p.book_id = ?`,
    [viewer.userKey, book.key],
  );
  if (row === undefined || book.currentPage === null || book.readAt === null) return undefined;
  const spine = await spineOfBook(db, book);
  const document: unknown = row.document === null ? undefined : JSON.parse(row.document);
  return {
    book,
    document: document !== undefined && isCurrent(document, book, spine) ? document : undefined,
    page: book.currentPage,
    at: book.readAt,
    device: { id: row.deviceId ?? '', name: row.deviceName },
    place: spine === null ? null : placeIn(book, spine),
  };
};

/** A document older than the stored reading changes nothing; returns false then. */
export const storePosition = async (
  { db, clock }: ReadingParts,
  reader: Reader,
  bookId: string,
  { document, at }: Position,
): Promise<boolean> => {
  const text = JSON.stringify(document);
  if (Buffer.byteLength(text) > BYTES_MAX)
    throw new AppError('PayloadTooLarge', `A progression document may have at most ${BYTES_MAX} bytes.`);
  const book = await bookById(db, reader.viewer, bookId);
  const named = namedIn(document);
  const spine = needsSpine(book, named) ? await spineOfBook(db, book) : null;
  const change = { ...changeNamed(named, book, spine), at };
  const now = clock.now();
  return db.write(reader.viewer.userKey, 'interactive', async (tx) => {
    if (!(await storeProgress(tx, reader, bookId, change, now))) return false;
    await tx.run(
      `INSERT INTO read_position (user_id, book_id, document) VALUES (?, ?, ?)
       ON CONFLICT (user_id, book_id) DO UPDATE SET document = excluded.document`,
      [reader.viewer.userKey, book.key, text],
    );
    return true;
  });
};

/** The same for apps that want to be told. */
export const storeNewerPosition = async (
  parts: ReadingParts,
  reader: Reader,
  bookId: string,
  position: Position,
): Promise<void> => {
  if (!(await storePosition(parts, reader, bookId, position)))
    throw new AppError('Conflict', 'The book was read after the time of this document.');
};
