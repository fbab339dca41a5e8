// A shelf of encrypted books, and an administrator who gives passwords for them.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Answer } from './app.js';
import { until } from './app.js';
import { assert } from './kit.js';
import { type StockedShelf, stockedShelf } from './shelf.js';

export const PASSWORDS_PATH = '/admin/settings/archive.passwords';

export interface LockedShelf extends StockedShelf {
  /** Puts a file on the shelf; a scan finds it. */
  put(name: string, bytes: Uint8Array): void;
  scan(): Promise<void>;
  /** Stores passwords and waits until the books that this makes due are read. */
  give(...passwords: readonly string[]): Promise<void>;
  page(name: string, number: number, query?: string): Promise<Answer>;
  /** What is said about a book, by the list of errors. */
  remarks(name: string): Promise<readonly string[]>;
}

export const lockedShelf = async (): Promise<LockedShelf> => {
  const shelf = await stockedShelf([]);
  const { temp, api, bookOf, libraryId } = shelf;
  mkdirSync(join(temp.shelf, 'Locked'), { recursive: true });
  const analysesEnded = async (): Promise<number> =>
    (await temp.app.db.all("SELECT 1 FROM task WHERE type = 'analyze_books' AND state = 'completed'")).length;
  const idOf = async (name: string): Promise<string> => (await bookOf(name)).id;
  return {
    ...shelf,
    put: (name, bytes) => writeFileSync(join(temp.shelf, 'Locked', `${name}.cbz`), bytes),
    scan: async () => {
      await api('POST', `/libraries/${libraryId}/scan`);
      await until('the scan ends', async () => (await api('GET', '/scans/active')).json.length === 0);
    },
    give: async (...passwords) => {
      const before = await analysesEnded();
      const isDue = (await temp.app.db.all('SELECT 1 FROM book_error')).length > 0;
      const body = { value: passwords.join('\n') };
      assert.is((await api('PUT', PASSWORDS_PATH, { body })).status, 200);
      if (isDue) await until('the books are read again', async () => (await analysesEnded()) > before);
    },
    page: async (name, number, query = '') => api('GET', `/books/${await idOf(name)}/pages/${number}${query}`),
    remarks: async (name) => {
      const { json } = await api('GET', '/books/errors?pageSize=100');
      const id = await idOf(name);
      type Group = {
        readonly books: readonly { readonly book: { id: string }; readonly errors: readonly { message: string }[] }[];
      };
      return json.groups
        .flatMap(({ books }: Group) => books)
        .filter(({ book }: Group['books'][number]) => book.id === id)
        .flatMap(({ errors }: Group['books'][number]) => errors.map(({ message }) => message));
    },
  };
};
