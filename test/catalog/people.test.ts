// Who made what: credits are counted by triggers, whatever happens to books and series; people, publishers and terms are those that a viewer
// sees.
import fc from 'fast-check';
import { ageRatings, facetValues, listFacet, releaseYears, termNames } from '../../core/catalog/facets.js';
import { listCredits, listPeople, listRoles } from '../../core/catalog/people.js';
import { SetCache } from '../../core/catalog/query/set-cache.js';
import type { AppError } from '../../core/model/errors.js';
import { bytesOfUuid, newId, uuidOfHex } from '../../core/model/ids.js';
import type { Author } from '../../core/model/metadata.js';
import { EVERYTHING, type Viewer } from '../../core/model/viewer.js';
import { assert, block, type Check, thrownBy } from '../kit.js';
import { idOf, openStock, readerOf, type Stock } from '../reading/stock.js';

let stock: Stock;
let parts: { readonly db: Stock['db']; readonly sets: SetCache };
const ANY: Viewer = readerOf(1).viewer;
/** Sees library 1 alone, which has the series with even numbers. */
const LIMITED: Viewer = { ...ANY, scope: { ...EVERYTHING, libraries: [1] } };
const PAGE = { page: 1, pageSize: 100 };

type By = readonly (readonly [name: string, role: Author['role']])[];
const listOf = (by: By): Author[] => by.map(([name, role]) => ({ name, role, sortName: null }));

const write = async (sql: string, binds: readonly (string | number | null | Buffer)[]): Promise<void> => {
  await stock.settle((tx) => tx.run(sql, binds));
};
const tell = (key: number, by: By): Promise<void> =>
  write(
    `INSERT INTO book_metadata (book_id, uuid, facts, created_at, updated_at) VALUES (?, ?, ?, 0, 0)
     ON CONFLICT (book_id) DO UPDATE SET facts = excluded.facts`,
    [key, bytesOfUuid(uuidOfHex(newId(0))), JSON.stringify(by.length === 0 ? {} : { authors: listOf(by) })],
  );
const add = async (series: number, by: By): Promise<number> => {
  const { key } = await stock.add({ series, number: 1, pages: 4, analyzed: true });
  await tell(key, by);
  return key;
};
const signs = (series: number, by: By): Promise<void> =>
  write('UPDATE series SET authors = ? WHERE id = ?', [JSON.stringify(listOf(by)), series]);

/** What the triggers should have counted, from the rows themselves. */
const expected = async (): Promise<string[]> => {
  const counts = new Map<string, [number, number]>();
  const note = (series: number, text: string | null, at: 0 | 1): void => {
    const names = new Set((JSON.parse(text ?? '[]') as Author[]).map(({ name, role }) => `${series} ${name} ${role}`));
    for (const name of names) {
      const count = counts.get(name) ?? [0, 0];
      count[at] += 1;
      counts.set(name, count);
    }
  };
  const books = await stock.db.all<{ series: number; authors: string | null }>(
    `SELECT b.series_id AS series, m.facts -> '$.authors' AS authors FROM book b JOIN book_metadata m ON m.book_id = b.id WHERE b.deleted = 0`,
  );
  for (const { series, authors } of books) note(series, authors, 0);
  for (const { id, authors } of await stock.db.all<{ id: number; authors: string | null }>(
    'SELECT id, authors FROM series WHERE book_count > 0',
  ))
    note(id, authors, 1);
  return [...counts].map(([name, count]) => `${name} ${count.join()}`).sort();
};
const counted = async (): Promise<string[]> =>
  (
    await stock.db.all<{ row: string }>(
      `SELECT c.series_id || ' ' || p.name || ' ' || c.role || ' ' || c.books || ',' || c.own AS row FROM credit c JOIN person p ON p.id = c.person_id`,
    )
  )
    .map(({ row }) => row)
    .sort();

const by = fc.uniqueArray(
  fc.tuple(fc.constantFrom('Ann', 'Bo', 'Cy'), fc.constantFrom('writer' as const, 'inker' as const)),
  { maxLength: 3, selector: String },
);
const step = fc.oneof(
  fc.record({ do: fc.constant('add' as const), series: fc.integer({ min: 1, max: 3 }), by }),
  fc.record({ do: fc.constant('tell' as const), pick: fc.nat(20), by }),
  fc.record({
    do: fc.constantFrom('hide' as const, 'show' as const, 'remove' as const, 'forget' as const),
    pick: fc.nat(20),
  }),
  fc.record({ do: fc.constant('move' as const), pick: fc.nat(20), series: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ do: fc.constant('sign' as const), series: fc.integer({ min: 1, max: 3 }), by }),
);

const OF_BOOK = {
  hide: 'UPDATE book SET deleted = 1 WHERE id = ?',
  show: 'UPDATE book SET deleted = 0 WHERE id = ?',
  remove: 'DELETE FROM book WHERE id = ?',
  forget: 'DELETE FROM book_metadata WHERE book_id = ?',
} as const;

const counting = (check: Check): void => {
  check('whatever happens to books and series, credits are those of live books and of series', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        await stock.reset(1, 3);
        const keys: number[] = [];
        for (const one of steps) {
          if (one.do === 'add') keys.push(await add(one.series, one.by));
          else if (one.do === 'sign') await signs(one.series, one.by);
          else {
            const key = keys[one.pick % Math.max(1, keys.length)];
            if (key === undefined) continue;
            const [there] = await stock.db.all('SELECT 1 FROM book WHERE id = ?', [key]);
            if (there === undefined) continue;
            if (one.do === 'tell') await tell(key, one.by);
            else if (one.do === 'move') await write('UPDATE book SET series_id = ? WHERE id = ?', [one.series, key]);
            else await write(OF_BOOK[one.do], [key]);
          }
        }
        assert.equal(await counted(), await expected());
        const idle = await stock.db.all(
          'SELECT 1 FROM person WHERE id NOT IN (SELECT person_id FROM credit) OR name_key IS NULL',
        );
        assert.equal(idle, []);
      }),
      { numRuns: 40 },
    );
  });
  check('a series that is removed takes its credits along, and the people nobody else needs', async () => {
    await stock.reset(1, 2);
    await add(1, [['Ann', 'writer']]);
    await add(2, [['Bo', 'writer']]);
    await write('DELETE FROM series WHERE id = ?', [1]);
    assert.equal((await stock.db.all('SELECT name FROM person')) as unknown, [{ name: 'Bo' }]);
  });
  check('an author without a name is nobody, and one without a role a contributor', async () => {
    await stock.reset(1, 1);
    const { key } = await stock.add({ series: 1, number: 1, pages: 4, analyzed: true });
    await write('INSERT INTO book_metadata (book_id, uuid, facts, created_at, updated_at) VALUES (?, ?, ?, 0, 0)', [
      key,
      bytesOfUuid(uuidOfHex(newId(0))),
      '{"authors":[{"name":"","role":"writer"},{"name":"Bo"}]}',
    ]);
    assert.equal(await counted(), ['1 Bo contributor 1,0']);
  });
};

const stocked = async (): Promise<void> => {
  await stock.reset(1, 3);
  await add(1, [
    ['Émile', 'writer'],
    ['Bo', 'inker'],
  ]);
  await add(2, [
    ['bo', 'writer'],
    ['Émile', 'author'],
  ]);
  await add(2, [['Cy', 'cover_artist']]);
  await signs(3, [['Nobody', 'writer']]); // has no books
  const of = [
    [1, 'Acme', 'en', 12, 2001],
    [2, 'ACME', 'fr', null, 1999],
    [3, 'Hidden', 'de', 18, 1950],
  ] as const;
  for (const [id, publisher, language, age, year] of of)
    await write('UPDATE series SET publisher = ?, language = ?, age_rating = ?, year = ? WHERE id = ?', [
      publisher,
      language,
      age,
      year,
      id,
    ]);
};

const namesOf = (page: { readonly items: readonly { readonly name: string }[] }): string[] =>
  page.items.map(({ name }) => name);

const lists = (check: Check): void => {
  check('people are listed by name, each once, with roles and series', async () => {
    await stocked();
    assert.equal((await listPeople(parts, ANY, {}, PAGE)).items, [
      { name: 'Bo', roles: ['inker'], seriesCount: 1 },
      { name: 'bo', roles: ['writer'], seriesCount: 1 },
      { name: 'Cy', roles: ['cover_artist'], seriesCount: 1 },
      { name: 'Émile', roles: ['author', 'writer'], seriesCount: 2 },
    ]);
  });
  check('pages follow each other, and the total counts all', async () => {
    await stocked();
    const pages = [];
    for (let page = 1; page <= 3; page += 1) pages.push(await listPeople(parts, ANY, {}, { page, pageSize: 2 }));
    assert.equal(pages.map(namesOf), [['Bo', 'bo'], ['Cy', 'Émile'], []]);
    assert.equal(new Set(pages.map(({ total }) => total)), new Set([4]));
  });
  check('people are found by part of a name, accents aside, by role and by place', async () => {
    await stocked();
    const found = async (ask: Parameters<typeof listPeople>[2]): Promise<string[]> =>
      namesOf(await listPeople(parts, ANY, ask, PAGE));
    assert.equal(await found({ search: 'MIL' }), ['Émile']);
    assert.equal(await found({ search: '%' }), ['Bo', 'bo', 'Cy', 'Émile'], 'no letter, no search');
    assert.equal(await found({ roles: ['inker', 'cover_artist'] }), ['Bo', 'Cy']);
    assert.equal(await found({ place: { seriesId: idOf(1) } }), ['Bo', 'Émile']);
    assert.equal(await found({ place: { libraryIds: [idOf(1)] } }), ['bo', 'Cy', 'Émile']);
    assert.equal(await found({ place: { libraryIds: [idOf(9)] } }), []);
  });
  check('people are found by the parts of their names in any order', async () => {
    await stocked();
    await add(1, [
      ['Alan Moore', 'writer'],
      ['Terry Moore', 'writer'],
      ['諫山 創', 'writer'],
    ]);
    const found = async (search: string): Promise<string[]> => namesOf(await listPeople(parts, ANY, { search }, PAGE));
    for (const search of ['Moore Alan', 'moore, alan', '"Alan Moore"', 'moo ala', 'Alan-Moore'])
      assert.equal(await found(search), ['Alan Moore'], search);
    assert.equal(await found('moore'), ['Alan Moore', 'Terry Moore']);
    assert.equal(await found('Moore Émile'), []);
    assert.equal(await found('創 諫山'), ['諫山 創']);
  });
  check('somebody who sees one library sees its people, publishers and counts alone', async () => {
    await stocked();
    const page = await listPeople(parts, LIMITED, {}, PAGE);
    assert.equal([namesOf(page), page.total], [['bo', 'Cy', 'Émile'], 3]);
    assert.equal(page.items.at(-1)?.seriesCount, 1);
    assert.equal(await facetValues(stock.db, LIMITED, 'publisher'), [{ name: 'ACME', seriesCount: 1 }]);
    assert.equal(await listRoles(stock.db, LIMITED), ['author', 'cover_artist', 'writer']);
    assert.is(
      ((await thrownBy(() => listPeople(parts, LIMITED, { place: { seriesId: idOf(1) } }, PAGE))) as AppError).kind,
      'NotFound',
    );
  });
  check('credits have the names of roles that an app knows, each pair once', async () => {
    await stocked();
    const names = { author: 'writer', cover_artist: 'cover' };
    const page = await listCredits(parts, ANY, { names }, PAGE);
    assert.equal(
      page.items.map(({ name, role }) => `${name} ${role}`),
      ['Bo inker', 'bo writer', 'Cy cover', 'Émile writer'],
    );
    assert.is(page.total, 4);
    const second = await listCredits(parts, ANY, { names }, { page: 2, pageSize: 3 });
    assert.equal([namesOf(second), second.total], [['Émile'], 4]);
  });
  check('publishers that differ in case are one; series without books count for nothing', async () => {
    await stocked();
    assert.equal(await facetValues(stock.db, ANY, 'publisher'), [{ name: 'ACME', seriesCount: 2 }]);
    assert.equal(
      (await facetValues(stock.db, ANY, 'language')).map(({ name }) => name),
      ['en', 'fr'],
    );
    assert.equal(await ageRatings(stock.db, ANY), [null, 12]);
    assert.equal(await releaseYears(stock.db, ANY), [2001, 1999]);
    const page = await listFacet(stock.db, ANY, 'language', undefined, { page: 2, pageSize: 1 });
    assert.equal([namesOf(page), page.total], [['fr'], 2]);
  });
  check('terms are named for what carries them, and where', async () => {
    await stocked();
    await stock.settle(async (tx) => {
      for (const [id, name] of [
        [1, 'beta'],
        [2, 'alpha'],
        [3, 'unused'],
      ] as const)
        await tx.run('INSERT INTO tag (id, uuid, name, name_key, created_at) VALUES (?, ?, ?, ?, 0)', [
          id,
          bytesOfUuid(uuidOfHex(newId(0))),
          name,
          name,
        ]);
      await tx.run('INSERT INTO series_tag (series_id, tag_id) VALUES (1, 1), (3, 3)');
      await tx.run(
        'INSERT INTO book_tag (book_id, tag_id) SELECT id, 2 FROM book WHERE series_id = 2 AND deleted = 0 LIMIT 1',
      );
    });
    const named = (carriers: readonly ('series' | 'book')[], who = ANY, place = {}): Promise<readonly string[]> =>
      termNames(parts, who, 'tag', carriers, place);
    assert.equal(await named(['series', 'book']), ['alpha', 'beta']);
    assert.equal(await named(['series']), ['beta']);
    assert.equal(await named(['book']), ['alpha']);
    assert.equal(await named(['series', 'book'], LIMITED), ['alpha']);
    assert.equal(await named(['series', 'book'], ANY, { seriesId: idOf(1) }), ['beta']);
  });
};

block(
  'people',
  (check) => {
    counting(check);
    lists(check);
  },
  {
    before: async () => {
      stock = await openStock();
      parts = { db: stock.db, sets: new SetCache(stock.db) };
    },
    after: () => stock.close(),
  },
);
