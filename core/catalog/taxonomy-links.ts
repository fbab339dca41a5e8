// Which books and series carry which genres and tags. A series has what its books have, unless its list is locked.
import { cleanName } from '../model/clean-name.js';
import { newId } from '../model/ids.js';
import { termKey } from '../model/search-key.js';
import type { Tx } from '../store/db.js';
import { ASPECTS, created, keysIn, type PublicRow, updated } from '../store/feed.js';
import { told } from '../store/told-reports.js';
import { reportTermsOf } from './report-rows.js';

/** Both kinds are stored the same way, in tables named after them. */
export type TermKind = 'genre' | 'tag';
export const TERM_KINDS: readonly TermKind[] = ['genre', 'tag'];

/** The name of the list, in the API and as a lock. */
export const listName = (kind: TermKind): 'genres' | 'tags' => (kind === 'genre' ? 'genres' : 'tags');

export const TERM_MAX = 200;
/** Files may list as much as they want; anything beyond this is dropped. */
const TERMS_PER_BOOK = 500;

/** Files may hold anything. Cutting may leave half a character or a space at the end, so the name is cleaned again. */
const cleanTerm = (name: string): string => cleanName(cleanName(name).slice(0, TERM_MAX));

/** Whether a name, as given, is that of a term. */
export const namesTerm = (name: string, term: { readonly name: string }): boolean =>
  termKey(cleanTerm(name)) === termKey(term.name);

/** Clean names by their key; the first spelling wins. */
export const byKey = (names: readonly string[]): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  for (const name of names.map(cleanTerm)) {
    if (name !== '' && !found.has(termKey(name))) found.set(termKey(name), name);
  }
  return found;
};

/** Row keys by name key; creates terms that do not exist yet. */
const ensureTerms = async (
  tx: Tx,
  kind: TermKind,
  names: ReadonlyMap<string, string>,
  nowMs: number,
): Promise<ReadonlyMap<string, number>> => {
  if (names.size === 0) return new Map();
  const keys = JSON.stringify([...names.keys()]);
  const select = `SELECT name_key AS name, id FROM ${kind} WHERE name_key IN (SELECT value FROM json_each(?))`;
  const known = await tx.all<{ name: string; id: number }>(select, [keys]);
  if (known.length === names.size) return new Map(known.map(({ name, id }) => [name, id]));
  const made = await tx.all<PublicRow>(
    `INSERT OR IGNORE INTO ${kind} (uuid, name, name_key, created_at)
     SELECT unhex(value ->> 0), value ->> 1, value ->> 2, ?1 FROM json_each(?2) RETURNING id, hex(uuid) AS hex`,
    [nowMs, JSON.stringify([...names].map(([key, name]) => [newId(nowMs), name, key]))],
  );
  tx.report(created(kind, made));
  const all = await tx.all<{ name: string; id: number }>(select, [keys]);
  return new Map(all.map(({ name, id }) => [name, id]));
};

/** Keys of the rows of these names, without repetition, in the order given. */
export const termKeys = async (
  tx: Tx,
  kind: TermKind,
  names: readonly string[],
  nowMs: number,
): Promise<readonly number[]> => [...(await ensureTerms(tx, kind, byKey(names), nowMs)).values()];

/** True where the series in that column takes its terms from its books. */
const unlocked = (kind: TermKind, seriesColumn: string): string =>
  `NOT EXISTS (SELECT 1 FROM series u JOIN json_each(u.locks) k WHERE u.id = ${seriesColumn} AND k.value = '${listName(kind)}')`;

/** True where no live book of the series carries the term any more; walks the books of that one series. */
const orphaned = (kind: TermKind): string =>
  `NOT EXISTS (SELECT 1 FROM book b CROSS JOIN book_${kind} t ON t.book_id = b.id AND t.${kind}_id = series_${kind}.${kind}_id
    WHERE b.series_id = series_${kind}.series_id AND b.deleted = 0)`;

type Pair = readonly [owner: number, term: number];

const reportBooks = (tx: Tx, pairs: readonly Pair[]): void => {
  const keys = new Set(pairs.map(([key]) => key));
  tx.report(updated('book', [...keys], ASPECTS.list | ASPECTS.text));
};

const onceEach = (rows: readonly { readonly id: number }[]): readonly number[] => [...new Set(keysIn(rows))];

const addLinks = async (tx: Tx, kind: TermKind, books: readonly Pair[], series: readonly Pair[]): Promise<void> => {
  if (books.length === 0) return;
  await tx.run(
    `INSERT OR IGNORE INTO book_${kind} (book_id, ${kind}_id) SELECT value ->> 0, value ->> 1 FROM json_each(?)`,
    [JSON.stringify(books)],
  );
  reportBooks(tx, books);
  const linked = await tx.all<{ id: number }>(
    `INSERT OR IGNORE INTO series_${kind} (series_id, ${kind}_id)
     SELECT j.value ->> 0, j.value ->> 1 FROM json_each(?) j WHERE ${unlocked(kind, '(j.value ->> 0)')} RETURNING series_id AS id`,
    [JSON.stringify(series)],
  );
  await reportTermsOf(tx, onceEach(linked));
};

const removeLinks = async (tx: Tx, kind: TermKind, books: readonly Pair[], series: readonly Pair[]): Promise<void> => {
  if (books.length === 0) return;
  const listed = 'IN (SELECT value ->> 0, value ->> 1 FROM json_each(?))';
  await tx.run(`DELETE FROM book_${kind} WHERE (book_id, ${kind}_id) ${listed}`, [JSON.stringify(books)]);
  reportBooks(tx, books);
  const unlinked = await tx.all<{ id: number }>(
    `DELETE FROM series_${kind} WHERE (series_id, ${kind}_id) ${listed} AND ${unlocked(kind, `series_${kind}.series_id`)} AND ${orphaned(kind)} RETURNING series_id AS id`,
    [JSON.stringify(series)],
  );
  await reportTermsOf(tx, onceEach(unlinked));
};

/** Links of one kind of row that one transaction removes when a term is deleted; the search index of each row is written again. */
const LINKS_PER_TRANSACTION = 200;

/**
 * Takes a term from some of what carries it: from books, whose unlocked series follow, and in the end from the series left. True while there
 * may be more. Newest books first: the oldest of a series is found first when it is asked whether any is left.
 */
export const unlinkSome = async (tx: Tx, kind: TermKind, term: number): Promise<boolean> => {
  const books = await tx.all<{ id: number; series: number }>(
    `SELECT b.id, b.series_id AS series
     FROM (SELECT book_id FROM book_${kind} WHERE ${kind}_id = ? ORDER BY book_id DESC LIMIT ${LINKS_PER_TRANSACTION}) t
     CROSS JOIN book b ON b.id = t.book_id`,
    [term],
  );
  const ofBooks = books.map(({ id }): Pair => [id, term]);
  const ofSeries = [...new Set(books.map(({ series }) => series))].map((key): Pair => [key, term]);
  await removeLinks(tx, kind, ofBooks, ofSeries);
  if (books.length === LINKS_PER_TRANSACTION) return true;
  const series = await tx.all<{ id: number }>(
    `DELETE FROM series_${kind} WHERE ${kind}_id = ?1 AND series_id IN
       (SELECT series_id FROM series_${kind} WHERE ${kind}_id = ?1 LIMIT ${LINKS_PER_TRANSACTION}) RETURNING series_id AS id`,
    [term],
  );
  await reportTermsOf(tx, keysIn(series));
  tx.report(told('series', keysIn(series), [listName(kind)]));
  return series.length === LINKS_PER_TRANSACTION;
};

export interface BookTerms {
  readonly key: number;
  readonly seriesKey: number;
  readonly names: readonly string[];
}

/** Gives books exactly these terms, and updates their series accordingly. Only differences are written. */
export const linkBooks = async (tx: Tx, kind: TermKind, books: readonly BookTerms[], nowMs: number): Promise<void> => {
  if (books.length === 0) return;
  const lists = books.map(({ names }) => byKey(names.slice(0, TERMS_PER_BOOK)));
  const keys = await ensureTerms(tx, kind, new Map(lists.flatMap((list) => [...list])), nowMs);
  const old = await tx.all<{ book: number; term: number }>(
    `SELECT book_id AS book, ${kind}_id AS term FROM book_${kind} WHERE book_id IN (SELECT value FROM json_each(?))`,
    [JSON.stringify(books.map(({ key }) => key))],
  );
  const [added, removed]: [[BookTerms, number][], [BookTerms, number][]] = [[], []];
  for (const [index, book] of books.entries()) {
    const had = new Set(old.filter((row) => row.book === book.key).map(({ term }) => term));
    const has = new Set([...(lists[index] ?? new Map()).keys()].map((key) => keys.get(key) ?? 0));
    for (const term of has) if (!had.has(term)) added.push([book, term]);
    for (const term of had) if (!has.has(term)) removed.push([book, term]);
  }
  const ofBooks = (list: readonly [BookTerms, number][]): Pair[] => list.map(([book, term]) => [book.key, term]);
  const ofSeries = (list: readonly [BookTerms, number][]): Pair[] => list.map(([book, term]) => [book.seriesKey, term]);
  await addLinks(tx, kind, ofBooks(added), ofSeries(added));
  await removeLinks(tx, kind, ofBooks(removed), ofSeries(removed));
};

/** Recomputes the unlocked lists of series as the union of their live books: after books were added, removed or moved. */
export const settleUnions = async (tx: Tx, seriesKeys: readonly number[]): Promise<void> => {
  const keys = JSON.stringify(seriesKeys);
  for (const kind of TERM_KINDS) {
    const unlinked = await tx.all<{ id: number }>(
      `DELETE FROM series_${kind} WHERE series_id IN (SELECT value FROM json_each(?)) AND ${unlocked(kind, `series_${kind}.series_id`)} AND ${orphaned(kind)} RETURNING series_id AS id`,
      [keys],
    );
    const linked = await tx.all<{ id: number }>(
      `INSERT OR IGNORE INTO series_${kind} (series_id, ${kind}_id)
       SELECT DISTINCT b.series_id, t.${kind}_id FROM json_each(?) j CROSS JOIN book b ON b.series_id = j.value AND b.deleted = 0
       CROSS JOIN book_${kind} t ON t.book_id = b.id WHERE ${unlocked(kind, 'b.series_id')} RETURNING series_id AS id`,
      [keys],
    );
    await reportTermsOf(tx, onceEach([...unlinked, ...linked]));
  }
};
