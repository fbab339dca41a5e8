// A database with users, series and books inserted directly, and changed as a scan changes them. No files, no threads.

import type { Clock } from '../../core/engine/clock.js';
import { bytesOfUuid, newId, uuidOfHex } from '../../core/model/ids.js';
import { unrestricted } from '../../core/model/viewer.js';
import { countersOf, recountSeries } from '../../core/scan/counters.js';
import type { Db, Tx } from '../../core/store/db.js';
import { SYSTEM } from '../../core/store/feed.js';
import { reportChanged } from '../changed-rows.js';
import { openTempDb } from '../temp-db.js';

export interface NewBook {
  readonly series: number;
  readonly number: number | null;
  readonly pages: number;
  readonly analyzed: boolean;
  readonly format?: 'cbz' | 'epub';
}

export interface Stock {
  readonly db: Db;
  readonly clock: Clock;
  advance(ms: number): void;
  /** Removes everything and creates users 1 to `users`, two libraries, and series 1 to `series`, alternating between the libraries. */
  reset(users: number, series: number): Promise<void>;
  add(book: NewBook): Promise<{ readonly key: number; readonly id: string }>;
  /** Runs a change of these books and settles the counters of all series, as every writer does. */
  settle(change: (tx: Tx) => Promise<unknown>): Promise<void>;
  close(): Promise<void>;
}

const START_MS = Date.UTC(2026, 0, 1);
const PAD = 6;

/** The id of series or library n. */
export const idOf = (n: number): string => uuidOfHex(n.toString(16).padStart(32, '0'));

const fill = async (tx: Tx, users: number, series: number): Promise<void> => {
  await tx.run('DELETE FROM library');
  await tx.run('DELETE FROM user');
  for (const library of [1, 2]) {
    await tx.run(
      `INSERT INTO library (id, uuid, name, name_sort, root, created_at, updated_at) VALUES (?1, ?2, 'L', 'l', '/' || ?1, 0, 0)`,
      [library, bytesOfUuid(idOf(library))],
    );
    await tx.run("INSERT INTO folder (id, library_id, path) VALUES (?1, ?1, '')", [library]);
  }
  for (let user = 1; user <= users; user += 1) {
    await tx.run(
      `INSERT INTO user (id, uuid, username, username_key, email, email_key, password_hash, role, created_at, updated_at)
       VALUES (?1, ?2, ?3, ?3, ?3, ?3, '', 'reader', 0, 0)`,
      [user, bytesOfUuid(idOf(user)), `u${user}`],
    );
  }
  for (let key = 1; key <= series; key += 1) {
    const name = `s${key}`;
    await tx.run(
      `INSERT INTO series (id, uuid, library_id, path, name, name_sort, created_at, updated_at) VALUES (?1, ?2, ?3, ?4, ?4, ?4, ?1, 0)`,
      [key, bytesOfUuid(idOf(key)), 1 + (key % 2), name],
    );
  }
};

export const openStock = async (): Promise<Stock> => {
  const { db, close } = await openTempDb('reading');
  let now = START_MS;
  let made = 0;
  const settle = (change: (tx: Tx) => Promise<unknown>): Promise<void> =>
    db.write(SYSTEM, 'background', async (tx) => {
      const all = await tx.all<{ id: number; library_id: number }>('SELECT id, library_id FROM series');
      for (const library of [1, 2]) {
        const keys = all.filter((row) => row.library_id === library).map(({ id }) => id);
        const before = await countersOf(tx, keys);
        if (library === 1) await change(tx);
        await recountSeries(tx, library, keys, before, 0, now);
      }
      await reportChanged(tx);
    });
  const add = async (book: NewBook): Promise<{ readonly key: number; readonly id: string }> => {
    made += 1;
    const id = uuidOfHex(newId(now));
    const name = `b${String(made).padStart(PAD, '0')}`;
    let key = 0;
    await settle(async (tx) => {
      const [row] = await tx.all<{ id: number }>(
        `INSERT INTO book (uuid, library_id, series_id, folder_id, file_name, file_size, file_mtime, format, title, title_sort, number, page_count, analyzed, created_at, updated_at)
         SELECT ?1, library_id, id, library_id, ?2, 1, 1, ?3, ?2, ?2, ?4, ?5, ?6, ?7, ?7 FROM series WHERE id = ?8 RETURNING id`,
        [bytesOfUuid(id), name, book.format ?? 'cbz', book.number, book.pages, Number(book.analyzed), now, book.series],
      );
      key = row?.id ?? 0;
    });
    return { key, id };
  };
  return {
    db,
    clock: { now: () => now, elapsed: () => now },
    advance: (ms) => {
      now += ms;
    },
    reset: (users, series) => db.write(SYSTEM, 'background', (tx) => fill(tx, users, series)),
    add,
    settle,
    close,
  };
};

export const readerOf = (userKey: number) => ({
  viewer: unrestricted(userKey),
  device: { id: 'test', name: null },
});
