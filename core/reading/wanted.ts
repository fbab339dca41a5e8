// The queue of what a user wants to read: books and series, in the order they came or in one of the user's own.

import { isKept } from '../catalog/removing.js';
import { AppError } from '../model/errors.js';
import { bytesOfUuid, hexOfUuid, newId } from '../model/ids.js';
import type { Db, Tx } from '../store/db.js';
import { packed } from '../store/packed.js';
import type { ReadingParts } from './progress.js';

export type Kind = 'book' | 'series';

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

/** Entries a user may have: the queue is answered whole. */
const ENTRIES_MAX = 10_000;

const COLUMNS = packed<Wanted>({
  id: { sql: 'w.uuid', as: 'uuid' },
  bookId: { sql: 'b.uuid', as: 'uuid' },
  seriesId: { sql: 's.uuid', as: 'uuid' },
  addedAt: { sql: 'w.added_at' },
});

const FROM = `FROM want_to_read w LEFT JOIN book b ON b.id = w.book_id LEFT JOIN series s ON s.id = w.series_id
  WHERE w.user_id = ? AND (b.deleted = 0 AND ${isKept('b')} OR s.book_count > 0 AND ${isKept('s')})`;

/** The whole queue. Entries whose books are gone are left out, and come back with them. */
export const wantedList = async (db: Db, userKey: number, order: WantedOrder): Promise<Wanted[]> => {
  const rows = await db.json<unknown[][]>(
    `SELECT json_group_array(json(row)) FROM (SELECT ${COLUMNS.expression} AS row ${FROM} ORDER BY ${ORDERS[order]})`,
    [userKey],
  );
  return rows.map(COLUMNS.read);
};

interface Added {
  readonly added: number;
  readonly present: number;
}

/** Adds what exists and is not there yet, at the end; ids that name nothing are passed over. */
const addMany = async (tx: Tx, userKey: number, kind: Kind, ids: readonly string[], nowMs: number): Promise<Added> => {
  const rows = [...new Set(ids.map(hexOfUuid))].map((hex) => [hex, newId(nowMs)]);
  const list = JSON.stringify(rows);
  const [known] = await tx.all<{ n: number }>(
    `SELECT count(*) AS n FROM json_each(?) j CROSS JOIN ${kind} o ON o.uuid = unhex(j.value ->> 0) AND ${isKept('o')}`,
    [list],
  );
  const added = await tx.run(
    `INSERT OR IGNORE INTO want_to_read (uuid, user_id, ${kind}_id, position, added_at)
     SELECT unhex(j.value ->> 1), ?1, o.id,
       (SELECT coalesce(max(position), 0) FROM want_to_read WHERE user_id = ?1) + 1 + j.key, ?2
     FROM json_each(?3) j CROSS JOIN ${kind} o ON o.uuid = unhex(j.value ->> 0) AND ${isKept('o')}`,
    [userKey, nowMs, list],
  );
  const [count] = await tx.all<{ n: number }>('SELECT count(*) AS n FROM want_to_read WHERE user_id = ?', [userKey]);
  if ((count?.n ?? 0) > ENTRIES_MAX) throw new AppError('Conflict', `The queue holds at most ${ENTRIES_MAX} entries.`);
  return { added, present: (known?.n ?? 0) - added };
};

const entryOf = async (db: Db, userKey: number, kind: Kind, id: string): Promise<Wanted | undefined> => {
  const rows = await db.json<unknown[][]>(
    `SELECT json_group_array(json(row)) FROM (SELECT ${COLUMNS.expression} AS row
       FROM ${kind} o CROSS JOIN want_to_read w ON w.user_id = ? AND w.${kind}_id = o.id
       LEFT JOIN book b ON b.id = w.book_id LEFT JOIN series s ON s.id = w.series_id WHERE o.uuid = ? AND ${isKept('o')})`,
    [userKey, bytesOfUuid(id)],
  );
  return rows.map(COLUMNS.read)[0];
};

/** Answers the entry, also when it was there before. */
export const addWanted = async (
  { db, clock }: ReadingParts,
  userKey: number,
  kind: Kind,
  id: string,
): Promise<Wanted> => {
  await db.write('interactive', (tx) => addMany(tx, userKey, kind, [id], clock.now()));
  const entry = await entryOf(db, userKey, kind, id);
  if (entry === undefined) throw new AppError('NotFound', `There is no ${kind} with this id.`);
  return entry;
};

export const addManyWanted = async (
  { db, clock }: ReadingParts,
  userKey: number,
  ids: Readonly<Record<Kind, readonly string[]>>,
): Promise<Added> =>
  db.write('interactive', async (tx) => {
    const series = await addMany(tx, userKey, 'series', ids.series, clock.now());
    const books = await addMany(tx, userKey, 'book', ids.book, clock.now());
    return { added: series.added + books.added, present: series.present + books.present };
  });

/** The listed entries change places among themselves; the others stay where they are, and ids that name nothing are passed over. */
export const orderWanted = async (db: Db, userKey: number, entryIds: readonly string[]): Promise<void> => {
  const ids = JSON.stringify([...new Set(entryIds.map(hexOfUuid))]);
  await db.write('interactive', async (tx) => {
    const rows = await tx.all<{ id: number; position: number }>(
      `SELECT w.id, w.position FROM json_each(?) j CROSS JOIN want_to_read w ON w.uuid = unhex(j.value)
       WHERE w.user_id = ? ORDER BY j.key`,
      [ids, userKey],
    );
    const places = rows.map(({ position }) => position).sort((a, b) => a - b);
    const moved = rows.map(({ id }, index) => [id, places[index]]);
    await tx.run(
      'UPDATE want_to_read SET position = j.value ->> 1 FROM json_each(?) j WHERE want_to_read.id = j.value ->> 0',
      [JSON.stringify(moved)],
    );
  });
};

/** Also succeeds when it was not in the queue, or there is no such thing. */
export const removeWanted = async (db: Db, userKey: number, kind: Kind, id: string): Promise<void> => {
  await db.write('interactive', async (tx) => {
    const [row] = await tx.all<{ id: number }>(`SELECT id FROM ${kind} WHERE uuid = ?`, [bytesOfUuid(id)]);
    if (row !== undefined)
      await tx.run(`DELETE FROM want_to_read WHERE user_id = ? AND ${kind}_id = ?`, [userKey, row.id]);
  });
};
