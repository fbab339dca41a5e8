// Removed rows leave cached sets and orders at once, and without a query.
import fc from 'fast-check';
import { listBooks } from '../../core/catalog/list-books.js';
import type { ListParts } from '../../core/catalog/query/page.js';
import { SetCache } from '../../core/catalog/query/set-cache.js';
import { type GoneBook, reportGoneBooks } from '../../core/catalog/report-rows.js';
import { unrestricted } from '../../core/model/viewer.js';
import type { Db, Reads } from '../../core/store/db.js';
import { ASPECTS, SYSTEM, updated } from '../../core/store/feed.js';
import { assert, block } from '../kit.js';
import { fill, modelOf, type RandomShelf, shelfArb, withCatalog } from './random-shelf.js';

/** Counts the reads of a database. */
const counted = (db: Db): { readonly db: Db; count(): number } => {
  let reads = 0;
  const through = (from: Reads): Reads => ({
    all: (sql, binds) => {
      reads += 1;
      return from.all(sql, binds);
    },
    json: (sql, binds) => {
      reads += 1;
      return from.json(sql, binds);
    },
  });
  return {
    db: { ...db, ...through(db), readsFor: (asker, lane) => through(db.readsFor(asker, lane)) },
    count: () => reads,
  };
};

/** Every page is built from sets and whole orders. */
const LIMITS = { walk: 0, shortWalk: 0, sort: 0, rank: 100 };
const NOBODY = 'No Such Title';
const CONDITIONS = {
  'not in a set': { title: { operator: 'isNot', value: NOBODY } },
  'in a set': { pageCount: { operator: 'gte', value: 0 } },
} as const;

const remove = (db: Db, key: number): Promise<void> =>
  db.write(SYSTEM, 'background', async (tx) => {
    const [row] = await tx.all<GoneBook & { readonly library: number }>(
      'SELECT id, hex(uuid) AS hex, series_id AS series, never_readable AS neverReadable, library_id AS library FROM book WHERE id = ?',
      [key],
    );
    if (row === undefined) throw new Error(`no book ${key}`);
    await tx.run('DELETE FROM book WHERE id = ?', [key]);
    reportGoneBooks(tx, row.library, [row]);
    tx.report(updated('series', [row.series], ASPECTS.reading));
  });

block('lists after removals', (check) => {
  for (const [name, condition] of Object.entries(CONDITIONS))
    for (const descending of [false, true])
      check(
        `${name}, ${descending ? 'descending' : 'ascending'}: pages and totals are right without reading sets or orders again`,
        () =>
          withCatalog(async ({ db }) => {
            const [shelf] = fc.sample<RandomShelf>(shelfArb, { numRuns: 1, unbiased: true });
            if (shelf === undefined) return;
            await fill(db, modelOf(shelf));
            const counting = counted(db);
            const parts: ListParts = { db: counting.db, sets: new SetCache(counting.db), limits: LIMITS };
            const list = async (from: ListParts, page: number) => {
              const ask = { order: { sort: 'title', descending }, condition, window: { page, pageSize: 3 } } as const;
              const { items, total } = await listBooks(from, unrestricted(1), ask);
              return { ids: items.map(({ id }) => id), total };
            };
            const keys = (await db.all<{ id: number }>('SELECT id FROM book WHERE deleted = 0')).map(({ id }) => id);
            await list(parts, 1);
            const before = counting.count();
            await list(parts, 1);
            const reads = counting.count() - before;
            for (const key of keys.slice(0, -1)) {
              await remove(db, key);
              for (const page of [1, 2]) {
                const started = counting.count();
                const found = await list(parts, page);
                assert.ok(counting.count() - started <= reads, 'no query for sets and orders');
                assert.equal(found, await list({ db, sets: new SetCache(db), limits: LIMITS }, page));
              }
            }
          }),
      );
});
