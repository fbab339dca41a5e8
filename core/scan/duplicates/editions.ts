// Editions of one work: books at one place of series with one title, or with as many pages that look alike. A book is in one group.
import { groupOfMembers, KIND, storeGroups } from '../../catalog/duplicates/store.js';
import { bandsOf, LOOK_PAGES_MIN, looksLike } from '../../model/looks.js';
import type { Db } from '../../store/db.js';
import { type SearchStep, sharing } from './search-step.js';
import { editionsByNumber } from './titles.js';

/** Books with one count of pages read at once. */
const BATCH = 2000;
/** Of books that share a piece of their look, so many of the latest are compared. */
const COMPARED_MAX = 500;
const GROUPS_AT_ONCE = 200;

/** Books that belong together, directly or by others. */
export class Unions {
  readonly #above = new Map<number, number>();

  #top(key: number): number {
    let top = key;
    for (let next = this.#above.get(top); next !== undefined && next !== top; next = this.#above.get(top)) top = next;
    for (let at = key; at !== top; ) {
      const next = this.#above.get(at) ?? top;
      this.#above.set(at, top);
      at = next;
    }
    return top;
  }

  join(keys: readonly number[]): void {
    const tops = keys.map((key) => this.#top(key));
    const top = Math.min(...tops);
    for (const other of [...tops, ...keys]) this.#above.set(other, top);
  }

  /** Members ascending, the groups in the order of their first members. */
  groups(): readonly (readonly number[])[] {
    const groups = new Map<number, number[]>();
    for (const key of [...this.#above.keys()].sort((a, b) => a - b)) {
      const top = this.#top(key);
      const group = groups.get(top);
      if (group === undefined) groups.set(top, [key]);
      else group.push(key);
    }
    return [...groups.values()].filter(({ length }) => length > 1);
  }
}

export const PAGE_COUNTS = `SELECT b.page_count AS pages FROM book b INDEXED BY book_by_pages
  WHERE b.deleted = 0 AND b.page_count >= ${LOOK_PAGES_MIN} AND b.page_count > ? ORDER BY b.page_count LIMIT 1`;

export interface Looked {
  readonly id: number;
  readonly hash: string;
  readonly look: Uint8Array;
}

/** Calls `found` with pairs that look alike and are not the same file. `rest` is awaited after at most COMPARED_MAX comparisons. */
export const comparePairs = async (
  books: Iterable<Looked> | AsyncIterable<Looked>,
  found: (keys: readonly number[]) => void,
  rest: () => Promise<void>,
): Promise<void> => {
  const byBand = new Map<number, Looked[]>();
  for await (const book of books) {
    const compared = new Set<Looked>();
    for (const band of bandsOf(book.look)) {
      const others = byBand.get(band);
      if (others === undefined) byBand.set(band, [book]);
      else {
        for (const other of others.slice(-COMPARED_MAX)) {
          if (compared.has(other) || (other.hash === book.hash && book.hash !== '')) continue;
          compared.add(other);
          if (looksLike(book.look, other.look)) found([other.id, book.id]);
        }
        others.push(book);
      }
      await rest();
    }
  }
};

export const BOOKS_WITH_LOOKS = `SELECT b.id, b.library_id AS library, b.file_hash AS hash, k.look
  FROM book b INDEXED BY book_by_pages CROSS JOIN book_look k ON k.book_id = b.id
  WHERE b.deleted = 0 AND b.page_count = ?1 AND k.look IS NOT NULL
    AND k.revision = b.revision AND k.file_size = b.file_size AND k.file_mtime = b.file_mtime
    AND (b.library_id, b.id) > (?2, ?3) ORDER BY b.library_id, b.id LIMIT ${BATCH}`;

async function* booksOfCount(db: Db, pages: number, { check }: SearchStep): AsyncGenerator<Looked> {
  for (let after = { library: 0, id: 0 }; ; ) {
    check();
    const rows = await db.all<Looked & { readonly library: number }>(BOOKS_WITH_LOOKS, [
      pages,
      after.library,
      after.id,
    ]);
    const last = rows.at(-1);
    if (last === undefined) return;
    after = last;
    yield* rows;
  }
}

export const groupEditions = async (db: Db, step: SearchStep): Promise<void> => {
  const unions = new Unions();
  const join = (keys: readonly number[]): void => unions.join(keys);
  await editionsByNumber(db, step, join);
  const rest = sharing();
  for (let pages = 0; ; ) {
    const [next] = await db.all<{ pages: number }>(PAGE_COUNTS, [pages]);
    if (next === undefined) break;
    pages = next.pages;
    await comparePairs(booksOfCount(db, pages, step), join, rest);
  }
  const groups = unions.groups();
  for (let at = 0; at < groups.length; at += GROUPS_AT_ONCE) {
    step.check();
    const some = groups.slice(at, at + GROUPS_AT_ONCE).map(groupOfMembers);
    await storeGroups(db, KIND.edition, some, step.nowMs(), step.seen);
  }
};
