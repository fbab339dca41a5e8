// Orders by what a user has read: read rows by time, then unread ones. Pure.

/** One run of rows in an order that is not a single walk. */
export interface Segment {
  walk(reversed: boolean): IdQuery;
  /** The total of unread rows includes the read ones, which are counted first and subtracted. */
  readonly total: IdQuery;
}

import type { ListScope, OrderOf } from '../query/plan.js';
import { BOOK_COLUMN_SORTS } from '../sorts.js';
import { type IdQuery, orderBy, scopeSql, seriesScopeSql } from './predicates.js';

export const lastRead = (descending: boolean, userKey: number): IdQuery => ({
  sql: `SELECT p.book_id AS id FROM read_progress p WHERE p.user_id = ? ORDER BY p.updated_at ${descending ? 'DESC' : 'ASC'}, p.book_id ${descending ? 'DESC' : 'ASC'}`,
  binds: [userKey],
  dependsOn: 'reading',
});

const both = (name: string, descending: boolean, reversed: boolean): string =>
  `${name} ${descending === reversed ? 'ASC' : 'DESC'}`;

/** Books the user has never read, by title. */
export const unreadBooks = (scope: ListScope, userKey: number, shown: IdQuery): Segment => {
  const { sql, binds } = scopeSql(scope, 't');
  return {
    walk: (reversed) => ({
      sql: `SELECT t.id FROM book t WHERE t.id NOT IN (SELECT p.book_id FROM read_progress p WHERE p.user_id = ?)
        AND t.deleted = 0${sql} ORDER BY ${orderBy(BOOK_COLUMN_SORTS.title, false, 't', reversed)}`,
      binds: [userKey, ...binds],
      dependsOn: 'reading',
    }),
    total: shown,
  };
};

/** Live books the user has read, by the index of reading times. */
export const readBooks = ({ descending }: OrderOf<'book'>, scope: ListScope, userKey: number): Segment => {
  const { sql, binds } = scopeSql(scope, 'b');
  const joined = sql === '' ? '' : 'CROSS JOIN book b ON b.id = p.book_id';
  const from = `FROM read_progress p INDEXED BY read_progress_by_update ${joined} WHERE p.user_id = ? AND p.live = 1${sql}`;
  const all = [userKey, ...binds];
  return {
    walk: (reversed) => ({
      sql: `SELECT p.book_id AS id ${from} ORDER BY ${both('p.updated_at', descending, reversed)}, ${both('p.book_id', descending, reversed)}`,
      binds: all,
      dependsOn: 'reading',
    }),
    total: { sql: `SELECT count(*) AS id ${from}`, binds: all, dependsOn: 'reading' },
  };
};

/** Series never read come last, by name. */
export const byLastRead = (descending: boolean, userKey: number): IdQuery => ({
  sql: `SELECT s.id FROM series s LEFT JOIN series_reading r ON r.user_id = ? AND r.series_id = s.id
    WHERE s.book_count > 0 ORDER BY r.last_read_at ${descending ? 'DESC' : 'ASC'} NULLS LAST, s.name_sort, s.library_id, s.id`,
  binds: [userKey],
  dependsOn: 'reading',
});

/** Series the user has read, by time, then the others by name. */
export const readSeries = (
  { descending }: OrderOf<'series'>,
  scope: ListScope,
  userKey: number,
  shown: IdQuery,
): { readonly read: Segment; readonly unread: Segment } => {
  const { sql, binds } = seriesScopeSql(scope, 's');
  const all = [userKey, ...binds];
  const names = (reversed: boolean): string =>
    ['s.name_sort', 's.library_id', 's.id'].map((name) => both(name, false, reversed)).join(', ');
  const read = `FROM series_reading r INDEXED BY series_reading_by_time CROSS JOIN series s ON s.id = r.series_id
    WHERE r.user_id = ? AND s.book_count > 0${sql}`;
  // A user with counters in a series has read a live book of it, so the series is shown.
  const counted = sql === '' ? 'FROM series_reading r WHERE r.user_id = ?' : read;
  const others = `FROM series s WHERE NOT EXISTS (SELECT 1 FROM series_reading r WHERE r.user_id = ? AND r.series_id = s.id) AND s.book_count > 0${sql}`;
  const query = (text: string): IdQuery => ({ sql: text, binds: all, dependsOn: 'reading' });
  return {
    read: {
      walk: (reversed) =>
        query(`SELECT s.id ${read} ORDER BY ${both('r.last_read_at', descending, reversed)}, ${names(reversed)}`),
      total: query(`SELECT count(*) AS id ${counted}`),
    },
    unread: {
      walk: (reversed) => query(`SELECT s.id ${others} ORDER BY ${names(reversed)}`),
      total: shown,
    },
  };
};
