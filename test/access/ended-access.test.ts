// What ends somebody's access, from the next request on: a disabled or deleted account, another password, a lower role.
import { assert, block, type Check } from '../kit.js';
import { openPeople, PASSWORD, type People, type Person } from './people.js';

let people: People;
let count = 0;

const admin = async (method: string, path: string, body?: unknown): Promise<void> => {
  const { status } = await people.ask(people.admin.token, method, path, { body });
  assert.ok(status < 300, `${method} ${path} ${status}`);
};

const statusOf = async ({ token }: Person, path: string, headers = {}): Promise<number> =>
  (await people.ask(token, 'GET', path, { headers })).status;

/** Somebody for whom an answer is kept. */
const somebody = async (): Promise<{ person: Person; tag: string }> => {
  count += 1;
  const person = await people.join(`person${count}`, 'maintainer');
  const { header } = await people.ask(person.token, 'GET', '/books');
  assert.is(await statusOf(person, '/books', { 'if-none-match': header('etag') ?? '' }), 304);
  return { person, tag: header('etag') ?? '' };
};

const accounts = (check: Check): void => {
  const ENDS: readonly (readonly [what: string, message: string, (id: string) => Promise<void>])[] = [
    ['disabled', 'User account is inactive', (id) => admin('PATCH', `/users/${id}`, { isActive: false })],
    ['deleted', 'User not found', (id) => admin('DELETE', `/users/${id}`)],
    [
      'given another password',
      'Invalid JWT token: the session has ended',
      (id) => admin('PUT', `/users/${id}`, { password: 'another one' }),
    ],
  ];
  for (const [what, message, end] of ENDS)
    check(`a user who is ${what} is let in no more, not even to what is kept`, async () => {
      const { person, tag } = await somebody();
      await end(person.id);
      for (const path of ['/books', '/auth/me', '/user', '/libraries'])
        assert.is(await statusOf(person, path, { 'if-none-match': tag }), 401, path);
      assert.is((await people.ask(person.token, 'GET', '/auth/me')).json.message, message);
      assert.is((await people.signIn(person.name)).status, 401);
      const sessions = await people.temp.app.db.all(
        'SELECT 1 FROM session s JOIN user u ON u.id = s.user_id WHERE u.username = ?',
        [person.name],
      );
      assert.is(sessions.length, 0);
    });
  check('a request that is under way when the account is disabled finishes, and the next is refused', async () => {
    const { person } = await somebody();
    const asked = Array.from({ length: 20 }, () => people.ask(person.token, 'GET', '/series?sort=name'));
    await admin('PATCH', `/users/${person.id}`, { isActive: false });
    for (const { status } of await Promise.all(asked)) assert.ok([200, 401].includes(status), String(status));
    assert.is(await statusOf(person, '/series?sort=name'), 401);
  });
  check('an account that is enabled again is signed in again, and not before', async () => {
    const { person } = await somebody();
    await admin('PATCH', `/users/${person.id}`, { isActive: false });
    await admin('PATCH', `/users/${person.id}`, { isActive: true });
    assert.is(await statusOf(person, '/auth/me'), 401);
    assert.is((await people.signIn(person.name)).status, 200);
  });
  check('a name, an address or a role changes without ending a session', async () => {
    const { person } = await somebody();
    await admin('PATCH', `/users/${person.id}`, { username: `${person.name}b`, email: 'new@example.org' });
    assert.is(await statusOf(person, '/auth/me'), 200);
  });
};

const roles = (check: Check): void => {
  check('a lower role and a permission that is taken hold from the next request on', async () => {
    const { person } = await somebody();
    const write = async (): Promise<number> =>
      (await people.ask(person.token, 'POST', '/collections', { body: { name: `of ${person.name}` } })).status;
    assert.is(await write(), 201);
    await admin('PATCH', `/users/${person.id}`, { role: 'reader' });
    assert.is(await write(), 403);
    await admin('PATCH', `/users/${person.id}`, { permissions: ['collections-write'] });
    assert.is(await write(), 409);
    await admin('PATCH', `/users/${person.id}`, { permissions: [] });
    assert.is(await write(), 403);
  });
  check('nothing is stored when nothing changes', async () => {
    const { person } = await somebody();
    const { json } = await people.ask(people.admin.token, 'GET', `/users/${person.id}`);
    people.temp.advance(1000);
    const { username, email, role, permissions, isActive } = json;
    const body = { username, email, role, permissions, isActive };
    const again = await people.ask(people.admin.token, 'PUT', `/users/${person.id}`, { body });
    assert.is(again.json.updatedAt, json.updatedAt);
    assert.is(await statusOf(person, '/auth/me'), 200);
  });
};

const profile = (check: Check): void => {
  check('another address needs the current password, and is not verified; other letters need nothing', async () => {
    const { person } = await somebody();
    const change = (body: object) => people.ask(person.token, 'PATCH', '/user', { body });
    assert.is((await change({ email: `${person.name.toUpperCase()}@example.org` })).status, 200);
    assert.is((await people.ask(person.token, 'GET', '/auth/me')).json.emailVerified, true);
    const email = 'mine@example.com';
    assert.is((await change({ email })).status, 400);
    assert.equal((await change({ email, currentPassword: PASSWORD })).json.email, email);
    assert.is((await people.ask(person.token, 'GET', '/auth/me')).json.emailVerified, false);
    assert.is((await people.signIn(email)).status, 200);
  });
  check('an empty change answers the account as it is', async () => {
    const { person } = await somebody();
    const { status, json } = await people.ask(person.token, 'PATCH', '/user', { body: {} });
    assert.equal([status, json.id], [200, person.id]);
  });
};

block(
  'ended access',
  (check) => {
    for (const part of [accounts, roles, profile]) part(check);
    check('no answer was a server error', () => assert.equal(people.temp.faults, []));
  },
  {
    before: async () => {
      people = await openPeople();
    },
    after: () => people.temp.close(),
  },
);
