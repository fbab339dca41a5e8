// The book before and after another, without those that somebody knows already.
import { join } from 'node:path';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';

let temp: TempApp;
let token = '';
const books = new Map<string, string>();

const api = (method: string, path: string, body?: unknown) =>
  temp.call(method, `/api/v1${path}`, { token, ...(body === undefined ? {} : { body }) });

const idOf = (title: string): string => books.get(title) ?? '';

/** The titles of both neighbours. */
const beside = async (title: string, query = '', as = token): Promise<readonly (string | null)[]> => {
  const { json } = await temp.call('GET', `/api/v1/books/${idOf(title)}/adjacent${query}`, { token: as });
  return [json.prev?.title ?? null, json.next?.title ?? null];
};

const DUPLICATES = '?skipDuplicates=true';
const READ = '?skipRead=true';

block(
  'neighbours of a book',
  (check) => {
    check('are those beside it, unless something is to be passed over', async () => {
      assert.equal(await beside('S 2'), ['S 1', 'S 2 copy']);
      assert.equal(await beside('S 2', '?skipRead=false&skipDuplicates=false'), ['S 1', 'S 2 copy']);
      assert.is((await api('GET', `/books/${idOf('S 2')}/adjacent?skipRead=maybe`)).status, 400);
    });
    check('a duplicate of the book itself is passed over, either way', async () => {
      assert.equal(await beside('S 2', DUPLICATES), ['S 1', 'S 3']);
      assert.equal(await beside('S 2 copy', DUPLICATES), ['S 1', 'S 3']);
      assert.equal(await beside('S 3', DUPLICATES), ['S 2 copy', 'S 4']);
    });
    check('so is a duplicate of a book that was read, by whoever read it', async () => {
      await api('POST', `/books/${idOf('S 2')}/read`);
      assert.equal(await beside('S 3', DUPLICATES), ['S 2', 'S 4']);
      assert.equal(await beside('S 1', DUPLICATES), [null, 'S 2']);
      assert.equal(await beside('S 3', DUPLICATES, await temp.tokenOf('reader')), ['S 2 copy', 'S 4']);
      await api('POST', `/books/${idOf('S 2')}/unread`);
    });
    check('books that were read are passed over, those begun are not', async () => {
      await api('POST', `/books/${idOf('S 3')}/read`);
      await api('PUT', `/books/${idOf('S 4')}/progress`, { current_page: 2 });
      assert.equal(await beside('S 2 copy', READ), ['S 2', 'S 4']);
      assert.equal(await beside('S 5', READ), ['S 4', null]);
      assert.equal(await beside('S 2', `${READ}&skipDuplicates=true`), ['S 1', 'S 4']);
      await api('POST', `/books/${idOf('S 3')}/unread`);
    });
    check('a group that was dismissed, or whose file has changed, passes nothing over', async () => {
      const { json } = await api('GET', '/duplicates');
      const group = json.duplicates.find(({ bookIds }: { bookIds: string[] }) => bookIds.includes(idOf('S 2')));
      await api('DELETE', `/duplicates/${group.id}`);
      assert.equal(await beside('S 2', DUPLICATES), ['S 1', 'S 2 copy']);
    });
  },
  {
    before: async () => {
      temp = await tempApp();
      token = await temp.tokenOf('admin');
      for (const [name, seed] of [
        ['S 1', 'one'],
        ['S 2', 'two'],
        ['S 2 copy', 'two'],
        ['S 3', 'three'],
        ['S 4', 'four'],
        ['S 5', 'five'],
      ] as const)
        writeBook(join(temp.shelf, 'S', `${name}.cbz`), 4, seed);
      await api('POST', '/libraries', { name: 'Shelf', path: temp.shelf, scanImmediately: true });
      await until('the books are known', async () => {
        const { json } = await api('GET', '/books?pageSize=50');
        for (const { id, title } of json.data) books.set(title, id);
        return json.data.length === 6 && json.data.every(({ fileHash }: { fileHash: string }) => fileHash !== '');
      });
      await api('POST', '/duplicates/scan');
      await until('duplicates are found', async () => (await api('GET', '/duplicates')).json.totalGroups === 1);
    },
    after: () => temp.close(),
  },
);
