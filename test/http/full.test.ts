// Full records in lists: each row equals the answer for that row alone with full=true, and a page of many rows takes no more queries.

import { AsyncLocalStorage } from 'node:async_hooks';
import { join } from 'node:path';
import type { Reads } from '../../core/store/db.js';
import { SYSTEM } from '../../core/store/feed.js';
import { type Answer, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';

let temp: TempApp;
let token: string;
let library: string;
let series: string;

const BOOKS = 12;

const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
  temp.call(method, `/api/v1${path}`, { token, ...(body === undefined ? {} : { body }) });

type Row = { readonly id: string };

const rowsOf = ({ status, json }: Answer): readonly Row[] => {
  assert.is(status, 200, JSON.stringify(json));
  return json.data ?? json;
};

const setUp = async (): Promise<void> => {
  temp = await tempApp();
  token = await temp.tokenOf('admin');
  for (let n = 1; n <= BOOKS; n += 1)
    for (const name of ['Alpha', 'Beta']) writeBook(join(temp.shelf, name, `${name} ${n}.cbz`), 3, `${name} ${n}`);
  for (let n = 1; n <= BOOKS; n += 1) writeBook(join(temp.shelf, `Other ${n}`, 'x.cbz'), 3, `other ${n}`);
  library = (await ask('POST', '/libraries', { name: 'Shelf', path: temp.shelf, scanImmediately: true })).json.id;
  await until('all books are analysed', async () => {
    const { data } = (await ask('GET', '/books?pageSize=500')).json;
    return data.length === 3 * BOOKS && data.every((book: { analyzed: boolean }) => book.analyzed);
  });
  const [first, second] = rowsOf(await ask('GET', '/series'));
  series = first?.id ?? '';
  const [one, two, three] = rowsOf(await ask('GET', `/series/${series}/books`));
  await ask('PATCH', `/books/${one?.id}/metadata`, {
    summary: 'text',
    authors: [{ name: 'A', role: 'writer' }],
    volume: 3,
  });
  await ask('PUT', `/books/${one?.id}/genres`, { genres: ['Noir', 'Action'] });
  await ask('PUT', `/books/${two?.id}/tags`, { tags: ['b', 'a'] });
  await ask('PUT', `/series/${series}/genres`, { genres: ['Drama', 'Action'] });
  await ask('PUT', `/series/${second?.id}/tags`, { tags: ['long'] });
  await ask('PATCH', `/series/${series}/metadata`, { summary: 'about', publisher: 'P', year: 1999 });
  for (const title of ['Zwei', 'Deux']) await ask('POST', `/series/${series}/alternate-titles`, { label: 'x', title });
  for (let n = 0; n < 2; n += 1) {
    await ask('POST', `/books/${one?.id}/read`);
    if (n === 0) await ask('POST', `/books/${one?.id}/unread`);
    temp.advance(60_000);
  }
  await ask('POST', `/series/${second?.id}/read`);
  await ask('PUT', `/books/${three?.id}/progress`, { current_page: 2 });
};

/** Lists, and whether they have something to show here. */
const LISTS = (): readonly (readonly [method: string, path: string, of: 'books' | 'series', body?: object])[] => [
  ['GET', '/books', 'books'],
  ['GET', '/books?sort=title,desc&page=2&pageSize=7', 'books'],
  ['GET', `/libraries/${library}/books`, 'books'],
  ['GET', `/series/${series}/books`, 'books'],
  ['GET', '/books/in-progress', 'books'],
  ['GET', '/books/recently-added', 'books'],
  ['GET', '/books/recently-read', 'books'],
  ['GET', `/libraries/${library}/books/recently-read`, 'books'],
  ['POST', '/books/list', 'books', { fullTextSearch: 'alpha' }],
  ['GET', '/series', 'series'],
  ['GET', `/libraries/${library}/series`, 'series'],
  ['GET', '/series/in-progress', 'series'],
  ['GET', '/series/recently-added', 'series'],
  ['GET', `/libraries/${library}/series/recently-updated`, 'series'],
  ['POST', '/series/list', 'series', {}],
];

const withFull = (path: string): string => `${path}${path.includes('?') ? '&' : '?'}full=true`;

/** How many queries it takes; those of background work, which may run meanwhile, are not counted. */
const queriesIn = async (body: () => Promise<unknown>): Promise<number> => {
  const { db } = temp.app;
  const { all, json, readsFor } = db;
  let count = 0;
  const ours = new AsyncLocalStorage<true>();
  const counting = <R extends Pick<Reads, 'all' | 'json'>>(reads: R): Pick<Reads, 'all' | 'json'> => ({
    all: (...args) => {
      if (ours.getStore()) count += 1;
      return reads.all(...args);
    },
    json: (...args) => {
      if (ours.getStore()) count += 1;
      return reads.json(...args);
    },
  });
  const counted = (...args: Parameters<typeof readsFor>): Reads => {
    const reads = readsFor(...args);
    return { ...reads, ...counting(reads) };
  };
  Object.assign(db, { ...counting({ all, json }), readsFor: counted });
  try {
    await ours.run(true, body);
  } finally {
    Object.assign(db, { all, json, readsFor });
  }
  return count;
};

block(
  'full records in lists',
  (check) => {
    check('each row is the full record, in the order of the list', async () => {
      for (const [method, path, of, body] of LISTS()) {
        const plain = rowsOf(await ask(method, path, body));
        const full = rowsOf(await ask(method, withFull(path), body));
        assert.ok(full.length > 0, path);
        const alone = full.map(async ({ id }) => (await ask('GET', `/${of}/${id}?full=true`)).json);
        assert.equal(full, await Promise.all(alone), path);
        assert.equal(
          full.map(({ id }) => id),
          plain.map(({ id }) => id),
          path,
        );
        assert.not.equal(full, plain, path);
        assert.equal(
          rowsOf(await ask(method, path.includes('?') ? `${path}&full=false` : `${path}?full=0`, body)),
          plain,
        );
      }
    });
    check('the content of the records', async () => {
      const [one] = (await ask('GET', withFull(`/series/${series}/books`))).json;
      assert.equal(
        [one.readCount, one.metadata.writer, one.metadata.summary, one.metadata.volume],
        [2, 'A', 'text', 3],
      );
      assert.equal(
        one.genres.map(({ name }: { name: string }) => name),
        ['Action', 'Noir'],
      );
      const [first, second] = (await ask('GET', withFull('/series'))).json.data;
      // One book of the first series was read twice and the others never; each book of the second once.
      assert.equal([first.readCount, second.readCount, first.metadata.publisher], [0, 1, 'P']);
      assert.equal(
        [first.alternateTitles, first.genres, second.tags].map((list) => list.length),
        [2, 2, 1],
      );
    });
    check('a search requests it in the body, and links keep it', async () => {
      const found = rowsOf(await ask('POST', '/series/search', { query: 'alp', full: true }));
      assert.equal(found, [(await ask('GET', `/series/${series}?full=true`)).json]);
      assert.equal(rowsOf(await ask('POST', '/series/search', { query: 'nothing', full: true })), []);
      assert.match((await ask('GET', '/books?full=true&pageSize=2')).json.links.next, 'full=true');
      assert.equal(rowsOf(await ask('GET', withFull('/books?page=99'))), []);
      for (const path of ['/books?full=maybe', '/series/recently-added?full=2'])
        assert.equal((await ask('GET', path)).json.details[0].path, 'full');
    });
    check('many rows take as many queries as one', async () => {
      for (const path of ['/books', '/series']) {
        // Rows that are kept take none.
        const of = (size: number) =>
          queriesIn(() => temp.remake('GET', `/api/v1${withFull(`${path}?pageSize=${size}`)}`, { token }));
        const few = await of(1);
        assert.ok(few > 1, path);
        assert.is(await of(BOOKS), few, path);
      }
    });
    check('an answer that would be too large is refused and says what to do; a single row is answered', async () => {
      await temp.app.db.write(SYSTEM, 'background', async (tx) => {
        const facts = "json_object('summary', printf('%.*c', 3000000, 's'))";
        await tx.run(
          `INSERT OR REPLACE INTO book_metadata (book_id, uuid, facts, created_at, updated_at) SELECT id, uuid, ${facts}, 0, 0 FROM book
           WHERE series_id = (SELECT id FROM series WHERE uuid = unhex(?))`,
          [series.replaceAll('-', '')],
        );
      });
      for (const path of [
        `/series/${series}/books`,
        withFull(`/series/${series}/books`),
        withFull(`/books?series_id=${series}`),
        `/books?series_id=${series}`,
      ]) {
        const { status, json } = await ask('GET', path);
        assert.is(status, 400, path);
        assert.match(json.message, /pages of about 1[01] rows/);
      }
      const [one] = rowsOf(await ask('GET', withFull(`/books?series_id=${series}&pageSize=1`)));
      assert.is((await ask('GET', `/books/${one?.id}?full=true`)).status, 200);
    });
    check('no answer was a server error', () => assert.equal(temp.faults, []));
  },
  { before: setUp, after: () => temp.close() },
);
