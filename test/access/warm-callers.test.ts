// What a request costs once its sender is known: no query, no comparison of a password, no write; and how soon that is forgotten.

import { API } from '../../http/api/surface.js';
import type { Request } from '../../http/server/adapter.js';
import { identify } from '../../http/surface/credentials.js';
import { assert, block, thrownBy } from '../kit.js';
import { basicPair, openPeople, PASSWORD, type People, type Person } from './people.js';

let people: People;
let ann: Person;
let key = '';
let compared = 0;

/** The ways of the API, asked by themselves. */
const caller = (headers: Readonly<Record<string, string>>, address = '10.0.0.1') => {
  const request: Request = {
    method: 'GET',
    path: '/api/v1/books',
    query: '',
    header: (name) => headers[name] ?? '',
    has: (name) => name in headers,
    remoteAddress: address,
    body: Buffer.alloc(0),
    signal: new AbortController().signal,
  };
  const knock = { app: people.temp.app, request, clientAddress: () => address, surface: 'API', isForeign: () => false };
  return identify(API.credentials.ways, knock);
};

const withPassword = (name = 'ann', password = PASSWORD) => ({ authorization: basicPair(name, password) });

/** How many passwords are compared meanwhile. */
const comparing = async (body: () => Promise<unknown>): Promise<number> => {
  const before = compared;
  await body();
  return compared - before;
};

block(
  'warm callers',
  (check) => {
    check('whoever is known is identified at once, by each kind of credential', async () => {
      for (const headers of [
        { authorization: `Bearer ${ann.token}` },
        { authorization: `Bearer ${key}` },
        { 'x-api-key': key },
        { authorization: basicPair('api', key) },
        withPassword(),
        { cookie: `theme=dark; auth_token=${ann.token}` },
      ]) {
        const { user } = await caller(headers);
        const again = caller(headers);
        assert.not.ok(again instanceof Promise, JSON.stringify(headers));
        assert.is(user.username, 'ann');
      }
    });
    check(
      'a password is compared once, also for requests that come together, and again only after a pause',
      async () => {
        await people.join('bob');
        const headers = withPassword('bob');
        const together = () => Promise.all(Array.from({ length: 30 }, () => caller(headers)));
        assert.is(await comparing(together), 1);
        for (let minutes = 0; minutes < 30; minutes += 5) {
          people.temp.advance(5 * 60_000);
          assert.is(await comparing(async () => caller(headers)), 0);
        }
        people.temp.advance(10 * 60_000);
        assert.is(await comparing(async () => caller(headers)), 1);
      },
    );
    check('a wrong password is compared each time, and none is taken for another', async () => {
      const wrong = async (name: string, password: string): Promise<void> => {
        const refused = await thrownBy(() => caller(withPassword(name, password), '10.0.0.2'));
        assert.match(String(refused), /username or password/);
      };
      await caller(withPassword());
      assert.is(await comparing(() => wrong('ann', `${PASSWORD} `)), 1);
      assert.is(await comparing(() => wrong('ann', `${PASSWORD} `)), 1);
      assert.is(await comparing(() => wrong('anna', PASSWORD)), 1);
      assert.is(await comparing(() => wrong('an', `n${PASSWORD}`)), 1);
    });
    check('another password, and a disabled account, count at once', async () => {
      const { id } = await people.join('cy');
      const patch = (body: object) => people.ask(people.admin.token, 'PATCH', `/users/${id}`, { body });
      await caller(withPassword('cy'));
      await patch({ password: 'another one' });
      assert.match(String(await thrownBy(() => caller(withPassword('cy')))), /username or password/);
      await caller(withPassword('cy', 'another one'));
      await patch({ isActive: false });
      assert.match(String(await thrownBy(() => caller(withPassword('cy', 'another one')))), /inactive/);
      await patch({ isActive: true });
      assert.is(
        await comparing(async () => caller(withPassword('cy', 'another one'))),
        0,
        'the same password still fits',
      );
    });
    check('a login, another client and a changed name cost no further comparison', async () => {
      const { id } = await people.join('dee');
      await caller(withPassword('dee'));
      await people.ask(people.admin.token, 'PATCH', `/users/${id}`, { body: { role: 'maintainer' } });
      await caller(withPassword('dee@example.org'));
      assert.is(await comparing(async () => caller(withPassword('dee'))), 0);
      const { user } = await caller(withPassword('dee'));
      assert.is(user.role, 'maintainer');
    });
  },
  {
    before: async () => {
      people = await openPeople();
      ann = await people.join('ann');
      key = (await people.ask(ann.token, 'POST', '/api-keys', { body: { name: 'Tablet' } })).json.key;
      const { passwords } = people.temp.app;
      const matches = passwords.matches.bind(passwords);
      passwords.matches = (stored, password) => {
        compared += 1;
        return matches(stored, password);
      };
    },
    after: () => people.temp.close(),
  },
);
