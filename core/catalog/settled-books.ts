// Reads what is stored about books and writes what follows from it. Every change to a source's facts, or to a lock, goes through here.
import { limitedBook, limitedSeries } from '../model/fact-limits.js';
import type { SeriesFacts } from '../model/metadata.js';
import type { Bind, Tx } from '../store/db.js';
import { ASPECTS, updated } from '../store/feed.js';
import { indirect } from '../store/told-reports.js';
import { type FilePlace, RULES_SQL, storedRules } from './apply-rules.js';
import { type BookColumns, type BookLock, isSilent, packFacts, parseFacts, parseLocks } from './book-facts.js';
import { settleBook } from './settle-book.js';
import { type BookState, type ReadSource, type Said, SOURCES, type UserSays } from './sources.js';
import { type BookTerms, linkBooks, listName, TERM_KINDS, type TermKind } from './taxonomy-links.js';

/** Where a book is, and by which rules. */
export interface BookPlace extends FilePlace {
  readonly key: number;
  readonly seriesKey: number;
  /** RULES_SQL. */
  readonly rules: string | null;
}

export interface BookChange {
  readonly book: BookPlace;
  readonly state: BookState;
  /** Lists of terms that may have changed. */
  readonly terms: readonly TermKind[];
  /** The place in the series follows the number, if that is an integer. */
  readonly isNumberSet?: boolean;
  /** A new lock does not change what is shown. */
  readonly keepsColumns?: boolean;
  /** Its source may have more to say about unlocked fields, so it must be read again. */
  readonly isDue?: boolean;
}

type SourceRow = readonly [source: number, facts: string | null, series: string | null, complete: number];

interface Row {
  readonly key: number;
  readonly facts: string | null;
  readonly locks: string | null;
  readonly sources: string;
}

const READ = Object.entries(SOURCES).filter(([name]) => name !== 'user') as [ReadSource, { readonly id: number }][];

const stateOf = (row: Row): BookState => {
  const rows = JSON.parse(row.sources) as readonly SourceRow[];
  const of = (id: number): SourceRow | undefined => rows.find(([source]) => source === id);
  const said = READ.flatMap(([name, { id }]): [ReadSource, Said][] => {
    const found = of(id);
    if (found === undefined) return [];
    const [, facts, series, complete] = found;
    // Rows of earlier releases may exceed the current limits.
    const ofBook = limitedBook(JSON.parse(facts ?? row.facts ?? '{}') as Said['facts']);
    const ofSeries = series === null ? {} : limitedSeries(JSON.parse(series) as Said['series']);
    return [[name, { facts: ofBook, series: ofSeries, isComplete: complete === 1 }]];
  });
  return {
    user: JSON.parse(of(SOURCES.user.id)?.[1] ?? '{}') as UserSays,
    said: new Map(said),
    locks: parseLocks<BookLock>(row.locks),
    facts: parseFacts(row.facts),
    isStored: row.facts !== null,
    rows: rows.map(([source]) => source),
  };
};

/** Includes books about which nothing is stored. */
export const statesOf = async (tx: Tx, keys: readonly number[]): Promise<ReadonlyMap<number, BookState>> => {
  if (keys.length === 0) return new Map();
  const rows = await tx.all<Row>(
    `SELECT j.value AS key, m.facts, m.locks,
       (SELECT json_group_array(json_array(s.source, s.facts, s.series, s.complete)) FROM book_source s WHERE s.book_id = j.value) AS sources
     FROM json_each(?) j LEFT JOIN book_metadata m ON m.book_id = j.value`,
    [JSON.stringify(keys)],
  );
  return new Map(rows.map((row) => [row.key, stateOf(row)]));
};

interface Settled extends BookChange {
  /** Null: nothing is known of the book. */
  readonly facts: string | null;
  /** Its authors, as JSON. */
  readonly people: string;
  readonly columns: BookColumns;
  readonly movesNumber: boolean;
}

const settle = (change: BookChange): Settled => {
  const { book, state } = change;
  const { facts, columns } = settleBook(state, state.locks, storedRules(book.rules).rules, book);
  const isEmpty = state.said.size === 0 && state.locks.size === 0 && Object.keys(state.user).length === 0;
  const isCleared = state.locks.has('number') && facts.number === null;
  const movesNumber = change.isNumberSet === true && (columns.number !== null || isCleared);
  const people = JSON.stringify(isEmpty ? [] : facts.authors);
  return { ...change, columns, movesNumber, people, facts: isEmpty ? null : packFacts(facts) };
};

/** A record has the id of its book, so a record that is shown before it is stored keeps its id. */
const storeFacts = async (tx: Tx, settled: readonly Settled[], nowMs: number): Promise<void> => {
  const rows = settled.flatMap(({ book, facts, state }) =>
    facts === null ? [] : [[book.key, facts, [...state.locks]]],
  );
  if (rows.length > 0) {
    await tx.run(
      `INSERT INTO book_metadata (book_id, uuid, facts, locks, created_at, updated_at)
       SELECT b.id, b.uuid, value ->> 1, value -> 2, ?1, ?1 FROM json_each(?2) CROSS JOIN book b ON b.id = value ->> 0 WHERE true
       ON CONFLICT (book_id) DO UPDATE SET facts = excluded.facts, locks = excluded.locks, updated_at = excluded.updated_at
       WHERE facts <> excluded.facts OR locks <> excluded.locks`,
      [nowMs, JSON.stringify(rows)],
    );
  }
  const gone = settled.filter(({ state, facts }) => state.isStored && facts === null).map(({ book }) => book.key);
  if (gone.length > 0)
    await tx.run('DELETE FROM book_metadata WHERE book_id IN (SELECT value FROM json_each(?))', [JSON.stringify(gone)]);
};

/** Only values that are present; null when there are none. */
const packSeries = (series: Partial<SeriesFacts>): string | null => {
  const said = Object.entries(series).filter(([, value]) => !isSilent(value));
  return said.length === 0 ? null : JSON.stringify(Object.fromEntries(said));
};

type SourceBinds = readonly [book: number, ...SourceRow];

const rowsOf = ({ book, state, facts }: Settled): readonly SourceBinds[] => {
  const read = READ.flatMap(([name, { id }]): SourceBinds[] => {
    const said = state.said.get(name);
    if (said === undefined) return [];
    const own = packFacts(said.facts);
    return [[book.key, id, own === facts ? null : own, packSeries(said.series), Number(said.isComplete)]];
  });
  if (Object.keys(state.user).length === 0) return read;
  return [...read, [book.key, SOURCES.user.id, JSON.stringify(state.user), null, 1]];
};

const storeSources = async (tx: Tx, settled: readonly Settled[]): Promise<void> => {
  const rows = settled.flatMap(rowsOf);
  const kept = new Set(rows.map(([book, source]) => `${book} ${source}`));
  const gone = settled.flatMap(({ book, state }) =>
    state.rows.filter((id) => !kept.has(`${book.key} ${id}`)).map((id) => [book.key, id]),
  );
  if (gone.length > 0) {
    await tx.run(
      'DELETE FROM book_source WHERE (book_id, source) IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))',
      [JSON.stringify(gone)],
    );
  }
  if (rows.length === 0) return;
  await tx.run(
    `INSERT INTO book_source (book_id, source, facts, series, complete)
     SELECT value ->> 0, value ->> 1, value ->> 2, value ->> 3, value ->> 4 FROM json_each(?) WHERE true
     ON CONFLICT (book_id, source) DO UPDATE SET facts = excluded.facts, series = excluded.series, complete = excluded.complete
     WHERE (facts, series, complete) IS NOT (excluded.facts, excluded.series, excluded.complete)`,
    [JSON.stringify(rows)],
  );
};

/** A null title leaves the stored one: it is written when the series is numbered. A place that no user set is left alone too. */
const storeColumns = async (tx: Tx, settled: readonly Settled[], nowMs: number): Promise<void> => {
  const shown = settled.filter(({ keepsColumns }) => keepsColumns !== true);
  if (shown.length === 0) return;
  const rows = shown.map(({ book, columns, state, movesNumber, isDue }) => [
    book.key,
    columns.title,
    columns.titleSort,
    columns.volume,
    columns.chapter,
    Number(state.locks.has('number')),
    Number(movesNumber),
    columns.number,
    Number(isDue === true),
    columns.toldNumber,
  ]);
  await tx.run(
    `UPDATE book SET title = n.title, title_sort = n.title_sort, volume = n.volume, chapter = n.chapter, number_locked = n.number_locked,
       number = n.number, told_number = n.told_number, due = n.due, updated_at = ?1
     FROM (SELECT b.id, coalesce(j.value ->> 1, b.title) AS title, coalesce(j.value ->> 2, b.title_sort) AS title_sort, j.value ->> 3 AS volume,
       j.value ->> 4 AS chapter, j.value ->> 5 AS number_locked, CASE j.value ->> 6 WHEN 1 THEN j.value ->> 7 ELSE b.number END AS number,
       j.value ->> 9 AS told_number, max(b.due, j.value ->> 8) AS due FROM json_each(?2) j CROSS JOIN book b ON b.id = j.value ->> 0) n
     WHERE book.id = n.id AND (book.title, book.title_sort, book.volume, book.chapter, book.number_locked, book.number, book.told_number,
       book.due) IS NOT (n.title, n.title_sort, n.volume, n.chapter, n.number_locked, n.number, n.told_number, n.due)`,
    [nowMs, JSON.stringify(rows)],
  );
};

const storeTerms = async (tx: Tx, settled: readonly Settled[], nowMs: number): Promise<void> => {
  for (const kind of TERM_KINDS) {
    const list = listName(kind);
    const books = settled
      .filter(({ state, terms }) => terms.includes(kind) && !state.locks.has(list))
      .map(({ book, state }): BookTerms & { readonly isStored: boolean } => ({
        key: book.key,
        seriesKey: book.seriesKey,
        names: [...state.said.values()].flatMap(({ series }) => series[list] ?? []),
        isStored: state.isStored,
      }))
      .filter(({ names, isStored }) => isStored || names.length > 0);
    await linkBooks(tx, kind, books, nowMs);
  }
};

const SETTLED = ASPECTS.list | ASPECTS.text | ASPECTS.content;

/** The author filter finds a series by the authors of its books. */
const reportAuthors = (tx: Tx, settled: readonly Settled[]): void => {
  const changed = settled.filter(({ state, people }) => JSON.stringify(state.facts.authors) !== people);
  if (changed.length === 0) return;
  tx.report(indirect('series', [...new Set(changed.map(({ book }) => book.seriesKey))], ASPECTS.list));
};

/** Writes each book once, whatever changed about it. */
export const settleBooks = async (tx: Tx, changes: readonly BookChange[], nowMs: number): Promise<void> => {
  if (changes.length === 0) return;
  const settled = changes.map(settle);
  await storeFacts(tx, settled, nowMs);
  await storeSources(tx, settled);
  await storeColumns(tx, settled, nowMs);
  tx.report(
    updated(
      'book',
      settled.map(({ book }) => book.key),
      SETTLED,
    ),
  );
  reportAuthors(tx, settled);
  await storeTerms(tx, settled, nowMs);
};

/** The columns of a book row that settling needs. */
export const placesOf = (tx: Tx, where: string, binds: readonly Bind[]): Promise<BookPlace[]> =>
  tx.all<BookPlace>(
    `SELECT b.id AS key, b.series_id AS seriesKey, b.file_name AS fileName, f.path AS folderPath, ${RULES_SQL} AS rules
     FROM book b JOIN library l ON l.id = b.library_id JOIN folder f ON f.id = b.folder_id WHERE ${where}`,
    binds,
  );

/** For books whose sources did not change, but whose path or rules did. */
export const resettleBooks = async (tx: Tx, keys: readonly number[], nowMs: number): Promise<void> => {
  if (keys.length === 0) return;
  const books = await placesOf(tx, 'b.id IN (SELECT value FROM json_each(?))', [JSON.stringify(keys)]);
  const states = await statesOf(tx, keys);
  const changes = books.flatMap((book): BookChange[] => {
    const state = states.get(book.key);
    return state === undefined ? [] : [{ book, state, terms: [] }];
  });
  await settleBooks(tx, changes, nowMs);
};
