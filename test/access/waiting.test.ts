// Requests that wait for their turn to write while what their callers signed in with ends, or is worth less: they leave nothing behind.
import type { Caller } from '../../core/access/caller.js';
import { changeKey, createKey } from '../../core/access/key-changes.js';
import { changeOwnPassword } from '../../core/access/own-password.js';
import { changeProfile } from '../../core/access/own-profile.js';
import { createUser } from '../../core/access/user-admin.js';
import { faultOf } from '../../core/model/errors.js';
import type { Permission, Role } from '../../core/model/permissions.js';
import { assert, block, type Check } from '../kit.js';
import { briefToken, openPeople, PASSWORD, type People, type Person } from './people.js';

let people: People;
let count = 0;

const OTHER = 'Cliffs-in-fog-7!';
const CLIENT = { agent: null, address: null };
const KEYS: readonly Permission[] = ['ApiKeysRead', 'ApiKeysWrite', 'BooksRead', 'BooksWrite'];

const somebody = (role: Role = 'maintainer'): Promise<Person> => {
  count += 1;
  return people.join(`waiting${count}`, role, KEYS);
};

const bySession = async ({ token }: Person): Promise<Caller> => people.temp.app.callers.byToken(token);

const byPassword = async ({ name }: Person): Promise<Caller> =>
  people.temp.app.callers.byPassword({ name, password: PASSWORD, address: () => `10.9.0.${count}`, surface: 'API' });

const logOut = async ({ token }: Person): Promise<void> => {
  assert.is((await people.ask(token, 'POST', '/auth/logout')).status, 200);
};

const newPassword = async ({ token }: Person): Promise<void> => {
  const body = { currentPassword: PASSWORD, newPassword: OTHER };
  assert.is((await people.ask(token, 'POST', '/auth/change-password', { body })).status, 200);
};

const rootAsks = async (method: string, path: string, body?: unknown): Promise<void> => {
  const { status } = await people.ask(people.admin.token, method, path, { body });
  assert.ok(status < 300, `${method} ${path}: ${status}`);
};

type Deed = (caller: Caller) => Promise<unknown>;

const DEEDS: Readonly<Record<string, Deed>> = {
  'an API key': (caller) =>
    createKey(
      people.temp.app,
      { caller, address: null },
      { name: 'late', permissions: ['BooksRead'], expiresAt: null },
    ),
  'another address': (caller) =>
    changeProfile(
      people.temp.app,
      { caller, address: `10.9.1.${count}` },
      { email: `late${count}@example.org`, currentPassword: PASSWORD },
    ),
  'another name': (caller) => changeProfile(people.temp.app, { caller, address: null }, { username: `late${count}` }),
};

const makeAdministrator: Deed = (caller) =>
  createUser(
    people.temp.app,
    { caller, address: null },
    { username: `heir${count}`, email: `heir${count}@example.org`, password: 'whatever it is', role: 'admin' },
  );

const refused = async (work: Promise<unknown>, kinds: readonly string[]): Promise<void> => {
  const kind = await work.then(
    () => 'done',
    (thrown: unknown) => faultOf(thrown).kind,
  );
  assert.ok(kinds.includes(kind), kind);
};

const sessions = (check: Check): void => {
  for (const [what, deed] of Object.entries(DEEDS))
    check(`after a logout: ${what}`, async () => {
      const person = await somebody();
      const caller = await bySession(person);
      await logOut(person);
      await refused(deed(caller), ['Unauthorized']);
    });
  for (const [what, deed] of Object.entries(DEEDS))
    check(`after the end of the token, in a session that goes on: ${what}`, async () => {
      const caller = await people.temp.app.callers.byToken(await briefToken(people.temp, await somebody()));
      people.temp.advance(20);
      await refused(deed(caller), ['Unauthorized']);
    });
  check('after a logout: an administrator', async () => {
    const person = await somebody('admin');
    const caller = await bySession(person);
    await logOut(person);
    await refused(makeAdministrator(caller), ['Unauthorized']);
    const { data } = (await people.ask(people.admin.token, 'GET', '/users?pageSize=100')).json;
    assert.not.ok(data.some(({ username }: { username: string }) => username.startsWith('heir')));
  });
  check('what the session may still do is done', async () => {
    for (const deed of Object.values(DEEDS)) {
      const person = await somebody();
      await deed(await bySession(person));
    }
    await makeAdministrator(await bySession(await somebody('admin')));
  });
};

const passwords = (check: Check): void => {
  for (const [what, deed] of Object.entries(DEEDS))
    if (what !== 'another address')
      check(`with a password that is the old one by now: ${what}`, async () => {
        const person = await somebody();
        const caller = await byPassword(person);
        await newPassword(person);
        await refused(deed(caller), ['Unauthorized']);
      });
  check('of two that change the password, the second does not undo the first', async () => {
    const person = await somebody();
    const by = { caller: await byPassword(person), address: `10.9.2.${count}` };
    const change = { currentPassword: PASSWORD, newPassword: `${OTHER}2` };
    const { app } = people.temp;
    const { hash } = app.passwords;
    // The owner is quicker, while the other one is being hashed.
    app.passwords.hash = async (text) => {
      app.passwords.hash = hash;
      await newPassword(person);
      return hash.call(app.passwords, text);
    };
    await refused(changeOwnPassword(app, by, change, CLIENT), ['Unauthorized']);
    assert.is((await people.signIn(person.name, OTHER)).status, 200);
  });
};

const keys = (check: Check): void => {
  const keyOf = async (person: Person): Promise<{ caller: Caller; path: string }> => {
    const body = { name: 'Tablet', permissions: KEYS };
    const { json } = await people.ask(person.token, 'POST', '/api-keys', { body });
    return { caller: await people.temp.app.callers.byKey(json.key), path: `/api-keys/${json.id}` };
  };
  const ENDS: readonly (readonly [what: string, method: string, body?: unknown])[] = [
    ['deleted', 'DELETE'],
    ['disabled', 'PATCH', { isActive: false }],
    ['left with fewer permissions', 'PATCH', { permissions: ['ApiKeysWrite'] }],
  ];
  for (const [what, method, body] of ENDS)
    check(`with a key that was ${what}: another key, or a change of one`, async () => {
      const person = await somebody();
      const { caller, path } = await keyOf(person);
      const other = await keyOf(person);
      assert.ok((await people.ask(person.token, method, path, { body })).status < 300);
      const by = { caller, address: null };
      await refused(createKey(people.temp.app, by, { name: 'late', permissions: ['BooksRead'], expiresAt: null }), [
        'Unauthorized',
        'Forbidden',
      ]);
      const id = other.path.split('/').at(-1) ?? '';
      await refused(changeKey(people.temp.app, by, id, { permissions: ['BooksRead'] }), ['Unauthorized', 'Forbidden']);
    });
  check('no key lives on in another: one that expires gives its time to every key it changes', async () => {
    const person = await somebody();
    const expiresAt = new Date(people.temp.app.clock.now() + 3_600_000).toISOString();
    const make = async (body: object): Promise<{ id: string; key: string }> =>
      (await people.ask(person.token, 'POST', '/api-keys', { body: { name: 'x', ...body } })).json;
    const [brief, lasting] = [await make({ permissions: KEYS, expiresAt }), await make({ permissions: ['BooksRead'] })];
    const path = `/api-keys/${lasting.id}`;
    const put = async (body: object): Promise<number> => (await people.ask(brief.key, 'PUT', path, { body })).status;
    assert.is(await put({ permissions: KEYS }), 403);
    assert.is(await put({ isActive: false, name: 'stopped', expiresAt: null }), 403);
    assert.is(await put({ isActive: false }), 200);
    assert.is(await put({ isActive: true }), 403);
    assert.is(await put({ isActive: true, expiresAt }), 200);
  });
  check('a weaker key stops a stronger one, and changes nothing else of it', async () => {
    const person = await somebody();
    const make = async (permissions: readonly string[]): Promise<{ id: string; key: string }> =>
      (await people.ask(person.token, 'POST', '/api-keys', { body: { name: 'x', permissions } })).json;
    const [weak, strong] = [await make(['ApiKeysRead', 'ApiKeysWrite']), await make(KEYS)];
    const patch = async (body: object): Promise<number> =>
      (await people.ask(weak.key, 'PATCH', `/api-keys/${strong.id}`, { body })).status;
    assert.is(await patch({ isActive: false, name: 'other' }), 403);
    assert.is(await patch({ isActive: false, expiresAt: '2090-01-01T00:00:00Z' }), 403);
    assert.is(await patch({ isActive: false }), 200);
    assert.is(await patch({ isActive: true }), 403);
  });
  check('with a key whose owner has lost the role: an administrator', async () => {
    const person = await somebody('admin');
    const caller = await people.withKey(person, [...(await bySession(person)).permissions]);
    await rootAsks('PATCH', `/users/${person.id}`, { role: 'reader' });
    await refused(makeAdministrator(caller), ['Forbidden', 'Unauthorized']);
  });
};

block(
  'requests that wait leave nothing behind',
  (check) => {
    for (const part of [sessions, passwords, keys]) part(check);
    check('no answer was a server error', () => assert.equal(people.temp.faults, []));
  },
  {
    before: async () => {
      people = await openPeople();
    },
    after: () => people.temp.close(),
  },
);
