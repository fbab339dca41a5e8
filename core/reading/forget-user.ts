// Deletes what a user has read and wanted to, some of it per transaction, so that no other write waits for years of reading.
import type { Tx } from '../store/db.js';
import { ASPECTS, keysIn, type Report, updated } from '../store/feed.js';

/** Deleted in some ten milliseconds. */
export const ROWS_PER_TRANSACTION = 500;

interface Part {
  readonly table: string;
  /** Tells the rows of one user apart. */
  readonly own: string;
  /** The row whose change is reported. */
  readonly of: string;
  readonly report: (keys: readonly number[]) => Report;
}

const ofBook = (aspects: number) => (keys: readonly number[]) => updated('book', keys, aspects);

/** Counters first: then deleting a record changes none. */
const PARTS: readonly Part[] = [
  {
    table: 'series_reading',
    own: 'series_id',
    of: 'series_id',
    report: (keys) => updated('series', keys, ASPECTS.reading),
  },
  { table: 'read_completion', own: 'uuid', of: 'book_id', report: ofBook(ASPECTS.details) },
  { table: 'read_cleared', own: 'book_id', of: 'book_id', report: ofBook(ASPECTS.details) },
  { table: 'read_progress', own: 'book_id', of: 'book_id', report: ofBook(ASPECTS.reading) },
  {
    table: 'user_preference',
    own: 'key',
    of: 'user_id',
    report: (keys) => updated('preference', keys, ASPECTS.details),
  },
  {
    table: 'reader_profile',
    own: 'id',
    of: 'user_id',
    report: (keys) => updated('reader_profile', keys, ASPECTS.details),
  },
  {
    table: 'sync_document',
    own: 'document',
    of: 'user_id',
    report: (keys) => updated('document', keys, ASPECTS.details),
  },
  { table: 'want_to_read', own: 'id', of: 'user_id', report: (keys) => updated('want_to_read', keys, ASPECTS.details) },
];

/** False: nothing is left. */
export const forgetReading = async (tx: Tx, userKey: number): Promise<boolean> => {
  let room = ROWS_PER_TRANSACTION;
  for (const { table, own, of, report } of PARTS) {
    const gone = await tx.all<{ id: number }>(
      `DELETE FROM ${table} WHERE user_id = ?1 AND ${own} IN (SELECT ${own} FROM ${table} WHERE user_id = ?1 LIMIT ?2) RETURNING ${of} AS id`,
      [userKey, room],
    );
    tx.report({ ...report([...new Set(keysIn(gone))]), userKey });
    room -= gone.length;
    if (room <= 0) return true;
  }
  return false;
};
