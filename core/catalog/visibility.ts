// What is visible in a scope, as SQL and as sets. Every read for a user checks here and nowhere else. The SQL contains only row keys and
// numbers, so users with equal restrictions share statements and sets.
import type { RowKind } from '../model/row-kind.js';
import { EVERYTHING, type Scope } from '../model/viewer.js';
import { booksOfSeries, type IdQuery } from './sql/predicates.js';

/** A series carries few tags, and a person may be granted many: the plus sign has SQLite look at those of the series. */
const carries = (alias: string, tags: readonly number[]): string =>
  `EXISTS (SELECT 1 FROM series_sharing_tag g WHERE g.series_id = ${alias}.id AND +g.sharing_tag_id IN (${tags.join(',')}))`;

/** No row has the key 0. SQLite would fold an empty list to a constant, and a query that names its index could no longer use it. */
const keysOf = (keys: readonly number[]): string => (keys.length === 0 ? '0' : keys.join(','));

/** What a series carries may still change when a scan recognises it as another one: then its limits cannot be judged yet. */
const judges = ({ ageLimit, deniedTags, allowedTags }: Scope): boolean =>
  ageLimit !== null || deniedTags.length > 0 || allowedTags !== null;

/** SQL over a row of `series`. */
const limits = (scope: Scope, alias: string): string => {
  const { libraries, ageLimit, showUnrated, deniedTags, allowedTags, removing } = scope;
  return [
    ...(libraries === null ? [] : [`${alias}.library_id IN (${keysOf(libraries)})`]),
    ...(ageLimit === null
      ? []
      : [
          showUnrated
            ? `coalesce(${alias}.age_rating, 0) <= ${ageLimit}`
            : `coalesce(${alias}.age_rating <= ${ageLimit}, 0)`,
          `${alias}.unjudged = 0`,
        ]),
    ...(deniedTags.length === 0 ? [] : [`NOT ${carries(alias, deniedTags)}`]),
    ...(allowedTags === null ? [] : [carries(alias, allowedTags)]),
    ...(judges(scope) ? [`${alias}.unswept = 0`] : []),
    ...(removing.length === 0 ? [] : [`${alias}.library_id NOT IN (${removing.join(',')})`]),
  ].join(' AND ');
};

/** ` AND …` for a row of `series` with the alias `alias`; empty where everything is visible. */
export const andVisible = (scope: Scope, alias: string): string =>
  scope === EVERYTHING ? '' : ` AND ${limits(scope, alias)}`;

/** The same for any other row with a series key; for books and rows about books, see below. `seriesKey` is SQL for that key. */
export const andInVisible = (scope: Scope, seriesKey: string): string =>
  scope === EVERYTHING
    ? ''
    : ` AND EXISTS (SELECT 1 FROM series v WHERE v.id = ${seriesKey} AND ${limits(scope, 'v')})`;

/** A book that was never readable has no known rating, so viewers with an age limit do not see it; the other books decide about its series. */
const hidesNeverReadable = ({ ageLimit }: Scope): boolean => ageLimit !== null;

/** ` AND …` for a row of `book` with the alias `alias`. */
export const andVisibleBook = (scope: Scope, alias: string): string =>
  `${andInVisible(scope, `${alias}.series_id`)}${andVisibleInSeries(scope, alias)}`;

/** The part of `andVisibleBook` that is about the book itself, where its series is known to be visible. */
export const andVisibleInSeries = (scope: Scope, alias: string): string =>
  hidesNeverReadable(scope) ? ` AND ${alias}.never_readable = 0` : '';

/** `andVisibleBook` for a row with the columns `book_id` and `series_id`. */
export const andInVisibleBook = (scope: Scope, alias: string): string => {
  const isReadable = ` AND NOT EXISTS (SELECT 1 FROM book h WHERE h.id = ${alias}.book_id AND h.never_readable = 1)`;
  return `${andInVisible(scope, `${alias}.series_id`)}${hidesNeverReadable(scope) ? isReadable : ''}`;
};

/** A stored counter of a series covers all live books; an index holds the few that were never readable. */
const visibleTotal = (scope: Scope, alias: string, counter: string, hiddenTotal: string): string =>
  hidesNeverReadable(scope)
    ? `(${alias}.${counter} - (SELECT ${hiddenTotal} FROM book h INDEXED BY book_never_readable
        WHERE h.series_id = ${alias}.id AND h.never_readable = 1 AND h.deleted = 0))`
    : `${alias}.${counter}`;

/** SQL over a series `alias`: how many of its books are visible. */
export const visibleBookCount = (scope: Scope, alias: string): string =>
  visibleTotal(scope, alias, 'book_count', 'count(*)');

/** SQL over a series `alias`: the bytes of its visible files. */
export const visibleFileSize = (scope: Scope, alias: string): string =>
  visibleTotal(scope, alias, 'file_size', 'coalesce(sum(h.file_size), 0)');

/** SQL over a series `alias`: the pages of its visible books. */
export const visiblePageCount = (scope: Scope, alias: string): string =>
  visibleTotal(scope, alias, 'page_count', 'coalesce(sum(h.page_count), 0)');

/** Whether a book of a visible series is visible. */
export const seesBook = (scope: Scope, { neverReadable }: { readonly neverReadable: boolean }): boolean =>
  !(neverReadable && hidesNeverReadable(scope));

/** ` AND …` for a row of `library` with the alias `alias`. Nobody sees a library that is being removed. */
export const andVisibleLibrary = ({ libraries }: Scope, alias: string): string =>
  ` AND ${alias}.removing = 0${libraries === null ? '' : ` AND ${alias}.id IN (${keysOf(libraries)})`}`;

/** All limits as one condition. */
const whole = (scope: Scope): string => (scope === EVERYTHING ? 'true' : limits(scope, 's'));

/** One row if a series is visible in `after` that is not in `before`; both differ only in tags. */
export const becomesVisible = (before: Scope, after: Scope): string => {
  const freed = before.deniedTags.filter((tag) => !after.deniedTags.includes(tag));
  const isOpened = before.allowedTags !== null && after.allowedTags === null;
  const carried = isOpened
    ? ''
    : ` AND s.id IN (SELECT series_id FROM series_sharing_tag WHERE sharing_tag_id IN (${keysOf(freed)}))`;
  return `SELECT 1 FROM series s WHERE NOT (${whole(before)})${andVisible(after, 's')}${carried} LIMIT 1`;
};

export const visibleSeries = (scope: Scope): IdQuery => ({
  sql: `SELECT s.id FROM series s WHERE ${limits(scope, 's')}`,
  binds: [],
  dependsOn: 'catalog',
});

const NEVER_READABLE: IdQuery = {
  sql: 'SELECT b.id FROM book b INDEXED BY book_never_readable WHERE b.never_readable = 1',
  binds: [],
  dependsOn: 'catalog',
};

/** The visible rows, including hidden and deleted ones. A row that is not yet in the set counts as hidden. */
export const visibleRows = (scope: Scope, rows: RowKind): IdQuery =>
  rows === 'series'
    ? visibleSeries(scope)
    : {
        ...booksOfSeries(`${limits(scope, 's')}${andVisibleInSeries(scope, 'b')}`, []),
        ofSeries: visibleSeries(scope),
        ...(hidesNeverReadable(scope) ? { except: NEVER_READABLE } : {}),
      };
