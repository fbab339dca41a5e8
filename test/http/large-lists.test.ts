// Lists of rows with long summaries: each summary is whole, the list waits for room in memory, and an ordinary page asks nothing more.

import { setImmediate } from 'node:timers/promises';
import { uuidOfHex } from '../../core/model/ids.js';
import { SYSTEM } from '../../core/store/feed.js';
import { type Answer, type TempApp, tempApp } from '../app.js';
import { assert, block } from '../kit.js';
import { insertMany } from '../scan/many-books.js';

const MIB = 1024 * 1024;
const SIZES = [240, ...Array.from({ length: 120 }, () => 4), 100];
/** In every list the limits of summaries differ: those of some rows are read with the row, those of others are not. */
const LENGTHS = [0, 300, 2500, 12_000, 20_000];

let temp: TempApp;
let token: string;
let library: string;
/** The summary of each row, by its id. */
const expected = new Map<string, string | null>();

const ask = (method: string, path: string, body?: unknown): Promise<Answer> =>
  temp.call(method, `/api/v1${path}`, { token, ...(body === undefined ? {} : { body }) });

const textOf = (key: number): string | null => {
  const length = LENGTHS[key % LENGTHS.length] ?? 0;
  return length === 0 ? null : `${key} "${'漫'.repeat(length)}`;
};

const write = (sql: string, binds: readonly (string | number | null)[]): Promise<unknown> =>
  temp.app.db.write(SYSTEM, 'background', (tx) => tx.run(sql, binds));

const summarise = async (): Promise<void> => {
  const { db } = temp.app;
  for (const [table, set] of [
    [
      'book',
      `INSERT INTO book_metadata (book_id, uuid, facts, created_at, updated_at)
       SELECT b.id, b.uuid, json_object('summary', j.value ->> 1), 0, 0 FROM json_each(?) j CROSS JOIN book b ON b.id = j.value ->> 0`,
    ],
    ['series', 'UPDATE series SET summary = j.value ->> 1 FROM json_each(?) j WHERE series.id = j.value ->> 0'],
  ] as const) {
    const rows = await db.all<{ id: number; hex: string }>(`SELECT id, hex(uuid) AS hex FROM ${table}`);
    for (const { id, hex } of rows) expected.set(uuidOfHex(hex), textOf(id));
    await write(set, [JSON.stringify(rows.map(({ id }) => [id, textOf(id)]))]);
  }
};

const setUp = async (): Promise<void> => {
  temp = await tempApp();
  token = await temp.tokenOf('admin');
  await temp.app.db.write(SYSTEM, 'background', (tx) => insertMany(tx, { library: 1, root: temp.shelf, sizes: SIZES }));
  library = (await ask('GET', '/libraries')).json.data[0].id;
  await summarise();
};

type Row = { readonly id: string; readonly summary: string | null };

const rowsOf = ({ status, json }: Answer): readonly Row[] => {
  assert.is(status, 200, JSON.stringify(json).slice(0, 300));
  return json.data ?? json;
};

/** Calls of the database that are not those of lists. */
const questions = async (body: () => Promise<unknown>): Promise<number> => {
  const { db } = temp.app;
  const { all } = db;
  let count = 0;
  Object.assign(db, {
    all: (...args: Parameters<typeof all>) => {
      count += 1;
      return all(...args);
    },
  });
  try {
    await body();
  } finally {
    Object.assign(db, { all });
  }
  return count;
};

const members = async (path: string, of: string, ids: readonly string[]): Promise<string> => {
  const { id } = (await ask('POST', path, { name: of })).json;
  assert.is(
    (await ask('POST', `${path}/${id}/${of}`, { [of === 'books' ? 'bookIds' : 'seriesIds']: ids })).status,
    200,
  );
  return `${path}/${id}/${of}`;
};

const LISTS = async (): Promise<readonly (readonly [method: string, path: string, rows: number, body?: object])[]> => {
  const idsOf = async (path: string): Promise<string[]> => rowsOf(await ask('GET', path)).map(({ id }) => id);
  const books = await idsOf('/books?pageSize=500');
  const series = await idsOf('/series?pageSize=500');
  const { data } = (await ask('GET', '/books?sort=page_count,desc&pageSize=4')).json;
  for (const { id } of data) await ask('PUT', `/books/${id}/progress`, { current_page: 1 });
  return [
    ['GET', '/books?pageSize=500', 500],
    ['GET', '/books?pageSize=100&page=3', 100],
    ['GET', '/books?pageSize=1&page=5', 1],
    ['GET', '/books?sort=last_read,desc&pageSize=500', 500],
    ['GET', `/libraries/${library}/books?pageSize=400`, 400],
    ['POST', '/books/list?pageSize=500', 500, {}],
    ['GET', '/books/recently-added?pageSize=500', 500],
    ['GET', '/books/recently-read?limit=500', 150],
    ['GET', '/books/in-progress?pageSize=500', 4],
    ['GET', '/books/on-deck?pageSize=500', 100],
    ['GET', `/series/${series[0]}/books`, 240],
    ['GET', await members('/readlists', 'books', books), 500],
    ['GET', '/series?pageSize=500', 122],
    ['POST', '/series/list?pageSize=500', 122, {}],
    ['GET', '/series/recently-added?limit=500', 122],
    ['GET', await members('/collections', 'series', series), 122],
  ];
};

block(
  'lists with long summaries',
  (check) => {
    check('each row has its whole summary', async () => {
      for (const [method, path, least, body] of await LISTS()) {
        const rows = rowsOf(await ask(method, path, body));
        assert.ok(rows.length >= least, `${path}: ${rows.length} rows`);
        for (const { id, summary } of rows) assert.is(summary, expected.get(id), path);
      }
    });
    check('the envelope and the links of a large page are those of any page', async () => {
      const { json, header } = await ask('GET', '/books?pageSize=300');
      const { json: small } = await ask('GET', '/books?pageSize=1');
      assert.equal([json.page, json.pageSize, json.total, json.totalPages], [1, 300, small.total, 3]);
      assert.match(json.links.next, 'page=2');
      assert.match(header('link') ?? '', 'rel="next"');
      assert.equal(Object.keys(json), Object.keys(small));
    });
    check('books with errors have theirs, under each kind of error', async () => {
      for (const type of ['metadata', 'thumbnail'])
        await write(
          `INSERT INTO book_error (book_id, type, message, occurred_at) SELECT id, ?, 'odd', id FROM book WHERE deleted = 0 LIMIT 120`,
          [type],
        );
      const { groups } = (await ask('GET', '/books/errors?pageSize=500')).json;
      assert.equal(
        groups.map(({ books }: { books: readonly object[] }) => books.length),
        [120, 120],
      );
      for (const { books } of groups)
        for (const { book } of books) assert.is(book.summary, expected.get(book.id), 'a book with an error');
    });
    check('a large page waits for room in memory; others do not wait behind it', async () => {
      let release = (): void => undefined;
      const held = new Promise<void>((resolve) => {
        release = resolve;
      });
      const holding = temp.app.answers.make({ user: 0 }, { rows: 1, bytes: 48 * MIB }, () => held);
      const order: string[] = [];
      const paths = [
        '/books?pageSize=500',
        '/books?pageSize=100',
        '/series?pageSize=500',
        '/books/errors?pageSize=500',
      ];
      const large = paths.map(async (path) => {
        assert.is((await ask('GET', path)).status, 200, path);
        order.push('large');
      });
      for (let n = 0; n < 20; n += 1) {
        rowsOf(await ask('GET', `/books?pageSize=10&page=${n + 1}`));
        await setImmediate();
      }
      order.push('small ones');
      release();
      await Promise.all([holding, ...large]);
      assert.equal(order, ['small ones', 'large', 'large', 'large', 'large']);
    });
    check('a page of a hundred rows with summaries asks as often as one without', async () => {
      const [last] = rowsOf(await ask('GET', '/series?sort=name,desc&pageSize=1'));
      const path = `/books?series_id=${last?.id}&pageSize=100`;
      const asked = async (summary: string | null): Promise<number> => {
        await write(
          `UPDATE book_metadata SET facts = json_object('summary', ?) WHERE book_id IN
            (SELECT id FROM book WHERE series_id = (SELECT id FROM series WHERE uuid = unhex(?)))`,
          [summary, (last?.id ?? '').replaceAll('-', '')],
        );
        return questions(async () => {
          const rows = rowsOf(await ask('GET', path));
          assert.equal([rows.length, rows[7]?.summary], [100, summary]);
        });
      };
      assert.is(await asked('s'.repeat(9000)), await asked(null));
    });
    check('no answer was a server error', () => assert.equal(temp.faults, []));
  },
  { before: setUp, after: () => temp.close() },
);
