// What one list costs everybody else: how many readers it occupies, and whether its reads end when nobody waits for them.
import { listBooks } from '../../core/catalog/list-books.js';
import { ALL_KEYS, hasKey } from '../../core/catalog/query/key-set.js';
import { SetCache } from '../../core/catalog/query/set-cache.js';
import { type IdQuery, idsOf } from '../../core/catalog/sql/predicates.js';
import { AppError } from '../../core/model/errors.js';
import { unrestricted } from '../../core/model/viewer.js';
import type { Db, Reads } from '../../core/store/db.js';
import { tempApp } from '../app.js';
import { assert, block } from '../kit.js';
import { withCatalog } from './random-shelf.js';

const VIEWER = unrestricted(1);

const first = { order: { sort: 'title', descending: false }, window: { page: 1, pageSize: 10 } } as const;

const LISTS = [
  '/books',
  '/books/errors',
  '/books/in-progress',
  '/books/on-deck',
  '/books/recently-added',
  '/books/recently-read',
  '/collections',
  '/genres',
  '/progress',
  '/progress/currently-reading',
  '/readlists',
  '/series',
  '/series/full',
  '/series/in-progress',
  '/series/recently-updated',
  '/tags',
  '/want-to-read',
];

const anyOf = (count: number) => ({
  anyOf: Array.from({ length: count }, (_, n) => ({ summary: { operator: 'contains', value: `word${n}` } })),
});

/** Records the largest number of reads that were waiting or running at the same time. */
const counted = (db: Db): { readonly db: Db; most(): number } => {
  let [now, most] = [0, 0];
  const count = async <T>(read: Promise<T>): Promise<T> => {
    now += 1;
    most = Math.max(most, now);
    return read.finally(() => {
      now -= 1;
    });
  };
  const through = (reads: Reads): Reads => ({
    all: (sql, binds) => count(reads.all(sql, binds)),
    json: (sql, binds) => count(reads.json(sql, binds)),
  });
  return {
    db: { ...db, ...through(db), readsFor: (asker, lane) => through(db.readsFor(asker, lane)) },
    most: () => most,
  };
};

const kindOf = (read: Promise<unknown> | undefined): Promise<string> =>
  Promise.resolve(read).then(
    () => 'read',
    (thrown: unknown) => (thrown instanceof AppError ? thrown.kind : String(thrown)),
  );

/** Records how each read for an asker ended. */
const watched = (db: Db): { readonly db: Db; readonly ended: readonly string[] } => {
  const ended: string[] = [];
  const watch = <T>(read: Promise<T>): Promise<T> => {
    void kindOf(read).then((kind) => ended.push(kind));
    return read;
  };
  const readsFor: Db['readsFor'] = (asker, lane) => {
    const reads = db.readsFor(asker, lane);
    return {
      all: (sql, binds) => watch(reads.all(sql, binds)),
      json: (sql, binds) => watch(reads.json(sql, binds)),
    };
  };
  return { db: { ...db, readsFor }, ended };
};

/** The set of this one key. Reading it takes that many steps. */
const queryTo = (key: number): IdQuery =>
  idsOf('WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < ?) SELECT max(x) AS id FROM c', [
    key,
  ]);

/** Binds of a megabyte, and no row. */
const longQuery = (n: number): IdQuery =>
  idsOf('SELECT id FROM book WHERE id < 0 AND ? IS NULL', [`${n} ${'x'.repeat(1024 * 1024)}`]);

block('reads of a list', (check) => {
  check('the names of cached sets count, so a few with very long names replace each other', () =>
    withCatalog(async ({ db }) => {
      const sets = new SetCache(db);
      for (let n = 0; n < 40; n += 1) await sets.bits('book', longQuery(n));
      assert.is(sets.now('book', longQuery(0)), undefined);
      assert.is.not(sets.now('book', longQuery(39)), undefined);
    }),
  );
  check('the names of cached orders count, so a few with very long names replace each other', () =>
    withCatalog(async ({ db }) => {
      const { orders } = new SetCache(db);
      const none = { skip: 0, size: 1, reversed: false };
      for (let n = 0; n < 40; n += 1) await orders.stretch('book', longQuery(n), { user: 1 }, ALL_KEYS, none);
      assert.equal([orders.cost('book', longQuery(0)), orders.cost('book', longQuery(39))], ['read', 'cached']);
    }),
  );
  check('a condition of many clauses occupies one reader', () =>
    withCatalog(async ({ db }) => {
      const counting = counted(db);
      const parts = { db: counting.db, sets: new SetCache(counting.db) };
      await listBooks(parts, VIEWER, { ...first, condition: anyOf(20) });
      assert.is(counting.most(), 1);
    }),
  );
  check('reading a set continues while anybody waits for it', () =>
    withCatalog(async ({ db }) => {
      const watching = watched(db);
      const sets = new SetCache(watching.db);
      const [leaves, stays] = [new AbortController(), new AbortController()];
      const both = [leaves, stays].map(({ signal }) =>
        sets.bits('book', queryTo(100_000), { user: 1, signal }, 'scan'),
      );
      leaves.abort();
      assert.is(await kindOf(both[0]), 'Cancelled');
      assert.is(hasKey((await both[1]) ?? new Uint32Array(0), 100_000), true);
      assert.equal(watching.ended, ['read']);
    }),
  );
  check('reading a set stops when nobody waits for it, and starts over for the next caller', () =>
    withCatalog(async ({ db }) => {
      const watching = watched(db);
      const sets = new SetCache(watching.db);
      const both = [new AbortController(), new AbortController()];
      const query = queryTo(10_000_000_000);
      const waits = both.map(({ signal }) => kindOf(sets.bits('book', query, { user: 1, signal }, 'scan')));
      for (const one of both) one.abort();
      assert.equal(await Promise.all(waits), ['Cancelled', 'Cancelled']);
      const next = new AbortController();
      const again = kindOf(sets.bits('book', query, { user: 1, signal: next.signal }, 'scan'));
      setImmediate(() => next.abort());
      assert.is(await again, 'Cancelled');
      await sets.bits('book', queryTo(1), { user: 1 }, 'scan'); // the only reader for scans is free
      assert.equal(watching.ended, ['Cancelled', 'Cancelled', 'read']);
    }),
  );
  check('a list reads nothing more once its client has disconnected', () =>
    withCatalog(async ({ db, sets }) => {
      const gone = new AbortController();
      const list = listBooks({ db, sets, signal: gone.signal }, VIEWER, { ...first, condition: anyOf(20) });
      gone.abort();
      assert.is(await kindOf(list), 'Cancelled');
    }),
  );
  check('no list route keeps reading for a client that has disconnected', async () => {
    const { call, tokenOf, close } = await tempApp();
    try {
      const token = await tokenOf('maintainer');
      const create = async (path: string): Promise<string> =>
        (await call('POST', path, { token, body: { name: 'Mine' } })).json.id;
      const collection = `/api/v1/collections/${await create('/api/v1/collections')}`;
      const readList = `/api/v1/readlists/${await create('/api/v1/readlists')}`;
      await call('POST', '/api/v1/series/list/alphabetical-groups', { token, body: {} }); // its set is cached from now on
      const signal = AbortSignal.abort();
      const get = (path: string) => call('GET', path, { token, signal });
      const post = (path: string, body: object) => call('POST', `/api/v1${path}`, { token, signal, body });
      const answers = await Promise.all([
        ...LISTS.map((path) => get(`/api/v1${path}`)),
        ...['', '/series', '/thumbnail'].map((path) => get(`${collection}${path}`)),
        ...['', '/books', '/thumbnail'].map((path) => get(`${readList}${path}`)),
        post('/books/list', { condition: anyOf(2) }),
        post('/series/list', { condition: anyOf(2) }),
        post('/series/list/alphabetical-groups', { fullTextSearch: null }), // another body: no answer that is kept
        post('/series/search', { query: 'word' }),
      ]);
      assert.equal(
        answers.map(({ status, json }) => `${status} ${json?.error}`),
        answers.map(() => '503 Cancelled'),
      );
    } finally {
      await close();
    }
  });
});
