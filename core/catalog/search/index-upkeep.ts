// Keeps the search indexes in step with the rows. The writer runs it before a transaction ends, so search never lags behind a list.
import type { RowKind } from '../../model/row-kind.js';
import { caseKey, searchKey } from '../../model/search-key.js';
import { vocabularyOf } from '../../model/search-words.js';
import type { Statements } from '../../store/db.js';
import { type BookSource, bookRow, type SeriesSource, seriesRow } from './rows.js';

const BATCH = 1000;
/** Text read for one slice: extracting its words keeps the main thread busy. A larger row is a slice of its own. */
const SLICE_BYTES = 256 * 1024;
/** Search finds a row by this many of its tags, and as many genres. Without a limit, each book would index all tags of its series again. */
const TERMS_MAX = 1000;

type TermKind = 'genre' | 'tag';

const termNames = (kind: TermKind, owner: RowKind, column: string): string =>
  `(SELECT t.name FROM ${owner}_${kind} o JOIN ${kind} t ON t.id = o.${kind}_id WHERE o.${owner}_id = ${column} LIMIT ${TERMS_MAX})`;

const termsOf = (kind: TermKind, owner: RowKind, column: string): string =>
  `'${kind}s', '' || (SELECT json_group_array(name) FROM ${termNames(kind, owner, column)})`;

const termBytes = (owner: RowKind, column: string): string =>
  (['genre', 'tag'] as const)
    .map((kind) => `coalesce((SELECT sum(octet_length(name)) FROM ${termNames(kind, owner, column)}), 0)`)
    .join(' + ');

const sourcesOf = async <T>(tx: Statements, columns: string, from: string, keys: string): Promise<T[]> => {
  const rows = await tx.all<{ list: string }>(
    `SELECT json_group_array(json_object(${columns})) AS list FROM json_each(?) j ${from}`,
    [keys],
  );
  return JSON.parse(rows[0]?.list ?? '[]') as T[];
};

const addWords = (tx: Statements, keys: readonly string[]): Promise<number> =>
  tx.run('INSERT OR IGNORE INTO search_word (word) SELECT value FROM json_each(?)', [
    JSON.stringify(vocabularyOf(keys)),
  ]);

const BOOK_COLUMNS = `'id', b.id, 'title', b.title, 'fileName', b.file_name, 'series', s.name, 'facts', m.facts,
  ${termsOf('genre', 'book', 'b.id')}, ${termsOf('tag', 'book', 'b.id')}`;

const keepBooks = async (tx: Statements, keys: string): Promise<void> => {
  const sources = await sourcesOf<BookSource>(
    tx,
    BOOK_COLUMNS,
    'CROSS JOIN book b ON b.id = j.value JOIN series s ON s.id = b.series_id LEFT JOIN book_metadata m ON m.book_id = b.id',
    keys,
  );
  const made = sources.map(bookRow);
  await addWords(
    tx,
    made.flatMap(({ words, series, rest }) => [words, series, rest]),
  );
  const rows = JSON.stringify(made);
  const gone = 'IN (SELECT value FROM json_each(?))';
  for (const table of ['book_words', 'book_trigram']) await tx.run(`DELETE FROM ${table} WHERE rowid ${gone}`, [keys]);
  await tx.run(`DELETE FROM book_summary WHERE book_id ${gone}`, [keys]);
  if (sources.length === 0) return;
  const each = 'FROM json_each(?) j';
  const part = (...names: string[]): string => names.map((name) => `j.value ->> '${name}'`).join(', ');
  for (const sql of [
    `INSERT OR REPLACE INTO book_text (book_id, title, sort, type, publisher, language)
     SELECT ${part('id', 'title', 'sort', 'type', 'publisher', 'language')} ${each}`,
    `INSERT INTO book_summary (book_id, summary) SELECT ${part('id', 'summary')} ${each} WHERE j.value ->> 'summary' IS NOT NULL`,
    `INSERT INTO book_words (rowid, title, series, rest) SELECT ${part('id', 'words', 'series', 'rest')} ${each}`,
    `INSERT INTO book_trigram (rowid, title) SELECT ${part('id', 'title')} ${each}`,
    `UPDATE book SET released = j.value ->> 'released' ${each} WHERE book.id = j.value ->> 'id' AND released IS NOT j.value ->> 'released'`,
  ])
    await tx.run(sql, [rows]);
};

const SERIES_COLUMNS = `'id', s.id, 'name', s.name, 'titleSort', s.title_sort, 'path', s.path, 'summary', s.summary, 'publisher', s.publisher,
  'language', s.language, 'authors', s.authors, ${termsOf('genre', 'series', 's.id')}, ${termsOf('tag', 'series', 's.id')},
  'titles', '' || (SELECT json_group_array(t.title) FROM series_title t WHERE t.series_id = s.id)`;

const keepSeries = async (tx: Statements, keys: string): Promise<void> => {
  const sources = await sourcesOf<SeriesSource>(tx, SERIES_COLUMNS, 'CROSS JOIN series s ON s.id = j.value', keys);
  const made = sources.map(seriesRow);
  await addWords(
    tx,
    made.flatMap(({ words, rest }) => [words, rest]),
  );
  const rows = JSON.stringify(made);
  await tx.run('DELETE FROM series_words WHERE rowid IN (SELECT value FROM json_each(?))', [keys]);
  if (sources.length === 0) return;
  const part = (...names: string[]): string => names.map((name) => `j.value ->> '${name}'`).join(', ');
  await tx.run(
    `INSERT OR REPLACE INTO series_text (series_id, name, title_sort, summary, publisher, language, authors)
     SELECT ${part('id', 'name', 'titleSort', 'summary', 'publisher', 'language', 'authors')} FROM json_each(?) j`,
    [rows],
  );
  await tx.run(
    `INSERT INTO series_words (rowid, title, rest) SELECT ${part('id', 'words', 'rest')} FROM json_each(?) j`,
    [rows],
  );
};

const BOOK_BYTES = `SELECT j.value AS id, coalesce(octet_length(m.facts), 0) + ${termBytes('book', 'j.value')} AS size
  FROM json_each(?) j LEFT JOIN book_metadata m ON m.book_id = j.value`;

const SERIES_BYTES = `SELECT j.value AS id,
    coalesce(octet_length(s.summary), 0) + coalesce(octet_length(s.authors), 0) + ${termBytes('series', 'j.value')} AS size
  FROM json_each(?) j LEFT JOIN series s ON s.id = j.value`;

/** Keys of rows whose texts are small enough to be read together. */
const slicesOf = (rows: readonly { readonly id: number; readonly size: number }[]): readonly (readonly number[])[] => {
  const slices: number[][] = [];
  let room = 0;
  for (const { id, size } of rows) {
    if (size > room || slices.length === 0) {
      slices.push([]);
      room = SLICE_BYTES;
    }
    slices.at(-1)?.push(id);
    room -= size;
  }
  return slices;
};

const STEPS = [
  { bytes: BOOK_BYTES, keep: keepBooks },
  { bytes: SERIES_BYTES, keep: keepSeries },
] as const;

/** By the number of their kind. */
export const KINDS: readonly RowKind[] = ['book', 'series'];

export interface WaitingRow {
  readonly kind: number;
  readonly id: number;
}

/** Indexes rows that wait; returns how many there were. */
export const indexRows = async (tx: Statements, due: readonly WaitingRow[]): Promise<number> => {
  for (const [kind, { bytes, keep }] of STEPS.entries()) {
    const keys = JSON.stringify(due.filter((row) => row.kind === kind).map(({ id }) => id));
    if (keys === '[]') continue;
    const sizes = await tx.all<{ id: number; size: number }>(bytes, [keys]);
    for (const slice of slicesOf(sizes)) await keep(tx, JSON.stringify(slice));
    await tx.run('DELETE FROM search_due WHERE kind = ? AND id IN (SELECT value FROM json_each(?))', [kind, keys]);
  }
  return due.length;
};

/** Sets the search, sort and comparison keys of new people; returns how many there were. */
export const keyPeople = async (tx: Statements, limit: number): Promise<number> => {
  const people = await tx.all<{ id: number; name: string }>(
    'SELECT id, name FROM person WHERE name_key IS NULL LIMIT ?',
    [limit],
  );
  if (people.length === 0) return 0;
  await tx.run(
    'UPDATE person SET name_key = j.value ->> 1, case_key = j.value ->> 2 FROM json_each(?) j WHERE person.id = j.value ->> 0',
    [JSON.stringify(people.map(({ id, name }) => [id, searchKey(name), caseKey(name)]))],
  );
  return people.length;
};

/** Indexes one batch of waiting rows; returns how many there were. */
export const keepBatch = async (tx: Statements, size = BATCH): Promise<number> =>
  (await keyPeople(tx, size)) +
  (await indexRows(tx, await tx.all<WaitingRow>('SELECT kind, id FROM search_due LIMIT ?', [size])));

/** Indexes all waiting rows. */
export const keepSearch = async (tx: Statements): Promise<void> => {
  while ((await keepBatch(tx)) >= BATCH);
};
