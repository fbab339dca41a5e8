// What users store for their clients: the bad before the good, over the API.

import { openPeople, type People, type Person } from '../access/people.js';
import type { Answer } from '../app.js';
import { assert, block, type Check } from '../kit.js';

let people: People;
let ann: Person;
let bob: Person;

const PATH = '/user/preferences';

const put = (who: Person, key: string, value: unknown): Promise<Answer> =>
  people.ask(who.token, 'PUT', `${PATH}/${key}`, { body: { value } });
const get = (who: Person, key = ''): Promise<Answer> => people.ask(who.token, 'GET', `${PATH}${key}`);
const putMany = (who: Person, preferences: unknown): Promise<Answer> =>
  people.ask(who.token, 'PUT', PATH, { body: { preferences } });
const keysOf = async (who: Person): Promise<readonly string[]> =>
  (await get(who)).json.preferences.map(({ key }: { key: string }) => key);

const LONG_KEY = 'a'.repeat(256);
const BAD_KEYS = ['.a', 'a.', 'a..b', 'a-b', 'a%20b', 'a%2Fb', '%C3%A9', LONG_KEY];

const refused = (check: Check): void => {
  check('a key that is no list of words with dots is 400, read, stored or deleted', async () => {
    for (const key of BAD_KEYS) {
      for (const method of ['GET', 'DELETE'])
        assert.is((await people.ask(ann.token, method, `${PATH}/${key}`)).status, 400, `${method} ${key}`);
      assert.is((await put(ann, key, 1)).status, 400, key);
      assert.is((await putMany(ann, { good: 1, [decodeURIComponent(key)]: 1 })).status, 400, key);
    }
    assert.equal(await keysOf(ann), []);
  });
  check('a body without a value, and preferences that are no object, are 400', async () => {
    for (const body of [{}, { values: 1 }, [], 'x'])
      assert.is((await people.ask(ann.token, 'PUT', `${PATH}/a`, { body })).status, 400);
    for (const preferences of [undefined, null, [], 'x', 1]) assert.is((await putMany(ann, preferences)).status, 400);
    assert.equal(await keysOf(ann), []);
  });
  check('a value of more than 64 kB is 400, alone and among others, and says which', async () => {
    const tooLong = 'é'.repeat(32 * 1024);
    assert.is((await put(ann, 'a', tooLong)).status, 400);
    const { status, json } = await putMany(ann, { a: 1, b: tooLong });
    assert.equal([status, json.details[0].path], [400, 'b']);
    assert.equal(await keysOf(ann), []);
    const fits = 'é'.repeat(32 * 1024 - 1);
    assert.is((await put(ann, 'a', fits)).json.value, fits);
    await people.ask(ann.token, 'DELETE', `${PATH}/a`);
  });
  check(
    'one more than 500 is 409 and stores none of what came with it; those that are there can still be changed',
    async () => {
      const cat = await people.join('cat');
      const many = Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`k${n}`, n]));
      assert.is((await putMany(cat, { ...many, more: 1 })).status, 400);
      assert.is((await putMany(cat, many)).json.updated, 500);
      assert.is((await put(cat, 'more', 1)).status, 409);
      assert.is((await putMany(cat, { k0: 'changed', more: 1 })).status, 409);
      assert.is((await get(cat, '/k0')).json.value, 0);
      assert.is((await put(cat, 'k0', 'changed')).status, 200);
      assert.is((await get(cat)).json.preferences.length, 500);
    },
  );
  check('what is not stored is 404, and deleting it deletes nothing', async () => {
    const { status, json } = await get(ann, '/ui.theme');
    assert.equal([status, json.message], [404, "Preference 'ui.theme' not found"]);
    assert.is((await people.ask(ann.token, 'DELETE', `${PATH}/ui.theme`)).json.deleted, false);
  });
};

const stored = (check: Check): void => {
  check('any JSON is stored as it is, and its type derived', async () => {
    const values = [
      ['string', 'dark'],
      ['integer', 100],
      ['integer', -3],
      ['float', 1.5],
      ['boolean', false],
      ['json', null],
      ['json', [1, null]],
      ['json', { a: { b: null } }],
    ] as const;
    for (const [valueType, value] of values) {
      const { status, json } = await put(ann, 'reader.value', value);
      assert.equal([status, json.key, json.value, json.valueType], [200, 'reader.value', value, valueType]);
      assert.equal((await get(ann, '/reader.value')).json, json);
    }
    await people.ask(ann.token, 'DELETE', `${PATH}/reader.value`);
  });
  check('several are stored at once and listed by key; the others stay', async () => {
    await put(ann, 'ui.theme', 'dark');
    const { json } = await putMany(ann, { 'reader.default_zoom': 120, 'a.b': 'x', __proto__2: 1 });
    assert.equal([json.updated, json.preferences.length, json.preferences[0].valueType], [3, 3, 'integer']);
    assert.equal(await keysOf(ann), ['__proto__2', 'a.b', 'reader.default_zoom', 'ui.theme']);
    assert.is((await putMany(ann, {})).json.updated, 0);
    assert.is((await get(ann)).json.preferences.length, 4);
  });
  check('a key that objects have by themselves is a key like others', async () => {
    const body = '{"preferences":{"__proto__":{"a":1},"constructor":2}}';
    assert.is((await people.ask(bob.token, 'PUT', PATH, { body })).json.updated, 2);
    assert.equal(await keysOf(bob), ['__proto__', 'constructor']);
    assert.equal((await get(bob, '/__proto__')).json.value, { a: 1 });
  });
  check('the time is that of the last change', async () => {
    const before = (await get(ann, '/ui.theme')).json.updatedAt;
    people.temp.advance(5000);
    const { json } = await put(ann, 'ui.theme', 'light');
    assert.is(Date.parse(json.updatedAt) - Date.parse(before), 5000);
  });
  check('everybody has their own, and with a key of theirs as well', async () => {
    const dan = await people.join('dan');
    assert.equal((await get(dan)).json, { preferences: [] });
    assert.is((await get(dan, '/ui.theme')).status, 404);
    await put(dan, 'ui.theme', 'system');
    assert.is((await get(ann, '/ui.theme')).json.value, 'light');
    const { json } = await people.ask(dan.token, 'POST', '/api-keys', {
      body: { name: 'x', permissions: ['BooksRead'] },
    });
    const answer = await people.temp.call('GET', `/api/v1${PATH}`, { headers: { 'x-api-key': json.key } });
    assert.is(answer.json.preferences[0].value, 'system');
    assert.equal((await people.ask(dan.token, 'DELETE', `${PATH}/ui.theme`)).json, {
      deleted: true,
      message: "Preference 'ui.theme' was reset to default",
    });
    assert.is((await get(ann, '/ui.theme')).status, 200);
  });
  check('all that a user may store is listed in one answer', async () => {
    const eve = await people.join('eve');
    const value = 'x'.repeat(64 * 1024 - 2);
    for (let at = 0; at < 500; at += 20)
      await putMany(eve, Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`k${at + n}`, value])));
    const { status, json, bytes } = await get(eve);
    assert.equal([status, json.preferences.length], [200, 500]);
    assert.ok(bytes.length > 32_000_000);
    assert.ok(json.preferences.every((one: { value: string }) => one.value === value));
  });
  check('they go with their user', async () => {
    const { json } = await people.ask(people.admin.token, 'GET', '/users?pageSize=100');
    for (const { id, username } of json.data)
      if (username !== people.admin.name)
        assert.is((await people.ask(people.admin.token, 'DELETE', `/users/${id}`)).status, 204);
    assert.equal(await people.temp.app.db.all('SELECT key FROM user_preference'), []);
  });
};

block(
  'preferences',
  (check) => {
    refused(check);
    stored(check);
    check('nothing was a server error', () => assert.equal(people.temp.faults, []));
  },
  {
    before: async () => {
      people = await openPeople();
      [ann, bob] = [await people.join('ann'), await people.join('bob')];
    },
    after: () => people.temp.close(),
  },
);
