// Which live books may be missing ones in another file: converted, retagged under another name, repacked, or copied before the original was
// deleted. Everything is looked up by index in stored analyses; no file is read.

import { stemOf } from '../model/formats.js';
import { groupedBy } from '../model/grouped.js';
import { samplesIn } from '../model/page-hashes.js';
import type { Db } from '../store/db.js';
import { PAGES_APART_MAX, shareSomeSamples, withSamePages } from './same-pages.js';

/** Both as row keys. */
export interface Pair {
  readonly from: number;
  readonly to: number;
}

/** Evidence that they are one book, the most certain first. */
const SIGNS = ['bytes', 'pages', 'more pages', 'name', 'name and cover', 'some pages'] as const;
type Sign = (typeof SIGNS)[number];

export interface Found extends Pair {
  readonly sign: Sign;
}

/** Whose keys are given: those of missing books (`w`), or of live ones (`n`) for which deleted books are looked up. */
export type Given = 'w' | 'n';

const PAIR = 'w.id AS "from", n.id AS "to"';
const BOTH = 'n.library_id = w.library_id AND n.id <> w.id AND n.deleted = 0 AND n.analyzed = 1';

/** The row that is looked up for the given one. */
const otherOf = (given: Given): Given => (given === 'w' ? 'n' : 'w');

const joined = (given: Given, on: string): string =>
  `FROM json_each(?) j CROSS JOIN book ${given} ON ${given}.id = j.value ->> 0 CROSS JOIN book ${otherOf(given)} ON ${on} AND ${BOTH}
   ${given === 'n' ? 'AND w.deleted = 1' : ''}`;

/** Keys looked up at once. */
const SLICE = 500;

const byPages = async (db: Db, given: Given, keys: readonly number[]): Promise<Found[]> => {
  const samples = samplesIn(`${given}.page_hashes`);
  const other = `${otherOf(given)}.page_hashes`;
  const rows = await db.all<Pair & { isSame: number }>(
    `SELECT ${PAIR}, w.page_hashes = n.page_hashes AS isSame
     ${joined(given, `${other} >= ${samples} AND ${other} < ${samples} || 'g'`)} AND abs(w.page_count - n.page_count) <= ${PAGES_APART_MAX}`,
    [JSON.stringify(keys.map((key) => [key]))],
  );
  const found: Found[] = rows.flatMap(({ isSame, from, to }) => (isSame === 1 ? [{ from, to, sign: 'pages' }] : []));
  const others = rows.filter(({ isSame }) => isSame === 0);
  for (const { from, to } of await withSamePages(db, others)) found.push({ from, to, sign: 'more pages' });
  return found;
};

/** For books without any other match. */
const bySomePages = async (
  db: Db,
  given: Given,
  keys: readonly number[],
  isMeant: (live: number) => boolean,
): Promise<readonly Found[]> => {
  const alike = await shareSomeSamples(db, keys, given === 'n');
  const pairs = alike
    .map(([one, other]) => (given === 'w' ? { from: one, to: other } : { from: other, to: one }))
    .filter(({ to }) => isMeant(to));
  return (await withSamePages(db, pairs)).map((pair) => ({ ...pair, sign: 'some pages' }));
};

/** Files of slow disks may not be hashed yet. */
const byBytes = async (db: Db, keys: readonly number[]): Promise<Found[]> => {
  const on = "n.file_hash = w.file_hash AND n.file_hash <> '' AND n.file_size = w.file_size";
  const rows = await db.all<Pair>(`SELECT ${PAIR} ${joined('w', on)}`, [JSON.stringify(keys.map((key) => [key]))]);
  return rows.map((pair) => ({ ...pair, sign: 'bytes' }));
};

/** The positions of a text are no pages. */
const hasPages = (alias: string): string =>
  `${alias}.page_count > 0 AND (${alias}.epub_kind IS NULL OR ${alias}.epub_kind = 'images')`;

/** Converters to EPUB may add a cover, which is a page if it is another picture than the first page. */
const hasCoverMore = (one: string, other: string): string =>
  `(${one}.format = 'epub' AND ${other}.format <> 'epub' AND ${one}.page_count = ${other}.page_count + 1)`;

/** In one folder, the same name with another extension, and as many pages. */
const byName = async (db: Db, given: Given, keys: readonly number[]): Promise<Found[]> => {
  const names = await db.all<{ id: number; name: string }>(
    'SELECT b.id, b.file_name AS name FROM json_each(?) j CROSS JOIN book b ON b.id = j.value',
    [JSON.stringify(keys)],
  );
  const other = otherOf(given);
  const isNamed = `${other}.folder_id = ${given}.folder_id AND ${other}.file_name >= j.value ->> 1 || '.' AND ${other}.file_name < j.value ->> 1 || '/'`;
  const rows = await db.all<Pair & { fromName: string; toName: string; areAsMany: number }>(
    `SELECT ${PAIR}, w.file_name AS fromName, n.file_name AS toName, n.page_count = w.page_count AS areAsMany
     ${joined(given, isNamed)} AND ${hasPages('w')} AND ${hasPages('n')}
     AND (n.page_count = w.page_count OR ${hasCoverMore('n', 'w')} OR ${hasCoverMore('w', 'n')})`,
    [JSON.stringify(names.map(({ id, name }) => [id, stemOf(name)]))],
  );
  return rows
    .filter(({ fromName, toName }) => stemOf(fromName) === stemOf(toName))
    .map(({ from, to, areAsMany }) => ({ from, to, sign: areAsMany === 1 ? 'name' : 'name and cover' }));
};

/** Of all pairs with the surest sign that a missing book has; none where two live ones have it, or two missing ones claim one. */
export const unambiguous = (found: readonly Found[]): readonly Found[] => {
  const claims = [...groupedBy(found, ({ from }) => from).values()].flatMap((pairs) => {
    const sign = SIGNS.find((one) => pairs.some((pair) => pair.sign === one));
    const live = new Set(pairs.filter((pair) => pair.sign === sign).map(({ to }) => to));
    const [to] = live;
    const from = pairs[0]?.from;
    return live.size !== 1 || to === undefined || from === undefined || sign === undefined ? [] : [{ from, to, sign }];
  });
  return [...groupedBy(claims, ({ to }) => to).values()].flatMap((rivals) => {
    const sign = SIGNS.find((one) => rivals.some((rival) => rival.sign === one));
    const surest = rivals.filter((rival) => rival.sign === sign);
    return surest.length === 1 ? surest : [];
  });
};

/** Only live books that are meant count. */
export const candidates = async (
  db: Db,
  given: Given,
  keys: readonly number[],
  isMeant: (live: number) => boolean = () => true,
): Promise<readonly Found[]> => {
  const found: Found[] = [];
  for (let at = 0; at < keys.length; at += SLICE) {
    const some = keys.slice(at, at + SLICE);
    // Many copies of one file make more pairs than a call may have arguments.
    if (given === 'w') for (const pair of await byBytes(db, some)) found.push(pair);
    for (const pair of await byPages(db, given, some)) found.push(pair);
    for (const pair of await byName(db, given, some)) found.push(pair);
  }
  const meant = found.filter(({ to }) => isMeant(to));
  const settled = new Set(meant.map(({ from, to }) => (given === 'w' ? from : to)));
  const others = keys.filter((key) => !settled.has(key));
  return [...meant, ...(await bySomePages(db, given, others, isMeant))];
};
