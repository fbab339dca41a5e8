// Covers of the comic-server API where a file is gone, has no picture, or cannot be read now.
import { copyFileSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { AppError, type ErrorKind } from '../../core/model/errors.js';
import { fixture } from '../../fixtures/index.js';
import { type Answer, coversMade, type TempApp, tempApp, until, writeBook } from '../app.js';
import { formOf, image } from '../form.js';
import { assert, block, type Check } from '../kit.js';

let temp: TempApp;
let token: string;
let libraryId: string;
/** By title, of books and of series. */
const ids = new Map<string, string>();

const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
  temp.call(method, path, { token, ...(body === undefined ? {} : { body }) });
const komga = (method: string, path: string, body?: unknown): Promise<Answer> =>
  ask(method, `/komga/api/v1${path}`, body);
const id = (name: string): string => ids.get(name) ?? '';

const idle = (): Promise<void> =>
  until('nothing is scanned', async () => (await ask('GET', '/api/v1/scans/active')).json.length === 0);

const start = async (): Promise<void> => {
  temp = await tempApp();
  token = await temp.tokenOf('admin');
  mkdirSync(join(temp.shelf, 'Texts'));
  copyFileSync(fixture('books/alice-no-cover.epub'), join(temp.shelf, 'Texts', 'Alice.epub'));
  for (const name of ['Ants', 'Bees']) writeBook(join(temp.shelf, name, `${name} 1.cbz`), 2, name);
  writeBook(join(temp.shelf, 'Bees', 'Bees 2.cbz'), 2, 'lost');
  const body = { name: 'Shelf', path: temp.shelf, scanImmediately: true, bookStrategy: 'filename' };
  libraryId = (await ask('POST', '/api/v1/libraries', body)).json.id;
  await until('all is analysed', async () => {
    const { data } = (await ask('GET', '/api/v1/books')).json;
    return data.length === 4 && data.every(({ analyzed }: { analyzed: boolean }) => analyzed);
  });
  await idle();
  await coversMade(temp);
  for (const book of (await ask('GET', '/api/v1/books')).json.data) {
    ids.set(book.title, book.id);
    ids.set(`series of ${book.title}`, book.seriesId);
  }
};

const upload = async (book: string): Promise<string> => {
  const body = await formOf({ file: image('png-palette-alpha.png') });
  const { status, json } = await komga('POST', `/books/${id(book)}/thumbnails`, body);
  assert.is(status, 200);
  return json.id;
};

const listed = async (book: string): Promise<readonly (readonly [string, string])[]> => {
  const { status, json } = await komga('GET', `/books/${id(book)}/thumbnails`);
  assert.is(status, 200, JSON.stringify(json));
  return json.map((cover: { id: string; type: string }) => [cover.type, cover.id]);
};

const lists = (check: Check): void => {
  check('uploaded covers are listed when that of the file cannot be made now', async () => {
    const uploaded = await upload('Ants 1');
    const quality = '/api/v1/admin/settings/thumbnail.jpeg_quality';
    assert.is((await ask('PUT', quality, { value: '60' })).status, 200);
    const { pool } = temp.app;
    const { run } = pool;
    try {
      for (const kind of ['Overloaded', 'Timeout', 'FileUnreadable', 'WorkerCrashed'] as const satisfies ErrorKind[]) {
        pool.run = (name, input, options) =>
          name === 'cover' ? Promise.reject(new AppError(kind)) : (run.call(pool, name, input, options) as never);
        assert.equal(await listed('Ants 1'), [['USER_UPLOADED', uploaded]], kind);
      }
      pool.run = () => Promise.reject(new AppError('Internal'));
      assert.is((await komga('GET', `/books/${id('Ants 1')}/thumbnails`)).status, 500);
      temp.faults.length = 0;
    } finally {
      pool.run = run;
    }
    assert.is((await listed('Ants 1')).length, 2);
  });
  check('uploaded covers of a book are listed after its file is gone', async () => {
    const uploaded = await upload('Bees 2');
    assert.is((await listed('Bees 2')).length, 2);
    rmSync(join(temp.shelf, 'Bees', 'Bees 2.cbz'));
    await ask('POST', `/api/v1/libraries/${libraryId}/scan?mode=normal`);
    await until('it is gone', async () => (await ask('GET', '/api/v1/books')).json.total === 3);
    await idle();
    assert.is((await komga('GET', `/books/${id('Bees 2')}`)).status, 200);
    assert.equal(await listed('Bees 2'), [['USER_UPLOADED', uploaded]]);
    const unknown = '01890000-0000-7000-8000-000000000001';
    assert.is((await komga('GET', `/books/${unknown}/thumbnails`)).status, 404);
  });
};

const queue = (check: Check): void => {
  const want = async (body: object): Promise<void> => {
    assert.ok((await ask('POST', '/api/v1/want-to-read', body)).status < 300);
  };
  const cover = async (path: string): Promise<Buffer> => {
    const { status, bytes } = await komga('GET', `${path}/thumbnail`);
    assert.is(status, 200, path);
    return Buffer.from(bytes);
  };
  check('the cover of the want-to-read list is the first picture, and a title card if there is none', async () => {
    await want({ bookId: id('Alice') });
    await want({ seriesId: id('series of Alice') });
    const card = await cover(`/books/${id('Alice')}`);
    assert.ok(card.equals(await cover('/readlists/want-to-read')));
    assert.ok(card.equals(await cover('/collections/want-to-read')));
    await want({ bookId: id('Bees 1') });
    await want({ seriesId: id('series of Bees 1') });
    const picture = await cover(`/books/${id('Bees 1')}`);
    assert.not.ok(picture.equals(card));
    assert.ok(picture.equals(await cover('/readlists/want-to-read')), 'books');
    assert.ok(picture.equals(await cover('/collections/want-to-read')), 'series');
  });
};

block(
  'missing covers of the comic-server API',
  (check) => {
    lists(check);
    queue(check);
    check('no fault was reported', () => assert.equal(temp.faults, []));
  },
  { before: start, after: () => temp.close() },
);
