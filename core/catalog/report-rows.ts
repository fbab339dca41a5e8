// Reports for rows affected by a change to other rows, computed inside the transaction of that change.
import type { RowKind } from '../model/row-kind.js';
import type { Tx } from '../store/db.js';
import { ASPECTS, KEYS_MAX, keysIn, removed, updated } from '../store/feed.js';

/** The books of series, when something changed that lists find, sort or search them by. */
export const reportBooksOf = async (tx: Tx, seriesKeys: readonly number[], aspects: number): Promise<void> => {
  if (seriesKeys.length === 0) return;
  const rows = await tx.all<{ id: number }>(
    `SELECT b.id FROM json_each(?) j CROSS JOIN book b ON b.series_id = j.value LIMIT ${KEYS_MAX + 1}`,
    [JSON.stringify(seriesKeys)],
  );
  tx.report(updated('book', keysIn(rows), aspects));
};

/** Genres and tags of series changed; their books are found by them too. */
export const reportTermsOf = async (tx: Tx, seriesKeys: readonly number[]): Promise<void> => {
  tx.report(updated('series', seriesKeys, ASPECTS.list | ASPECTS.text));
  await reportBooksOf(tx, seriesKeys, ASPECTS.list);
};

/** Deleted rows, which leave every list they were in. */
export const reportRemoved = (tx: Tx, kind: RowKind, keys: readonly number[]): void => {
  if (keys.length === 0) return;
  tx.report(removed(kind, keys));
  tx.report(updated(kind === 'book' ? 'read_list' : 'collection', 'all', ASPECTS.members));
  tx.report(updated('want_to_read', 'all', ASPECTS.details));
};
