// Moved and renamed files: what an interrupted scan does, how much is read, and what is never given up.

import { readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.js';
import { SYSTEM } from '../../core/store/feed.js';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';

interface Row {
  readonly id: string;
  readonly title: string;
  readonly seriesId: string;
  readonly seriesName: string;
}

interface Shelf {
  readonly temp: TempApp;
  readonly token: string;
  /** Scans and returns how it ended. */
  scan(query?: string): Promise<string>;
  books(): Promise<Row[]>;
  path(...parts: readonly string[]): string;
}

const withShelf = async (counts: Readonly<Record<string, number>>, use: (shelf: Shelf) => Promise<void>) => {
  const temp = await tempApp();
  try {
    const token = await temp.tokenOf('admin');
    for (const [series, count] of Object.entries(counts))
      for (let n = 1; n <= count; n += 1)
        writeBook(join(temp.shelf, series, `${series} ${n}.cbz`), 1, `${series} ${n}`.padEnd(5000 + n));
    const made = await temp.call('POST', '/api/v1/libraries', { token, body: { name: 'Shelf', path: temp.shelf } });
    const address = `/api/v1/libraries/${made.json.id}`;
    const shelf: Shelf = {
      temp,
      token,
      scan: async (query = '') => {
        temp.advance(1000);
        const started = await temp.call('POST', `${address}/scan${query}`, { token });
        assert.is(started.status, 200, started.json?.message);
        await until('the scan ends', () => temp.app.scans.active().length === 0);
        return (await temp.call('GET', `${address}/scan-status`, { token })).json.status;
      },
      books: async () => (await temp.call('GET', '/api/v1/books?pageSize=500', { token })).json.data,
      path: (...parts) => join(temp.shelf, ...parts),
    };
    assert.is(await shelf.scan(), 'completed');
    await use(shelf);
  } finally {
    await temp.close();
  }
};

const change = (shelf: Shelf, sql: string): Promise<number> =>
  shelf.temp.app.db.write(SYSTEM, 'interactive', (tx) => tx.run(sql));

/** Writing a move deletes the added row: from the n-th deletion on that fails, as on a full disk. */
const failFrom = (shelf: Shelf, left: number): Promise<number> =>
  change(
    shelf,
    `CREATE TRIGGER cut BEFORE DELETE ON book WHEN (SELECT count(*) FROM book) <= ${left} BEGIN SELECT RAISE(ABORT, 'cut short'); END`,
  );

const idsOf = async (shelf: Shelf): Promise<string[]> => (await shelf.books()).map(({ id }) => id).sort();
const seriesIn = async (shelf: Shelf): Promise<string[]> => [
  ...new Set((await shelf.books()).map(({ seriesId, seriesName }) => `${seriesName} ${seriesId}`)),
];

block('moved and renamed files', (check) => {
  check('a scan that failed before it wrote a move does not lose it', () =>
    withShelf({ Alpha: 3 }, async (shelf) => {
      const before = await idsOf(shelf);
      const [first] = before;
      const { call } = shelf.temp;
      await call('PUT', `/api/v1/books/${first}/progress`, { token: shelf.token, body: { current_page: 1 } });
      renameSync(shelf.path('Alpha'), shelf.path('Omega'));
      await failFrom(shelf, 6);
      assert.is(await shelf.scan(), 'failed');
      await change(shelf, 'DROP TRIGGER cut');
      assert.is(await shelf.scan(), 'completed');
      assert.equal(await idsOf(shelf), before);
      assert.is((await call('GET', `/api/v1/books/${first}/progress`, { token: shelf.token })).json.currentPage, 1);
    }),
  );
  check('a renamed series of many books is taken over in parts, keeps its id, and resumes after a failure', () =>
    withShelf({ Alpha: 250, Beta: 2 }, async (shelf) => {
      const [ids, series] = [await idsOf(shelf), await seriesIn(shelf)];
      renameSync(shelf.path('Alpha'), shelf.path('Omega'));
      await failFrom(shelf, 252 + 100);
      assert.is(await shelf.scan(), 'failed');
      const [row] = await shelf.temp.app.db.all<{ n: number }>('SELECT count(*) AS n FROM book');
      assert.ok((row?.n ?? 0) < 252 + 250, 'a first part was written');
      await change(shelf, 'DROP TRIGGER cut');
      assert.is(await shelf.scan(), 'completed');
      assert.equal(await idsOf(shelf), ids);
      assert.equal((await seriesIn(shelf)).sort(), series.map((one) => one.replace('Alpha', 'Omega')).sort());
    }),
  );
  check('a renamed file with the same time is recognised by its small blocks, without a full read', () =>
    withShelf({ Alpha: 3 }, async (shelf) => {
      const before = await idsOf(shelf);
      const [from, to] = [shelf.path('Alpha', 'Alpha 2.cbz'), shelf.path('Alpha', 'Alpha 20.cbz')];
      const seconds = (Math.floor(statSync(from).mtimeMs) + 0.5) / 1000; // in the middle of its millisecond
      const bytes = readFileSync(from);
      rmSync(from);
      bytes[3000] = 0x58; // between the blocks that are hashed
      writeFileSync(to, bytes);
      utimesSync(to, seconds, seconds);
      await shelf.scan();
      assert.equal(await idsOf(shelf), before);
    }),
  );
  check('with a different time its whole content is compared', () =>
    withShelf({ Alpha: 3 }, async (shelf) => {
      const before = await idsOf(shelf);
      const [from, to] = [shelf.path('Alpha', 'Alpha 2.cbz'), shelf.path('Alpha', 'Alpha 20.cbz')];
      const bytes = readFileSync(from);
      rmSync(from);
      bytes[3000] = 0x58;
      writeFileSync(to, bytes);
      utimesSync(to, 1_000_000, 1_000_000);
      await shelf.scan();
      assert.is((await idsOf(shelf)).filter((id) => before.includes(id)).length, 2);
    }),
  );
  check('a new row that somebody starts to read while files are compared is kept too', () =>
    withShelf({ Alpha: 5 }, async (shelf) => {
      renameSync(shelf.path('Alpha', 'Alpha 2.cbz'), shelf.path('Alpha', 'Alpha 20.cbz'));
      const { pool } = shelf.temp.app;
      const { run } = pool;
      let address = '';
      pool.run = async (name, input, options) => {
        if (name === 'partial') {
          address = `/api/v1/books/${(await shelf.books()).find(({ title }) => title === 'Alpha 20')?.id}/progress`;
          await shelf.temp.call('PUT', address, { token: shelf.token, body: { current_page: 1 } });
        }
        return run.call(pool, name, input, options) as never;
      };
      assert.is(await shelf.scan(), 'completed');
      assert.is((await shelf.temp.call('GET', address, { token: shelf.token })).json.currentPage, 1);
      assert.is((await shelf.books()).length, 5);
    }),
  );
  for (const kind of ['Overloaded', 'FileUnreadable'] as const)
    check(`a moved file that cannot be read for a while is still the same book: ${kind}`, () =>
      withShelf({ Alpha: 5 }, async (shelf) => {
        const before = await idsOf(shelf);
        renameSync(shelf.path('Alpha', 'Alpha 2.cbz'), shelf.path('Alpha', 'Alpha 20.cbz'));
        const { pool } = shelf.temp.app;
        const { run } = pool;
        pool.run = (name, input, options) =>
          name === 'partial' || name === 'analyze'
            ? Promise.reject(new AppError(kind))
            : run.call(pool, name, input, options);
        await shelf.scan();
        pool.run = run;
        assert.is(await shelf.scan(), 'completed');
        assert.equal(await idsOf(shelf), before);
      }),
    );
  check('of two files with the same bytes, the one that kept its name is the book', () =>
    withShelf({ Alpha: 3, Beta: 3 }, async (shelf) => {
      const old = (await shelf.books()).find(({ title }) => title === 'Alpha 2');
      const bytes = readFileSync(shelf.path('Alpha', 'Alpha 2.cbz'));
      rmSync(shelf.path('Alpha', 'Alpha 2.cbz'));
      writeFileSync(shelf.path('Alpha', 'Alpha 1 copy.cbz'), bytes);
      writeFileSync(shelf.path('Beta', 'Alpha 2.cbz'), bytes);
      await shelf.scan();
      const now = (await shelf.books()).find(({ id }) => id === old?.id);
      assert.equal([now?.title, now?.seriesName], ['Alpha 2', 'Beta']);
    }),
  );
  check('a new row that somebody has started to read is not replaced by an old one', () =>
    withShelf({ Alpha: 3 }, async (shelf) => {
      renameSync(shelf.path('Alpha', 'Alpha 2.cbz'), shelf.path('Alpha', 'Alpha 20.cbz'));
      await failFrom(shelf, 4);
      assert.is(await shelf.scan(), 'failed');
      const added = (await shelf.books()).find(({ title }) => title === 'Alpha 20');
      const address = `/api/v1/books/${added?.id}/progress`;
      const body = { current_page: 1 };
      await shelf.temp.call('PUT', address, { token: shelf.token, body });
      await change(shelf, 'DROP TRIGGER cut');
      await shelf.scan();
      assert.is((await shelf.temp.call('GET', address, { token: shelf.token })).json.currentPage, 1);
    }),
  );
  check('a file renamed to the path of a deleted book stays its own book, and the deleted one can return', () =>
    withShelf({ Alpha: 3 }, async (shelf) => {
      const { call } = shelf.temp;
      const [first, second] = await shelf.books();
      const bytes = readFileSync(shelf.path('Alpha', 'Alpha 1.cbz'));
      await call('PUT', `/api/v1/books/${second?.id}/progress`, { token: shelf.token, body: { current_page: 1 } });
      rmSync(shelf.path('Alpha', 'Alpha 1.cbz'));
      assert.is(await shelf.scan(), 'completed');
      renameSync(shelf.path('Alpha', 'Alpha 2.cbz'), shelf.path('Alpha', 'Alpha 1.cbz'));
      assert.is(await shelf.scan(), 'completed');
      const now = await shelf.books();
      assert.equal(
        now.map(({ title }) => title),
        ['Alpha 1', 'Alpha 3'],
      );
      assert.is(now[0]?.id, second?.id);
      const progress = await call('GET', `/api/v1/books/${second?.id}/progress`, { token: shelf.token });
      assert.is(progress.json.currentPage, 1);
      writeFileSync(shelf.path('Alpha', 'Alpha 9.cbz'), bytes);
      assert.is(await shelf.scan(), 'completed');
      assert.is((await shelf.books()).find(({ title }) => title === 'Alpha 9')?.id, first?.id);
    }),
  );
  check('another file at the path of a deleted book is that book again', () =>
    withShelf({ Alpha: 3 }, async (shelf) => {
      const [first] = await shelf.books();
      rmSync(shelf.path('Alpha', 'Alpha 1.cbz'));
      await shelf.scan();
      writeFileSync(
        shelf.path('Alpha', 'Alpha 1.cbz'),
        Buffer.concat([readFileSync(shelf.path('Alpha', 'Alpha 2.cbz')), Buffer.alloc(7)]),
      );
      await shelf.scan();
      assert.is((await shelf.books()).find(({ title }) => title === 'Alpha 1')?.id, first?.id);
    }),
  );
});
