// What the page path remembers of a book: forgotten by what changes it, kept by what does not.
import { mkdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { BookFiles } from '../../core/pages/book-files.js';
import { coversMade, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';

interface Shelf {
  readonly temp: TempApp;
  readonly files: BookFiles;
  readonly libraryId: string;
  readonly bookId: string;
  readonly otherId: string;
  api(method: string, path: string, body?: unknown): Promise<void>;
  scan(): Promise<void>;
}

/** What is read while something is being written is not remembered. */
const remember = (files: BookFiles, id: string): Promise<void> =>
  until('it is remembered', async () => {
    await files.load(id);
    return files.remembered(id) !== undefined;
  });

const withShelf = async (use: (shelf: Shelf) => Promise<void>): Promise<void> => {
  const temp = await tempApp();
  try {
    const token = await temp.tokenOf('admin');
    for (const name of ['One', 'Two']) writeBook(join(temp.shelf, 'Alpha', `${name}.cbz`), 2, name);
    const made = await temp.call('POST', '/api/v1/libraries', { token, body: { name: 'Shelf', path: temp.shelf } });
    const api: Shelf['api'] = async (method, path, body) => {
      const { status, json } = await temp.call(method, `/api/v1${path}`, { token, body });
      assert.ok(status < 300, `${method} ${path}: ${status} ${json?.message}`);
    };
    const scan = async (): Promise<void> => {
      await api('POST', `/libraries/${made.json.id}/scan`);
      await until('the scan ends', () => temp.app.scans.active().length === 0);
    };
    await scan();
    await coversMade(temp); // a new cover is a change of its book
    const { json } = await temp.call('GET', '/api/v1/books', { token });
    const idOf = (title: string): string => json.data.find((book: { title: string }) => book.title === title).id;
    const files = new BookFiles(temp.app.db, 1_000_000);
    const ids = { libraryId: made.json.id, bookId: idOf('One'), otherId: idOf('Two') };
    for (const id of [ids.bookId, ids.otherId]) await remember(files, id);
    await use({ temp, files, ...ids, api, scan });
    assert.equal(temp.faults, []);
  } finally {
    await temp.close();
  }
};

block('the book cache of the page path', (check) => {
  check('a new title is seen, and the other book stays cached', () =>
    withShelf(async ({ files, bookId, otherId, api }) => {
      assert.is(files.remembered(bookId)?.title, 'One');
      await api('PATCH', `/books/${bookId}/metadata`, { title: 'Another' });
      assert.is(files.remembered(bookId), undefined);
      assert.is((await files.load(bookId)).title, 'Another');
      assert.ok(files.remembered(otherId) !== undefined);
    }),
  );
  check('the least recently used book is dropped when memory is used up, and a large one is kept alone', () =>
    withShelf(async ({ temp, bookId, otherId }) => {
      const files = new BookFiles(temp.app.db, 1);
      for (const id of [bookId, otherId]) await remember(files, id);
      assert.is(files.remembered(bookId), undefined);
      const both = new BookFiles(temp.app.db, 1_000_000);
      for (const id of [bookId, otherId]) await remember(both, id);
      assert.is(both.remembered(bookId)?.id, bookId);
    }),
  );
  check('reading does not drop a book', () =>
    withShelf(async ({ files, bookId, api }) => {
      await api('PUT', `/books/${bookId}/progress`, { current_page: 1 });
      assert.ok(files.remembered(bookId) !== undefined);
    }),
  );
  check('a library with a new path is read from there at once', () =>
    withShelf(async ({ temp, files, libraryId, bookId, api }) => {
      const moved = join(temp.folder, 'moved');
      mkdirSync(moved);
      renameSync(join(temp.shelf, 'Alpha'), join(moved, 'Alpha'));
      await api('PATCH', `/libraries/${libraryId}`, { path: moved });
      assert.is(files.remembered(bookId), undefined);
      assert.is((await files.load(bookId)).path, join(moved, 'Alpha', 'One.cbz'));
    }),
  );
  check('a book whose file changed is dropped by the scan, the other is not', () =>
    withShelf(async ({ temp, files, bookId, otherId, scan }) => {
      const before = files.remembered(bookId);
      writeBook(join(temp.shelf, 'Alpha', 'One.cbz'), 3, 'three pages');
      await scan();
      assert.is((await files.load(bookId)).table?.pageCount, 3);
      assert.is.not((await files.load(bookId)).version, before?.version);
      assert.is(files.remembered(otherId)?.table?.pageCount, 2);
    }),
  );
});
