// Lists of books: filtered, searched, sorted, one page at a time, or all their keys.

import { offsetOf, type PageOf, type Window } from '../model/paging.js';
import type { Viewer } from '../model/viewer.js';
import type { Reads } from '../store/db.js';
import type { Query } from '../store/packed.js';
import { type Book, bookKeysOfSeries, booksByKeys, NUMBER_ORDER, readyRow } from './books.js';
import { refuseLarge } from './conditions/bounds.js';
import { APP_BOOK_FIELDS, type AppBookField, BOOK_FIELDS, type BookField } from './conditions/fields.js';
import { parseCondition } from './conditions/parse.js';
import { type Condition, wants } from './conditions/tree.js';
import { askerOf, listReads } from './list-reads.js';
import { hasKey } from './query/key-set.js';
import { filterOf, type ListFilter, type ListParts, pageOf, rowsOf, WHOLE_LIST, wordReads } from './query/page.js';
import { BOOKS, setsIn } from './query/plan.js';
import { matchIn } from './search/words.js';
import type { Series } from './series.js';
import type { BookSort, Order } from './sorts.js';
import { andVisibleInSeries } from './visibility.js';

export interface BookFilter {
  readonly libraryId?: string | undefined;
  readonly seriesId?: string | undefined;
  /** As the client wrote it. */
  readonly condition?: unknown;
  /** A further condition, of a surface that has another grammar. */
  readonly where?: Condition<AppBookField> | undefined;
  readonly fullTextSearch?: string | null | undefined;
  readonly includeDeleted?: boolean | undefined;
}

export interface BookListAsk extends BookFilter {
  readonly order: Order<BookSort>;
  readonly window: Window;
}

export const parseBookCondition = (condition: unknown): Condition<BookField> => parseCondition(condition, BOOK_FIELDS);

/** Passes books that have been analysed and can be read. */
export const READY: Condition<AppBookField> = {
  field: 'mediaStatus',
  test: { kind: 'is', value: 'ready' },
  negated: false,
};

const conditionOf = ({ condition, where }: BookFilter): Condition<AppBookField> => {
  if (where === undefined) return parseBookCondition(condition);
  return condition === undefined || condition === null ? where : { allOf: [parseBookCondition(condition), where] };
};

const filterIn = (parts: ListParts, viewer: Viewer, ask: BookFilter): Promise<ListFilter | undefined> => {
  const { libraryId, seriesId, where } = ask;
  if (where !== undefined) refuseLarge(where, APP_BOOK_FIELDS);
  return filterOf(parts, viewer, APP_BOOK_FIELDS, conditionOf(ask), { libraryId, seriesId });
};

/** Deleted books are shown to whoever asks for them. */
const showsDeleted = ({ includeDeleted, where }: BookFilter): boolean =>
  includeDeleted ?? (where !== undefined && wants(where, 'deleted'));

export const listBooks = async (parts: ListParts, viewer: Viewer, ask: BookListAsk): Promise<PageOf<Book>> => {
  const { order, window } = ask;
  const filter = await filterIn(parts, viewer, ask);
  const match = await matchIn(wordReads(parts, viewer), ask.fullTextSearch);
  if (filter === undefined) return { ...window, items: [], total: 0 };
  const list = { viewer, ...filter, match, includeHidden: showsDeleted(ask), order, window };
  return rowsOf(parts, BOOKS, list, booksByKeys);
};

/** The keys of a whole list, in its order. */
export const keysOfBooks = async (
  parts: ListParts,
  viewer: Viewer,
  ask: Omit<BookListAsk, 'window'>,
): Promise<readonly number[]> => {
  const filter = await filterIn(parts, viewer, ask);
  const match = await matchIn(wordReads(parts, viewer), ask.fullTextSearch);
  if (filter === undefined) return [];
  const list = { viewer, ...filter, match, includeHidden: showsDeleted(ask), order: ask.order };
  return (await pageOf(parts, BOOKS, { ...list, window: WHOLE_LIST })).keys;
};

/** The keys of the books of one series that pass, by the number that reader apps are shown. */
export const keysInSeries = async (
  parts: ListParts,
  viewer: Viewer,
  ask: BookFilter & { readonly seriesId: string; readonly descending: boolean },
): Promise<readonly number[]> => {
  const filter = await filterIn(parts, viewer, ask);
  const match = await matchIn(wordReads(parts, viewer), ask.fullTextSearch);
  if (filter?.scope.series === undefined) return [];
  const includeHidden = showsDeleted(ask);
  const sets = setsIn({ viewer, ...filter, match, includeHidden });
  const { bits, inverted } = await parts.sets.evaluate('book', { all: sets }, askerOf(parts, viewer));
  const keys = await bookKeysOfSeries(listReads(parts, viewer), viewer, filter.scope.series, {
    includeDeleted: includeHidden,
    order: NUMBER_ORDER,
  });
  const found = keys.filter((key) => hasKey(bits, key) !== inverted);
  return ask.descending ? found.reverse() : found;
};

/** A page of books whose keys are known. */
export const booksAt = async (
  parts: ListParts,
  viewer: Viewer,
  keys: readonly number[],
  window: Window,
): Promise<PageOf<Book>> => {
  const start = (window.page - 1) * window.pageSize;
  const read = parts.rows?.through('book', booksByKeys) ?? booksByKeys;
  const items = await read(listReads(parts, viewer), viewer, keys.slice(start, start + window.pageSize));
  return { ...window, items, total: keys.length };
};

/** One page of the readable books of a series that its viewer has been shown. */
export const readyOfSeries = (
  parts: ListParts,
  viewer: Viewer,
  { key }: Pick<Series, 'key'>,
  window: Window,
): Promise<PageOf<Book>> => {
  const reads = listReads(parts, viewer);
  const from = `FROM book b INDEXED BY book_in_series_by_number WHERE b.series_id = ? AND b.deleted = 0 AND ${readyRow('b')}`;
  const read = async (total: Query): Promise<PageOf<Book>> => {
    const keys = `SELECT json_group_array(id) FROM (SELECT b.id ${from} ORDER BY ${NUMBER_ORDER} LIMIT ? OFFSET ?)`;
    const binds = [key, window.pageSize, offsetOf(window), ...total.binds];
    const [found] = await reads.all<{ keys: string; total: number }>(
      `SELECT (${keys}) AS keys, (${total.sql}) AS total`,
      binds,
    );
    const books = parts.rows?.through('book', booksByKeys) ?? booksByKeys;
    const items = await books(reads, viewer, JSON.parse(found?.keys ?? '[]') as number[]);
    return { ...window, items, total: found?.total ?? 0 };
  };
  const count = { sql: `SELECT count(*) ${from}`, binds: [key] };
  return parts.rows?.withTotal(viewer, `ready of series ${key}`, count, read) ?? read(count);
};

/** One page of the books of a series that its viewer has been shown, by the number that reader apps are shown. */
export const pageOfSeries = (
  parts: ListParts,
  viewer: Viewer,
  { key, bookCount }: Pick<Series, 'key' | 'bookCount'>,
  window: Window,
): Promise<PageOf<Book>> => {
  const read = async (reads: Reads): Promise<PageOf<Book>> => {
    const sql = `SELECT b.id FROM book b INDEXED BY book_in_series_by_number WHERE b.series_id = ? AND b.deleted = 0${andVisibleInSeries(viewer.scope, 'b')}
      ORDER BY ${NUMBER_ORDER} LIMIT ? OFFSET ?`;
    const rows = await reads.all<{ id: number }>(sql, [key, window.pageSize, offsetOf(window)]);
    const books = parts.rows?.through('book', booksByKeys) ?? booksByKeys;
    const items = await books(
      reads,
      viewer,
      rows.map(({ id }) => id),
    );
    return { ...window, items, total: bookCount };
  };
  return read(listReads(parts, viewer));
};
