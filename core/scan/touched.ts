// What people did to books and series. A scan that takes a row for the new path of an older one never deletes what somebody wrote: such a
// row stays.
import { SOURCES } from '../catalog/sources.js';

/** Tables with rows that only people cause. Positions inside books depend on `read_progress`. */
const OF_BOOKS = ['read_progress', 'read_completion', 'read_cleared', 'read_list_book', 'want_to_read', 'cover'];
const OF_SERIES = [
  'collection_series',
  'want_to_read',
  'series_title',
  'series_sharing_tag',
  'reader_profile',
  'cover',
];

/** These columns of a series have no other source, so they count even without a lock. */
const SET_BY_USERS = ['cleared', 'custom', 'title_sort', 'total_chapter_count'];

/** SQL over a row of `book`. Genres and tags that a user changed are locked. */
export const touchedBook = (alias: string): string => {
  const rows = OF_BOOKS.map((table) => `EXISTS (SELECT 1 FROM ${table} x WHERE x.book_id = ${alias}.id)`);
  return `(${rows.join(' OR ')}
    OR EXISTS (SELECT 1 FROM book_metadata x WHERE x.book_id = ${alias}.id AND x.locks <> '[]')
    OR EXISTS (SELECT 1 FROM book_source x WHERE x.book_id = ${alias}.id AND x.source = ${SOURCES.user.id}))`;
};

/** SQL over a row of `series`. */
export const touchedSeries = (alias: string): string => {
  const rows = OF_SERIES.map((table) => `EXISTS (SELECT 1 FROM ${table} x WHERE x.series_id = ${alias}.id)`);
  const columns = SET_BY_USERS.map((column) => `${alias}.${column} IS NOT NULL`);
  return `(${alias}.locks <> '[]' OR ${[...columns, ...rows].join(' OR ')})`;
};
