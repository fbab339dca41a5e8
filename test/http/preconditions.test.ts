// Conditional requests: dates and tags in every combination that has a rule, on files, pages and covers; and what type a file is sent as.
import { copyFileSync, mkdirSync, renameSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixture } from '../../fixtures/index.js';
import { httpSeconds } from '../../http/server/http-date.js';
import { type Answer, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';

let temp: TempApp;
let token = '';
let library = '';
const books = new Map<string, string>();

const MODIFIED_MS = Date.UTC(2001, 1, 3, 4, 5, 6, 789);
const [BEFORE, EXACT, AFTER] = [-2000, 0, 2000].map((ms) => new Date(MODIFIED_MS + ms).toUTCString());

const ask = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET'): Promise<Answer> =>
  temp.call(method, `/api/v1${path}`, { token, headers });

const scan = async (): Promise<void> => {
  await temp.call('POST', `/api/v1/libraries/${library}/scan`, { token });
  await until('the scan ends', async () => (await ask('/scans/active')).json.length === 0);
  books.clear();
  for (const book of (await ask('/books')).json.data) books.set(book.path.slice(temp.shelf.length + 1), book.id);
};

const FILES: readonly (readonly [name: string, source: string, type: string])[] = [
  ['Types/pdf.cbz', 'books/four-pages.pdf', 'application/pdf'],
  ['Types/rar.cbz', 'books/haruko.cbr', 'application/x-rar-compressed'],
  ['Types/zip.cbr', 'books/one-page.cbz', 'application/zip'],
  ['Types/epub.cbz', 'books/epub3-minimal.epub', 'application/epub+zip'],
  ['Types/locked.epub', 'books/enc-aes256-user.pdf', 'application/pdf'],
  ['Types/broken.pdf', 'books/zip-malformed1.cbz', 'application/zip'],
];

const stock = async (): Promise<void> => {
  temp = await tempApp();
  token = await temp.tokenOf('admin');
  writeBook(join(temp.shelf, 'Book', 'book.cbz'), 2, 'book');
  utimesSync(join(temp.shelf, 'Book', 'book.cbz'), MODIFIED_MS / 1000, MODIFIED_MS / 1000);
  mkdirSync(join(temp.shelf, 'Types'));
  for (const [name, source] of FILES) copyFileSync(fixture(source), join(temp.shelf, name));
  writeFileSync(join(temp.shelf, 'Types', 'text.cbz'), 'not a book of any kind');
  library = (await temp.call('POST', '/api/v1/libraries', { token, body: { name: 'Shelf', path: temp.shelf } })).json
    .id;
  await scan();
};

const address = (name: string, part: string): string => `/books/${books.get(name)}/${part}`;

const dates = (check: Check): void => {
  const now = Date.UTC(2026, 0, 1);
  check('the three formats of a date are read', () => {
    const second = Date.UTC(1994, 10, 6, 8, 49, 37) / 1000;
    for (const text of ['Sun, 06 Nov 1994 08:49:37 GMT', 'Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994'])
      assert.is(httpSeconds(text, now), second, text);
    assert.is(httpSeconds('Monday, 01-Jan-76 00:00:00 GMT', now), Date.UTC(2076, 0, 1) / 1000);
    assert.is(httpSeconds('Friday, 01-Jan-77 00:00:00 GMT', now), Date.UTC(1977, 0, 1) / 1000);
  });
  check('anything else is not a date', () => {
    for (const text of [
      '',
      'yesterday',
      '0',
      '1994-11-06T08:49:37Z',
      'Sun, 06 Nov 1994 08:49:37',
      'Sun, 06 Nov 1994 08:49:37 UTC',
      'Sun, 31 Feb 1994 08:49:37 GMT',
      'Sun, 00 Nov 1994 08:49:37 GMT',
      'Sun, 06 Nov 1994 24:00:00 GMT',
      'Sun, 06 NOV 1994 08:49:37 GMT',
      'Sun, 6 Nov 1994 08:49:37 GMT',
    ])
      assert.is(httpSeconds(text, now), undefined, text);
  });
};

type Case = readonly [headers: Readonly<Record<string, string>>, status: number];

const onFiles = (check: Check): void => {
  check('a file: every condition in the order of RFC 9110', async () => {
    const at = address('Book/book.cbz', 'file');
    const whole = await ask(at);
    const tag = whole.header('etag') ?? '';
    assert.equal([whole.status, whole.header('last-modified'), EXACT], [200, EXACT, 'Sat, 03 Feb 2001 04:05:06 GMT']);
    const cases: readonly Case[] = [
      [{ 'if-modified-since': BEFORE ?? '' }, 200],
      [{ 'if-modified-since': EXACT ?? '' }, 304],
      [{ 'if-modified-since': AFTER ?? '' }, 304],
      [{ 'if-modified-since': 'nonsense' }, 200],
      [{ 'if-unmodified-since': BEFORE ?? '' }, 412],
      [{ 'if-unmodified-since': EXACT ?? '' }, 200],
      [{ 'if-unmodified-since': AFTER ?? '' }, 200],
      [{ 'if-unmodified-since': 'nonsense' }, 200],
      [{ 'if-match': tag }, 200],
      [{ 'if-match': `"other", ${tag}` }, 200],
      [{ 'if-match': '*' }, 200],
      [{ 'if-match': '"other"' }, 412],
      [{ 'if-match': `W/${tag}` }, 412],
      [{ 'if-match': tag, 'if-unmodified-since': BEFORE ?? '' }, 200],
      [{ 'if-match': '"other"', 'if-none-match': tag }, 412],
      [{ 'if-match': tag, 'if-none-match': tag }, 304],
      [{ 'if-none-match': tag }, 304],
      [{ 'if-none-match': `W/${tag}` }, 304],
      [{ 'if-none-match': '*' }, 304],
      [{ 'if-none-match': '"other"', 'if-modified-since': AFTER ?? '' }, 200],
      [{ 'if-none-match': tag, 'if-modified-since': BEFORE ?? '' }, 304],
      [{ 'if-unmodified-since': EXACT ?? '', 'if-modified-since': EXACT ?? '' }, 304],
      [{ 'if-match': '"other"', range: 'bytes=0-1' }, 412],
      [{ 'if-match': '"other"', range: 'bytes=999999999-' }, 412],
      [{ 'if-match': tag, range: 'bytes=0-1' }, 206],
      [{ range: 'bytes=0-99999999999999999999' }, 206],
      [{ range: 'Bytes=-99999999999999999999' }, 206],
      [{ range: `bytes=${'9'.repeat(400)}-` }, 416],
      [{ 'if-none-match': tag, range: 'bytes=0-1' }, 304],
      [{ range: 'bytes=0-1', 'if-range': tag }, 206],
      [{ range: 'bytes=0-1', 'if-range': EXACT ?? '' }, 206],
      [{ range: 'bytes=0-1', 'if-range': 'Saturday, 03-Feb-01 04:05:06 GMT' }, 206],
      [{ range: 'bytes=0-1', 'if-range': BEFORE ?? '' }, 200],
      [{ range: 'bytes=0-1', 'if-range': AFTER ?? '' }, 200],
      [{ range: 'bytes=0-1', 'if-range': `W/${tag}` }, 200],
      [{ range: 'bytes=999999999-', 'if-range': '"other"' }, 200],
    ];
    for (const [headers, status] of cases) {
      const answer = await ask(at, headers);
      assert.is(answer.status, status, JSON.stringify(headers));
      if (status === 304) assert.equal([answer.bytes.length, answer.header('etag')], [0, tag]);
      if (status === 412) assert.is(answer.json.error, 'PreconditionFailed');
    }
    const head = await ask(at, { range: 'bytes=0-1' }, 'HEAD');
    assert.equal([head.status, head.header('content-range')], [200, undefined], 'ranges are for GET alone');
    assert.is((await ask(at, { 'if-modified-since': EXACT ?? '' }, 'HEAD')).status, 304);
  });
};

const onPictures = (check: Check): void => {
  for (const part of ['pages/1', 'pages/1?width=1&format=jpeg', 'thumbnail'])
    check(`${part}: tags count, dates are ignored where there is no modification time`, async () => {
      const at = address('Book/book.cbz', part);
      const whole = await ask(at);
      const tag = whole.header('etag') ?? '';
      assert.equal([whole.status, whole.header('last-modified')], [200, undefined]);
      const cases: readonly Case[] = [
        [{ 'if-match': tag }, 200],
        [{ 'if-match': '*' }, 200],
        [{ 'if-match': '"other"' }, 412],
        [{ 'if-match': `W/${tag}` }, 412],
        [{ 'if-match': '"other"', 'if-none-match': tag }, 412],
        [{ 'if-match': tag, 'if-none-match': tag }, 304],
        [{ 'if-modified-since': AFTER ?? '' }, 200],
        [{ 'if-unmodified-since': BEFORE ?? '' }, 200],
      ];
      for (const [headers, status] of cases)
        assert.is((await ask(at, headers)).status, status, JSON.stringify(headers));
    });
  check('covers of series and libraries follow the same rules', async () => {
    const { seriesId } = (await ask(`/books/${books.get('Book/book.cbz')}`)).json;
    for (const at of [`/series/${seriesId}/thumbnail`, `/libraries/${library}/thumbnail`]) {
      const tag = (await ask(at)).header('etag') ?? '';
      assert.is((await ask(at, { 'if-match': '"other"' })).status, 412);
      assert.is((await ask(at, { 'if-match': tag, 'if-none-match': tag })).status, 304);
    }
  });
};

const types = (check: Check): void => {
  check('a file is sent as the type it contains, whatever its name', async () => {
    for (const [name, , type] of FILES) {
      const answer = await ask(address(name, 'file'));
      assert.equal([answer.status, answer.header('content-type')], [200, type], name);
      assert.is(answer.bytes.length, statSync(join(temp.shelf, name)).size);
    }
    assert.is((await ask(address('Types/text.cbz', 'file'))).header('content-type'), 'application/octet-stream');
  });
  check('a file that is renamed keeps its type', async () => {
    renameSync(join(temp.shelf, 'Types/pdf.cbz'), join(temp.shelf, 'Types/other.epub'));
    await scan();
    assert.is((await ask(address('Types/other.epub', 'file'))).header('content-type'), 'application/pdf');
  });
  check('no answer was a server error', () => assert.equal(temp.faults, []));
};

block(
  'conditional requests',
  (check) => {
    for (const part of [dates, onFiles, onPictures, types]) part(check);
  },
  { before: stock, after: () => temp.close() },
);
