// Finished read-throughs: each is kept until the user deletes it. Database triggers write them.

import { askerOf, type ReadParts } from '../catalog/list-reads.js';
import { resolve } from '../catalog/public-ids.js';
import { andVisibleInSeries, visibleBookCount } from '../catalog/visibility.js';
import { AppError } from '../model/errors.js';
import { bytesOfUuid } from '../model/ids.js';
import type { RowKind } from '../model/row-kind.js';
import type { Viewer } from '../model/viewer.js';
import { keyList } from '../store/by-key.js';
import type { Bind, Db, Reads } from '../store/db.js';
import { ASPECTS, type By, keysIn, updated } from '../store/feed.js';
import { packed } from '../store/packed.js';

export interface Completion {
  readonly id: string;
  readonly bookId: string;
  readonly startedAt: number;
  readonly completedAt: number;
}

export interface History {
  readonly count: number;
  readonly lastCompletedAt: number | null;
  /** The newest first, at most `ENTRIES_MAX`. */
  readonly entries: readonly Completion[];
}

/** Entries in one answer. */
const ENTRIES_MAX = 500;
/** Read-throughs deleted per transaction. */
const ROWS_PER_TRANSACTION = 500;

const COLUMNS = packed<Completion>({
  id: { sql: 'c.uuid', as: 'uuid' },
  bookId: { sql: 'b.uuid', as: 'uuid' },
  startedAt: { sql: 'c.started_at' },
  completedAt: { sql: 'c.completed_at' },
});

interface Owner {
  readonly column: 'id' | 'series_id';
  readonly key: number;
}

const ownerOf = async (db: Reads, viewer: Viewer, kind: RowKind, id: string): Promise<Owner> => ({
  column: kind === 'book' ? 'id' : 'series_id',
  key: (await resolve(db, kind, id, viewer)).key,
});

/** From the owner's books to one user's read-throughs of them. A book requested by id is included even when it is deleted. */
const fromOf = ({ column }: Owner, { scope }: Viewer): string =>
  `FROM book b CROSS JOIN read_completion c ON c.user_id = ? AND c.book_id = b.id
   WHERE b.${column} = ? ${column === 'id' ? '' : `AND b.deleted = 0${andVisibleInSeries(scope, 'b')}`}`;

/** How often and when last, without the entries. For a series: how often all of it. */
export type HistorySummary = Omit<History, 'entries'>;

export const NEVER_READ: HistorySummary = { count: 0, lastCompletedAt: null };

/** A series was read as often as its least-read book. */
const SUMMARIES = {
  book: () => `SELECT j.value AS key, count(*) AS count, max(c.completed_at) AS lastCompletedAt
    FROM json_each(?) j CROSS JOIN read_completion c ON c.user_id = ? AND c.book_id = j.value GROUP BY j.value`,
  series: ({
    scope,
  }: Viewer) => `SELECT key, CASE WHEN count(*) < books THEN 0 ELSE min(times) END AS count, max(last) AS lastCompletedAt FROM (
      SELECT s.id AS key, ${visibleBookCount(scope, 's')} AS books, count(*) AS times, max(c.completed_at) AS last
      FROM json_each(?) j CROSS JOIN series s ON s.id = j.value CROSS JOIN book b ON b.series_id = s.id AND b.deleted = 0${andVisibleInSeries(scope, 'b')}
        CROSS JOIN read_completion c ON c.user_id = ? AND c.book_id = b.id GROUP BY s.id, b.id) GROUP BY key`,
} as const;

/** By book or series key; those never read to the end are left out. */
export const summariesOf = async (
  db: Reads,
  viewer: Viewer,
  kind: RowKind,
  keys: readonly number[],
): Promise<ReadonlyMap<number, HistorySummary>> => {
  const rows = await db.all<HistorySummary & { readonly key: number }>(SUMMARIES[kind](viewer), [
    keyList(keys),
    viewer.userKey,
  ]);
  return new Map(rows.map(({ key, ...summary }) => [key, summary]));
};

/** For one book or series. */
export const historySummary = async (db: Reads, viewer: Viewer, kind: RowKind, key: number): Promise<HistorySummary> =>
  (await summariesOf(db, viewer, kind, [key])).get(key) ?? NEVER_READ;

export const readHistory = (parts: ReadParts, viewer: Viewer, kind: RowKind, id: string): Promise<History> =>
  parts.db.snapshot(
    async (reads) => {
      const owner = await ownerOf(reads, viewer, kind, id);
      const rows = await reads.json<unknown[][]>(
        `SELECT json_group_array(json(row)) FROM (SELECT ${COLUMNS.expression} AS row ${fromOf(owner, viewer)}
         ORDER BY c.completed_at DESC, c.uuid DESC LIMIT ${ENTRIES_MAX})`,
        [viewer.userKey, owner.key],
      );
      return { ...(await historySummary(reads, viewer, kind, owner.key)), entries: rows.map(COLUMNS.read) };
    },
    askerOf(parts, viewer),
  );

/** Deletes in batches; `where` is SQL over the table read_completion. */
const deleteWhere = async (db: Db, by: By, where: string, binds: readonly Bind[]): Promise<void> => {
  const sql = `DELETE FROM read_completion WHERE uuid IN (SELECT uuid FROM read_completion WHERE ${where} LIMIT ${ROWS_PER_TRANSACTION}) RETURNING book_id AS id`;
  for (;;) {
    const removed = await db.write(by, 'interactive', async (tx) => {
      const books = keysIn(await tx.all<{ id: number }>(sql, binds));
      tx.report(updated('book', books, ASPECTS.details));
      return books.length;
    });
    if (removed < ROWS_PER_TRANSACTION) return;
  }
};

export const clearHistory = async (db: Db, viewer: Viewer, kind: RowKind, id: string): Promise<void> => {
  const { column, key } = await ownerOf(db, viewer, kind, id);
  await deleteWhere(
    db,
    viewer.userKey,
    `user_id = ? AND book_id IN (SELECT b.id FROM book b WHERE b.${column} = ?${andVisibleInSeries(viewer.scope, 'b')})`,
    [viewer.userKey, key],
  );
};

export const clearAllHistory = (db: Db, viewer: Viewer): Promise<void> =>
  deleteWhere(db, viewer.userKey, 'user_id = ?', [viewer.userKey]);

export const deleteCompletion = async (db: Db, viewer: Viewer, bookId: string, id: string): Promise<void> => {
  const book = await resolve(db, 'book', bookId, viewer);
  const removed = await db.write(viewer.userKey, 'interactive', (tx) => {
    tx.report({ ...updated('book', [book.key], ASPECTS.details), userKey: viewer.userKey });
    return tx.run('DELETE FROM read_completion WHERE uuid = ? AND user_id = ? AND book_id = ?', [
      bytesOfUuid(id),
      viewer.userKey,
      book.key,
    ]);
  });
  if (removed === 0) throw new AppError('NotFound', 'There is no read-through with this id.');
};
