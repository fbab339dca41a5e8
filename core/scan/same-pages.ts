// Pairs of books that have the same pages under whatever names, up to two of which were added, removed or replaced. Everything is in stored
// analyses; no file is read.
import { groupedBy } from '../model/grouped.js';
import { hasSampleIn, samplesOf } from '../model/page-hashes.js';
import { PageTable } from '../model/page-table.js';
import type { Db } from '../store/db.js';

/** Such as pages of credits that are added or removed. */
export const PAGES_APART_MAX = 2;
/** More books with the same largest pages: these are advertisements. */
const ALIKE_MAX = 16;
/** Keys for which the hashes of all books are searched once. */
const SLICE = 10_000;

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

const sharedCount = (one: readonly string[], other: readonly string[]): number => {
  const left = new Map<string, number>();
  for (const content of other) left.set(content, (left.get(content) ?? 0) + 1);
  return one.filter((content) => {
    const count = left.get(content) ?? 0;
    left.set(content, count - 1);
    return count > 0;
  }).length;
};

/**
 * By size and check byte; of at least one of the largest three, the whole checksum is the same. Short chapters of one group share their
 * advertisements, so where pages are missing on both sides, three quarters must be shared.
 */
const haveSamePages = async (db: Db, one: number, other: number): Promise<boolean> => {
  const [fewer, more] = [await contentsOf(db, one), await contentsOf(db, other)].sort((a, b) => a.length - b.length);
  if (fewer === undefined || more === undefined || fewer.length === 0) return false;
  const shared = sharedCount(fewer, more);
  if (more.length - shared > PAGES_APART_MAX) return false;
  return shared === fewer.length || shared * 4 >= more.length * 3;
};

/** Of the pairs (as row keys), those with the same pages; for a book with too many others like it, none. */
export const withSamePages = async <P extends { readonly from: number; readonly to: number }>(
  db: Db,
  pairs: readonly P[],
): Promise<readonly P[]> => {
  const found: P[] = [];
  for (const alike of groupedBy(pairs, ({ from }) => from).values())
    for (const pair of alike.length > ALIKE_MAX ? [] : alike)
      if (await haveSamePages(db, pair.from, pair.to)) found.push(pair);
  return found;
};

interface Hashed {
  readonly id: number;
  readonly library: number;
  readonly pages: number;
  readonly hashes: string;
}

const HASHED = 'b.id, b.library_id AS library, b.page_count AS pages, b.page_hashes AS hashes';

/** Pages of many books tell nothing: nearly every two books of a library may share one. */
const dropShared = (bySample: Map<string, readonly Hashed[]>, others: readonly Hashed[]): void => {
  const counts = new Map<string, number>();
  for (const { hashes } of others)
    for (const sample of samplesOf(hashes)) counts.set(sample, (counts.get(sample) ?? 0) + 1);
  for (const [sample, { length }] of bySample)
    if (length > ALIKE_MAX || (counts.get(sample) ?? 0) > ALIKE_MAX) bySample.delete(sample);
};

/** Live books are read ones. */
const likeSlice = async (
  db: Db,
  keys: readonly number[],
  isDeleted: boolean,
): Promise<[given: number, other: number][]> => {
  const given = await db.all<Hashed>(
    `SELECT ${HASHED} FROM json_each(?) j CROSS JOIN book b ON b.id = j.value WHERE b.page_hashes IS NOT NULL`,
    [JSON.stringify(keys)],
  );
  if (given.length === 0) return [];
  const bySample = new Map<string, Hashed[]>();
  for (const book of given)
    for (const sample of samplesOf(book.hashes)) {
      const books = bySample.get(sample);
      if (books === undefined) bySample.set(sample, [book]);
      else books.push(book);
    }
  const others = await db.all<Hashed>(
    `SELECT ${HASHED} FROM book b INDEXED BY book_by_page_hashes
     WHERE b.page_hashes IS NOT NULL AND ${hasSampleIn('b.page_hashes', '(SELECT value FROM json_each(?1))')}
       AND b.deleted = ?2 AND (b.deleted = 1 OR b.analyzed = 1)`,
    [JSON.stringify([...bySample.keys()]), Number(isDeleted)],
  );
  dropShared(bySample, others);
  return others.flatMap((other) => {
    const alike = new Set(samplesOf(other.hashes).flatMap((sample) => bySample.get(sample) ?? []));
    return [...alike]
      .filter(
        ({ id, library, pages }) =>
          id !== other.id && library === other.library && Math.abs(pages - other.pages) <= PAGES_APART_MAX,
      )
      .map(({ id }): [number, number] => [id, other.id]);
  });
};

/**
 * A page that was added may be among the largest, or one of them was removed. Two such changes leave one of the three largest in both. No
 * index tells which books share only some of the three, so all hashes are searched.
 */
export const shareSomeSamples = async (
  db: Db,
  keys: readonly number[],
  isDeleted: boolean,
): Promise<readonly (readonly [given: number, other: number])[]> => {
  const found: [number, number][] = [];
  for (let at = 0; at < keys.length; at += SLICE)
    for (const pair of await likeSlice(db, keys.slice(at, at + SLICE), isDeleted)) found.push(pair);
  return found;
};
