// Reports for rows affected by a change to other rows, computed inside the transaction of that change.
import { groupedBy } from '../model/grouped.js';
import type { Tx } from '../store/db.js';
import { ASPECTS, created, KEYS_MAX, keysIn, type PublicRow, removed, updated } from '../store/feed.js';
import { indirect } from '../store/told-reports.js';

/** The books of series, when something changed that lists find, sort or search them by. */
export const reportBooksOf = async (tx: Tx, seriesKeys: readonly number[], aspects: number): Promise<void> => {
  if (seriesKeys.length === 0) return;
  const rows = await tx.all<{ id: number }>(
    `SELECT b.id FROM json_each(?) j CROSS JOIN book b ON b.series_id = j.value LIMIT ${KEYS_MAX + 1}`,
    [JSON.stringify(seriesKeys)],
  );
  tx.report(indirect('book', keysIn(rows), aspects));
};

/** Genres and tags of series changed; their books are found by them too. */
export const reportTermsOf = async (tx: Tx, seriesKeys: readonly number[]): Promise<void> => {
  tx.report(updated('series', seriesKeys, ASPECTS.list | ASPECTS.text));
  await reportBooksOf(tx, seriesKeys, ASPECTS.list);
};

/** A book row with the key of its series. */
export interface BookRow extends PublicRow {
  readonly series: number;
}

/** New books of one library. */
export const reportNewBooks = (tx: Tx, libraryKey: number, books: readonly BookRow[]): void => {
  for (const [seriesKey, rows] of groupedBy(books, ({ series }) => series))
    tx.report(created('book', rows, { libraryKey, seriesKey }));
};

/** Deleted rows leave every list they were in. */
const reportLists = (tx: Tx, kind: 'read_list' | 'collection'): void => {
  tx.report(updated(kind, 'all', ASPECTS.members));
  tx.report(updated('want_to_read', 'all', ASPECTS.details));
};

export interface GoneBook extends BookRow {
  /** 1 if viewers with an age limit never saw it. */
  readonly neverReadable: number;
}

/** Deleted books of one library. */
export const reportGoneBooks = (tx: Tx, libraryKey: number, books: readonly GoneBook[]): void => {
  if (books.length === 0) return;
  for (const [seriesKey, rows] of groupedBy(books, ({ series }) => series))
    for (const [neverReadable, some] of groupedBy(rows, ({ neverReadable }) => neverReadable))
      tx.report({ ...removed('book', some, { libraryKey, seriesKey }), wasNeverReadable: neverReadable === 1 });
  reportLists(tx, 'read_list');
};

/** Deleted series of one library. */
export const reportGoneSeries = (tx: Tx, libraryKey: number, series: readonly PublicRow[]): void => {
  if (series.length === 0) return;
  tx.report(removed('series', series, { libraryKey }));
  tx.report(updated('reader_profile', 'all', ASPECTS.details));
  reportLists(tx, 'collection');
};

/** A book that may have moved within its library. */
export interface MovedBook {
  readonly id: number;
  readonly from: number;
  readonly to: number;
}

/** Books whose file has a new path, each with the series it was in. */
export const reportMoved = (tx: Tx, libraryKey: number, books: readonly MovedBook[], aspects: number): void => {
  for (const [seriesKey, arrived] of groupedBy(books, ({ to }) => to))
    for (const [from, rows] of groupedBy(arrived, ({ from }) => from)) {
      const report = { ...updated('book', keysIn(rows), aspects), libraryKey, seriesKey };
      tx.report(from === seriesKey ? report : { ...report, before: { libraryKey, seriesKey: from } });
    }
};
