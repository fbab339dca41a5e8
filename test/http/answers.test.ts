// Every answer against the fields and types that clients are compiled for: real requests, real books, all routes of the list.
import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixture } from '../../fixtures/index.js';
import { API, ROOT } from '../../http/api/surface.js';
import { type Answer, type CallOptions, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';
import { askAccounts, askKeysByPage } from './account-answers.js';
import { ANSWERS, faultsOf, isEmptyList } from './answer-shapes.js';
import { askCovers } from './cover-answers.js';
import { askDuplicates } from './duplicate-answers.js';
import { askPreferences, askSettings } from './setting-answers.js';
import { askSharing } from './sharing-answers.js';
import { askTasks } from './task-answers.js';

let temp: TempApp;
let token = '';

const call = (method: string, path: string, body?: unknown, options: CallOptions = {}): Promise<Answer> =>
  temp.call(method, path.startsWith('//') ? path.slice(1) : `/api/v1${path}`, {
    token,
    ...(body === undefined ? {} : { body }),
    ...options,
  });

interface Seen {
  readonly faults: string[];
  hadContent: boolean;
}

/** What each route answered, by its line in the list. */
const seen = new Map<string, Seen>();

/** `row` is a line of the list, its parameters filled in from the left. */
const ask = async (row: string, params: readonly string[], body?: unknown, query = ''): Promise<Answer> => {
  const [method = '', path = ''] = row.split(' ');
  const left = [...params];
  const answer = await call(method, path.replaceAll('{}', () => left.shift() ?? '') + query, body);
  const expected = ANSWERS.get(row);
  const entry = seen.get(row) ?? { faults: [], hadContent: false };
  seen.set(row, entry);
  if (expected === undefined) entry.faults.push('is not on the list');
  else if (answer.status !== expected.status)
    entry.faults.push(`answers ${answer.status}, not ${expected.status}: ${answer.bytes.toString().slice(0, 200)}`);
  else if (expected.type === null) entry.faults.push(...(answer.bytes.length > 0 ? ['has a body'] : []));
  else if (expected.type !== 'bytes') entry.faults.push(...faultsOf(expected.type, answer.json));
  if (answer.bytes.length > 0 && !isEmptyList(answer.json)) entry.hadContent = true;
  return answer;
};

const comicInfo = (text: string) => [{ name: 'ComicInfo.xml', bytes: Buffer.from(`<ComicInfo>${text}</ComicInfo>`) }];

const stock = (): void => {
  const full =
    '<Title>First</Title><Number>1</Number><Volume>2</Volume><Writer>Ann B</Writer><Genre>Noir</Genre><Year>1999</Year><Web>https://example.org/1</Web>';
  writeBook(join(temp.shelf, 'Alpha', 'Alpha 1.cbz'), 3, 'a1', comicInfo(full));
  writeBook(join(temp.shelf, 'Alpha', 'Alpha 2.cbz'), 3, 'a2');
  writeBook(join(temp.shelf, 'Alpha', 'Alpha 3.cbz'), 3, 'a3');
  writeBook(join(temp.shelf, 'Beta', 'Beta 1.cbz'), 2, 'b1');
  mkdirSync(join(temp.shelf, 'Text'), { recursive: true });
  copyFileSync(fixture('books/epub3-minimal.epub'), join(temp.shelf, 'Text', 'text.epub'));
  writeBook(join(temp.shelf, 'Broken', 'broken.cbz'), 1, 'broken');
  writeFileSync(join(temp.shelf, 'Broken', 'broken.cbz'), 'no archive');
};

const idle = (): Promise<void> =>
  until('nothing is scanned', async () => (await call('GET', '/scans/active')).json.length === 0);

const mailedToken = async (): Promise<string | undefined> => {
  await temp.app.mails.idle();
  const folder = join(temp.folder, 'data', 'mails');
  const mail = readFileSync(join(folder, readdirSync(folder)[0] ?? ''), 'utf8');
  return /#token=(\S+)/.exec(mail)?.[1];
};

const librariesAndScans = async (): Promise<string> => {
  const { id } = (await ask('POST /libraries', [], { name: 'Shelf', path: temp.shelf })).json;
  await ask('POST /libraries/{}/scan', [id], undefined, '?mode=deep');
  await ask('POST /libraries/{}/scan/cancel', [id]);
  await idle();
  await ask('POST /libraries/{}/scan', [id], undefined, '?mode=normal');
  await ask('GET /scans/active', []);
  await idle();
  await ask('GET /libraries/{}/scan-status', [id]);
  await ask('GET /libraries', []);
  await ask('GET /libraries/{}', [id]);
  await ask('PATCH /libraries/{}', [id], { description: 'What is here', scanningConfig: { enabled: true } });
  return id;
};

interface Ids {
  readonly library: string;
  readonly series: readonly string[];
  readonly books: readonly string[];
  readonly broken: string;
  readonly epub: string;
}

const idsIn = async (library: string): Promise<Ids> => {
  const series = (await ask('GET /series', [])).json.data;
  const idOf = (title: string): string => series.find((one: { title: string }) => one.title === title).id;
  const booksOf = async (id: string): Promise<string[]> =>
    (await ask('GET /series/{}/books', [id])).json.map((book: { id: string }) => book.id);
  const [broken = ''] = await booksOf(idOf('Broken'));
  const [epub = ''] = await booksOf(idOf('Text'));
  return { library, series: [idOf('Alpha'), idOf('Beta')], books: await booksOf(idOf('Alpha')), broken, epub };
};

const lists = async ({ library }: Ids): Promise<void> => {
  for (const row of ['GET /books', 'GET /books/recently-added', 'GET /series', 'GET /series/full'])
    await ask(row, [], undefined, '?page=1&pageSize=50');
  for (const row of ['GET /series/recently-added', 'GET /series/recently-updated']) await ask(row, []);
  for (const part of ['books', 'books/recently-added', 'series', 'series/recently-added', 'series/recently-updated'])
    await ask(`GET /libraries/{}/${part}`, [library]);
  await ask('POST /books/list', [], { condition: { title: { operator: 'contains', value: 'a' } } });
  await ask('POST /series/list', [], {});
  await ask('POST /series/list/alphabetical-groups', [], {});
  await ask('POST /series/search', [], { query: 'alpha' });
  await ask('GET /books/errors', []);
};

const reading = async ({ library, books, series: [alpha = '', beta = ''] }: Ids): Promise<void> => {
  const [first = '', second = ''] = books;
  await ask('GET /books/{}/progress', [first]).then(() => seen.delete('GET /books/{}/progress')); // nothing read: 204
  await ask('PUT /books/{}/progress', [second], { currentPage: 2 });
  await ask('GET /books/{}/progress', [second]);
  for (const row of ['GET /books/in-progress', 'GET /series/in-progress', 'GET /progress']) await ask(row, []);
  for (const part of ['books/in-progress', 'series/in-progress']) await ask(`GET /libraries/{}/${part}`, [library]);
  await ask('DELETE /books/{}/progress', [second]);
  await ask('POST /books/{}/read', [first]);
  for (const row of ['GET /books/on-deck', 'GET /books/recently-read']) await ask(row, []);
  for (const part of ['on-deck', 'recently-read']) await ask(`GET /libraries/{}/books/${part}`, [library]);
  const { entries } = (await ask('GET /books/{}/read-history', [first])).json;
  await ask('GET /series/{}/read-history', [alpha]);
  await ask('DELETE /books/{}/read-history/{}', [first, entries[0].id]);
  await ask('DELETE /books/{}/read-history', [first]);
  await ask('DELETE /series/{}/read-history', [alpha]);
  await ask('DELETE /user/read-history', []);
  await ask('POST /books/{}/unread', [first]);
  await ask('POST /series/{}/read', [beta]);
  await ask('POST /series/{}/unread', [beta]);
  for (const word of ['read', 'unread']) {
    await ask(`POST /books/bulk/${word}`, [], { bookIds: books });
    await ask(`POST /series/bulk/${word}`, [], { seriesIds: [alpha, beta] });
  }
};

const oneBook = async ({ books, broken, epub }: Ids): Promise<void> => {
  const [first = '', second = ''] = books;
  for (const id of [first, second, broken, epub]) {
    await ask('GET /books/{}', [id]);
    await ask('GET /books/{}/full', [id]);
  }
  for (const id of books) await ask('GET /books/{}/adjacent', [id]);
  await ask('PATCH /books/{}', [second], { title: 'Second', number: 2 });
  await ask('PATCH /books/{}/metadata', [second], { summary: 'text', writer: 'Ann, Bo', bookType: 'comic' });
  await ask('PATCH /books/{}/metadata', [first], { customMetadata: { a: [1] }, awards: [{ name: 'A', won: true }] });
  await ask('PUT /books/{}/metadata', [second], { publisher: 'P' });
  await ask('GET /books/{}/metadata/locks', [second]);
  await ask('PUT /books/{}/metadata/locks', [second], { summaryLock: true });
  await ask('GET /books/{}/pages', [first]);
  await ask('GET /books/{}/pages/{}', [first, '1']);
  for (const part of ['file', 'thumbnail']) await ask(`GET /books/{}/${part}`, [first]);
  await ask('POST /books/{}/analyze', [first]);
  await ask('POST /books/{}/retry', [broken]);
  await ask('POST /books/{}/retry', [broken], { errorTypes: ['parser'] });
  await ask('POST /books/retry-all-errors', [], {});
};

const oneSeries = async ({ series: [id = ''] }: Ids): Promise<void> => {
  await ask('PATCH /series/{}', [id], { title: 'Alpha again' });
  await ask('PATCH /series/{}/metadata', [id], { summary: 'about', authors: [{ name: 'A', role: 'author' }] });
  await ask('PUT /series/{}/metadata', [id], { year: 1999, language: 'en' });
  await ask('PUT /series/{}/metadata/locks', [id], { summary: true });
  await ask('GET /series/{}/metadata/locks', [id]);
  await ask('POST /series/{}/alternate-titles', [id], { label: 'x', title: 'y' });
  const { titles } = (await ask('GET /series/{}/alternate-titles', [id])).json;
  await ask('PATCH /series/{}/alternate-titles/{}', [id, titles[0].id], { title: 'z' });
  for (const row of ['GET /series/{}', 'GET /series/{}/full', 'GET /series/{}/metadata', 'GET /series/{}/thumbnail'])
    await ask(row, [id]);
  await ask('DELETE /series/{}/alternate-titles/{}', [id, titles[0].id]);
  await ask('POST /series/{}/analyze', [id]);
};

const terms = async ({ series: [id = ''] }: Ids): Promise<void> => {
  for (const kind of ['genre', 'tag']) {
    const list = `${kind}s`;
    await ask(`PUT /series/{}/${list}`, [id], { [list]: ['One', 'Two'] });
    const { json } = await ask(`POST /series/{}/${list}`, [id], { name: 'Three' });
    assert.is(json.name, 'Three');
    assert.is((await ask(`GET /series/{}/${list}`, [id])).json[list].length, 3);
    await ask(`DELETE /series/{}/${list}/{}`, [id, json.id]);
    await ask(`GET /${list}`, []);
    await ask(`DELETE /${list}/{}`, [json.id]);
    await ask(`POST /${list}/cleanup`, []);
  }
};

const collected = async ({ series: [alpha = '', beta = ''], books: [first = '', second = ''] }: Ids): Promise<void> => {
  for (const { path, members, many, ids } of [
    { path: '/collections', members: 'series', many: 'seriesIds', ids: [alpha, beta] },
    { path: '/readlists', members: 'books', many: 'bookIds', ids: [first, second] },
  ]) {
    const { id } = (await ask(`POST ${path}`, [], { name: 'A list', ordered: true })).json;
    await ask(`POST ${path}/{}/${members}`, [id], { [many]: ids });
    await ask(`PUT ${path}/{}/${members}`, [id], { [many]: [...ids].reverse() });
    await ask(`GET ${path}`, []);
    await ask(`GET ${path}/{}`, [id]);
    await ask(`GET ${path}/{}/${members}`, [id]);
    await ask(`GET ${path}/{}/thumbnail`, [id]);
    await ask(`GET /${members}/{}${path}`, [ids[0] ?? '']);
    await ask(`PATCH ${path}/{}`, [id], { name: 'Renamed', summary: 'Why' });
    await ask(`DELETE ${path}/{}/${members}/{}`, [id, ids[0] ?? '']);
    await askCovers(ask, path, id, `book:${first}`);
    await ask(`DELETE ${path}/{}`, [id]);
  }
  await askCovers(ask, '/series', alpha, 'default');
  await askCovers(ask, '/books', first, 'page:1');
  const condition = { title: { operator: 'contains', value: 'a' } };
  await ask('POST /collections', [], { name: 'By condition', condition });
};

const wanted = async ({ series: [alpha = '', beta = ''], books: [first = ''] }: Ids): Promise<void> => {
  await ask('POST /want-to-read', [], { bookId: first });
  await ask('POST /want-to-read', [], { seriesId: alpha });
  await ask('POST /want-to-read/bulk', [], { seriesIds: [alpha, beta] });
  await ask('GET /want-to-read', []);
  await ask('DELETE /want-to-read/books/{}', [first]);
  await ask('DELETE /want-to-read/series/{}', [alpha]);
};

const shared = async ({ series: [series = ''] }: Ids): Promise<void> =>
  askSharing(ask, { series, me: (await call('GET', '/auth/me')).json.id });

const settings = async ({ books: [book = ''] }: Ids): Promise<void> => {
  await askPreferences(ask);
  await askSettings(ask, book);
};

const worked = async ({ library, series: [series = ''], books: [book = ''], broken }: Ids): Promise<void> => {
  await askDuplicates(ask, temp, library);
  await askTasks(ask, temp, { library, series, book, broken });
};

const ends = async ({ library, series: [id = ''] }: Ids): Promise<void> => {
  await ask('DELETE /series/{}/metadata', [id]);
  await idle();
  await ask('DELETE /libraries/{}', [library]);
  await ask('POST /auth/logout', []);
};

const shaped = (path: string): string => path.replaceAll(/\{\w+\}/g, '{}');

block(
  'answers contain what clients are compiled for',
  (check) => {
    for (const row of ANSWERS.keys())
      check(row, () => {
        const { faults, hadContent } = seen.get(row) ?? { faults: ['was not asked'], hadContent: false };
        assert.equal(faults, []);
        assert.is(hadContent, ANSWERS.get(row)?.type !== null, 'an answer with something in it');
      });
    check('every route of the list is one of ours', () => {
      const own = new Set(
        [API, ROOT].flatMap(({ prefix, rows }) =>
          rows.map(({ method, path }) => `${method} ${prefix === '' ? '/' : ''}${shaped(path)}`),
        ),
      );
      assert.equal(
        [...ANSWERS.keys()].filter((row) => !own.has(row)),
        [],
      );
    });
    check('no answer was a server error', () => assert.equal(temp.faults, []));
  },
  {
    before: async () => {
      temp = await tempApp({ overrides: [{ key: 'auth.registration_enabled', text: 'true' }] });
      stock();
      await askAccounts(ask, {
        become: (text) => {
          token = text;
        },
        mailedToken,
      });
      await askKeysByPage(ask, await call('GET', '/api-keys?page=1'));
      const ids = await idsIn(await librariesAndScans());
      for (const part of [lists, reading, oneBook, oneSeries, terms, collected, wanted, shared, settings, worked, ends])
        await part(ids);
    },
    after: () => temp.close(),
  },
);
