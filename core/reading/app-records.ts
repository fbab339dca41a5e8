// What reader apps show of books beyond the rows of lists: what is known of the file and its metadata, and the user's device. One query for all of them.
import { type BookLock, parseFacts, parseLocks, type StoredFacts } from '../catalog/book-facts.js';
import type { Book } from '../catalog/books.js';
import { pathShown } from '../catalog/shown-paths.js';
import { IS_SINGLE_FILE } from '../catalog/sql/single-file.js';
import type { ErrorKind } from '../model/errors.js';
import type { Viewer } from '../model/viewer.js';
import { keyList } from '../store/by-key.js';
import type { Reads } from '../store/db.js';
import { packed } from '../store/packed.js';

/** Whether the pages of a book can be read; `outdated`: its file has changed since it was analysed. */
export type MediaStatus = 'unknown' | 'outdated' | 'error' | 'unsupported' | 'ready';

/** How a book is laid out: as pictures, as an EPUB (whose pages may be pictures), or as pages to be rendered. */
export type MediaProfile = 'pictures' | 'epub' | 'document';

export interface BookRecord {
  readonly book: Book;
  readonly facts: StoredFacts;
  readonly locks: ReadonlySet<BookLock>;
  readonly tags: readonly string[];
  /** Where its file lies, as far as the viewer may know. */
  readonly place: string;
  /** What reader apps sort, filter and track it by, with its fraction: that of metadata or file name, else its place, else 0. */
  readonly sortNumber: number;
  /** The day it came out: year, month and day as one number, zeros for what is not known. */
  readonly released: number | null;
  readonly status: MediaStatus;
  readonly profile: MediaProfile;
  /** The only book of a series that is a single file. */
  readonly isOneshot: boolean;
  /** Of what is known of it. */
  readonly metadataCreatedAt: number;
  readonly metadataUpdatedAt: number;
  /** Where it was last read; '' where that is not known. */
  readonly deviceId: string;
  readonly deviceName: string;
}

interface Beside {
  readonly key: number;
  readonly facts: string | null;
  readonly locks: string | null;
  readonly createdAt: number | null;
  readonly updatedAt: number | null;
  readonly tags: readonly string[];
  readonly sortNumber: number;
  readonly released: number | null;
  readonly root: string;
  readonly isOneshot: boolean;
  readonly errorKind: ErrorKind | null;
  readonly wasAnalyzed: boolean;
  readonly deviceId: string | null;
  readonly deviceName: string | null;
}

const COLUMNS = packed<Beside>({
  key: { sql: 'b.id' },
  facts: { sql: 'm.facts' },
  locks: { sql: 'm.locks' },
  createdAt: { sql: 'm.created_at' },
  updatedAt: { sql: 'm.updated_at' },
  tags: {
    // As text: a value of JSON would be nested as it is.
    sql: `'' || (SELECT json_group_array(name) FROM (SELECT t.name FROM book_tag o CROSS JOIN tag t ON t.id = o.tag_id WHERE o.book_id = b.id ORDER BY t.name_key))`,
    as: 'json',
  },
  sortNumber: { sql: 'b.sort_number' },
  released: { sql: 'b.released' },
  root: { sql: 'l.root' },
  isOneshot: { sql: IS_SINGLE_FILE, as: 'boolean' },
  errorKind: { sql: 'b.analysis_kind' },
  wasAnalyzed: {
    sql: '(b.analyzed = 1 OR EXISTS (SELECT 1 FROM book_pages g WHERE g.book_id = b.id))',
    as: 'boolean',
  },
  deviceId: { sql: 'p.device_id' },
  deviceName: { sql: 'p.device_name' },
});

/** Formats that are known but not read here, and protected ones. */
const UNSUPPORTED: ReadonlySet<ErrorKind> = new Set<ErrorKind>(['UnsupportedFormat', 'EncryptedArchive']);

const statusOf = ({ analyzed, analysisError }: Book, { errorKind, wasAnalyzed }: Beside): MediaStatus => {
  if (analysisError !== null) return errorKind !== null && UNSUPPORTED.has(errorKind) ? 'unsupported' : 'error';
  if (analyzed) return 'ready';
  return wasAnalyzed ? 'outdated' : 'unknown';
};

const profileOf = ({ format }: Book): MediaProfile => {
  if (format === 'pdf') return 'document';
  return format === 'epub' ? 'epub' : 'pictures';
};

const recordOf = (viewer: Viewer, book: Book, beside: Beside): BookRecord => {
  const { root } = beside;
  const facts = parseFacts(beside.facts);
  return {
    book,
    facts,
    locks: parseLocks<BookLock>(beside.locks),
    tags: beside.tags,
    place: pathShown(viewer, { name: book.libraryName, root }, book.path.slice(root.length + 1)),
    sortNumber: beside.sortNumber,
    released: beside.released,
    status: statusOf(book, beside),
    profile: profileOf(book),
    isOneshot: beside.isOneshot,
    metadataCreatedAt: beside.createdAt ?? book.createdAt,
    metadataUpdatedAt: beside.updatedAt ?? book.updatedAt,
    deviceId: beside.deviceId ?? '',
    deviceName: beside.deviceName ?? '',
  };
};

/** The records of these books, in their order; a book that has vanished is left out. */
export const bookRecords = async (db: Reads, viewer: Viewer, books: readonly Book[]): Promise<BookRecord[]> => {
  if (books.length === 0) return [];
  const rows = await db.json<unknown[][]>(
    `SELECT json_group_array(json(row)) FROM (SELECT ${COLUMNS.expression} AS row FROM json_each(?) j CROSS JOIN book b ON b.id = j.value
       JOIN series s ON s.id = b.series_id JOIN library l ON l.id = s.library_id LEFT JOIN book_metadata m ON m.book_id = b.id
       LEFT JOIN read_progress p ON p.user_id = ? AND p.book_id = b.id)`,
    [keyList(books.map(({ key }) => key)), viewer.userKey],
  );
  const found = new Map(rows.map(COLUMNS.read).map((one) => [one.key, one]));
  return books.flatMap((book) => {
    const beside = found.get(book.key);
    return beside === undefined ? [] : [recordOf(viewer, book, beside)];
  });
};
