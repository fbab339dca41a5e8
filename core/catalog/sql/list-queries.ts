// The orders of lists as queries: which index is walked, how some or all rows are put in order, how many rows are shown.

import { AppError } from '../../model/errors.js';
import type { RowKind } from '../../model/row-kind.js';
import { firstOfKey } from '../../model/sort-key.js';
import type { Bind, Reads } from '../../store/db.js';
import type { ListScope, OrderOf } from '../query/plan.js';
import {
  APP_BOOK_COLUMN_SORTS,
  BOOK_COLUMN_SORTS,
  type ColumnSort,
  type Order,
  SERIES_COLUMN_SORTS,
} from '../sorts.js';
import { byFileTime, computedOrder, isComputed } from './computed-orders.js';
import { type IdQuery, libraryScopeSql, orderBy, scopeSql, seriesScopeSql } from './predicates.js';
import { byLastRead, lastRead, readBooks, readSeries, type Segment, unreadBooks } from './reading-orders.js';

export interface ListQueries<R extends RowKind> {
  /** Rows shown only on request: few, so they have their own index. */
  readonly hidden: IdQuery;
  /** A walk of the index that holds the order. */
  walk(order: OrderOf<R>, scope: ListScope, reversed: boolean): IdQuery;
  /** What the user has read, and the rest, each as a walk. */
  history(order: OrderOf<R>, scope: ListScope, userKey: number): { readonly read: Segment; readonly unread: Segment };
  /** The order of an index, over given keys (a JSON list). */
  orderKeys(order: OrderOf<R>, keys: string): IdQuery;
  /** The whole order, with hidden rows on request. For an order of books by reading: those that were read. */
  fullOrder(order: OrderOf<R>, includeHidden: boolean, userKey: number): IdQuery;
  /** How many rows are shown. */
  total(scope: ListScope): IdQuery;
  /** The weight of a match in each column of the word index. */
  readonly weights: string;
}

/** Plans only name indexes of sorts that have one. */
const indexed = (sort: ColumnSort | undefined): ColumnSort => {
  if (sort === undefined) throw new AppError('Internal', 'No index holds this order.');
  return sort;
};

const catalog = (sql: string, binds: readonly Bind[] = []): IdQuery => ({ sql, binds, dependsOn: 'catalog' });

/** The walk of a table's own index over shown rows, and its merge with the hidden ones. */
const columnOrders = (table: string, shown: string, hidden: string) => ({
  walk: (sort: ColumnSort, { descending }: Order<string>, scope: ListScope, reversed: boolean): IdQuery => {
    const { sql, binds } = scopeSql(scope, 't');
    return catalog(
      `SELECT t.id FROM ${table} t WHERE t.${shown}${sql} ORDER BY ${orderBy(sort, descending, 't', reversed)}`,
      binds,
    );
  },
  among: (sort: ColumnSort, { descending }: Order<string>, keys: string): IdQuery =>
    catalog(
      `SELECT t.id FROM json_each(?) j CROSS JOIN ${table} t ON t.id = j.value ORDER BY ${orderBy(sort, descending, 't')}`,
      [keys],
    ),
  /**
   * One step back in the index from each row: first among rows with equal values, then before them, then across the boundary between rows
   * with and without a value. A single row-value comparison would visit all ties.
   */
  predecessors:
    ({ column, nullsLast }: ColumnSort, { descending }: Order<string>) =>
    (keys: readonly number[]) => {
      const columns = [column, 'library_id', 'id'];
      const step = (where: string): string =>
        `(SELECT p.id FROM ${table} p WHERE ${where} AND p.${shown} ORDER BY ${orderBy({ column }, descending, 'p', true)} LIMIT 1)`;
      const steps = columns.map((last, at) => {
        const same = columns.slice(0, at).map((name) => `p.${name} IS t.${name} AND `);
        return step(`${same.join('')}p.${last} ${descending ? '>' : '<'} t.${last}`);
      });
      const [first, second] = descending || nullsLast === true ? ['p', 't'] : ['t', 'p'];
      const border = step(`${second}.${column} IS NULL AND ${first}.${column} IS NOT NULL`);
      const sql = `SELECT t.id, coalesce(${steps.reverse().join(', ')}, ${border}) AS before
       FROM json_each(?) j CROSS JOIN ${table} t ON t.id = j.value WHERE t.${shown}`;
      return { sql, binds: [JSON.stringify(keys)] };
    },
  merged: (sort: ColumnSort, { descending }: Order<string>): IdQuery => {
    const columns = `t.${sort.column}, t.library_id, t.id`;
    return catalog(
      `SELECT t.id FROM (SELECT ${columns} FROM ${table} t WHERE t.${shown} UNION ALL SELECT ${columns} FROM ${table} t WHERE t.${hidden}
       ORDER BY ${orderBy(sort, descending, 't').replaceAll('t.', '')}) t`,
    );
  },
});

const BOOKS = columnOrders('book', 'deleted = 0', 'deleted = 1');

const BOOK_COLUMNS: Readonly<Record<string, ColumnSort>> = { ...BOOK_COLUMN_SORTS, ...APP_BOOK_COLUMN_SORTS };

/** Series by series, each in reading order: two nested index walks. */
const bySeries = (descending: boolean, reversed: boolean): string => {
  const direction = descending === reversed ? 'ASC' : 'DESC';
  return ['s.name_sort', 's.library_id', 's.id', 'b.exact_number', 'b.id']
    .map((term) => `${term} ${direction}`)
    .join(', ');
};

const seriesWalk = ({ descending }: OrderOf<'book'>, scope: ListScope, reversed: boolean): IdQuery => {
  const { sql, binds } = seriesScopeSql(scope, 's');
  return catalog(
    `SELECT b.id FROM series s CROSS JOIN book b ON b.series_id = s.id
     WHERE s.book_count > 0 AND b.deleted = 0${sql} ORDER BY ${bySeries(descending, reversed)}`,
    binds,
  );
};

/** The sum of a counter of libraries. */
const counted = (counter: 'book_count' | 'series_count', scope: ListScope): IdQuery => {
  const { sql, binds } = libraryScopeSql(scope, 'l');
  return catalog(`SELECT coalesce(sum(l.${counter}), 0) AS id FROM library l WHERE true${sql}`, binds);
};

export const BOOK_QUERIES: ListQueries<'book'> = {
  hidden: catalog('SELECT b.id FROM book b WHERE b.deleted = 1'),
  walk: (order, scope, reversed) =>
    order.sort === 'series'
      ? seriesWalk(order, scope, reversed)
      : BOOKS.walk(indexed(BOOK_COLUMNS[order.sort]), order, scope, reversed),
  history: (order, scope, userKey) => ({
    read: readBooks(order, scope, userKey),
    unread: unreadBooks(scope, userKey, BOOK_QUERIES.total(scope)),
  }),
  orderKeys: (order, keys) =>
    order.sort === 'series'
      ? catalog(
          `SELECT b.id FROM json_each(?) j CROSS JOIN book b ON b.id = j.value CROSS JOIN series s ON s.id = b.series_id ORDER BY ${bySeries(order.descending, false)}`,
          [keys],
        )
      : BOOKS.among(indexed(BOOK_COLUMNS[order.sort]), order, keys),
  fullOrder: (order, includeHidden, userKey) => {
    const { sort: name, descending } = order;
    if (name === 'last_read') return lastRead(descending, userKey);
    if (isComputed(name)) return computedOrder({ sort: name, descending }, includeHidden);
    const sort = BOOK_COLUMNS[order.sort];
    if (!includeHidden && sort !== undefined)
      return { ...BOOKS.walk(sort, order, {}, false), predecessors: BOOKS.predecessors(sort, order) };
    if (!includeHidden) return seriesWalk(order, {}, false);
    if (sort !== undefined) return BOOKS.merged(sort, order);
    return catalog(
      `SELECT b.id FROM series s CROSS JOIN book b ON b.series_id = s.id ORDER BY ${bySeries(order.descending, false)}`,
    );
  },
  total: (scope) => {
    if (scope.series === undefined) return counted('book_count', scope);
    const { sql, binds } = scopeSql(scope, 'b');
    return catalog(`SELECT count(*) AS id FROM book b WHERE b.deleted = 0${sql}`, binds);
  },
  weights: '10.0, 4.0, 1.0',
};

const SERIES = columnOrders('series', 'book_count > 0', 'book_count = 0');

const SERIES_COLUMNS: Readonly<Record<string, ColumnSort>> = SERIES_COLUMN_SORTS;

export const SERIES_QUERIES: ListQueries<'series'> = {
  hidden: catalog('SELECT s.id FROM series s WHERE s.book_count = 0'),
  walk: (order, scope, reversed) => SERIES.walk(indexed(SERIES_COLUMNS[order.sort]), order, scope, reversed),
  history: (order, scope, userKey) => readSeries(order, scope, userKey, SERIES_QUERIES.total(scope)),
  orderKeys: (order, keys) => SERIES.among(indexed(SERIES_COLUMNS[order.sort]), order, keys),
  fullOrder: (order, _includeHidden, userKey) => {
    const sort = SERIES_COLUMNS[order.sort];
    if (order.sort === 'file_time') return byFileTime(order);
    if (sort === undefined) return byLastRead(order.descending, userKey);
    return { ...SERIES.walk(sort, order, {}, false), predecessors: SERIES.predecessors(sort, order) };
  },
  total: (scope) => counted('series_count', scope),
  weights: '10.0, 1.0',
};

/** Uses the same expression as the index. */
const LETTER = firstOfKey('s.name_sort');

/** Keys of the shown series by the first character of their sort name; an empty text if there is none. */
export const keysByLetter = (db: Reads): Promise<[letter: string, keys: number[]][]> =>
  db.json(
    `SELECT json_group_array(json_array(letter, json(keys))) FROM (
       SELECT ${LETTER} AS letter, json_group_array(s.id) AS keys FROM series s WHERE s.book_count > 0 GROUP BY ${LETTER})`,
  );
