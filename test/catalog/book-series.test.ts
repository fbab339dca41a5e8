// Which series each book is in, kept in memory: after any change it is what the rows say.
import fc from 'fast-check';
import { BookSeries } from '../../core/catalog/query/book-series.js';
import { bitsOf, listOf } from '../../core/catalog/query/key-set.js';
import type { AppError } from '../../core/model/errors.js';
import type { Db } from '../../core/store/db.js';
import { KEYS_MAX, SYSTEM } from '../../core/store/feed.js';
import { reportChanged } from '../changed-rows.js';
import { assert, block, thrownBy } from '../kit.js';
import { openTempDb, type TempDb } from '../temp-db.js';

let temp: TempDb;
let books: BookSeries;

const SERIES = [1, 2, 3, 4];

const change = (sql: string): Promise<void> =>
  temp.db.write(SYSTEM, 'interactive', async (tx) => {
    await tx.run(sql);
    await reportChanged(tx);
  });

const insert = (key: number | string, series: number | string, from = ''): string =>
  `INSERT INTO book (id, uuid, library_id, series_id, folder_id, file_name, file_size, file_mtime, format, title, title_sort, created_at, updated_at)
   SELECT ${key}, randomblob(16), 1, ${series}, 1, 'b' || ${key}, 0, 0, 'cbz', 't', 't', 0, 0 ${from}`;

const expected = async (db: Db, visible: readonly number[]): Promise<readonly number[]> =>
  (await db.all<{ id: number }>(`SELECT id FROM book WHERE series_id IN (${visible.join() || '0'}) ORDER BY id`)).map(
    ({ id }) => id,
  );

const check1 = async (visible: readonly number[]): Promise<void> => {
  const found = listOf(await books.booksOf(bitsOf(Uint32Array.from(visible)), undefined));
  assert.equal(found, await expected(temp.db, visible));
};

const key = fc.integer({ min: 1, max: 70 });
const series = fc.constantFrom(...SERIES);
const stepArb = fc.oneof(
  fc.record({ kind: fc.constant('insert' as const), key, series }),
  fc.record({ kind: fc.constant('move' as const), key, series }),
  fc.record({ kind: fc.constant('remove' as const), key, series }),
  fc.record({ kind: fc.constant('replace' as const), key, series }),
);
type Step = typeof stepArb extends fc.Arbitrary<infer T> ? T : never;

const run = async ({ kind, key: id, series: of }: Step): Promise<void> => {
  if (kind === 'insert') await change(`${insert(id, of)} WHERE NOT EXISTS (SELECT 1 FROM book WHERE id = ${id})`);
  else if (kind === 'move') await change(`UPDATE book SET series_id = ${of} WHERE id = ${id}`);
  else await change(`DELETE FROM book WHERE id = ${id}`);
  if (kind === 'replace') await change(insert(id, of));
};

block(
  'the series of each book',
  (check) => {
    check('no books, no series, and series without books', async () => {
      for (const visible of [[], [1], SERIES]) await check1(visible);
    });

    check('books that are added, moved, removed, and replaced under the same key, some changes at a time', () =>
      fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(fc.array(stepArb, { minLength: 1, maxLength: 4 }), fc.subarray(SERIES)), { maxLength: 20 }),
          async (rounds) => {
            for (const [steps, visible] of rounds) {
              for (const step of steps) await run(step);
              await check1(visible);
            }
          },
        ),
        { numRuns: 20 },
      ),
    );

    check('more changes at once than are told one by one', async () => {
      const count = KEYS_MAX + 10;
      await change(
        insert(
          '1000 + i',
          '1 + i % 4',
          `FROM (WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < ${count}) SELECT i FROM n)`,
        ),
      );
      await check1([2]);
      await change('UPDATE book SET series_id = 2 WHERE id > 1000');
      await check1([2, 3]);
      await change('DELETE FROM book WHERE id > 1000');
      await check1(SERIES);
    });

    check('callers at the same moment share a read; whoever leaves takes nobody along', async () => {
      await change(insert(900, 3));
      const left = new AbortController();
      const all = bitsOf(Uint32Array.from(SERIES));
      const [one, other] = [books.booksOf(all, { user: 1, signal: left.signal }), books.booksOf(all, { user: 2 })];
      const refused = thrownBy(() => one);
      left.abort();
      assert.is(((await refused) as AppError).kind, 'Cancelled');
      assert.equal(listOf(await other), await expected(temp.db, SERIES));
    });
  },
  {
    before: async () => {
      temp = await openTempDb('book-series');
      books = new BookSeries(temp.db);
      await change(
        `INSERT INTO library (id, uuid, name, name_sort, root, created_at, updated_at) VALUES (1, randomblob(16), 'L', 'l', '/l', 0, 0)`,
      );
      await change("INSERT INTO folder (id, library_id, path) VALUES (1, 1, 'f')");
      for (const id of SERIES)
        await change(
          `INSERT INTO series (id, uuid, library_id, path, name, name_sort, created_at, updated_at) VALUES (${id}, randomblob(16), 1, 's${id}', 'S', 's', 0, 0)`,
        );
    },
    after: () => temp.close(),
  },
);
