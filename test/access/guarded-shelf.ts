// A shelf of two libraries with two users who have read the same: one sees everything, one can be limited.
import { copyFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { KIND, storeGroups } from '../../core/catalog/duplicates/store.js';
import { bytesOfUuid, uuidOfHex } from '../../core/model/ids.js';
import type { Role } from '../../core/model/permissions.js';
import { ASPECTS, SYSTEM, updated } from '../../core/store/feed.js';
import { fixture } from '../../fixtures/index.js';
import { type Answer, type CallOptions, coversMade, type TempApp, tempApp, until, writeBook } from '../app.js';
import type { Rows } from './random-grants.js';

/** Two libraries with four series each; two of them share a letter. */
const SHELVES = [
  ['Ants', 'Bees', 'Cats', 'Apes'],
  ['Dogs', 'Eels', 'Foxes', 'Bears'],
] as const;

export interface Shown {
  readonly key: number;
  readonly id: string;
  readonly library: number;
  readonly libraryId: string;
  readonly title: string;
  readonly books: readonly string[];
  /** Those of them that could never be read. */
  readonly neverReadable: readonly string[];
}

export interface GuardedShelf {
  readonly temp: TempApp;
  /** Tokens of the two users. */
  readonly free: string;
  readonly limited: string;
  readonly rows: Rows;
  readonly all: readonly Shown[];
  readonly listId: string;
  /** One whose members were put in, one that a condition fills. */
  readonly collections: readonly string[];
}

const keyOf = async (temp: TempApp, table: string, id: string): Promise<number> => {
  const [row] = await temp.app.db.all<{ id: number }>(`SELECT id FROM ${table} WHERE uuid = ?`, [bytesOfUuid(id)]);
  return row?.id ?? 0;
};

type Ask = (token: string, method: string, path: string, options?: CallOptions) => Promise<Answer>;

const stock = async (temp: TempApp, ask: Ask, free: string): Promise<readonly Shown[]> => {
  for (const [n, names] of SHELVES.entries()) {
    const root = join(temp.shelf, String(n));
    for (const name of names)
      for (const book of [1, 2]) writeBook(join(root, name, `${name} ${book}.cbz`), 2, `${name}${book}`);
    const unreadable = join(root, names[3], `${names[3]} 2.cbz`);
    // One that says nothing, and one that lists pages which nobody can read.
    if (n === 0) writeFileSync(unreadable, `no archive ${n}`);
    else copyFileSync(fixture('books/aes256.cbz'), unreadable);
    await ask(free, 'POST', '/libraries', { body: { name: `L${n}`, path: root, scanImmediately: true } });
  }
  await until('the scans end', () => temp.app.scans.active().length === 0);
  // What changes later is what a test changes.
  await coversMade(temp);
  await until('nothing is made in the background', () => temp.app.due.covers.active().length === 0);
  const series = (await ask(free, 'GET', '/series?pageSize=100')).json.data;
  const found: Shown[] = [];
  for (const { id, title, libraryId } of series) {
    const list: { id: string; analysisError: string | null }[] = (await ask(free, 'GET', `/series/${id}/books`)).json;
    found.push({
      key: await keyOf(temp, 'series', id),
      id,
      library: await keyOf(temp, 'library', libraryId),
      libraryId,
      title,
      books: list.map((book) => book.id),
      neverReadable: list.filter(({ analysisError }) => analysisError !== null).map((book) => book.id),
    });
  }
  return found;
};

/** Both users read the same, so that their lists differ in nothing but what is hidden. */
const read = async (
  { temp, free, limited, all }: Pick<GuardedShelf, 'temp' | 'free' | 'limited' | 'all'>,
  ask: Ask,
): Promise<Pick<GuardedShelf, 'listId' | 'collections'>> => {
  const collections: string[] = [];
  const seriesIds = all.map(({ id }) => id);
  const bookIds = all.flatMap(({ books }) => books);
  for (const body of [
    { name: 'put in', seriesIds },
    { name: 'by condition', condition: { allOf: [] } },
  ])
    collections.push((await ask(free, 'POST', '/collections', { body })).json.id);
  await ask(free, 'POST', `/collections/${collections[0]}/series`, { body: { seriesIds } });
  const listId: string = (await ask(free, 'POST', '/readlists', { body: { name: 'list' } })).json.id;
  await ask(free, 'POST', `/readlists/${listId}/books`, { body: { bookIds } });
  for (const { id, title } of all) {
    await ask(free, 'PUT', `/series/${id}/genres`, { body: { genres: ['Shared', title] } });
    await ask(free, 'PUT', `/series/${id}/tags`, { body: { tags: [title] } });
  }
  for (const token of [free, limited]) {
    await ask(token, 'POST', '/want-to-read/bulk', { body: { bookIds, seriesIds } });
    for (const seriesId of seriesIds)
      await ask(token, 'PUT', '/user/reader-profiles', { body: { seriesId, value: { fit: 'width' } } });
    for (const [n, { books }] of all.entries()) {
      temp.advance(1000);
      const body = { current_page: n % 2 === 0 ? 2 : 1 };
      await ask(token, 'PUT', `/books/${books[0]}/progress`, { body });
    }
  }
  return { listId, collections };
};

/** Gives the limited user another role: a reader cannot fill lists, and administers nothing. */
export const become = ({ temp, rows }: Pick<GuardedShelf, 'temp' | 'rows'>, role: Role): Promise<void> =>
  temp.app.db.write(SYSTEM, 'interactive', async (tx) => {
    tx.report(updated('user', [rows.userKey], ASPECTS.details));
    await tx.run('UPDATE user SET role = ? WHERE id = ?', [role, rows.userKey]);
  });

export const guardedShelf = async (): Promise<GuardedShelf> => {
  const temp = await tempApp();
  const ask: Ask = (token, method, path, options = {}) => temp.call(method, `/api/v1${path}`, { token, ...options });
  const [free, limited] = [await temp.tokenOf('admin'), await temp.tokenOf('admin')];
  const all = await stock(temp, ask, free);
  const { user } = await temp.app.callers.byToken(limited);
  const libraries = [...new Set(all.map(({ library }) => library))];
  const rows = { userKey: user.key, series: all.map(({ key }) => key), libraries };
  return { temp, free, limited, rows, all, ...(await read({ temp, free, limited, all }, ask)) };
};

/** A group of duplicates with a book of each series, by equal hashes. Returns its id. */
export const groupOfAll = async ({ temp, all }: Pick<GuardedShelf, 'temp' | 'all'>): Promise<string> => {
  const { db, clock } = temp.app;
  const books = await Promise.all(all.map(({ books: [book = ''] }) => keyOf(temp, 'book', book)));
  await db.write(SYSTEM, 'interactive', (tx) => {
    tx.report(updated('book', books, ASPECTS.details));
    return tx.run(`UPDATE book SET file_hash = 'equal' WHERE id IN (SELECT value FROM json_each(?))`, [
      JSON.stringify(books),
    ]);
  });
  const members = [...books].sort((a, b) => a - b);
  await storeGroups(db, KIND.file, [{ matchKey: 'equal', libraryKey: 0, members }], clock.now(), new Set());
  const [group] = await db.all<{ hex: string }>('SELECT hex(uuid) AS hex FROM duplicate_group', []);
  return uuidOfHex(group?.hex ?? '');
};
