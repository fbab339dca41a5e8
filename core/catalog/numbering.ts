// Numbers, and titles made of numbers, of the books of whole series, by the strategies of their library.

import { stemOf } from '../model/formats.js';
import { sortNaturally } from '../model/natural-order.js';
import { numberOfText } from '../model/numbers.js';
import { sortKey } from '../model/sort-key.js';
import { isPlain, type LibraryRules, titlesByPosition } from '../model/strategies.js';
import type { Tx } from '../store/db.js';
import { ASPECTS, keysIn, updated } from '../store/feed.js';
import { numberOf } from './rules/positions.js';
import { bookFacts } from './rules/titles.js';

interface Row {
  readonly id: number;
  readonly folder: string;
  readonly file_name: string;
  readonly title: string;
  readonly number: number | null;
  readonly volume: number | null;
  readonly embedded: string | null;
  readonly number_locked: number;
  readonly title_locked: number;
  readonly series_name: string;
}

/** Numbers are stored whole: 12.5 sorts with 12, and their titles and names keep them apart. */
const numberFor = (rules: LibraryRules, row: Row, position: number): number | null => {
  if (row.number_locked === 1) return row.number;
  const embeddedNumber = numberOfText(row.embedded);
  const found = numberOf(rules.numberStrategy, { position, embeddedNumber, stem: stemOf(row.file_name) });
  return found === null ? null : Math.trunc(found);
};

const titleFor = (rules: LibraryRules, row: Row, position: number, seriesSize: number): string =>
  titlesByPosition(rules) && row.title_locked === 0
    ? bookFacts(rules.bookStrategy, rules.bookConfig, {
        fileName: row.file_name,
        embeddedTitle: null,
        embeddedVolume: null,
        embeddedChapter: null,
        seriesName: row.series_name,
        position,
        seriesSize,
        folderVolume: row.volume,
        filesAreChapters: rules.seriesStrategy === 'series_volume_chapter',
      }).title
    : row.title;

/** Books that are gone have no place in their series. */
const clearNumbers = async (tx: Tx, seriesKey: number): Promise<void> => {
  const cleared = await tx.all<{ id: number }>(
    'UPDATE book SET number = NULL WHERE series_id = ? AND deleted = 1 AND number IS NOT NULL AND number_locked = 0 RETURNING id',
    [seriesKey],
  );
  tx.report(updated('book', keysIn(cleared), ASPECTS.list));
};

/** Files of several folders can form one series: they are ordered folder by folder. */
export const numberByRules = async (tx: Tx, seriesKey: number, rules: LibraryRules): Promise<void> => {
  const rows = await tx.all<Row>(
    `SELECT b.id, f.path AS folder, b.file_name, b.title, b.number, b.volume, b.number_locked, m.facts ->> '$.number' AS embedded,
       instr(coalesce(m.locks, ''), '"title"') AS title_locked, s.name AS series_name
     FROM book b JOIN series s ON s.id = b.series_id JOIN folder f ON f.id = b.folder_id
       LEFT JOIN book_metadata m ON m.book_id = b.id
     WHERE b.series_id = ? AND b.deleted = 0`,
    [seriesKey],
  );
  const changed = sortNaturally(rows, (row) => (row.folder === '' ? row.file_name : `${row.folder}/${row.file_name}`))
    .map((row, index) => ({
      row,
      number: numberFor(rules, row, index + 1),
      title: titleFor(rules, row, index + 1, rows.length),
    }))
    .filter(({ row, number, title }) => row.number !== number || row.title !== title)
    .map(({ row, number, title }) => [row.id, number, title, title === row.title ? null : sortKey(title)]);
  if (changed.length > 0) {
    await tx.run(
      `UPDATE book SET number = j.value ->> 1, title = j.value ->> 2, title_sort = coalesce(j.value ->> 3, title_sort)
       FROM json_each(?) j WHERE book.id = j.value ->> 0`,
      [JSON.stringify(changed)],
    );
    const keys = changed.map(([key]) => Number(key));
    tx.report(updated('book', keys, ASPECTS.list | ASPECTS.text | ASPECTS.content));
  }
  await clearNumbers(tx, seriesKey);
};

/** Numbers the live books of a series by the natural order of their file names; deleted books lose their number. A locked number stays. */
const renumberOne = async (tx: Tx, seriesKey: number): Promise<void> => {
  const books = await tx.all<{ id: number; file_name: string; number: number | null; number_locked: number }>(
    'SELECT id, file_name, number, number_locked FROM book WHERE series_id = ? AND deleted = 0',
    [seriesKey],
  );
  const moved = sortNaturally(books, (book) => book.file_name)
    .map((book, index) => ({ ...book, position: index + 1 }))
    .filter((book) => book.number !== book.position && book.number_locked === 0)
    .map((book) => [book.id, book.position]);
  if (moved.length > 0) {
    await tx.run('UPDATE book SET number = j.value ->> 1 FROM json_each(?) j WHERE book.id = j.value ->> 0', [
      JSON.stringify(moved),
    ]);
    tx.report(
      updated(
        'book',
        moved.map(([key]) => Number(key)),
        ASPECTS.list,
      ),
    );
  }
  await clearNumbers(tx, seriesKey);
};

export const renumberPlain = async (tx: Tx, seriesKeys: Iterable<number>): Promise<void> => {
  for (const key of seriesKeys) await renumberOne(tx, key);
};

export const renumberSeries = async (tx: Tx, seriesKeys: Iterable<number>, rules: LibraryRules): Promise<void> => {
  if (isPlain(rules)) return renumberPlain(tx, seriesKeys);
  for (const key of seriesKeys) await numberByRules(tx, key, rules);
};
