// Publishers and languages that only books have, not their series: found through an index, for whoever sees one of the books.
import { listFacetWithBooks } from '../../core/catalog/facets.js';
import { SetCache } from '../../core/catalog/query/set-cache.js';
import { bytesOfUuid, newId, uuidOfHex } from '../../core/model/ids.js';
import { EVERYTHING, type Viewer } from '../../core/model/viewer.js';
import type { Bind, Db, Reads } from '../../core/store/db.js';
import { assert, block } from '../kit.js';
import { openStock, readerOf, type Stock } from '../reading/stock.js';

let stock: Stock;
let parts: { readonly db: Db; readonly sets: SetCache };
const ANY: Viewer = readerOf(1).viewer;
const PAGE = { page: 1, pageSize: 100 };
const seeing = (libraries: readonly number[]): Viewer => ({ ...ANY, scope: { ...EVERYTHING, libraries } });

/** A book whose file names these. Even series are in library 1, odd ones in library 2. */
const add = async (series: number, publisher: string | null, languageIso: string | null): Promise<number> => {
  const { key } = await stock.add({ series, number: 1, pages: 4, analyzed: true });
  const binds = [key, bytesOfUuid(uuidOfHex(newId(0))), JSON.stringify({ publisher, languageIso })];
  await stock.settle(async (tx) => {
    await tx.run(
      'INSERT INTO book_metadata (book_id, uuid, facts, created_at, updated_at) VALUES (?, ?, ?, 0, 0)',
      binds,
    );
  });
  return key;
};

const fill = async (series: number): Promise<void> => {
  await stock.reset(1, series);
  await stock.settle((tx) => tx.run("UPDATE series SET publisher = 'Acme', language = 'en' WHERE id = 1"));
  await add(1, 'ACME', 'en');
  await add(1, 'Éditions B', 'fr');
  await add(2, 'Hidden', 'de');
  const gone = await add(2, 'Gone', 'ja');
  await stock.settle((tx) => tx.run('UPDATE book SET deleted = 1 WHERE id = ?', [gone]));
  for (let key = 3; key <= series; key += 1) await add(key, null, null);
};

const found = async (viewer: Viewer, search?: string): Promise<readonly string[]> =>
  (await listFacetWithBooks(parts, viewer, 'publisher', search, PAGE)).items.map(
    ({ name, seriesCount }) => `${name} ${seriesCount}`,
  );

/** SQLite's plan for the last query. */
const planFor = async (viewer: Viewer): Promise<string> => {
  const queries: [string, readonly Bind[]][] = [];
  const reads: Reads = {
    all: stock.db.all,
    json: (sql, binds = []) => {
      queries.push([sql, binds]);
      return stock.db.json(sql, binds);
    },
  };
  await listFacetWithBooks(
    { ...parts, db: { ...stock.db, readsFor: () => reads } },
    viewer,
    'language',
    undefined,
    PAGE,
  );
  const [sql, binds] = queries.at(-1) ?? ['', []];
  const plan = await stock.db.all<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, binds);
  return plan.map(({ detail }) => detail).join('\n');
};

block(
  'publishers and languages of books',
  (check) => {
    check('values that only books have count no series, and other spellings are not values of their own', async () => {
      await fill(2);
      assert.equal(await found(ANY), ['Acme 1', 'Hidden 0', 'Éditions B 0']);
      for (const search of ['edition', 'b ÉDITIONS', 'editionsb', 'e-ditions'])
        assert.equal(await found(ANY, search), ['Éditions B 0'], search);
      const languages = await listFacetWithBooks(parts, ANY, 'language', undefined, { page: 2, pageSize: 2 });
      assert.equal([languages.items.map(({ name }) => name), languages.total], [['fr'], 3]);
    });
    check('values that only hidden or missing books have are not revealed, however few series are seen', async () => {
      for (const series of [2, 40]) {
        await fill(series);
        assert.equal(await found(seeing([2])), ['Acme 1', 'Éditions B 0']);
        assert.equal(await found(seeing([1])), ['Hidden 0']);
        assert.equal(await found(seeing([])), []);
      }
    });
    check('each value is one look-up in its index, and leads to its books', async () => {
      await fill(2);
      const plan = await planFor(ANY);
      for (const line of [
        'SEARCH n USING COVERING INDEX book_text_language (language>?)',
        'SEARCH x USING COVERING INDEX book_text_language (language=?)',
      ])
        assert.ok(plan.includes(line), plan);
      assert.not(/^SCAN (b|s|m|x)\b/m.test(plan), plan);
    });
    check('if few series are seen, only their books are read', async () => {
      await fill(40);
      await stock.settle((tx) => tx.run('UPDATE series SET library_id = 1 WHERE id > 1'));
      const plan = await planFor(seeing([2]));
      assert.not(plan.includes('book_text_language'), plan);
      assert.ok(/SEARCH b USING .*series_id=\?/.test(plan), plan);
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
