// For what only the file can tell: its book is marked for analysis. Deleted books are marked too, for when they come back.
import type { Tx } from '../store/db.js';
import { ASPECTS, keysIn, updated } from '../store/feed.js';
import type { Range } from './remake-pages.js';

export const markAnalysesDue = async (tx: Tx, { from, to }: Range): Promise<undefined> => {
  const rows = await tx.all<{ id: number }>(
    'UPDATE book SET due = 1, attempts = 0 WHERE id BETWEEN ? AND ? RETURNING id',
    [from, to],
  );
  tx.report(updated('book', keysIn(rows), ASPECTS.details));
  return undefined;
};
