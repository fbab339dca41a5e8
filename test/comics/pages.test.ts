// Pages, covers, files and neighbours over the comic-server API.
import { copyFileSync, mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { imageSize } from 'image-size';
import { uuidOfHex } from '../../core/model/ids.js';
import { fixture } from '../../fixtures/index.js';
import { type Answer, type CallOptions, type TempApp, tempApp, until, writeBook } from '../app.js';
import { book, bookPage } from '../apps/comic-shapes.js';
import { listOf } from '../apps/strict.js';
import { assert, block, type Check } from '../kit.js';

let temp: TempApp;
let token: string;

const ask = (path: string, options: CallOptions = {}): Promise<Answer> =>
  temp.call('GET', `/komga/api/v1${path}`, { token, ...options });

const idOf = async (name: string): Promise<string> => {
  const { json } = await ask('/books?unpaged=true');
  return json.content.find((one: { name: string }) => one.name === name).id;
};

const FILES = ['four-pages.pdf', 'image-formats.cbz', 'incomplete-theft.epub', 'comic-fxl-rtl.epub'];

const stock = async (): Promise<void> => {
  for (const n of [1, 2, 3]) writeBook(join(temp.shelf, 'Zot', `Zot ${n}.cbz`), 4, `zot ${n}`);
  mkdirSync(join(temp.shelf, 'Mixed'));
  for (const name of FILES) copyFileSync(fixture(`books/${name}`), join(temp.shelf, 'Mixed', name));
  await temp.call('POST', '/api/v1/libraries', {
    token,
    body: { name: 'Shelf', path: temp.shelf, scanImmediately: true },
  });
  await until('all books are analysed', async () => {
    const { json } = await ask('/books?unpaged=true');
    const statuses = json.content.map(({ media }: { media: { status: string } }) => media.status);
    return statuses.length === FILES.length + 3 && statuses.every((status: string) => status === 'READY');
  });
};

const pages = (check: Check): void => {
  check('pages are listed as they are sent', async () => {
    for (const name of ['Zot 1', 'four-pages', 'image-formats']) {
      const id = await idOf(name);
      const { json } = await ask(`/books/${id}/pages`);
      listOf(bookPage)(json, '');
      for (const { number, mediaType, size, sizeBytes } of json) {
        assert.is(size === '', sizeBytes === 0, `${name} ${number}: ${size}`);
        if (name === 'four-pages') assert.is(size, '');
        const image = await ask(`/books/${id}/pages/${number}`);
        assert.equal([image.status, image.header('content-type')], [200, mediaType], `${name} ${number}`);
      }
    }
  });
  check(
    'a page says when its file was changed, and is not sent again to a client that has had it since then',
    async () => {
      for (const path of [
        `/books/${await idOf('Zot 1')}/pages/1`,
        `/books/${await idOf('Zot 1')}/pages/1?convert=jpeg`,
      ]) {
        const changed = (await ask(path)).header('last-modified') ?? '';
        const file = statSync(join(temp.shelf, 'Zot', 'Zot 1.cbz')).mtime.toUTCString();
        assert.is(changed, file);
        const since = (time: string, headers = {}) => ask(path, { headers: { 'if-modified-since': time, ...headers } });
        const kept = await since(changed);
        assert.equal([kept.status, kept.bytes.length, kept.header('last-modified')], [304, 0, changed]);
        assert.is((await since(new Date(0).toUTCString())).status, 200);
        assert.is((await since(changed, { 'if-none-match': '"other"' })).status, 200, 'a tag counts before a time');
      }
    },
  );
  check('a page is converted to jpeg or png, and to nothing else', async () => {
    const id = await idOf('Zot 1');
    for (const format of ['jpeg', 'png'])
      assert.is((await ask(`/books/${id}/pages/1?convert=${format}`)).header('content-type'), `image/${format}`);
    assert.is((await ask(`/books/${id}/pages/1?convert=webp`)).status, 400);
  });
  check('pages are counted from 1, or from 0 on request; outside is 400, and another book 404', async () => {
    const id = await idOf('Zot 1');
    const second = await ask(`/books/${id}/pages/2`);
    assert.equal((await ask(`/books/${id}/pages/1?zero_based=true`)).bytes, second.bytes);
    for (const path of ['0', '5', '-1', '4?zero_based=true', 'x', '9999999999999'])
      assert.is((await ask(`/books/${id}/pages/${path}`)).status, 400, path);
    assert.is((await ask(`/books/${'0'.repeat(32)}/pages/1`)).status, 404);
  });
  check('a page is what the native API sends, and has its tag', async () => {
    const id = await idOf('Zot 1');
    const native = await temp.call('GET', `/api/v1/books/${uuidOfHex(id)}/pages/2`, { token });
    const own = await ask(`/books/${id}/pages/2`);
    assert.equal([own.bytes, own.header('etag')], [native.bytes, native.header('etag')]);
    const again = await ask(`/books/${id}/pages/2`, { headers: { 'if-none-match': own.header('etag') ?? '' } });
    assert.is(again.status, 304);
  });
  check('a small page fits 300 pixels', async () => {
    const id = await idOf('four-pages');
    const { bytes, header } = await ask(`/books/${id}/pages/1/thumbnail`);
    const { width = 0, height = 0 } = imageSize(bytes);
    assert.is(header('content-type'), 'image/jpeg');
    assert.is(Math.max(width, height), 300);
  });
};

const others = (check: Check): void => {
  check('neighbours in the series; none is 404', async () => {
    const [first, second, third] = [await idOf('Zot 1'), await idOf('Zot 2'), await idOf('Zot 3')];
    const next = (await ask(`/books/${first}/next`)).json;
    book(next, '');
    assert.is(next.id, second);
    assert.is((await ask(`/books/${third}/previous`)).json.id, second);
    assert.is((await ask(`/books/${first}/previous`)).status, 404);
    assert.is((await ask(`/books/${third}/next`)).status, 404);
  });
  check('the file has its name in both spellings, and is sent in ranges', async () => {
    const id = await idOf('Zot 1');
    const whole = await ask(`/books/${id}/file`);
    assert.is(whole.header('content-disposition'), `attachment; filename="Zot 1.cbz"; filename*=UTF-8''Zot%201.cbz`);
    const part = await ask(`/books/${id}/file`, { headers: { range: 'bytes=10-19' } });
    assert.equal([part.status, part.header('content-range')], [206, `bytes 10-19/${whole.bytes.length}`]);
    assert.equal(part.bytes, whole.bytes.subarray(10, 20));
    assert.is((await ask(`/books/${id}/file`, { headers: { range: 'bytes=9999999-' } })).status, 416);
  });
  check('profiles say which books are pictures', async () => {
    const profile = async (name: string): Promise<unknown> => {
      const { media } = (await ask(`/books/${await idOf(name)}`)).json;
      return [media.mediaProfile, media.epubDivinaCompatible];
    };
    assert.equal(await profile('Zot 1'), ['DIVINA', false]);
    assert.equal(await profile('four-pages'), ['PDF', false]);
    assert.equal(await profile('incomplete-theft'), ['EPUB', false]);
    assert.equal(await profile('comic-fxl-rtl'), ['EPUB', true]);
  });
};

block(
  'pages of the comic-server API',
  (check) => {
    for (const part of [pages, others]) part(check);
  },
  {
    before: async () => {
      temp = await tempApp();
      token = await temp.tokenOf('admin');
      await stock();
      token = await temp.tokenOf('reader');
    },
    after: () => temp.close(),
    deadlineS: 120,
  },
);
