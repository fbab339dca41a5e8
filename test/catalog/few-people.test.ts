// People where a viewer sees few of many, and totals that are kept: the same as without either; and names across signs.
import { listCredits, listPeople } from '../../core/catalog/people.js';
import { SetCache } from '../../core/catalog/query/set-cache.js';
import { bytesOfUuid, newId, uuidOfHex } from '../../core/model/ids.js';
import type { Author } from '../../core/model/metadata.js';
import { EVERYTHING, type Viewer } from '../../core/model/viewer.js';
import { assert, block } from '../kit.js';
import { openStock, readerOf, type Stock } from '../reading/stock.js';

let stock: Stock;
let parts: { readonly db: Stock['db']; readonly sets: SetCache };
const ANY: Viewer = readerOf(1).viewer;
/** Sees library 1 alone, which has the series with even numbers. */
const LIMITED: Viewer = { ...ANY, scope: { ...EVERYTHING, libraries: [1] } };
const PAGE = { page: 1, pageSize: 100 };

type By = readonly (readonly [name: string, role: Author['role']])[];

const tell = (key: number, by: By): Promise<void> =>
  stock.settle((tx) =>
    tx.run(
      `INSERT INTO book_metadata (book_id, uuid, facts, created_at, updated_at) VALUES (?, ?, ?, 0, 0)
       ON CONFLICT (book_id) DO UPDATE SET facts = excluded.facts`,
      [
        key,
        bytesOfUuid(uuidOfHex(newId(0))),
        JSON.stringify({ authors: by.map(([name, role]) => ({ name, role, sortName: null })) }),
      ],
    ),
  );

const add = async (series: number, by: By): Promise<number> => {
  const { key } = await stock.add({ series, number: 1, pages: 4, analyzed: true });
  await tell(key, by);
  return key;
};

const namesOf = (page: { readonly items: readonly { readonly name: string }[] }): string[] =>
  page.items.map(({ name }) => name);

block(
  'few of many people',
  (check) => {
    check('people are found across the signs and spaces in their names', async () => {
      await stock.reset(1, 2);
      const names = ["Dan O'Brien", 'Jean-Paul Gaultier', 'Jean Van Hamme', 'Obrien', 'Ryan North'] as const;
      await add(
        1,
        names.map((name) => [name, 'writer'] as const),
      );
      const found = async (search: string): Promise<string[]> =>
        namesOf(await listPeople(parts, ANY, { search }, PAGE));
      for (const search of ['obrien', "O'Brien", 'O’Brien'])
        assert.equal(await found(search), ["Dan O'Brien", 'Obrien'], search);
      for (const search of ['jeanpaul', 'jean paul', 'Gaultier, Jean-Paul', 'gaultier jeanp'])
        assert.equal(await found(search), ['Jean-Paul Gaultier'], search);
      assert.equal(await found('vanhamme'), ['Jean Van Hamme']);
      assert.equal(await found('ann'), [], 'the end of one word and the beginning of the next are no part of a name');
      const page = await listCredits(parts, LIMITED, { search: 'obrien', names: {} }, PAGE);
      assert.equal([namesOf(page), page.total], [[], 0]);
      const credits = await listCredits(parts, ANY, { search: 'obrien', names: {} }, PAGE);
      assert.equal([namesOf(credits), credits.total], [["Dan O'Brien", 'Obrien'], 2]);
    });
    check(
      'few people among many are found as they are where everybody is asked, with letters and in pages',
      async () => {
        await stock.reset(1, 2);
        const many = Array.from({ length: 40 }, (_, n) => [`Person ${String(n).padStart(2, '0')}`, 'writer'] as const);
        await add(1, many);
        await add(2, [
          ['Person 07', 'inker'],
          ['Person 30', 'writer'],
          ['Zoe', 'writer'],
        ]);
        const page = (search: string | undefined, number: number) =>
          listPeople(parts, LIMITED, { search }, { page: number, pageSize: 2 });
        assert.equal(
          [namesOf(await page(undefined, 1)), namesOf(await page(undefined, 2))],
          [['Person 07', 'Person 30'], ['Zoe']],
        );
        const found = await page('person', 1);
        assert.equal([found.total, found.items.map(({ roles }) => roles.join())], [2, ['inker', 'writer']]);
        const pairs = await listCredits(parts, LIMITED, { names: {}, search: 'person' }, PAGE);
        assert.equal(
          [pairs.total, pairs.items.map(({ name, role }) => `${name} ${role}`)],
          [2, ['Person 07 inker', 'Person 30 writer']],
        );
        const writers = await listCredits(parts, ANY, { names: {}, roles: ['writer'] }, { page: 2, pageSize: 30 });
        assert.equal([writers.items.length, writers.total], [11, 41]);
      },
    );
    check('totals follow what books say, and what viewers may see', async () => {
      await stock.reset(1, 2);
      const totals = async (): Promise<number[]> => [
        (await listPeople(parts, ANY, {}, PAGE)).total,
        (await listPeople(parts, LIMITED, {}, PAGE)).total,
        (await listCredits(parts, ANY, { names: {} }, PAGE)).total,
      ];
      const key = await add(2, [['Ann', 'writer']]);
      assert.equal(await totals(), [1, 1, 1]);
      await tell(key, [
        ['Ann', 'writer'],
        ['Ann', 'inker'],
        ['Bo', 'writer'],
      ]);
      assert.equal(await totals(), [2, 2, 3]);
      await stock.settle((tx) => tx.run('UPDATE book SET series_id = ? WHERE id = ?', [1, key]));
      assert.equal(await totals(), [2, 0, 3]);
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
