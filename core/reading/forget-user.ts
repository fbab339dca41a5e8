// Deletes what a user has read and wanted to, some of it per transaction, so that no other write waits for years of reading.
import type { Tx } from '../store/db.js';
import { ASPECTS, keysIn, updated } from '../store/feed.js';
import { reportRead } from './progress.js';

/** Rows of each table per transaction. With their counters they take a few milliseconds. */
export const ROWS_PER_TRANSACTION = 500;

interface Row {
  readonly id: number;
  readonly series: number;
}

const some = (table: string, columns: string): string =>
  `DELETE FROM ${table} WHERE user_id = ?1 AND book_id IN (SELECT book_id FROM ${table} WHERE user_id = ?1 LIMIT ${ROWS_PER_TRANSACTION})
   RETURNING ${columns}`;

/** False: nothing is left but what the row of the user takes along. */
export const forgetReading = async (tx: Tx, userKey: number): Promise<boolean> => {
  const read = await tx.all<Row>(some('read_progress', 'book_id AS id, series_id AS series'), [userKey]);
  reportRead(tx, userKey, keysIn(read), [...new Set(read.map(({ series }) => series))]);
  const finished = await tx.all<{ id: number }>(some('read_completion', 'book_id AS id'), [userKey]);
  const cleared = await tx.all<{ id: number }>(some('read_cleared', 'book_id AS id'), [userKey]);
  tx.report({ ...updated('book', [...keysIn(finished), ...keysIn(cleared)], ASPECTS.details), userKey });
  const wanted = await tx.all(
    `DELETE FROM want_to_read WHERE id IN (SELECT id FROM want_to_read WHERE user_id = ? LIMIT ${ROWS_PER_TRANSACTION}) RETURNING id`,
    [userKey],
  );
  if (wanted.length > 0) tx.report({ ...updated('want_to_read', [userKey], ASPECTS.details), userKey });
  return [read, finished, cleared, wanted].some(({ length }) => length >= ROWS_PER_TRANSACTION);
};
