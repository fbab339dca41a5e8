// What the comic-server API says of a book by its kind: single files and folders named like them, copies, damaged books, everybody credited;
// and addresses that are opened in a browser.
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { uuidOfHex } from '../../core/model/ids.js';
import { fixture } from '../../fixtures/index.js';
import { type Answer, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';

let temp: TempApp;
let token: string;

const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
  temp.call(method, `/komga/api/v1${path}`, { token, ...(body === undefined ? {} : { body }) });

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape
const rows = async (path: string): Promise<any[]> => {
  const { status, json, bytes } = await ask('GET', path);
  assert.is(status, 200, `${path}: ${bytes.toString().slice(0, 300)}`);
  return json.content;
};

const namesAt = async (path: string): Promise<string[]> => (await rows(path)).map(({ name }) => name).sort();

const info = (text: string) => [{ name: 'ComicInfo.xml', bytes: Buffer.from(`<ComicInfo>${text}</ComicInfo>`) }];

const BOOKS = 9;

const stock = async (): Promise<void> => {
  temp = await tempApp();
  token = await temp.tokenOf('admin');
  const at = (...parts: string[]) => join(temp.shelf, ...parts);
  writeBook(at('pdf', 'p 1.cbz'), 2, 'p1', info('<Writer>Ann</Writer><Penciller>Zed</Penciller>'));
  writeBook(at('pdf', 'p 2.cbz'), 2, 'p2', info('<Writer>Bo</Writer><Writer>Ann</Writer>'));
  writeBook(at('EPUB', 'e 1.cbz'), 2, 'e1');
  writeBook(at('Saga.epub', 's 1.cbz'), 2, 's1');
  writeBook(at('single.cbz'), 2, 'single');
  mkdirSync(at('Copies'));
  copyFileSync(at('single.cbz'), at('Copies', 'copy.cbz'));
  writeFileSync(at('Copies', 'broken.cbz'), 'no archive');
  mkdirSync(at('Mixed'));
  copyFileSync(fixture('books/epub2-no-cover.epub'), at('Mixed', 'a text.epub'));
  copyFileSync(fixture('books/comic-fxl-rtl.epub'), at('Mixed', 'images.epub'));
  const body = { name: 'Shelf', path: temp.shelf, scanImmediately: true };
  assert.is((await temp.call('POST', '/api/v1/libraries', { token, body })).status, 201);
  await until('all is analysed', async () => {
    const active = await temp.call('GET', '/api/v1/scans/active', { token });
    const all = await rows('/books?size=50');
    return active.json.length === 0 && all.length === BOOKS && all.every(({ media }) => media.status !== 'UNKNOWN');
  });
};

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape
const one = async (kind: 'books' | 'series', name: string): Promise<any> =>
  (await rows(`/${kind}?size=50`)).find((row) => row.name === name);

const kinds = (check: Check): void => {
  check('a folder is no single file, whatever its name', async () => {
    for (const kind of ['books', 'series'] as const) {
      const shown = (await rows(`/${kind}?size=50`)).filter(({ oneshot }) => oneshot).map(({ name }) => name);
      assert.equal(shown, [kind === 'books' ? 'single' : 'single.cbz'], kind);
      assert.equal(await namesAt(`/${kind}?oneshot=true`), shown, kind);
      assert.is((await rows(`/${kind}?oneshot=false&size=50`)).length, kind === 'books' ? BOOKS - 1 : 5, kind);
    }
  });
  check('an EPUB of images is an EPUB that can be read as images', async () => {
    const of = async (name: string) => {
      const { media } = await one('books', name);
      return [media.mediaProfile, media.epubDivinaCompatible];
    };
    assert.equal(await of('images'), ['EPUB', true]);
    assert.equal(await of('a text'), ['EPUB', false]);
    assert.equal(await of('copy'), ['DIVINA', false]);
  });
  check('the people of all books of a series are named, writers first', async () => {
    const { booksMetadata } = await one('series', 'pdf');
    assert.equal(booksMetadata.authors, [
      { name: 'Ann', role: 'writer' },
      { name: 'Bo', role: 'writer' },
      { name: 'Zed', role: 'penciller' },
    ]);
  });
  check('the pages of a damaged book are 404, with the reason', async () => {
    const { id } = await one('books', 'broken');
    for (const path of ['pages', 'pages/1', 'pages/1/thumbnail']) {
      const { status, json } = await ask('GET', `/books/${id}/${path}`);
      assert.is(status, 404, path);
      assert.ok(json.message.length > 0);
    }
    const { id: sound } = await one('books', 'copy');
    assert.is((await ask('GET', `/books/${sound}/pages/99`)).status, 400);
  });
  check('books with the same file are listed, for administrators', async () => {
    await until('files are hashed', async () => (await rows('/books/duplicates')).length === 2);
    assert.equal(await namesAt('/books/duplicates'), ['copy', 'single']);
    assert.equal(await namesAt('/books/duplicates?unpaged=true&sort=fileHash,desc'), ['copy', 'single']);
    assert.is((await rows('/books/duplicates?size=1&page=1')).length, 1);
  });
  check('the cover of a list is that of its first member with a picture', async () => {
    const [text, images] = [await one('books', 'a text'), await one('books', 'images')];
    const card = await ask('GET', `/books/${text.id}/thumbnail`);
    assert.equal([card.status, card.header('content-type')], [200, 'image/jpeg'], 'a title card');
    const body = { name: 'Mixed', ordered: true, bookIds: [text.id, images.id] };
    const { json } = await ask('POST', '/readlists', body);
    const cover = await ask('GET', `/readlists/${json.id}/thumbnail`);
    assert.equal([cover.status, cover.header('content-type')], [200, 'image/jpeg']);
    assert.not.ok(cover.bytes.equals(card.bytes));
    const native = await temp.call('GET', `/api/v1/readlists/${uuidOfHex(json.id)}/thumbnail`, { token });
    assert.equal([native.status, native.header('content-type')], [200, 'image/jpeg']);
  });
  check('addresses of the web client of that server lead to ours', async () => {
    const id = '018900000000700080000000000000aa';
    const cases = [
      ['/komga', './'],
      ['/komga/', '../'],
      [`/komga/series/${id}`, `../../series/${uuidOfHex(id)}`],
      [`/komga/book/${id}`, `../../books/${uuidOfHex(id)}`],
      [`/komga/readlists/${uuidOfHex(id)}`, `../../readlists/${uuidOfHex(id)}`],
      [`/komga/oneshot/${id}`, `../../series/${uuidOfHex(id)}`],
      [`/komga/book/${id}/read?page=3`, `../../../read/${uuidOfHex(id)}`],
      [`/komga/book/${id}/read-epub`, `../../../read/${uuidOfHex(id)}`],
      [`/komga/libraries/${id}`, `../../libraries/${uuidOfHex(id)}`],
      [`/komga/libraries/${id}/series`, `../../../libraries/${uuidOfHex(id)}`],
      [`/komga/libraries/${id}/books`, `../../../libraries/${uuidOfHex(id)}`],
      [`/komga/libraries/${id}/recommended`, `../../../libraries/${uuidOfHex(id)}`],
      [`/komga/libraries/${id}/collections`, '../../../collections'],
      [`/komga/libraries/${id}/readlists`, '../../../readlists'],
      ['/komga/libraries/all/series', '../../../libraries'],
      ['/komga/collections/want-to-read', '../../want-to-read'],
      ['/komga/collections/0SA292X1121SS', '../../collections'],
      ['/komga/book/nonsense', '../../'],
      ['/komga/series/0SA292X1121SS', '../../'],
    ] as const;
    for (const [path, location] of cases) {
      const { status, header } = await temp.call('GET', path);
      assert.equal([status, header('location')], [302, location], path);
    }
  });
};

block('kinds of books in the comic-server API', kinds, { before: stock, after: () => temp.close(), deadlineS: 120 });
