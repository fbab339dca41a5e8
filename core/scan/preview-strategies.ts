// What other strategies would change in a library that exists: titles and numbers, from what is stored. Opens no book and stores nothing.
import { factsToStore } from '../catalog/apply-rules.js';
import { type BookLock, columnsOf, parseFacts, parseLocks } from '../catalog/book-facts.js';
import { libraryFor } from '../catalog/libraries.js';
import { numberSeries } from '../catalog/numbering.js';
import { checkRules, mergeRules, type RulesChange, refuseSeriesChange } from '../catalog/strategies.js';
import { andVisible, seesBook } from '../catalog/visibility.js';
import { uuidOfHex } from '../model/ids.js';
import type { LibraryRules } from '../model/strategies.js';
import type { Viewer } from '../model/viewer.js';
import type { Db } from '../store/db.js';
import { Turns } from './preview.js';

const EXAMPLES_MAX = 12;
/** More than this are not looked at. */
const BOOKS_MAX = 20_000;
const SERIES_BATCH = 50;

interface Shown {
  readonly title: string;
  /** With its fraction, where it is not made of places. */
  readonly number: number | null;
}

export interface ChangedBook {
  readonly id: string;
  readonly fileName: string;
  readonly seriesName: string;
  readonly before: Shown;
  readonly after: Shown;
}

export interface StrategyPreview {
  readonly books: number;
  readonly changed: number;
  readonly isComplete: boolean;
  readonly examples: readonly ChangedBook[];
}

interface Row {
  readonly id: number;
  readonly hex: string;
  readonly seriesKey: number;
  readonly seriesName: string;
  readonly folder: string;
  readonly fileName: string;
  readonly title: string;
  readonly number: number | null;
  readonly volume: number | null;
  readonly numberLocked: number;
  readonly neverReadable: number;
  readonly facts: string | null;
  readonly locks: string | null;
}

const BOOKS = `SELECT b.id, lower(hex(b.uuid)) AS hex, b.series_id AS seriesKey, s.name AS seriesName, f.path AS folder, b.file_name AS fileName,
    b.title, b.number, b.volume, b.number_locked AS numberLocked, b.never_readable AS neverReadable, m.facts, m.locks
  FROM json_each(?) j CROSS JOIN series s ON s.id = j.value CROSS JOIN book b ON b.series_id = s.id AND b.deleted = 0
    JOIN folder f ON f.id = b.folder_id LEFT JOIN book_metadata m ON m.book_id = b.id`;

const exactly = (number: number | null, said: number | null): number | null =>
  said !== null && Math.trunc(said) === number ? said : number;

/** The books of a series that would be called or numbered differently. */
const changedIn = (rows: readonly Row[], rules: LibraryRules): readonly ChangedBook[] => {
  const books = rows.map((row) => {
    const facts = parseFacts(row.facts);
    const locks = parseLocks<BookLock>(row.locks);
    const by = factsToStore(rules, { folderPath: row.folder, fileName: row.fileName }, facts);
    return {
      ...row,
      title: columnsOf(facts, locks, by).title ?? row.title,
      said: facts.number,
      exact: rules.numberStrategy === 'file_order' ? null : by.number,
      isNumberLocked: row.numberLocked === 1,
      isTitleLocked: locks.has('title'),
    };
  });
  const numbered = new Map(numberSeries(books, rules, rows[0]?.seriesName ?? '').map((one) => [one.id, one]));
  return books.flatMap((book, at): ChangedBook[] => {
    const row = rows[at];
    if (row === undefined) return [];
    const { title, number } = numbered.get(book.id) ?? book;
    if (title === row.title && number === row.number) return [];
    const { fileName, seriesName } = row;
    const before = { title: row.title, number: row.number };
    const after = { title, number: exactly(number, book.exact) };
    return [{ id: uuidOfHex(row.hex), fileName, seriesName, before, after }];
  });
};

export const previewStrategies = async (
  db: Db,
  viewer: Viewer,
  libraryId: string,
  change: RulesChange,
  signal: AbortSignal,
): Promise<StrategyPreview> => {
  const library = await libraryFor(db, viewer, libraryId);
  refuseSeriesChange(library, change);
  const rules = mergeRules(library, change);
  checkRules(rules);
  const turns = new Turns(signal);
  const examples: ChangedBook[] = [];
  const keysAfter = `SELECT s.id FROM series s WHERE s.library_id = ? AND s.id > ?${andVisible(viewer.scope, 's')} ORDER BY s.id LIMIT ${SERIES_BATCH}`;
  let [books, changed, after] = [0, 0, 0];
  for (;;) {
    const keys = (await db.all<{ id: number }>(keysAfter, [library.key, after])).map(({ id }) => id);
    const last = keys.at(-1);
    if (last === undefined) return { books, changed, isComplete: true, examples };
    if (books >= BOOKS_MAX) return { books, changed, isComplete: false, examples };
    after = last;
    const rows = await db.all<Row>(BOOKS, [JSON.stringify(keys)]);
    for (const key of keys) {
      await turns.take();
      // The numbers of books depend on one another, so all are computed before hidden books are left out.
      const series = rows.filter(({ seriesKey }) => seriesKey === key);
      const hidden = new Set(
        series.flatMap((row) =>
          seesBook(viewer.scope, { neverReadable: row.neverReadable === 1 }) ? [] : [uuidOfHex(row.hex)],
        ),
      );
      const found = changedIn(series, rules).filter(({ id }) => !hidden.has(id));
      books += series.length - hidden.size;
      changed += found.length;
      examples.push(...found.slice(0, EXAMPLES_MAX - examples.length));
    }
  }
};
