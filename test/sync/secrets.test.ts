// Sync secrets: who sets them, what they open, how guesses are slowed down, and what is kept of them.

import { keyOf } from '../access/askers.js';
import { openPeople, PASSWORD, type People, type Person } from '../access/people.js';
import type { Answer, CallOptions } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { md5, signedIn } from './devices.js';

const SECRET = 'fog over the harbour 7';
let people: People;
let ann: Person;

const authorize = (options: CallOptions): Promise<Answer> =>
  people.temp.call('GET', '/koreader/users/auth', { address: '10.1.0.1', ...options });
const set = (body?: object, person: Person = ann): Promise<Answer> =>
  people.ask(person.token, 'PUT', '/user/sync-secret', body === undefined ? {} : { body });
const get = async (person: Person = ann): Promise<boolean> =>
  (await people.ask(person.token, 'GET', '/user/sync-secret')).json.isSet;

const ownership = (check: Check): void => {
  check('there is none at first, and none signs nobody in', async () => {
    assert.is(await get(), false);
    assert.is((await authorize(signedIn('ann', ''))).status, 401);
  });
  check('a generated one is shown once', async () => {
    const { status, json } = await set();
    assert.is(status, 200);
    assert.match(json.secret, /^[a-z2-9]{4}(?:-[a-z2-9]{4}){3}$/);
    assert.is((await authorize(signedIn('ann', json.secret))).status, 200);
    assert.is(await get(), true);
  });
  check('a chosen one is not repeated, and takes the place of the one before at once', async () => {
    const before = (await set({})).json.secret;
    assert.is((await authorize(signedIn('ann', before))).status, 200);
    assert.is((await set({ secret: SECRET })).json.secret, null);
    assert.is((await authorize(signedIn('ann', before))).status, 401);
    assert.is((await authorize(signedIn('ANN', SECRET))).status, 200);
    assert.is((await authorize(signedIn('ann@example.org', SECRET))).status, 200);
  });
  check('one that is short or very long is refused', async () => {
    for (const secret of ['', 'x'.repeat(11), 'x'.repeat(201)]) assert.is((await set({ secret })).status, 400);
  });
  check('the password of the account is none', async () => {
    const { status, json } = await set({ secret: PASSWORD });
    assert.equal([status, json.message], [400, 'The secret must not be the password of the account.']);
    assert.is((await authorize(signedIn('ann', PASSWORD))).status, 401);
  });
  check('only the owner has it, and no API key changes it', async () => {
    const bea = await people.join('bea');
    assert.is(await get(bea), false);
    const { key } = await keyOf(people, ann);
    for (const method of ['PUT', 'DELETE']) assert.is((await people.ask(key, method, '/user/sync-secret')).status, 403);
  });
  check('it is entered in the log, without the secret', async () => {
    const { json } = await people.ask(people.admin.token, 'GET', '/admin/audit?pageSize=200');
    const entries = json.data.filter((one: { details: { syncSecret?: unknown } }) => 'syncSecret' in one.details);
    assert.ok(entries.length >= 3);
    assert.not.match(JSON.stringify(json), new RegExp(`${SECRET}|${md5(SECRET)}`));
  });
  check('neither the secret nor what devices send is stored', async () => {
    const rows = await people.temp.app.db.all<{ salt: Buffer; hash: Buffer }>('SELECT salt, hash FROM sync_secret');
    assert.ok(rows.length > 0);
    for (const { salt, hash } of rows) {
      const stored = Buffer.concat([salt, hash]).toString('hex');
      assert.not.ok(stored.includes(md5(SECRET)) || stored.includes(md5(md5(SECRET))));
    }
  });
  check('removed, it signs nobody in', async () => {
    await set({ secret: SECRET });
    assert.is((await people.ask(ann.token, 'DELETE', '/user/sync-secret')).status, 204);
    assert.is((await people.ask(ann.token, 'DELETE', '/user/sync-secret')).status, 204);
    assert.is((await authorize(signedIn('ann', SECRET))).status, 401);
    assert.is(await get(), false);
  });
};

const guesses = (check: Check): void => {
  check('guesses have to wait, other places and the login do not', async () => {
    await set({ secret: SECRET });
    const from = { address: '10.9.9.9' };
    const statuses: number[] = [];
    for (let n = 0; n < 12; n += 1)
      statuses.push((await authorize({ ...signedIn('ann', `guess ${n}`), ...from })).status);
    assert.equal([...new Set(statuses)], [401, 429]);
    const waiting = await authorize({ ...signedIn('ann', SECRET), ...from });
    assert.equal([waiting.status, waiting.json.code], [429, 429]);
    assert.ok(Number(waiting.header('retry-after')) > 0);
    assert.is((await authorize({ ...signedIn('ann', SECRET), address: '10.8.8.8' })).status, 200);
    const body = { username: 'ann', password: 'gulls over the pier 4' };
    assert.is((await people.temp.call('POST', '/api/v1/auth/login', { body, address: '10.9.9.9' })).status, 200);
    people.temp.advance(3_600_000);
    assert.is((await authorize({ ...signedIn('ann', SECRET), ...from })).status, 200);
  });
  check('whoever knows the secret gets no further guesses at the password', async () => {
    const address = '10.7.7.7';
    const guess = (n: number): Promise<Answer> =>
      people.temp.call('POST', '/api/v1/auth/login', { body: { username: 'ann', password: `guess ${n}` }, address });
    const statuses: number[] = [];
    for (let n = 0; n < 12; n += 1) {
      statuses.push((await guess(n)).status);
      assert.is((await authorize({ ...signedIn('ann', SECRET), address })).status, 200);
      people.temp.advance(1000);
    }
    assert.ok(statuses.includes(429));
  });
  check('it opens progress alone', async () => {
    const { permissions } = await people.temp.app.callers.bySyncKey({
      name: 'ann',
      key: md5(SECRET),
      address: () => '::1',
      surface: 'e-reader sync',
    });
    assert.equal([...permissions], ['ProgressRead', 'ProgressWrite']);
  });
  check('a disabled account is let in no more', async () => {
    const cleo = await people.join('cleo');
    await set({ secret: SECRET }, cleo);
    assert.is((await authorize(signedIn('cleo', SECRET))).status, 200);
    await people.ask(people.admin.token, 'PATCH', `/users/${cleo.id}`, { body: { isActive: false } });
    assert.is((await authorize(signedIn('cleo', SECRET))).status, 401);
  });
  check('an API key needs the permissions', async () => {
    const { key } = await keyOf(people, ann, ['ProgressRead']);
    const options = { headers: { 'x-auth-user': key, 'x-auth-key': 'x' } };
    assert.is((await authorize(options)).status, 200);
    const body = { document: 'd', progress: '1', percentage: 0, device: 'x' };
    const { status, json } = await people.temp.call('PUT', '/koreader/syncs/progress', { ...options, body });
    assert.equal([status, json.message], [403, 'Missing required permission: ProgressWrite']);
  });
};

block(
  'sync secrets',
  (check) => {
    ownership(check);
    guesses(check);
  },
  {
    before: async () => {
      people = await openPeople();
      ann = await people.join('ann');
    },
    after: () => people.temp.close(),
  },
);
