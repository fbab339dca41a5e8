// Collections that a condition fills, over HTTP: bad input first, then what is in them for whom, and back to plain ones.

import { renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { AUTOMATIC_MAX } from '../../core/catalog/collections/lists.js';
import { SYSTEM } from '../../core/store/feed.js';
import { type Answer, type CallOptions, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';

let temp: TempApp;
let token = '';
let library = '';
/** Ids of series by title. */
const series = new Map<string, string>();

const api = (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
  temp.call(method, `/api/v1${path}`, { token, ...options });

const idOf = (title: string): string => series.get(title) ?? '';

const scanned = (): Promise<void> =>
  until('the scan ends', async () => (await api('GET', '/scans/active')).json.length === 0);

const stock = async (): Promise<void> => {
  temp = await tempApp();
  token = await temp.tokenOf('admin');
  for (const name of ['Ants', 'Bees', 'Cats', 'Dogs']) writeBook(join(temp.shelf, name, `${name} 1.cbz`), 1, name);
  writeFileSync(join(temp.shelf, 'Ants', 'Ants 1.cbz'), 'not an archive');
  library = (await api('POST', '/libraries', { body: { name: 'Shelf', path: temp.shelf, scanImmediately: true } })).json
    .id;
  await scanned();
  for (const one of (await api('GET', '/series')).json.data) series.set(one.title, one.id);
  for (const [title, year] of Object.entries({ Ants: 1990, Bees: 1970, Cats: 1980 }))
    await api('PATCH', `/series/${idOf(title)}/metadata`, { body: { year } });
};

const DATED = { year: { operator: 'isNotNull' } };
const EARLY = { allOf: [{ year: { operator: 'lt', value: 1985 } }] };
const READ = { readStatus: { operator: 'is', value: 'read' } };
const NOWHERE = { libraryId: { operator: 'is', value: '01890000-0000-7000-8000-000000000000' } };

let made = 0;
const make = async (condition: unknown, more: object = {}): Promise<string> => {
  made += 1;
  const answer = await api('POST', '/collections', { body: { name: `Auto ${made}`, condition, ...more } });
  assert.is(answer.status, 201, JSON.stringify(answer.json));
  return answer.json.id;
};

const get = async (id: string, options: CallOptions = {}) => (await api('GET', `/collections/${id}`, options)).json;

const titles = async (id: string, query = '', options: CallOptions = {}): Promise<string[]> =>
  (await api('GET', `/collections/${id}/series${query}`, options)).json.map(({ title }: { title: string }) => title);

const BAD: readonly (readonly [condition: unknown, at: string])[] = [
  ['year', 'condition'],
  [[], 'condition'],
  [{}, 'condition'],
  [{ allOf: {} }, 'condition.allOf'],
  [{ colour: { operator: 'isTrue' } }, 'condition.colour'],
  [{ pageCount: { operator: 'gt', value: 1 } }, 'condition.pageCount'],
  [{ anyOf: [DATED, { year: { operator: 'endsWith', value: 'x' } }] }, 'condition.anyOf[1].year.operator'],
  [{ anyOf: Array(501).fill(DATED) }, 'condition.anyOf'],
  [{ year: { operator: 'isNull', beside: 'x'.repeat(100_000) } }, 'condition'],
];

const badInput = (check: Check): void => {
  check('a condition is validated like that of a list of series, when creating and changing', async () => {
    const plain = await make(null);
    const automatic = await make(EARLY);
    for (const [condition, at] of BAD) {
      const what = JSON.stringify(condition).slice(0, 60);
      for (const [method, path] of [
        ['POST', '/collections'],
        ['PATCH', `/collections/${plain}`],
        ['PATCH', `/collections/${automatic}`],
      ] as const) {
        const { status, json } = await api(method, path, { body: { name: 'Refused', condition } });
        assert.equal([status, json.details?.[0]?.path], [400, at], `${method} ${what}`);
      }
    }
    const [one, other] = [await get(plain), await get(automatic)];
    assert.equal([one.automatic, one.condition, other.automatic, other.condition], [false, null, true, EARLY]);
    assert.not.match(`${one.name} ${other.name}`, /Refused/);
  });
  check('adding, ordering and removing members is 409 with a message, and changes nothing', async () => {
    const id = await make(EARLY);
    const body = { seriesIds: [idOf('Dogs')] };
    for (const [method, path, given] of [
      ['POST', '', body],
      ['PUT', '', body],
      ['DELETE', `/${idOf('Bees')}`, undefined],
    ] as const) {
      const { status, json } = await api(method, `/collections/${id}/series${path}`, { body: given });
      assert.equal([status, json.error], [409, 'Conflict'], method);
      assert.match(json.message, /A condition decides what is in this collection/);
    }
    assert.equal(await titles(id), ['Bees', 'Cats']);
  });
  check('a read list has no condition', async () => {
    const { status, json } = await api('POST', '/readlists', { body: { name: 'Books', condition: DATED } });
    assert.equal([status, 'condition' in json, 'automatic' in json], [201, false, false]);
    assert.is((await api('PATCH', `/readlists/${json.id}`, { body: { condition: DATED } })).status, 200);
  });
  check(`there are at most ${AUTOMATIC_MAX}; existing ones may still be changed`, async () => {
    const id = await make(EARLY);
    await temp.app.db.write(SYSTEM, 'interactive', (tx) =>
      tx.run(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
         INSERT INTO collection (uuid, name, name_key, name_sort, condition, created_at, updated_at)
         SELECT randomblob(16), 'many ' || i, 'many ' || i, 'many ' || i, '{"anyOf":[]}', 0, 0 FROM n`,
        [AUTOMATIC_MAX],
      ),
    );
    const refused = await api('POST', '/collections', { body: { name: 'One more', condition: EARLY } });
    assert.equal([refused.status, refused.json.details[0].path], [400, 'condition']);
    assert.is((await api('POST', '/collections', { body: { name: 'One more' } })).status, 201);
    assert.is((await api('PATCH', `/collections/${id}`, { body: { summary: 'x' } })).status, 200);
    assert.is((await api('PATCH', `/collections/${id}`, { body: { condition: null } })).status, 200);
    await temp.app.db.write(SYSTEM, 'interactive', (tx) => tx.run("DELETE FROM collection WHERE name LIKE 'many %'"));
  });
};

const members = (check: Check): void => {
  check('the record says so, and returns the condition as it was written', async () => {
    const condition = { allOf: [{ year: { value: 1985, operator: 'lt', note: 'kept' } }] };
    const { json } = await api('POST', '/collections', { body: { name: 'Written', ordered: true, condition } });
    assert.equal([json.automatic, json.ordered, json.seriesCount], [true, true, 2]);
    assert.is(JSON.stringify(json.condition), JSON.stringify(condition));
    assert.equal(await get(json.id), json);
    const { items } = (await api('GET', '/collections')).json;
    assert.equal(
      items.find(({ id }: { id: string }) => id === json.id),
      json,
    );
  });
  check('its series are sorted and paged like those of any other', async () => {
    const id = await make(DATED, { ordered: true });
    assert.equal(await titles(id), ['Ants', 'Bees', 'Cats']);
    assert.equal(await titles(id, '?sort=manual,desc'), ['Cats', 'Bees', 'Ants']);
    assert.equal(await titles(id, '?sort=added'), ['Ants', 'Bees', 'Cats']);
    assert.equal(await titles(id, '?sort=year'), ['Bees', 'Cats', 'Ants']);
    assert.equal(await titles(await make({ allOf: [] }), '?sort=year,desc'), ['Ants', 'Cats', 'Bees', 'Dogs']);
    assert.is((await api('GET', `/collections/${id}/series?sort=rating`)).status, 400);
    const { json } = await api('GET', `/collections/${id}/series?page=2&pageSize=2`);
    assert.is(json.length, 1);
    assert.equal(json[0], (await api('GET', `/series?page=3&pageSize=1`)).json.data[0]);
  });
  check('a series that changes, loses its files or gets them back enters or leaves by itself', async () => {
    const id = await make(EARLY);
    await api('PATCH', `/series/${idOf('Dogs')}/metadata`, { body: { year: 1900 } });
    assert.equal([await titles(id), (await get(id)).seriesCount], [['Bees', 'Cats', 'Dogs'], 3]);
    await api('PATCH', `/series/${idOf('Dogs')}/metadata`, { body: { year: null } });
    const [file, aside] = [join(temp.shelf, 'Bees', 'Bees 1.cbz'), join(temp.folder, 'aside.cbz')];
    const scan = async (from: string, to: string): Promise<void> => {
      renameSync(from, to);
      await api('POST', `/libraries/${library}/scan`);
      await scanned();
    };
    await scan(file, aside);
    assert.equal([await titles(id), (await get(id)).seriesCount], [['Cats'], 1]);
    assert.equal((await api('GET', `/series/${idOf('Bees')}/collections`)).json, { items: [], total: 0 });
    await scan(aside, file);
    assert.equal([await titles(id), (await get(id)).seriesCount], [['Bees', 'Cats'], 2]);
  });
  check('reading progress counts only for its own user', async () => {
    const id = await make(READ);
    const reader = { token: await temp.tokenOf('reader') };
    await api('POST', `/series/${idOf('Cats')}/read`, reader);
    assert.equal([await titles(id, '', reader), (await get(id, reader)).seriesCount], [['Cats'], 1]);
    assert.equal([await titles(id), (await get(id)).seriesCount], [[], 0]);
    const held = async (options: CallOptions): Promise<boolean> =>
      (await api('GET', `/series/${idOf('Cats')}/collections`, options)).json.items.some(
        (list: { id: string }) => list.id === id,
      );
    assert.equal([await held(reader), await held({})], [true, false]);
  });
  check('a series lists its automatic collections among the others, by name, with their counts', async () => {
    const plain = (await api('POST', '/collections', { body: { name: 'M plain' } })).json.id;
    await api('POST', `/collections/${plain}/series`, { body: { seriesId: idOf('Dogs') } });
    const undated = { year: { operator: 'isNull' } };
    for (const [name, condition] of Object.entries({ 'Z undated': undated, 'A all': { allOf: [] }, None: NOWHERE }))
      await api('POST', '/collections', { body: { name, condition } });
    const lists = (await api('GET', `/series/${idOf('Dogs')}/collections`)).json.items.filter(
      ({ name }: { name: string }) => !name.startsWith('Auto'),
    );
    const told = lists.map((list: { name: string; seriesCount: number }) => `${list.name}: ${list.seriesCount}`);
    assert.equal(told, ['A all: 4', 'M plain: 1', 'Z undated: 1']);
  });
  check('its cover is that of the first series that has one', async () => {
    const cover = await api('GET', `/collections/${await make(DATED)}/thumbnail`);
    const wanted = await api('GET', `/series/${idOf('Bees')}/thumbnail`);
    assert.equal([cover.status, cover.header('etag')], [200, wanted.header('etag')]);
    for (const condition of [NOWHERE, { title: { operator: 'is', value: 'ants' } }])
      assert.is((await api('GET', `/collections/${await make(condition)}/thumbnail`)).status, 404);
  });
};

const changes = (check: Check): void => {
  check(
    'a changed condition takes effect at once; a change without one keeps it; clearing leaves a plain, empty one',
    async () => {
      const id = await make(EARLY);
      const patch = async (body: object) => (await api('PATCH', `/collections/${id}`, { body })).json;
      temp.advance(1000);
      const changed = await patch({ condition: DATED });
      assert.equal([changed.condition, changed.seriesCount, changed.updatedAt > changed.createdAt], [DATED, 3, true]);
      assert.equal([(await patch({ summary: 'Why.' })).condition, (await titles(id)).length], [DATED, 3]);
      const cleared = await patch({ condition: null });
      assert.equal([cleared.automatic, cleared.condition, cleared.seriesCount], [false, null, 0]);
      assert.equal(await titles(id), []);
      await api('POST', `/collections/${id}/series`, { body: { seriesId: idOf('Dogs') } });
      assert.equal(await titles(id), ['Dogs']);
    },
  );
  check('a condition replaces manually added members', async () => {
    const id = await make(null);
    await api('POST', `/collections/${id}/series`, { body: { seriesId: idOf('Dogs') } });
    await api('PATCH', `/collections/${id}`, { body: { condition: EARLY } });
    assert.equal(await titles(id), ['Bees', 'Cats']);
    await api('PATCH', `/collections/${id}`, { body: { condition: null } });
    assert.equal(await titles(id), []);
  });
  check('inCollection refers to manually added members', async () => {
    const { items } = (await api('GET', '/collections')).json;
    for (const { id } of items) await api('DELETE', `/collections/${id}`);
    const plain = await make(null);
    await api('POST', `/collections/${plain}/series`, { body: { seriesId: idOf('Dogs') } });
    await make({ allOf: [] });
    assert.equal(await titles(await make({ inCollection: { operator: 'isTrue' } })), ['Dogs']);
    assert.equal(await titles(await make({ inCollection: { operator: 'isFalse' } })), ['Ants', 'Bees', 'Cats']);
    assert.equal(temp.faults, []);
  });
};

block(
  'automatic collections over HTTP',
  (check) => {
    for (const part of [badInput, members, changes]) part(check);
  },
  { before: stock, after: () => temp.close() },
);
