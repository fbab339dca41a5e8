// Removing a library: from the answer on, none of it can be found, while its rows are deleted a few hundred at a time in the background.

import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { markRemoving } from '../../core/catalog/removal-mark.js';
import { AppError } from '../../core/model/errors.js';
import { Removals } from '../../core/scan/library-removal.js';
import { storeAnalyses } from '../../core/scan/store-analysis.js';
import type { Db } from '../../core/store/db.js';
import { SYSTEM } from '../../core/store/feed.js';
import { TaskRunner } from '../../core/tasks/runner.js';
import { ROUTES } from '../../http/api/rows/index.js';
import { type Answer, type CallOptions, type TempApp, tempApp, until, writeBook } from '../app.js';
import { UNKNOWN_ID } from '../http/row-bodies.js';
import { assert, block, type Check } from '../kit.js';
import { insertMany, WRONG } from './many-books.js';

let temp: TempApp;
let token: string;
/** Runners in addition to the application's. */
let runners: TaskRunner[] = [];

const api = (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
  temp.call(method, `/api/v1${path}`, { token, ...options });

/** A long series, many short ones, one without books. */
const SIZES = [3, 0, 500, ...Array.from({ length: 50 }, (_, at) => 1 + (at % 15)), 200];
const STAYING = [5, 40, 7];

const idOf = async (key: number): Promise<string> => {
  const { json } = await api('GET', '/libraries');
  return json.data.find((library: { name: string }) => library.name === `L${key}`).id;
};

const withMany = async (use: (goingId: string) => Promise<void>): Promise<void> => {
  temp = await tempApp();
  try {
    token = await temp.tokenOf('admin');
    for (const [library, sizes] of [
      [1, SIZES],
      [2, STAYING],
    ] as const) {
      const root = join(temp.shelf, String(library));
      mkdirSync(root);
      await temp.app.db.write(SYSTEM, 'background', (tx) => insertMany(tx, { library, root, sizes }));
    }
    await use(await idOf(1));
    assert.equal(temp.faults, []);
  } finally {
    for (const runner of runners) await runner.stop();
    runners = [];
    await temp.close();
  }
};

const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0);

const rowsLeft = async (): Promise<number> =>
  (await temp.app.db.all<{ n: number }>('SELECT count(*) AS n FROM library WHERE removing = 1'))[0]?.n ?? 0;

const isGone = (): Promise<void> => until('its rows are gone', async () => (await rowsLeft()) === 0);

const LONG = { pageCount: { operator: 'gte', value: 2 } };
const CONDITIONS = [{ allOf: [] }, LONG, { not: LONG }, { readStatus: { operator: 'is', value: 'unread' } }];

const SORTED = ['title,asc', 'created_at,desc', 'series,asc', 'last_read,desc', 'page_count,desc'];
const SERIES_SORTED = ['name,asc', 'date_read,desc', 'book_count,desc'];

const withPages = (path: string): readonly string[] =>
  [1, 4].map((page) => `${path}${path.includes('?') ? '&' : '?'}pageSize=7&page=${page}`);

/** Requests that name nothing in the library. */
const listed = (): readonly (readonly [method: string, path: string, body?: unknown])[] => {
  const plain = ROUTES.filter(
    ({ id, method, path }) =>
      method === 'GET' && !path.includes('{') && !/health|auth|docs|metrics|^\/tasks/.test(path) && id !== 'auth.me',
  ).map(({ path }) => path);
  const sorted = [
    ...SORTED.map((sort) => `/books?sort=${sort}`),
    ...SORTED.map((sort) => `/books?includeDeleted=true&sort=${sort}`),
    ...SERIES_SORTED.map((sort) => `/series?sort=${sort}`),
  ];
  return [
    ...[...plain, ...sorted].flatMap(withPages).map((path) => ['GET', path] as const),
    ...SORTED.flatMap((sort) =>
      CONDITIONS.map((condition) => ['POST', `/books/list?pageSize=9&page=2&sort=${sort}`, { condition }] as const),
    ),
    ['POST', '/books/list?pageSize=9', { fullTextSearch: 'volume' }],
    ['POST', '/series/list?pageSize=9', { condition: { allOf: [] } }],
    ['POST', '/series/list/alphabetical-groups', {}],
  ];
};

/** Requests by the ids of things in the library. */
const named = (ids: Readonly<Record<string, string>>): readonly string[] =>
  ROUTES.filter(({ method, path }) => method === 'GET' && /^\/(?:books|series|libraries)\/\{/.test(path)).map(
    ({ path }) =>
      path
        .replace(/\{(?:id|book_id|series_id)\}/, ids[path.split('/')[1] ?? ''] ?? '')
        .replace(/\{(?:page_number|path\*)\}/, '1')
        .replace('{profile}', 'divina')
        .replace('{cover_id}', UNKNOWN_ID),
  );

const answersOf = async (collections: readonly string[]): Promise<string[]> => {
  const answers: string[] = [];
  for (const [method, path, body] of [...listed(), ...collections.map((path) => ['GET', path] as const)]) {
    const { status, json } = await api(method, path, body === undefined ? {} : { body });
    answers.push(`${method} ${path} ${JSON.stringify(body)} ${status} ${JSON.stringify(json)}`);
  }
  return answers;
};

/** Lists with members from both libraries. */
const fillLists = async (): Promise<readonly string[]> => {
  const all = async (path: string): Promise<string[]> =>
    (await api('GET', path)).json.data.map(({ id }: { id: string }) => id);
  const paths: string[] = [];
  for (const [kind, members, field] of [
    ['collections', 'series', 'seriesIds'],
    ['readlists', 'books', 'bookIds'],
  ] as const) {
    const { id } = (await api('POST', `/${kind}`, { body: { name: 'Both' } })).json;
    for (const library of [1, 2]) {
      const ids = await all(`/libraries/${await idOf(library)}/${members}?pageSize=3`);
      assert.is((await api('POST', `/${kind}/${id}/${members}`, { body: { [field]: ids } })).status, 200);
    }
    paths.push(`/${kind}/${id}`, `/${kind}/${id}/${members}`);
  }
  const condition = { name: { operator: 'beginsWith', value: 's' } };
  const automatic = await api('POST', '/collections', { body: { name: 'Automatic', condition } });
  return [...paths, `/collections/${automatic.json.id}`, `/collections/${automatic.json.id}/series`];
};

const hidden = (check: Check): void => {
  check('lists give the same answers right after the mark as when all rows are gone', () =>
    withMany(async (id) => {
      const collections = await fillLists();
      const before = await answersOf(collections);
      await temp.app.db.write(SYSTEM, 'interactive', (tx) => markRemoving(tx, id));
      await temp.app.removals.load();
      const marked = await answersOf(collections);
      await temp.app.removals.resume();
      await isGone();
      const gone = await answersOf(collections);
      for (const [at, answer] of marked.entries()) assert.is(answer, gone[at]);
      const changed = before.filter((answer, at) => answer !== gone[at]).length;
      assert.ok(changed > before.length * 0.4, `${changed} of ${before.length} answers changed`);
    }),
  );
  check('nothing in it is found by its id, while all rows still exist', () =>
    withMany(async (id) => {
      const book = (await api('GET', `/libraries/${id}/books`)).json.data[0].id;
      const series = (await api('GET', `/libraries/${id}/series`)).json.data[0].id;
      const paths = named({ books: book, series, libraries: id });
      assert.ok(paths.length > 30, String(paths.length));
      assert.is((await api('GET', `/books/${book}/pages`)).status, 200); // it is in memory from here on
      await temp.app.db.write(SYSTEM, 'interactive', (tx) => markRemoving(tx, id));
      await temp.app.removals.load();
      for (const path of paths) assert.is((await api('GET', path)).status, 404, path);
      assert.is((await api('PUT', `/books/${book}/progress`, { body: { current_page: 1 } })).status, 404);
      for (const path of [`/books/${book}/analyze`, `/series/${series}/analyze`, `/libraries/${id}/scan`])
        assert.is((await api('POST', path)).status, 404, path);
      assert.is((await api('PATCH', `/libraries/${id}`, { body: { name: 'N' } })).status, 404);
      assert.is((await api('DELETE', `/libraries/${id}`)).status, 404);
      const wanted = { body: { bookId: book } };
      assert.is((await api('POST', '/want-to-read', wanted)).status, 404);
      const condition = { libraryId: { operator: 'is', value: id } };
      assert.is((await api('POST', '/books/list', { body: { condition } })).json.total, 0);
    }),
  );
  check('its name and path are free at once, and new rows there do not mix with the old ones', () =>
    withMany(async (id) => {
      const root = join(temp.shelf, '1');
      writeBook(join(root, 's0000', '01'), 1, 'other');
      writeBook(join(root, 'New', 'New 1.cbz'), 1, 'new');
      assert.is((await api('DELETE', `/libraries/${id}`)).status, 204);
      const made = await api('POST', '/libraries', { body: { name: 'L1', path: root, scanImmediately: true } });
      assert.is(made.status, 201);
      await until('the scan ends', () => temp.app.scans.active().length === 0);
      await isGone();
      assert.is((await api('GET', `/libraries/${made.json.id}`)).json.bookCount, 1);
      assert.is((await api('GET', '/books')).json.total, sum(STAYING) + 1);
    }),
  );
};

/** A removal of the engine's library by a test runner, which reports each of its transactions. */
const watched = (before: (count: number) => void, after: () => Promise<void>): Removals => {
  const { db, clock, scans } = temp.app;
  let count = 0;
  const counting: Db = {
    ...db,
    write: async (by, lane, body) => {
      if (lane === 'interactive') return db.write(by, lane, body);
      const done = await db.write(by, lane, (tx) => {
        count += 1;
        before(count);
        return body(tx);
      });
      await after();
      return done;
    },
  };
  const onFault = (thrown: unknown): void => void temp.faults.push(thrown);
  const tasks = new TaskRunner({ db: counting, clock, lanes: { removal: 1 }, onFault });
  const removals = new Removals({ db: counting, scans, tasks, onChange: () => undefined, onFault });
  runners.push(tasks);
  tasks.start();
  return removals;
};

const between = (check: Check): void => {
  check('other writes run between two of its transactions, not after all of them', () =>
    withMany(async (id) => {
      const order: string[] = [];
      const others: Promise<unknown>[] = [];
      const write = (): Promise<unknown> =>
        temp.app.db.write(SYSTEM, 'interactive', async (tx) => {
          await tx.run('UPDATE read_progress SET current_page = 2 WHERE book_id = (SELECT max(id) FROM book)');
          order.push('write');
        });
      const removals = watched(
        (count) => {
          order.push('removal');
          if (count === 5) others.push(write());
        },
        async () => undefined,
      );
      await removals.remove(id, SYSTEM);
      await isGone();
      await Promise.all(others);
      assert.is(order.indexOf('write'), 5);
      assert.ok(order.length > sum(SIZES) / 500, `${order.length} transactions`);
    }),
  );
  check('the other library is unchanged, and nothing is left of the removed one', () =>
    withMany(async (id) => {
      const stays = await idOf(2);
      const progress = () =>
        temp.app.db.all('SELECT * FROM read_progress p JOIN book b ON b.id = p.book_id WHERE b.library_id = 2');
      const before = await progress();
      assert.ok(before.length > 0);
      const totals = new Set<number>();
      const removals = watched(
        () => undefined,
        async () => {
          if ((await rowsLeft()) === 1) totals.add((await api('GET', '/books?pageSize=1')).json.total);
        },
      );
      // The lists belong to the engine, whose own removals must know of it.
      await removals.remove(id, SYSTEM);
      await temp.app.removals.load();
      await isGone();
      totals.delete(sum(STAYING) + sum(SIZES));
      assert.equal([...totals], [sum(STAYING)]);
      assert.is((await api('GET', `/libraries/${stays}`)).json.bookCount, sum(STAYING));
      assert.equal(await progress(), before);
      assert.equal(await temp.app.db.all('PRAGMA foreign_key_check'), []);
      const rest = 'SELECT (SELECT count(*) FROM series) AS series, (SELECT count(*) FROM folder) AS folders';
      assert.equal(await temp.app.db.all(rest), [{ series: STAYING.length, folders: STAYING.length }]);
      const [wrong] = await temp.app.db.all<Record<string, number>>(WRONG);
      assert.equal(new Set(Object.values(wrong ?? {})), new Set([0]), JSON.stringify(wrong));
    }),
  );
  check('results of analyses during the removal are not stored', () =>
    withMany(async (id) => {
      const [book] = await temp.app.db.all<{ key: number; id: string; seriesKey: number }>(
        'SELECT id AS key, lower(hex(uuid)) AS id, series_id AS seriesKey, attempts FROM book WHERE library_id = 1 LIMIT 1',
      );
      assert.is((await api('DELETE', `/libraries/${id}`)).status, 204);
      await isGone();
      const finished = [{ book, analysis: null, error: new AppError('CorruptArchive') }];
      await storeAnalyses({ ...temp.app } as never, finished as never);
      assert.equal(await temp.app.db.all('SELECT * FROM book_error'), []);
    }),
  );
  check('a scan of it ends first', async () => {
    temp = await tempApp();
    try {
      token = await temp.tokenOf('admin');
      for (let n = 1; n <= 60; n += 1) writeBook(join(temp.shelf, 'A', `A ${n}.cbz`), 1, `A${n}`);
      const made = await api('POST', '/libraries', { body: { name: 'S', path: temp.shelf, scanImmediately: true } });
      await until('a book is there', async () => (await api('GET', '/books?pageSize=1')).json.total > 0);
      assert.is((await api('DELETE', `/libraries/${made.json.id}`)).status, 204);
      assert.is((await api('GET', '/books?pageSize=1')).json.total, 0);
      await isGone();
      assert.equal(temp.app.scans.active(), []);
      assert.equal(await temp.app.db.all('SELECT id FROM book'), []);
      assert.equal(temp.faults, []);
    } finally {
      await temp.close();
    }
  });
};

block('removing a library', (check) => {
  hidden(check);
  between(check);
});
