// Pages, covers and files over the API: what is shown, what is refused, tags and ranges.
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fixture } from '../../fixtures/index.js';
import { type Answer, type CallOptions, until } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { type StockedShelf, stockedShelf } from '../shelf.js';

let shelf: StockedShelf;

const api = (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
  shelf.api(method, path, options);
const bookOf = (name: string): ReturnType<StockedShelf['bookOf']> => shelf.bookOf(name);

const pages = (check: Check): void => {
  check('the page list gives name, type, size, and the fault of a page', async () => {
    const { id } = await bookOf('bad-pages');
    const { json } = await api('GET', `/books/${id}/pages`);
    assert.equal(
      json.map((page: { fault: string | null }) => page.fault !== null),
      [false, true, false, false, true, false],
    );
    assert.equal(Object.keys(json[0]).sort(), [
      'bookId',
      'contentBox',
      'fault',
      'fileFormat',
      'fileName',
      'fileSize',
      'height',
      'id',
      'pageNumber',
      'width',
    ]);
    const bad = await api('GET', `/books/${id}/pages/2`);
    assert.equal([bad.status, bad.json.error], [422, 'CorruptPage']);
    // Cut short: what is there is shown, resized as in the original.
    assert.is((await api('GET', `/books/${id}/pages/4?width=50`)).status, 200);
    assert.is((await api('GET', `/books/${id}/pages/6`)).status, 200);
  });
  check('a page outside the book is 404 and names the range', async () => {
    const { id } = await bookOf('six-pages');
    for (const page of [0, 7, -1, 99999999]) {
      const answer = await api('GET', `/books/${id}/pages/${page}`);
      assert.equal([answer.status, answer.json.message], [404, 'This book has pages 1 to 6.']);
    }
  });
  check('a resized page fits the box, is not enlarged, and has the requested type', async () => {
    const { id } = await bookOf('six-pages');
    const cases: readonly (readonly [query: string, type: string])[] = [
      ['width=100', 'image/png'],
      ['height=50&format=jpeg', 'image/jpeg'],
      ['width=6000&format=webp', 'image/webp'],
      ['width=5000', 'image/png'],
      ['format=png', 'image/png'],
    ];
    for (const [query, type] of cases) {
      const first = await api('GET', `/books/${id}/pages/1?${query}`);
      assert.equal([first.status, first.header('content-type')], [200, type], query);
      assert.ok(
        first.bytes.equals((await api('GET', `/books/${id}/pages/1?${query}`)).bytes),
        'the same from the cache',
      );
    }
    const original = await api('GET', `/books/${id}/pages/1`);
    assert.ok(original.bytes.equals((await api('GET', `/books/${id}/pages/1?width=5000`)).bytes), 'never enlarged');
  });
  check('of a hundred sizes of one page requested at once, those beyond the queue are refused at once', async () => {
    const { id } = await bookOf('six-pages');
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, n) => api('GET', `/books/${id}/pages/3?width=${20 + n}`)),
    );
    const refused = answers.filter(({ status }) => status !== 200);
    assert.ok(refused.length > 50, `${refused.length} were refused`);
    for (const answer of refused)
      assert.equal(
        [answer.status, answer.json.error, answer.header('retry-after') !== undefined],
        [503, 'Overloaded', true],
      );
    assert.is((await api('GET', `/books/${id}/pages/3?width=119`)).status, 200);
  });
  check('tags answer 304, differ by page and form, and change with the file', async () => {
    const { id, path } = await bookOf('webtoon-strip');
    const tags = new Set<string>();
    for (const address of [
      `/books/${id}/pages/1`,
      `/books/${id}/pages/2`,
      `/books/${id}/pages/1?width=60`,
      `/books/${id}/thumbnail`,
      `/books/${id}/file`,
    ]) {
      const tag = (await api('GET', address)).header('etag') ?? '';
      tags.add(tag);
      const again = await api('GET', address, { headers: { 'if-none-match': `"other", W/${tag}` } });
      assert.equal([again.status, again.bytes.length, again.header('etag')], [304, 0, tag], address);
    }
    assert.is(tags.size, 5);
    const before = (await api('GET', `/books/${id}/pages/1`)).header('etag');
    writeFileSync(path, readFileSync(fixture('books/six-pages.cbz')));
    await until(
      'the new file is served',
      async () => (await api('GET', `/books/${id}/pages/1`)).header('etag') !== before,
    );
    assert.is((await api('GET', `/books/${id}/pages/5`)).status, 200);
  });
  check('only an address with a version may be cached without revalidation', async () => {
    const { id } = await bookOf('six-pages');
    assert.is((await api('GET', `/books/${id}/pages/1`)).header('cache-control'), 'private, no-cache');
    assert.match((await api('GET', `/books/${id}/pages/1?v=1`)).header('cache-control') ?? '', /immutable/);
  });
  check('a missing file is 404, not a crash', async () => {
    const { id, path } = await bookOf('comicinfo-full');
    assert.equal((await api('GET', `/books/${id}`)).json.metadata.title, 'The Long Night');
    const bytes = readFileSync(path);
    rmSync(path);
    shelf.temp.app.pages.close();
    for (const address of ['pages/1', 'file'])
      assert.is((await api('GET', `/books/${id}/${address}`)).status, 404, address);
    writeFileSync(path, bytes);
  });
};

const files = (check: Check): void => {
  check('ranges of a file: first, middle, last bytes, beyond the end, nonsense, If-Range', async () => {
    const { id, path } = await bookOf('image-zoo');
    const whole = readFileSync(path);
    const ask = (range: string, headers = {}): Promise<Answer> =>
      api('GET', `/books/${id}/file`, { headers: { range, ...headers } });
    const cases: readonly (readonly [string, number, number])[] = [
      ['bytes=0-9', 0, 10],
      ['bytes=100-', 100, whole.length],
      ['bytes=-7', whole.length - 7, whole.length],
      [`bytes=5-${whole.length * 2}`, 5, whole.length],
    ];
    for (const [range, start, end] of cases) {
      const answer = await ask(range);
      assert.equal([answer.status, answer.header('content-range')], [206, `bytes ${start}-${end - 1}/${whole.length}`]);
      assert.ok(answer.bytes.equals(whole.subarray(start, end)), range);
    }
    for (const range of ['bytes=a-b', 'bytes=0-1,4-5', 'pages=1-2', 'bytes=9-5', 'bytes=-'])
      assert.is((await ask(range)).bytes.length, whole.length, range);
    const beyond = await ask(`bytes=${whole.length}-`);
    assert.equal([beyond.status, beyond.header('content-range')], [416, `bytes */${whole.length}`]);
    const tag = (await ask('')).header('etag') ?? '';
    assert.equal(
      [(await ask('bytes=0-1', { 'if-range': tag })).status, (await ask('bytes=0-1', { 'if-range': '"old"' })).status],
      [206, 200],
    );
    assert.match(
      (await ask('')).header('content-disposition') ?? '',
      /^attachment; filename="image-zoo\.cbz"; filename\*=UTF-8''image-zoo\.cbz$/,
    );
  });
};

block(
  'pages and files',
  (check) => {
    pages(check);
    files(check);
    check('no answer was a server error', () => assert.equal(shelf.temp.faults, []));
  },
  {
    before: async () => {
      shelf = await stockedShelf(['six-pages', 'image-zoo', 'bad-pages', 'comicinfo-full', 'webtoon-strip']);
    },
    after: () => shelf.temp.close(),
  },
);
