// Genres and tags: all of them, those of one book or series, and changing either. A list that a user changed is locked from then on.

import type { Clock } from '../engine/clock.js';
import { AppError } from '../model/errors.js';
import { bytesOfUuid } from '../model/ids.js';
import { offsetOf, type PageOf, type Window } from '../model/paging.js';
import type { RowKind } from '../model/row-kind.js';
import { termKey } from '../model/search-key.js';
import { isLimited, type Viewer } from '../model/viewer.js';
import { keyList, listsByKey } from '../store/by-key.js';
import type { Bind, Db, Lane, Reader, Reads, Tx } from '../store/db.js';
import { type PublicRow, removed } from '../store/feed.js';
import { packed } from '../store/packed.js';
import { told } from '../store/told-reports.js';
import { type Asking, asAsked } from './asking.js';
import { lockSeries } from './locks.js';
import { seriesIn, shareOf } from './places.js';
import { type Resolved, resolve } from './public-ids.js';
import { counting } from './query/kept-counts.js';
import { reportTermsOf } from './report-rows.js';
import { placesOf, settleBooks, statesOf } from './settled-books.js';
import { byKey, linkBooks, listName, namesTerm, type TermKind, termKeys, unlinkSome } from './taxonomy-links.js';
import { andVisible, andVisibleBook } from './visibility.js';

export interface Term {
  readonly id: string;
  readonly name: string;
  /** Series that carry it and have books; null where not counted. */
  readonly seriesCount: number | null;
  readonly createdAt: number;
}

const columnsFor = (seriesCount = 'NULL') =>
  packed<Term>({
    id: { sql: 't.uuid', as: 'uuid' },
    name: { sql: 't.name' },
    seriesCount: { sql: seriesCount },
    createdAt: { sql: 't.created_at' },
  });

const select = async (from: Reader, kind: TermKind, rest: string, binds: readonly Bind[]): Promise<Term[]> => {
  const columns = columnsFor();
  const rows = await from.all<{ row: string }>(`SELECT ${columns.expression} AS row FROM ${kind} t ${rest}`, binds);
  return rows.map(({ row }) => columns.read(JSON.parse(row) as unknown[]));
};

/** Limited users see only terms carried by something visible: a name may reveal what is hidden. */
const andCarried = (kind: TermKind, { scope }: Viewer): string =>
  !isLimited(scope)
    ? ''
    : ` AND (EXISTS (SELECT 1 FROM series_${kind} x CROSS JOIN series s ON s.id = x.series_id WHERE x.${kind}_id = t.id${andVisible(scope, 's')})
        OR EXISTS (SELECT 1 FROM book_${kind} x CROSS JOIN book b ON b.id = x.book_id WHERE x.${kind}_id = t.id${andVisibleBook(scope, 'b')}))`;

/**
 * `carried` less `hidden` is how many series of those seen carry each term of `page`. Where most series are seen, an index counts all of them,
 * and only the few others are looked at. The plus sign has SQLite go from the series to their terms.
 */
const countsFor = (kind: TermKind, seen: string, areMost: boolean): string => {
  const counted = (where: string): string =>
    `(SELECT x.${kind}_id AS id, count(*) AS n FROM series s CROSS JOIN series_${kind} x ON x.series_id = s.id
      WHERE ${where} AND +x.${kind}_id IN (SELECT id FROM page) GROUP BY 1)`;
  const all = `(SELECT x.${kind}_id AS id, count(*) AS n FROM series_${kind} x WHERE x.${kind}_id IN (SELECT id FROM page) GROUP BY 1)`;
  return `carried AS MATERIALIZED ${areMost ? all : counted(seen)},
    hidden AS MATERIALIZED ${counted(areMost ? `(${seen}) IS NOT TRUE` : 'false')}`;
};

const COUNT = ['carried', 'hidden'].map((name) => `coalesce((SELECT n FROM ${name} WHERE id = t.id), 0)`).join(' - ');

export const listTerms = async (db: Reads, kind: TermKind, viewer: Viewer, window: Window): Promise<PageOf<Term>> => {
  const where = `WHERE true${andCarried(kind, viewer)}`;
  const seen = await seriesIn(db, viewer);
  const areMost = !isLimited(viewer.scope) || (await shareOf(counting(db), seen)) >= 0.5;
  const columns = columnsFor(COUNT);
  const rows = await db.json<unknown[][]>(
    `WITH page AS MATERIALIZED (SELECT * FROM ${kind} t ${where} ORDER BY t.name_key LIMIT ? OFFSET ?), ${countsFor(kind, seen.sql, areMost)}
     SELECT json_group_array(json(row)) FROM (SELECT ${columns.expression} AS row FROM page t ORDER BY t.name_key)`,
    [window.pageSize, offsetOf(window), ...seen.binds],
  );
  const [count] = await db.all<{ n: number }>(`SELECT count(*) AS n FROM ${kind} t ${where}`);
  return { ...window, items: rows.map(columns.read), total: count?.n ?? 0 };
};

/** The terms of each of these rows. */
export const termsOfKeys = (
  from: Reader,
  kind: TermKind,
  owner: RowKind,
  keys: readonly number[],
): Promise<ReadonlyMap<number, readonly Term[]>> => {
  const columns = columnsFor();
  return listsByKey(
    from,
    `SELECT j.value AS key, ${columns.expression} AS row FROM json_each(?) j
     CROSS JOIN ${owner}_${kind} o ON o.${owner}_id = j.value JOIN ${kind} t ON t.id = o.${kind}_id ORDER BY t.name_key`,
    [keyList(keys)],
    columns.read,
  );
};

/** The terms of a row whose key is known. */
export const termsOfKey = (from: Reader, kind: TermKind, owner: RowKind, key: number): Promise<Term[]> =>
  select(from, kind, `JOIN ${owner}_${kind} o ON o.${kind}_id = t.id WHERE o.${owner}_id = ? ORDER BY t.name_key`, [
    key,
  ]);

export const termsOf = async (db: Db, kind: TermKind, owner: RowKind, viewer: Viewer, id: string): Promise<Term[]> =>
  termsOfKey(db, kind, owner, (await resolve(db, owner, id, viewer)).key);

const lockBook = async (tx: Tx, key: number, list: 'genres' | 'tags', nowMs: number): Promise<void> => {
  const [book] = await placesOf(tx, 'b.id = ?', [key]);
  const state = (await statesOf(tx, [key])).get(key);
  if (book === undefined || state === undefined) return;
  const locked = { ...state, locks: new Set([...state.locks, list]) };
  await settleBooks(tx, [{ book, state: locked, terms: [], keepsColumns: true }], nowMs);
  await tx.run('UPDATE book_metadata SET updated_at = ? WHERE book_id = ?', [nowMs, key]);
};

const lockList = (tx: Tx, kind: TermKind, owner: RowKind, key: number, nowMs: number): Promise<void> =>
  owner === 'series' ? lockSeries(tx, key, listName(kind), nowMs) : lockBook(tx, key, listName(kind), nowMs);

const replace = async (
  tx: Tx,
  kind: TermKind,
  owner: RowKind,
  row: Resolved,
  names: readonly string[],
  nowMs: number,
): Promise<void> => {
  await lockList(tx, kind, owner, row.key, nowMs);
  tx.report(told(owner, [row.key], [listName(kind)]));
  if (owner === 'book') return linkBooks(tx, kind, [{ ...row, names }], nowMs);
  const keys = await termKeys(tx, kind, names, nowMs);
  await tx.run(`DELETE FROM series_${kind} WHERE series_id = ?`, [row.key]);
  await tx.run(`INSERT INTO series_${kind} (series_id, ${kind}_id) SELECT ?, value FROM json_each(?)`, [
    row.key,
    JSON.stringify(keys),
  ]);
  await reportTermsOf(tx, [row.key]);
};

/**
 * To a limited viewer, a term that only hidden rows carry is a new one: its spelling, and when it was made, would tell that it exists.
 * Called before it is linked to what they see.
 */
const asSeenBefore = async (
  tx: Tx,
  kind: TermKind,
  viewer: Viewer,
  names: readonly string[],
  nowMs: number,
): Promise<(term: Term) => Term> => {
  if (!isLimited(viewer.scope)) return (term) => term;
  const sent = byKey(names);
  const where = `WHERE t.name_key IN (SELECT value FROM json_each(?))${andCarried(kind, viewer)}`;
  const seen = await select(tx, kind, where, [JSON.stringify([...sent.keys()])]);
  const ids = new Set(seen.map(({ id }) => id));
  return (term) =>
    ids.has(term.id) ? term : { ...term, name: sent.get(termKey(term.name)) ?? term.name, createdAt: nowMs };
};

/** Reads the current names, lets `change` turn them into the new ones, writes them and locks the list. Returns the resulting list. */
const rewriteIn = async (
  { tx, viewer, nowMs }: Asking,
  kind: TermKind,
  owner: RowKind,
  id: string,
  change: (present: readonly Term[]) => readonly string[],
): Promise<Term[]> => {
  const row = await resolve(tx, owner, id, viewer);
  const names = change(await termsOfKey(tx, kind, owner, row.key));
  const asSeen = await asSeenBefore(tx, kind, viewer, names, nowMs);
  await replace(tx, kind, owner, row, names, nowMs);
  return (await termsOfKey(tx, kind, owner, row.key)).map(asSeen);
};

const rewrite = (
  db: Db,
  clock: Clock,
  kind: TermKind,
  owner: RowKind,
  viewer: Viewer,
  id: string,
  change: (present: readonly Term[]) => readonly string[],
): Promise<Term[]> => asAsked(db, clock, viewer, (asking) => rewriteIn(asking, kind, owner, id, change));

export const setTermsIn = (
  asking: Asking,
  kind: TermKind,
  owner: RowKind,
  id: string,
  names: readonly string[],
): Promise<Term[]> => rewriteIn(asking, kind, owner, id, () => names);

export const setTerms = (
  db: Db,
  clock: Clock,
  kind: TermKind,
  owner: RowKind,
  viewer: Viewer,
  id: string,
  names: readonly string[],
): Promise<Term[]> => rewrite(db, clock, kind, owner, viewer, id, () => names);

/** Adds one term. Returns it, even if it was there already. */
export const addTerm = async (
  db: Db,
  clock: Clock,
  kind: TermKind,
  owner: RowKind,
  viewer: Viewer,
  id: string,
  name: string,
): Promise<Term> => {
  const terms = await rewrite(db, clock, kind, owner, viewer, id, (present) => [
    ...present.map((term) => term.name),
    name,
  ]);
  const added = terms.find((term) => namesTerm(name, term));
  if (added !== undefined) return added;
  throw new AppError(
    'BadRequest',
    `The ${kind} cannot be added: its name is blank, or the ${owner} has too many ${kind}s.`,
  );
};

export const removeTerm = async (
  db: Db,
  clock: Clock,
  kind: TermKind,
  owner: RowKind,
  viewer: Viewer,
  id: string,
  termId: string,
): Promise<void> => {
  await rewrite(db, clock, kind, owner, viewer, id, (present) => {
    if (!present.some((term) => term.id === termId.toLowerCase()))
      throw new AppError('NotFound', `The ${owner} has no ${kind} with this id.`);
    return present.filter((term) => term.id !== termId.toLowerCase()).map((term) => term.name);
  });
};

/** Deletes a term if little carries it, else its links to some of that. `where`: SQL over the term `t`. */
const deleteSome = (
  db: Db,
  kind: TermKind,
  viewer: Viewer,
  id: string,
  lane: Lane,
  where: string,
): Promise<'unknown' | 'carried' | 'gone'> =>
  db.write(viewer.userKey, lane, async (tx) => {
    const [term] = await tx.all<PublicRow>(
      `SELECT t.id, hex(t.uuid) AS hex FROM ${kind} AS t WHERE t.uuid = ?${where}`,
      [bytesOfUuid(id)],
    );
    if (term === undefined) return 'unknown';
    if (await unlinkSome(tx, kind, term.id)) return 'carried';
    await tx.run(`DELETE FROM ${kind} WHERE id = ?`, [term.id]);
    tx.report(removed(kind, [term]));
    return 'gone';
  });

/**
 * Removes a term from everything. If a file names it, the next analysis brings it back. Many links go in batches, so that no other write
 * waits for all of them. The row goes with the last of them: an interrupted deletion leaves a term that fewer books and series carry, and
 * what is added to it meanwhile is deleted with it.
 */
export const deleteTerm = async (db: Db, kind: TermKind, viewer: Viewer, id: string): Promise<void> => {
  let found = await deleteSome(db, kind, viewer, id, 'interactive', andCarried(kind, viewer));
  if (found === 'unknown') throw new AppError('NotFound', `There is no ${kind} with this id.`);
  while (found === 'carried') found = await deleteSome(db, kind, viewer, id, 'background', '');
};

const TERMS_PER_TRANSACTION = 500;

/** Deletes the terms that nothing carries, in batches; returns their names. */
export const cleanTerms = async (db: Db, kind: TermKind, viewer: Viewer): Promise<readonly string[]> => {
  const unused = `NOT EXISTS (SELECT 1 FROM series_${kind} x WHERE x.${kind}_id = ${kind}.id)
    AND NOT EXISTS (SELECT 1 FROM book_${kind} x WHERE x.${kind}_id = ${kind}.id)`;
  const keys = await db.json<number[]>(`SELECT json_group_array(id) FROM ${kind} WHERE ${unused}`, []);
  const names: string[] = [];
  for (let at = 0; at < keys.length; at += TERMS_PER_TRANSACTION) {
    const some = JSON.stringify(keys.slice(at, at + TERMS_PER_TRANSACTION));
    const gone = await db.write(viewer.userKey, 'interactive', async (tx) => {
      const rows = await tx.all<PublicRow & { name: string }>(
        `DELETE FROM ${kind} WHERE id IN (SELECT value FROM json_each(?)) AND ${unused} RETURNING id, hex(uuid) AS hex, name`,
        [some],
      );
      tx.report(removed(kind, rows));
      return rows;
    });
    names.push(...gone.map(({ name }) => name));
  }
  return names.sort();
};
