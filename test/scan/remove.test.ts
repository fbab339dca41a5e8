// A library goes a few hundred books at a time: what others see and do between two of its transactions, and what is left when it is cut short.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.js';
import { Removals } from '../../core/scan/remove.js';
import { storeAnalyses } from '../../core/scan/store-analysis.js';
import type { Db } from '../../core/store/db.js';
import { type Answer, type CallOptions, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block, type Check, thrownBy } from '../kit.js';
import { insertMany, WRONG } from './many-books.js';

let temp: TempApp;
let token: string;

const api = (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
  temp.call(method, `/api/v1${path}`, { token, ...options });

/** Removals of the engine, told before each of their transactions begins its work and after each was committed. */
const watched = (before: (count: number) => void, after: (count: number) => Promise<void> | void): Removals => {
  const { db, clock, scans } = temp.app;
  let count = 0;
  const counting: Db = {
    ...db,
    write: async (lane, body) => {
      const done = await db.write(lane, (tx) => {
        count += 1;
        before(count);
        return body(tx);
      });
      await after(count);
      return done;
    },
  };
  return new Removals({ db: counting, clock, scans });
};

/** A long series, many short ones, one without books. */
const SIZES = [3, 0, 1500, ...Array.from({ length: 150 }, (_, at) => 1 + (at % 15)), 400];
const STAYING = [5, 40];

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
      await temp.app.db.write('background', (tx) => insertMany(tx, { library, root, sizes }));
    }
    await use(await idOf(1));
    assert.equal(temp.faults, []);
  } finally {
    await temp.close();
  }
};

const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0);

const checkRows = async (): Promise<void> => {
  const [wrong] = await temp.app.db.all<Record<string, number>>(WRONG);
  assert.equal(wrong, { libraries: 0, series: 0, numbers: 0, reading: 0, digests: 0, words: 0 });
};

const list = async (path: string, body: unknown): Promise<number> => (await api('POST', path, { body })).json.total;

/** Every way to count the books that are there says the same; returns how many those of a library are. */
const checkLists = async (libraryId: string): Promise<number> => {
  const left = (await api('GET', `/libraries/${libraryId}/books?pageSize=1`)).json.total;
  const all = left + sum(STAYING);
  const filtered = { condition: { libraryId: { operator: 'is', value: libraryId } } };
  assert.equal(
    [
      (await api('GET', '/books?pageSize=1')).json.total,
      await list('/books/list', { condition: { pageCount: { operator: 'gte', value: 0 } } }),
      await list('/books/list', { fullTextSearch: 'volume' }),
      await list('/books/list', filtered),
      (await api('GET', `/libraries/${libraryId}`)).json.bookCount,
    ],
    [all, all, all, left, left],
  );
  return left;
};

const between = (check: Check): void => {
  check('a write of somebody else comes between two of its transactions, not after all of them', () =>
    withMany(async (id) => {
      const order: string[] = [];
      const others: Promise<unknown>[] = [];
      const write = (): Promise<unknown> =>
        temp.app.db.write('interactive', async (tx) => {
          await tx.run('UPDATE read_progress SET current_page = 2 WHERE book_id = (SELECT max(id) FROM book)');
          order.push('progress');
        });
      const removals = watched(
        (count) => {
          order.push(String(count));
          if (count === 3) others.push(write());
        },
        () => undefined,
      );
      await removals.remove(id);
      await Promise.all(others);
      assert.equal(order.slice(0, 6), ['1', '2', '3', 'progress', '4', '5']);
      assert.ok(order.length > sum(SIZES) / 500, `${order.length} transactions`);
    }),
  );
  check('counters, words and lists are right at every point; the library is gone at the end, the other as it was', () =>
    withMany(async (id) => {
      const stays = await idOf(2);
      const progress = () =>
        temp.app.db.all('SELECT * FROM read_progress p JOIN book b ON b.id = p.book_id WHERE b.library_id = 2');
      const before = await progress();
      assert.ok(before.length > 0);
      const left: number[] = [];
      const removals = watched(
        () => undefined,
        async () => {
          await checkRows();
          const there = await api('GET', `/libraries/${id}`);
          if (there.status === 200) left.push(await checkLists(id));
          else assert.is(there.status, 404);
        },
      );
      await removals.remove(id);
      assert.equal(
        left,
        left.toSorted((a, b) => b - a),
      );
      assert.ok(new Set(left).size > 5, left.join(' '));
      assert.is((await api('GET', `/libraries/${stays}`)).json.bookCount, sum(STAYING));
      assert.equal(await progress(), before);
      assert.equal(await temp.app.db.all('PRAGMA foreign_key_check'), []);
      const rest = 'SELECT (SELECT count(*) FROM series) AS series, (SELECT count(*) FROM folder) AS folders';
      assert.equal(await temp.app.db.all(rest), [{ series: STAYING.length, folders: STAYING.length }]);
      const again = { name: 'L1', path: join(temp.shelf, '1') };
      assert.is((await api('POST', '/libraries', { body: again })).status, 201);
    }),
  );
  check(
    'books can be read and marked while it goes, no scan of it begins, and a second request waits for the same',
    () =>
      withMany(async (id) => {
        const stays = await idOf(2);
        const { id: book } = (await api('GET', `/libraries/${stays}/books`)).json.data[0];
        const statuses: number[] = [];
        let second: Promise<void> | undefined;
        const removals = watched(
          () => undefined,
          async (count) => {
            if (count !== 2) return;
            second = removals.remove(id);
            for (const [method, path, body] of [
              ['PUT', `/books/${book}/progress`, { current_page: 1 }],
              ['POST', `/libraries/${id}/scan`, undefined],
              ['POST', `/libraries/${stays}/scan`, undefined],
            ] as const)
              statuses.push((await api(method, path, body === undefined ? {} : { body })).status);
          },
        );
        await removals.remove(id);
        await second;
        assert.equal(statuses, [200, 409, 200]);
        assert.is((await api('DELETE', `/libraries/${id}`)).status, 404);
        await until('the scan of the other one ends', () => temp.app.scans.active().length === 0);
      }),
  );
  check('what was analysed while it was removed is not stored', () =>
    withMany(async (id) => {
      const [book] = await temp.app.db.all<{ key: number; id: string; seriesKey: number }>(
        'SELECT id AS key, lower(hex(uuid)) AS id, series_id AS seriesKey, attempts FROM book WHERE library_id = 1 LIMIT 1',
      );
      assert.is((await api('DELETE', `/libraries/${id}`)).status, 204);
      const finished = [{ book, analysis: null, error: new AppError('CorruptArchive') }];
      await storeAnalyses({ ...temp.app } as never, finished as never);
      assert.equal(await temp.app.db.all('SELECT * FROM book_error'), []);
    }),
  );
};

const BOOKS = 130;

const cutShort = (check: Check): void => {
  check(
    'cut short and started again: the library is there, a scan brings its books back, and it can be removed',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'longbox-remove-'));
      try {
        temp = await tempApp({ folder });
        token = await temp.tokenOf('admin');
        for (const name of ['A', 'B'])
          for (let n = 1; n <= BOOKS; n += 1) writeBook(join(temp.shelf, name, `${name} ${n}.cbz`), 1, `${name}${n}`);
        const made = await api('POST', '/libraries', { body: { name: 'S', path: temp.shelf, scanImmediately: true } });
        const id = made.json.id;
        await until('the scan ends', () => temp.app.scans.active().length === 0);
        const { id: first } = (await api('GET', '/books?pageSize=1')).json.data[0];
        assert.is((await api('GET', `/books/${first}/pages/1`)).status, 200);
        const removals = watched(
          () => undefined,
          () => void removals.stop(),
        );
        const thrown = await thrownBy(() => removals.remove(id));
        assert.ok(thrown instanceof AppError && thrown.kind === 'Cancelled', String(thrown));
        assert.is((await api('GET', `/books/${first}/pages/1`)).status, 404);
        await temp.close();

        temp = await tempApp({ folder });
        token = await temp.tokenOf('admin');
        const count = async (): Promise<number> => (await api('GET', `/libraries/${id}`)).json.bookCount;
        const left = await count();
        assert.ok(left > 0 && left < 2 * BOOKS, `${left} books are left`);
        assert.is((await api('POST', `/libraries/${id}/scan`)).status, 200);
        await until('the scan ends', () => temp.app.scans.active().length === 0);
        assert.is(await count(), 2 * BOOKS);
        const numbers = 'SELECT count(DISTINCT number) AS n, max(number) AS last FROM book GROUP BY series_id';
        assert.equal(
          await temp.app.db.all(numbers),
          [1, 2].map(() => ({ n: BOOKS, last: BOOKS })),
        );
        assert.is((await api('DELETE', `/libraries/${id}`)).status, 204);
        assert.equal((await api('GET', '/books')).json.total, 0);
        assert.equal(temp.faults, []);
      } finally {
        await temp.close();
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );
};

block('removing a library', (check) => {
  between(check);
  cutShort(check);
});
