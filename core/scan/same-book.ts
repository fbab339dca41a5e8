// Which live books may be missing ones in another file: converted, retagged under another name, repacked, or copied before the original was
// deleted. Everything is looked up by index in stored analyses; no file is read.

import { stemOf } from '../model/formats.js';
import { groupedBy } from '../model/grouped.js';
import { samplesIn } from '../model/page-hashes.js';
import { PageTable } from '../model/page-table.js';
import type { Db } from '../store/db.js';

/** Both as row keys. */
export interface Pair {
  readonly from: number;
  readonly to: number;
}

/** Evidence that they are one book, the most certain first. */
const SIGNS = ['bytes', 'pages', 'more pages', 'name'] as const;
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
/** A page of credits is added or taken away. */
const PAGES_APART_MAX = 2;
/** More books with the same largest pages: these are advertisements. */
const ALIKE_MAX = 16;

const byPages = async (db: Db, given: Given, keys: readonly number[]): Promise<Found[]> => {
  const samples = samplesIn(`${given}.page_hashes`);
  const other = `${otherOf(given)}.page_hashes`;
  const rows = await db.all<Pair & { isSame: number; isLonger: number }>(
    `SELECT ${PAIR}, w.page_hashes = n.page_hashes AS isSame, w.page_count <> n.page_count AS isLonger
     ${joined(given, `${other} >= ${samples} AND ${other} < ${samples} || 'g'`)} AND abs(w.page_count - n.page_count) <= ${PAGES_APART_MAX}`,
    [JSON.stringify(keys.map((key) => [key]))],
  );
  const found: Found[] = rows.flatMap(({ isSame, from, to }) => (isSame === 1 ? [{ from, to, sign: 'pages' }] : []));
  const others = rows.filter(({ isSame, isLonger }) => isSame === 0 && isLonger === 1);
  for (const alike of groupedBy(others, ({ from }) => from).values())
    for (const { from, to } of alike.length > ALIKE_MAX ? [] : alike)
      if (await isContained(db, from, to)) found.push({ from, to, sign: 'more pages' });
  return found;
};

const contentsOf = async (db: Db, key: number): Promise<readonly string[]> => {
  const [row] = await db.all<{ table: Uint8Array }>('SELECT page_table AS "table" FROM book_pages WHERE book_id = ?', [
    key,
  ]);
  if (row === undefined) return [];
  const table = new PageTable(row.table);
  return Array.from({ length: table.pageCount }, (_, index) => {
    const { size = 0, check = 0 } = table.entry(index) ?? {};
    return `${size}/${check}`;
  });
};

/** All pages of one are in the other, by size and check byte; of the largest three, the whole checksum is the same. */
const isContained = async (db: Db, one: number, other: number): Promise<boolean> => {
  const [fewer, more] = [await contentsOf(db, one), await contentsOf(db, other)].sort((a, b) => a.length - b.length);
  if (fewer === undefined || more === undefined || fewer.length === 0 || more.length - fewer.length > PAGES_APART_MAX)
    return false;
  const left = new Map<string, number>();
  for (const content of more) left.set(content, (left.get(content) ?? 0) + 1);
  return fewer.every((content) => {
    const count = left.get(content) ?? 0;
    left.set(content, count - 1);
    return count > 0;
  });
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

/** In one folder, the same name with another extension, and as many pages. */
const byName = async (db: Db, given: Given, keys: readonly number[]): Promise<Found[]> => {
  const names = await db.all<{ id: number; name: string }>(
    'SELECT b.id, b.file_name AS name FROM json_each(?) j CROSS JOIN book b ON b.id = j.value',
    [JSON.stringify(keys)],
  );
  const other = otherOf(given);
  const isNamed = `${other}.folder_id = ${given}.folder_id AND ${other}.file_name >= j.value ->> 1 || '.' AND ${other}.file_name < j.value ->> 1 || '/'`;
  const rows = await db.all<Pair & { fromName: string; toName: string }>(
    `SELECT ${PAIR}, w.file_name AS fromName, n.file_name AS toName
     ${joined(given, isNamed)} AND n.page_count = w.page_count AND ${hasPages('w')} AND ${hasPages('n')}`,
    [JSON.stringify(names.map(({ id, name }) => [id, stemOf(name)]))],
  );
  return rows
    .filter(({ fromName, toName }) => stemOf(fromName) === stemOf(toName))
    .map(({ from, to }) => ({ from, to, sign: 'name' }));
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

export const candidates = async (db: Db, given: Given, keys: readonly number[]): Promise<readonly Found[]> => {
  const found: Found[] = [];
  for (let at = 0; at < keys.length; at += SLICE) {
    const some = keys.slice(at, at + SLICE);
    if (given === 'w') found.push(...(await byBytes(db, some)));
    found.push(...(await byPages(db, given, some)), ...(await byName(db, given, some)));
  }
  return found;
};
