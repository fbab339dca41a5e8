// Names of terms for somebody who does not see every library: found through some of the books that carry them, and the same as without.
import fc from 'fast-check';
import { type Carrier, termNames } from '../../core/catalog/facets.js';
import { SetCache } from '../../core/catalog/query/set-cache.js';
import { bytesOfUuid, newId, uuidOfHex } from '../../core/model/ids.js';
import { EVERYTHING, type Viewer } from '../../core/model/viewer.js';
import type { Db, Reads } from '../../core/store/db.js';
import { assert, block } from '../kit.js';
import { openStock, readerOf, type Stock } from '../reading/stock.js';

let stock: Stock;
let parts: { readonly db: Db; readonly sets: SetCache };
const SERIES = 4;
const TAGS = 4;
const ANY: Viewer = readerOf(1).viewer;
const seeing = (libraries: readonly number[]): Viewer => ({ ...ANY, scope: { ...EVERYTHING, libraries } });

const tags = fc.uniqueArray(fc.integer({ min: 1, max: TAGS }), { maxLength: 2 });
const book = fc.record({ series: fc.integer({ min: 1, max: SERIES }), tags, isDeleted: fc.boolean() });
const shelf = fc.record({ books: fc.array(book, { maxLength: 12 }), ofSeries: fc.array(tags, { maxLength: SERIES }) });

type Shelf = typeof shelf extends fc.Arbitrary<infer S> ? S : never;

const fill = async ({ books, ofSeries }: Shelf): Promise<void> => {
  await stock.reset(1, SERIES);
  const keys: number[] = [];
  for (const { series } of books) keys.push((await stock.add({ series, number: 1, pages: 4, analyzed: true })).key);
  await stock.settle(async (tx) => {
    await tx.run('DELETE FROM tag');
    for (let id = 1; id <= TAGS; id += 1) {
      const binds = [id, bytesOfUuid(uuidOfHex(newId(0))), `tag ${id}`];
      await tx.run('INSERT INTO tag (id, uuid, name, name_key, created_at) VALUES (?1, ?2, ?3, ?3, 0)', binds);
    }
    for (const [at, one] of books.entries()) {
      for (const tag of one.tags) await tx.run('INSERT INTO book_tag VALUES (?, ?)', [keys[at] ?? 0, tag]);
      await tx.run('UPDATE book SET deleted = ? WHERE id = ?', [Number(one.isDeleted), keys[at] ?? 0]);
    }
    for (const [at, own] of ofSeries.entries())
      for (const tag of own) await tx.run('INSERT INTO series_tag VALUES (?, ?)', [at + 1, tag]);
  });
};

/** From all rows together. */
const plainly = (carriers: readonly Carrier[], libraries: readonly number[]): Promise<string[]> => {
  const of = {
    series: 'SELECT x.tag_id, x.series_id FROM series_tag x',
    book: 'SELECT x.tag_id, b.series_id FROM book_tag x JOIN book b ON b.id = x.book_id AND b.deleted = 0',
  };
  return stock.db.json<string[]>(
    `SELECT json_group_array(name) FROM (SELECT DISTINCT t.name FROM (${carriers.map((one) => of[one]).join(' UNION ')}) c
       JOIN tag t ON t.id = c.tag_id JOIN series s ON s.id = c.series_id AND s.book_count > 0
       WHERE s.library_id IN (${libraries.join()}) ORDER BY t.name_key)`,
    [],
  );
};

const CARRIERS: readonly (readonly Carrier[])[] = [['series'], ['book'], ['series', 'book']];

block(
  'names of terms',
  (check) => {
    check('whatever carries them, and whichever libraries are seen', () =>
      fc.assert(
        fc.asyncProperty(shelf, async (given) => {
          await fill(given);
          for (const carriers of CARRIERS) {
            for (const libraries of [[1], [2], [1, 2]])
              assert.equal(
                await termNames(parts, seeing(libraries), 'tag', carriers),
                await plainly(carriers, libraries),
              );
            assert.equal(await termNames(parts, ANY, 'tag', carriers), await plainly(carriers, [1, 2]));
          }
        }),
        { numRuns: 40, interruptAfterTimeLimit: 5000 },
      ),
    );
    check('books that are not seen are skipped in the index of a tag', async () => {
      const heard: [string, readonly (string | number | null | Uint8Array)[]][] = [];
      const reads: Reads = {
        all: stock.db.all,
        json: (sql, binds = []) => {
          heard.push([sql, binds]);
          return stock.db.json(sql, binds);
        },
      };
      await fill({ books: [{ series: 1, tags: [1], isDeleted: false }], ofSeries: [] });
      await termNames({ ...parts, db: { ...stock.db, readsFor: () => reads } }, seeing([2]), 'tag', ['book']);
      const [[sql, binds] = ['', []]] = heard;
      const plan = await stock.db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, binds);
      const lines = plan.map(({ detail }) => detail);
      const next = 'SEARCH x USING COVERING INDEX book_tag_by_tag (tag_id=? AND book_id>?)';
      assert.ok(lines.includes(next), lines.join('\n'));
    });
  },
  {
    before: async () => {
      stock = await openStock();
      parts = { db: stock.db, sets: new SetCache(stock.db) };
    },
    after: () => stock.close(),
  },
);
