// The queue of what a user wants to read: books and series, in the order they were added or in the user's own order.

import { readyRow } from '../catalog/books.js';
import { andVisibleRow, unknownRow } from '../catalog/public-ids.js';
import { andVisible, andVisibleBook } from '../catalog/visibility.js';
import { AppError } from '../model/errors.js';
import { bytesOfUuid, hexOfUuid, newId } from '../model/ids.js';
import { offsetOf, type PageOf, type Window } from '../model/paging.js';
import type { RowKind } from '../model/row-kind.js';
import type { Viewer } from '../model/viewer.js';
import type { Db, Reads, Tx } from '../store/db.js';
import { ASPECTS, updated } from '../store/feed.js';
import { packed } from '../store/packed.js';
import type { ReadingParts } from './progress.js';

export interface Wanted {
  readonly id: string;
  readonly bookId: string | null;
  readonly seriesId: string | null;
  readonly addedAt: number;
}

const ORDERS = {
  newest: 'w.added_at DESC, w.id DESC',
  oldest: 'w.added_at, w.id',
  custom: 'w.position, w.id',
} as const;

export type WantedOrder = keyof typeof ORDERS;

/** Entries a user may have: the queue is returned whole. */
const ENTRIES_MAX = 10_000;

const COLUMNS = packed<Wanted>({
  id: { sql: 'w.uuid', as: 'uuid' },
  bookId: { sql: 'b.uuid', as: 'uuid' },
  seriesId: { sql: 's.uuid', as: 'uuid' },
  addedAt: { sql: 'w.added_at' },
});

const FROM = `FROM want_to_read w LEFT JOIN book b ON b.id = w.book_id LEFT JOIN series s ON s.id = w.series_id
  WHERE w.user_id = ? AND (b.deleted = 0 OR s.book_count > 0)`;

const andVisibleWanted = ({ scope }: Viewer): string =>
  ` AND iif(b.id IS NULL, true${andVisible(scope, 's')}, true${andVisibleBook(scope, 'b')})`;

/** The whole queue. Entries whose books are deleted or hidden are left out, and return with them. */
export const wantedList = async (db: Reads, viewer: Viewer, order: WantedOrder): Promise<Wanted[]> => {
  const rows = await db.json<unknown[][]>(
    `SELECT json_group_array(json(row)) FROM (SELECT ${COLUMNS.expression} AS row ${FROM}${andVisibleWanted(viewer)} ORDER BY ${ORDERS[order]})`,
    [viewer.userKey],
  );
  return rows.map(COLUMNS.read);
};

/** An entry by the key of what is wanted. */
export interface WantedKey {
  readonly kind: RowKind;
  readonly key: number;
}

/** One page of the queue, in the user's own order, without books that cannot be read now. */
export const readyWanted = async (db: Reads, viewer: Viewer, window: Window): Promise<PageOf<WantedKey>> => {
  const from = `${FROM} AND (s.id IS NOT NULL OR ${readyRow('b')})${andVisibleWanted(viewer)}`;
  const sql = `SELECT (SELECT json_group_array(json_array(book, series)) FROM (SELECT b.id AS book, s.id AS series ${from}
    ORDER BY ${ORDERS.custom} LIMIT ? OFFSET ?)) AS list, (SELECT count(*) ${from}) AS total`;
  const binds = [viewer.userKey, window.pageSize, offsetOf(window), viewer.userKey];
  const [row] = await db.all<{ list: string; total: number }>(sql, binds);
  const pairs = JSON.parse(row?.list ?? '[]') as [book: number | null, series: number | null][];
  const items = pairs.flatMap(([book, series]): WantedKey[] => {
    if (book !== null) return [{ kind: 'book', key: book }];
    return series === null ? [] : [{ kind: 'series', key: series }];
  });
  return { ...window, items, total: row?.total ?? 0 };
};

/** The keys of the books or series in it, in the user's own order. */
export const wantedInOrder = async (db: Reads, viewer: Viewer, kind: RowKind): Promise<number[]> => {
  const visible = andVisibleWanted(viewer);
  return db.json<number[]>(
    `SELECT json_group_array(id) FROM (SELECT w.${kind}_id AS id ${FROM} AND w.${kind}_id IS NOT NULL${visible} ORDER BY ${ORDERS.custom})`,
    [viewer.userKey],
  );
};

interface Added {
  readonly added: number;
  readonly present: number;
}

/** A queue is reported by the key of its user. */
const reportWanted = (tx: Tx, userKey: number): void => {
  tx.report({ ...updated('want_to_read', [userKey], ASPECTS.details), userKey });
};

/** Appends what the viewer sees and is not yet in the queue; other ids are skipped. */
const addMany = async (
  tx: Tx,
  viewer: Viewer,
  kind: RowKind,
  ids: readonly string[],
  nowMs: number,
): Promise<Added> => {
  const rows = [...new Set(ids.map(hexOfUuid))].map((hex) => [hex, newId(nowMs)]);
  const list = JSON.stringify(rows);
  const visible = andVisibleRow(viewer, kind, 'o');
  const [known] = await tx.all<{ n: number }>(
    `SELECT count(*) AS n FROM json_each(?) j CROSS JOIN ${kind} o ON o.uuid = unhex(j.value ->> 0)${visible}`,
    [list],
  );
  reportWanted(tx, viewer.userKey);
  const added = await tx.run(
    `INSERT OR IGNORE INTO want_to_read (uuid, user_id, ${kind}_id, position, added_at)
     SELECT unhex(j.value ->> 1), ?1, o.id,
       (SELECT coalesce(max(position), 0) FROM want_to_read WHERE user_id = ?1) + 1 + j.key, ?2
     FROM json_each(?3) j CROSS JOIN ${kind} o ON o.uuid = unhex(j.value ->> 0)${visible}`,
    [viewer.userKey, nowMs, list],
  );
  const [count] = await tx.all<{ n: number }>('SELECT count(*) AS n FROM want_to_read WHERE user_id = ?', [
    viewer.userKey,
  ]);
  if ((count?.n ?? 0) > ENTRIES_MAX) throw new AppError('Conflict', `The queue holds at most ${ENTRIES_MAX} entries.`);
  return { added, present: (known?.n ?? 0) - added };
};

const entryOf = async (db: Db, viewer: Viewer, kind: RowKind, id: string): Promise<Wanted | undefined> => {
  const rows = await db.json<unknown[][]>(
    `SELECT json_group_array(json(row)) FROM (SELECT ${COLUMNS.expression} AS row
       FROM ${kind} o CROSS JOIN want_to_read w ON w.user_id = ? AND w.${kind}_id = o.id
       LEFT JOIN book b ON b.id = w.book_id LEFT JOIN series s ON s.id = w.series_id WHERE o.uuid = ?${andVisibleRow(viewer, kind, 'o')})`,
    [viewer.userKey, bytesOfUuid(id)],
  );
  return rows.map(COLUMNS.read)[0];
};

/** Returns the entry, also when it existed before. */
export const addWanted = async (
  { db, clock }: ReadingParts,
  viewer: Viewer,
  kind: RowKind,
  id: string,
): Promise<Wanted> => {
  await db.write(viewer.userKey, 'interactive', (tx) => addMany(tx, viewer, kind, [id], clock.now()));
  const entry = await entryOf(db, viewer, kind, id);
  if (entry === undefined) throw unknownRow(kind);
  return entry;
};

export const addManyWanted = async (
  { db, clock }: ReadingParts,
  viewer: Viewer,
  ids: Readonly<Record<RowKind, readonly string[]>>,
): Promise<Added> =>
  db.write(viewer.userKey, 'interactive', async (tx) => {
    const series = await addMany(tx, viewer, 'series', ids.series, clock.now());
    const books = await addMany(tx, viewer, 'book', ids.book, clock.now());
    return { added: series.added + books.added, present: series.present + books.present };
  });

/** The listed entries swap places among themselves; the others stay where they are, and unknown ids are skipped. */
export const orderWanted = async (db: Db, viewer: Viewer, entryIds: readonly string[]): Promise<void> => {
  const ids = JSON.stringify([...new Set(entryIds.map(hexOfUuid))]);
  await db.write(viewer.userKey, 'interactive', async (tx) => {
    const rows = await tx.all<{ id: number; position: number }>(
      `SELECT w.id, w.position FROM json_each(?) j CROSS JOIN want_to_read w ON w.uuid = unhex(j.value)
       WHERE w.user_id = ? ORDER BY j.key`,
      [ids, viewer.userKey],
    );
    const places = rows.map(({ position }) => position).sort((a, b) => a - b);
    const moved = rows.map(({ id }, index) => [id, places[index]]);
    reportWanted(tx, viewer.userKey);
    await tx.run(
      'UPDATE want_to_read SET position = j.value ->> 1 FROM json_each(?) j WHERE want_to_read.id = j.value ->> 0',
      [JSON.stringify(moved)],
    );
  });
};

/** Also succeeds when it was not in the queue, or does not exist. What is hidden from the viewer stays in the queue. */
export const removeWanted = async (db: Db, viewer: Viewer, kind: RowKind, id: string): Promise<void> => {
  await db.write(viewer.userKey, 'interactive', async (tx) => {
    const visible = andVisibleRow(viewer, kind, 'o');
    const [row] = await tx.all<{ id: number }>(`SELECT o.id FROM ${kind} o WHERE o.uuid = ?${visible}`, [
      bytesOfUuid(id),
    ]);
    if (row === undefined) return;
    await tx.run(`DELETE FROM want_to_read WHERE user_id = ? AND ${kind}_id = ?`, [viewer.userKey, row.id]);
    reportWanted(tx, viewer.userKey);
  });
};
