// What one list costs everybody else: readers it occupies, and what is still read when nobody waits for it.
import { listBooks } from '../../core/catalog/list-books.js';
import { SetCache } from '../../core/catalog/query/set-cache.js';
import { unrestricted } from '../../core/model/viewer.js';
import type { Db, Reads } from '../../core/store/db.js';
import { assert, block } from '../kit.js';
import { withCatalog } from './random-shelf.js';

const VIEWER = unrestricted(1);

const first = { order: { sort: 'title', descending: false }, window: { page: 1, pageSize: 10 } } as const;

const anyOf = (count: number) => ({
  anyOf: Array.from({ length: count }, (_, n) => ({ summary: { operator: 'contains', value: `word${n}` } })),
});

/** Tells the most reads that were waiting or running at the same time. */
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

block('reads of a list', (check) => {
  check('a condition of many clauses occupies one reader', () =>
    withCatalog(async ({ db }) => {
      const counting = counted(db);
      const parts = { db: counting.db, sets: new SetCache(counting.db) };
      await listBooks(parts, VIEWER, { ...first, condition: anyOf(20) });
      assert.is(counting.most(), 1);
    }),
  );
});
