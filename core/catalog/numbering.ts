// Numbers the books of whole series, and makes titles from numbers, by the strategies of their library.

import { stemOf } from '../model/formats.js';
import { sortNaturally } from '../model/natural-order.js';
import { numberOfText } from '../model/numbers.js';
import { sortKey } from '../model/sort-key.js';
import { isPlain, type LibraryRules, titlesByPosition } from '../model/strategies.js';
import type { Tx } from '../store/db.js';
import { ASPECTS, keysIn, updated } from '../store/feed.js';
import { numberOf } from './rules/positions.js';
import { seriesOf } from './rules/series.js';
import { bookFacts } from './rules/titles.js';

/** A live book of a series, as input to numbering. */
export interface NumberedBook {
  readonly id: number;
  /** Path of its folder; empty where all books are in one folder. */
  readonly folder: string;
  readonly fileName: string;
  readonly title: string;
  readonly number: number | null;
  readonly volume: number | null;
  readonly isNumberLocked: boolean;
  readonly isTitleLocked: boolean;
  /** The number its sources give. */
  readonly said: string | null;
}

/** The result for a book; a title only where it is made of numbers. */
interface Numbered {
  readonly id: number;
  readonly number: number | null;
  readonly title: string;
  readonly isRenamed: boolean;
}

const seriesInPath = (rules: LibraryRules, { folder, fileName }: NumberedBook): string =>
  rules.numberStrategy === 'file_order' && rules.seriesStrategy !== 'series_volume_chapter'
    ? ''
    : seriesOf(rules.seriesStrategy, rules.seriesConfig, folder, fileName).name;

/** Numbers are stored as integers. Lists sort by `exact_number`, which has the fraction. */
const numberFor = (rules: LibraryRules, book: NumberedBook, position: number): number | null => {
  if (book.isNumberLocked) return book.number;
  const embeddedNumber = numberOfText(book.said);
  const stem = stemOf(book.fileName);
  const found = numberOf(rules.numberStrategy, {
    position,
    embeddedNumber,
    stem,
    seriesName: seriesInPath(rules, book),
  });
  return found === null ? null : Math.trunc(found);
};

const titleFor = (
  rules: LibraryRules,
  book: NumberedBook,
  seriesName: string,
  position: number,
  seriesSize: number,
): string =>
  bookFacts(rules.bookStrategy, rules.bookConfig, {
    fileName: book.fileName,
    embeddedTitle: null,
    embeddedVolume: null,
    embeddedChapter: null,
    seriesName,
    seriesInPath: seriesInPath(rules, book),
    position,
    seriesSize,
    folderVolume: book.volume,
    filesAreChapters: rules.seriesStrategy === 'series_volume_chapter',
  }).title;

/**
 * The books of a series whose number or title changes: a number may depend on the siblings. Files in several folders are ordered folder by
 * folder.
 */
export const numberSeries = (
  books: readonly NumberedBook[],
  rules: LibraryRules,
  seriesName: string,
): readonly Numbered[] =>
  sortNaturally(books, ({ folder, fileName }) => (folder === '' ? fileName : `${folder}/${fileName}`)).flatMap(
    (book, index): Numbered[] => {
      const number = numberFor(rules, book, index + 1);
      const isTitled = titlesByPosition(rules) && !book.isTitleLocked;
      const title = isTitled ? titleFor(rules, book, seriesName, index + 1, books.length) : book.title;
      const isRenamed = title !== book.title;
      return isRenamed || number !== book.number ? [{ id: book.id, number, title, isRenamed }] : [];
    },
  );

/** Deleted books have no place in their series. */
const clearNumbers = async (tx: Tx, seriesKeys: string): Promise<void> => {
  const cleared = await tx.all<{ id: number }>(
    `UPDATE book INDEXED BY book_by_series SET number = NULL
     WHERE series_id IN (SELECT value FROM json_each(?)) AND deleted = 1 AND number IS NOT NULL AND number_locked = 0 RETURNING id`,
    [seriesKeys],
  );
  tx.report(updated('book', keysIn(cleared), ASPECTS.list));
};

const storeNumbers = async (tx: Tx, numbered: readonly Numbered[]): Promise<void> => {
  if (numbered.length === 0) return;
  const rows = numbered.map(({ id, number, title, isRenamed }) =>
    isRenamed ? [id, number, title, sortKey(title)] : [id, number],
  );
  await tx.run(
    `UPDATE book SET number = j.value ->> 1, title = coalesce(j.value ->> 2, title), title_sort = coalesce(j.value ->> 3, title_sort)
     FROM json_each(?) j WHERE book.id = j.value ->> 0`,
    [JSON.stringify(rows)],
  );
  const isText = numbered.some(({ isRenamed }) => isRenamed);
  const aspects = isText ? ASPECTS.list | ASPECTS.text | ASPECTS.content : ASPECTS.list;
  tx.report(updated('book', keysIn(numbered), aspects));
};

interface Row {
  readonly seriesKey: number;
  readonly id: number;
  readonly folder: string;
  readonly fileName: string;
  readonly title: string;
  readonly number: number | null;
  readonly volume: number | null;
  readonly numberLocked: number;
  readonly titleLocked: number;
  readonly said: string | null;
  readonly seriesName: string;
}

/** In file order, folders, series and facts are not needed. */
const PLAIN = `SELECT b.series_id AS seriesKey, b.id, '' AS folder, b.file_name AS fileName, '' AS title, b.number, NULL AS volume,
    b.number_locked AS numberLocked, 1 AS titleLocked, NULL AS said, '' AS seriesName
  FROM json_each(?) j CROSS JOIN book b ON b.series_id = j.value AND b.deleted = 0`;

const BY_RULES = `SELECT b.series_id AS seriesKey, b.id, f.path AS folder, b.file_name AS fileName, b.title, b.number, b.volume,
    b.number_locked AS numberLocked, instr(coalesce(m.locks, ''), '"title"') AS titleLocked, m.facts ->> '$.number' AS said, s.name AS seriesName
  FROM json_each(?) j CROSS JOIN book b ON b.series_id = j.value AND b.deleted = 0 JOIN series s ON s.id = b.series_id
    JOIN folder f ON f.id = b.folder_id LEFT JOIN book_metadata m ON m.book_id = b.id`;

/**
 * Numbers the live books of series by the strategies of their library. A locked number stays; deleted books lose theirs. Returns the series
 * in which a live book has another number or title now.
 */
export const renumberSeries = async (
  tx: Tx,
  seriesKeys: readonly number[],
  rules: LibraryRules,
): Promise<readonly number[]> => {
  if (seriesKeys.length === 0) return [];
  const keys = JSON.stringify(seriesKeys);
  const series = new Map<number, Row[]>(seriesKeys.map((key) => [key, []]));
  for (const row of await tx.all<Row>(isPlain(rules) ? PLAIN : BY_RULES, [keys])) series.get(row.seriesKey)?.push(row);
  const numbered = [...series].map(([key, rows]) => {
    const books = rows.map(({ numberLocked, titleLocked, ...row }) => ({
      ...row,
      isNumberLocked: numberLocked === 1,
      isTitleLocked: titleLocked !== 0,
    }));
    return { key, books: numberSeries(books, rules, rows[0]?.seriesName ?? '') };
  });
  await storeNumbers(
    tx,
    numbered.flatMap(({ books }) => books),
  );
  await clearNumbers(tx, keys);
  return numbered.filter(({ books }) => books.length > 0).map(({ key }) => key);
};
