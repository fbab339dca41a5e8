// What a list is a list of: books or series, which of them are shown, and their orders as queries. Pure.
import type { Bind } from '../../store/db.js';
import type { Sets } from '../conditions/sets.js';
import type { RowKind } from '../query/freshness.js';
import { type ListScope, type Segment, scopeSql } from '../query/list-scope.js';
import {
  BOOK_COLUMN_SORTS,
  type BookSort,
  type ColumnSort,
  type Order,
  orderBy,
  SERIES_COLUMN_SORTS,
  type SeriesSort,
} from '../sorts.js';
import type { IdQuery } from './predicates.js';
import { BY_TITLE, byLastRead, lastRead, readBooks, readSeries, unreadBooks } from './reading-orders.js';

/** Rows with a value come in the order that is asked for; behind them the rest, in an order of its own. */
export interface Split<S extends string> {
  readonly valued: Sets;
  readonly rest: Order<S>;
}

export interface ListSource<S extends string> {
  readonly rows: RowKind;
  /** Rows that are not shown unless they are asked for: few, so they have an index of their own. */
  readonly hidden: IdQuery;
  /** The order, when an index holds it: then a page of it is a walk. Undefined: it has to be put together as a whole. */
  walk(order: Order<S>, scope: ListScope, reversed: boolean): IdQuery | undefined;
  /** The order as walks one behind the other, where it depends on who asks; undefined: it is not such an order. */
  segments(order: Order<S>, scope: ListScope, userKey: number): readonly Segment[] | undefined;
  /** The same order over given keys (a JSON list). */
  orderKeys(order: Order<S>, keys: string): IdQuery | undefined;
  /** The whole order, hidden rows too when they are asked for; of a split order the rows with a value. */
  fullOrder(order: Order<S>, includeHidden: boolean, userKey: number): IdQuery;
  /** An order that depends on who asks and has no value for many rows; undefined: it is not such an order. */
  split(order: Order<S>, userKey: number): Split<S> | undefined;
  /** The simple filters as sets, for lists that are filtered in other ways too. */
  scopeSets(scope: ListScope): readonly Sets[];
  /** How many rows are shown. */
  total(scope: ListScope): IdQuery;
  readonly words: WordIndex;
}

export interface WordIndex {
  readonly table: string;
  /** How much a match in each column counts. */
  readonly weights: string;
}

const catalog = (sql: string, binds: readonly Bind[] = []): IdQuery => ({ sql, binds, dependsOn: 'catalog' });

/** The walk of a table's own index over shown rows, and the merge of it with the hidden ones. */
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
   * One step back in the index from each row: among rows with the same values, then before those, then over the border between rows with a
   * value and rows without. One comparison of whole rows would look at all ties.
   */
  predecessors: ({ column, nullsLast }: ColumnSort, { descending }: Order<string>): IdQuery['predecessors'] => {
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
    return (keys) => ({ sql, binds: [JSON.stringify(keys)] });
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

const bookColumn = (sort: BookSort): ColumnSort | undefined =>
  sort === 'series' || sort === 'last_read' || sort === 'relevance' ? undefined : BOOK_COLUMN_SORTS[sort];

/** Series by series, each in reading order: two nested index walks. */
const bySeries = (descending: boolean, reversed: boolean): string => {
  const direction = descending === reversed ? 'ASC' : 'DESC';
  return ['s.name_sort', 's.library_id', 's.id', 'b.number', 'b.id'].map((term) => `${term} ${direction}`).join(', ');
};

const seriesWalk = ({ descending }: Order<BookSort>, { library, series }: ListScope, reversed: boolean): IdQuery => {
  const where = `${library === undefined ? '' : ' AND +s.library_id = ?'}${series === undefined ? '' : ' AND s.id = ?'}`;
  return catalog(
    `SELECT b.id FROM series s CROSS JOIN book b ON b.series_id = s.id
     WHERE s.book_count > 0 AND b.deleted = 0${where} ORDER BY ${bySeries(descending, reversed)}`,
    [library, series].filter((key) => key !== undefined),
  );
};

export const BOOKS_SOURCE: ListSource<BookSort> = {
  rows: 'book',
  hidden: catalog('SELECT b.id FROM book b WHERE b.deleted = 1'),
  walk: (order, scope, reversed) => {
    if (order.sort === 'series') return seriesWalk(order, scope, reversed);
    const sort = bookColumn(order.sort);
    return sort === undefined ? undefined : BOOKS.walk(sort, order, scope, reversed);
  },
  segments: (order, scope, userKey) => {
    if (order.sort !== 'last_read') return undefined;
    const read = readBooks(order, scope, userKey);
    return [read, unreadBooks(scope, userKey, { shown: BOOKS_SOURCE.total(scope), read: read.total })];
  },
  orderKeys: (order, keys) => {
    const sort = bookColumn(order.sort);
    if (sort !== undefined) return BOOKS.among(sort, order, keys);
    if (order.sort !== 'series') return undefined;
    return catalog(
      `SELECT b.id FROM json_each(?) j CROSS JOIN book b ON b.id = j.value CROSS JOIN series s ON s.id = b.series_id ORDER BY ${bySeries(order.descending, false)}`,
      [keys],
    );
  },
  fullOrder: (order, includeHidden, userKey) => {
    if (order.sort === 'last_read') return lastRead(order.descending, userKey);
    const sort = bookColumn(order.sort);
    if (!includeHidden && sort !== undefined)
      return { ...BOOKS.walk(sort, order, {}, false), predecessors: BOOKS.predecessors(sort, order) };
    if (!includeHidden) return seriesWalk(order, {}, false);
    if (sort !== undefined) return BOOKS.merged(sort, order);
    return catalog(
      `SELECT b.id FROM series s CROSS JOIN book b ON b.series_id = s.id ORDER BY ${bySeries(order.descending, false)}`,
    );
  },
  split: ({ sort }, userKey) =>
    sort === 'last_read'
      ? {
          valued: { set: { in: 'progress', word: 'any', user: userKey } },
          rest: BY_TITLE,
        }
      : undefined,
  scopeSets: ({ library, series }) => [
    ...(library === undefined ? [] : [{ set: { in: 'key', of: 'library', key: library } } as const]),
    ...(series === undefined ? [] : [{ set: { in: 'key', of: 'series', key: series } } as const]),
  ],
  total: ({ library, series }) => {
    if (series !== undefined) {
      const { sql, binds } = scopeSql({ library, series }, 'b');
      return catalog(`SELECT count(*) AS id FROM book b WHERE b.deleted = 0${sql}`, binds);
    }
    return catalog(
      `SELECT coalesce(sum(l.book_count), 0) AS id FROM library l${library === undefined ? '' : ' WHERE l.id = ?'}`,
      library === undefined ? [] : [library],
    );
  },
  words: { table: 'book_words', weights: '10.0, 4.0, 1.0' },
};

const SERIES = columnOrders('series', 'book_count > 0', 'book_count = 0');

const seriesColumn = (sort: SeriesSort): ColumnSort | undefined =>
  sort === 'date_read' || sort === 'relevance' ? undefined : SERIES_COLUMN_SORTS[sort];

export const SERIES_SOURCE: ListSource<SeriesSort> = {
  rows: 'series',
  hidden: catalog('SELECT s.id FROM series s WHERE s.book_count = 0'),
  walk: (order, scope, reversed) => {
    const sort = seriesColumn(order.sort);
    return sort === undefined ? undefined : SERIES.walk(sort, order, scope, reversed);
  },
  segments: (order, scope, userKey) =>
    order.sort === 'date_read' ? readSeries(order, scope, userKey, SERIES_SOURCE.total(scope)) : undefined,
  orderKeys: (order, keys) => {
    const sort = seriesColumn(order.sort);
    return sort === undefined ? undefined : SERIES.among(sort, order, keys);
  },
  fullOrder: (order, _includeHidden, userKey) => {
    const sort = seriesColumn(order.sort);
    if (sort === undefined) return byLastRead(order.descending, userKey);
    return { ...SERIES.walk(sort, order, {}, false), predecessors: SERIES.predecessors(sort, order) };
  },
  split: () => undefined,
  scopeSets: ({ library }) => (library === undefined ? [] : [{ set: { in: 'key', of: 'library', key: library } }]),
  total: ({ library }) =>
    catalog(
      `SELECT coalesce(sum(l.series_count), 0) AS id FROM library l${library === undefined ? '' : ' WHERE l.id = ?'}`,
      library === undefined ? [] : [library],
    ),
  words: { table: 'series_words', weights: '10.0, 1.0' },
};
