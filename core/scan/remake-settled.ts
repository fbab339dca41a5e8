// Metadata settled again under the current rules: of books, and of series from their books.
import { RULES_SQL } from '../catalog/apply-rules.js';
import { type BookPlace, settleBooks, statesOf } from '../catalog/settled-books.js';
import { settleManySeries } from '../catalog/settled-series.js';
import type { Tx } from '../store/db.js';
import { keysIn } from '../store/feed.js';
import type { Range } from './remake-pages.js';

/** In libraries whose strategies were changed, titles wait for the deep scan that applies the change. */
const PLACES = `SELECT b.id AS key, b.series_id AS seriesKey, f.path AS folderPath, b.file_name AS fileName, ${RULES_SQL} AS rules
  FROM book b JOIN library l ON l.id = b.library_id AND l.rules_changed = 0 JOIN folder f ON f.id = b.folder_id WHERE b.id BETWEEN ? AND ?`;

export const settleBooksAgain = async (tx: Tx, { from, to }: Range, nowMs: number): Promise<undefined> => {
  const books = await tx.all<BookPlace>(PLACES, [from, to]);
  const states = await statesOf(
    tx,
    books.map(({ key }) => key),
  );
  const changes = books.flatMap((book) => {
    const state = states.get(book.key);
    return state === undefined ? [] : [{ book, state, terms: [] }];
  });
  await settleBooks(tx, changes, nowMs);
  return undefined;
};

export const settleSeriesAgain = async (tx: Tx, { from, to }: Range, nowMs: number): Promise<undefined> => {
  const rows = await tx.all<{ id: number }>('SELECT id FROM series WHERE id BETWEEN ? AND ?', [from, to]);
  await settleManySeries(tx, keysIn(rows), nowMs);
  return undefined;
};
