// How many known books a scan says have changed, or are gone: neither those that were only renamed or changed places.
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';

let temp: TempApp;
let token = '';
let libraryId = '';

const path = (name: string): string => join(temp.shelf, 'A', `${name}.cbz`);

/** Changed and removed. */
const scanned = async (): Promise<readonly [changed: number, removed: number]> => {
  temp.advance(10_000);
  await temp.call('POST', `/api/v1/libraries/${libraryId}/scan?acceptMissing=true`, { token });
  await until('the scan ends', () => temp.app.scans.active().length === 0);
  const { json } = await temp.call('GET', `/api/v1/libraries/${libraryId}/scan-status`, { token });
  return [json.booksChanged, json.booksRemoved];
};

const read = async (name: string): Promise<void> => {
  const { json } = await temp.call('GET', '/api/v1/books?pageSize=50', { token });
  const { id } = json.data.find((book: { path: string }) => book.path === path(name));
  const body = { current_page: 2 };
  assert.is((await temp.call('PUT', `/api/v1/books/${id}/progress`, { token, body })).status, 200);
};

block(
  'what a scan counts',
  (check) => {
    check('new books, and nothing new: neither', async () => {
      for (const [n, name] of ['one', 'two', 'three', 'four', 'five', 'six', 'seven'].entries())
        writeBook(path(name), 3 + n, name);
      assert.equal(await scanned(), [0, 0]);
      assert.equal(await scanned(), [0, 0]);
    });
    check('a replaced file', async () => {
      writeBook(path('one'), 9, 'one, replaced');
      assert.equal(await scanned(), [1, 0]);
    });
    check('a file that is gone', async () => {
      rmSync(path('two'));
      assert.equal(await scanned(), [0, 1]);
    });
    check('a renamed file', async () => {
      renameSync(path('three'), path('third'));
      assert.equal(await scanned(), [0, 0]);
    });
    check(
      'without anything that people did, a file renamed over another is gone, and the other one has changed',
      async () => {
        renameSync(path('four'), path('five'));
        assert.equal(await scanned(), [1, 1]);
      },
    );
    check('a file that somebody reads, renamed over another: that one is gone, and this one moved', async () => {
      await read('six');
      renameSync(path('six'), path('seven'));
      assert.equal(await scanned(), [0, 1]);
    });
    check('two files that somebody reads, which changed places', async () => {
      for (const name of ['one', 'third']) await read(name);
      renameSync(path('one'), path('x'));
      renameSync(path('third'), path('one'));
      renameSync(path('x'), path('third'));
      assert.equal(await scanned(), [0, 0]);
    });
  },
  {
    before: async () => {
      temp = await tempApp();
      token = await temp.tokenOf('admin');
      writeBook(path('one'), 3, 'one');
      const body = { name: 'Shelf', path: temp.shelf };
      libraryId = (await temp.call('POST', '/api/v1/libraries', { token, body })).json.id;
    },
    after: () => temp.close(),
  },
);
