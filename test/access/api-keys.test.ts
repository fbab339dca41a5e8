// API keys: who may make, read, change and revoke which, what a key is worth at each moment, and what is told of it.
import { createKey } from '../../core/access/key-changes.js';
import { AppError } from '../../core/model/errors.js';
import { PERMISSIONS, type Permission, ROLE_PERMISSIONS } from '../../core/model/permissions.js';
import { SYSTEM } from '../../core/store/feed.js';
import type { Answer } from '../app.js';
import { assert, block, type Check, thrownBy } from '../kit.js';
import { openPeople, type People, type Person } from './people.js';

let people: People;
let count = 0;

const HOUR = 3_600_000;
const NOBODYS = '01890000-0000-7000-8000-000000000000';

const somebody = (role: 'reader' | 'maintainer' | 'admin' = 'reader', own: readonly Permission[] = []) => {
  count += 1;
  return people.join(`owner${count}`, role, own);
};

/** Asks with a token or a key. */
const ask = (credential: string, method: string, path: string, body?: unknown): Promise<Answer> =>
  people.ask(credential, method, path, { body });

const make = async (
  credential: string,
  body: object = {},
): Promise<{ id: string; key: string; permissions: string[] }> => {
  const { status, json } = await ask(credential, 'POST', '/api-keys', { name: 'Tablet', ...body });
  assert.is(status, 201, JSON.stringify(json));
  return json;
};

const whenMs = (ms: number): string => new Date(people.temp.app.clock.now() + ms).toISOString();

const refusedInput = (check: Check): void => {
  for (const [what, body, path] of [
    ['without a name', { permissions: [] }, 'name'],
    ['with an empty name', { name: ' \u0000 ' }, 'name'],
    ['with a long name', { name: 'x'.repeat(101) }, 'name'],
    ['with an unknown permission', { name: 'x', permissions: ['BooksRead', 'BooksEat'] }, 'permissions[1]'],
    ['with a permission that is none', { name: 'x', permissions: [7] }, 'permissions[0]'],
    ['with a time that does not exist', { name: 'x', expires_at: '2026-02-31T00:00:00Z' }, 'expires_at'],
    ['with a time that has passed', { name: 'x', expires_at: '2020-01-31T00:00:00Z' }, 'expiresAt'],
    ['with a time that is none', { name: 'x', expiresAt: 'tomorrow' }, 'expiresAt'],
  ] as const)
    check(`a key ${what} is 400 and names the field`, async () => {
      const { json, status } = await ask(people.admin.token, 'POST', '/api-keys', body);
      assert.equal([status, json.details[0].path], [400, path]);
    });
  check('a name with line breaks is one line, and reaches no header', async () => {
    const answer = await ask(people.admin.token, 'POST', '/api-keys', { name: 'a\r\nSet-Cookie: auth_token=x\u0000' });
    assert.equal([answer.json.name, answer.header('set-cookie')], ['a Set-Cookie: auth_token=x', undefined]);
  });
  check('a body sets nothing that is not its to set', async () => {
    const [owner, other] = [await somebody(), await somebody()];
    const body = { userId: other.id, user_id: other.id, id: NOBODYS, key: 'svc_aaaaaaaa_b', prefix: 'aaaaaaaa' };
    const { status, json } = await ask(owner.token, 'POST', '/api-keys', { name: 'x', ...body, isActive: false });
    assert.equal([status, json.userId, json.isActive], [201, owner.id, true]);
    assert.ok(json.id !== NOBODYS && json.key_prefix !== 'aaaaaaaa');
    const changed = await ask(owner.token, 'PUT', `/api-keys/${json.id}`, { ...body, created_at: whenMs(0) });
    assert.equal([changed.status, changed.json.userId, changed.json.updatedAt], [200, owner.id, json.updatedAt]);
  });
};

const rights = (check: Check): void => {
  check('nobody gives a key a permission that they lack, in whatever spelling, and the answer names it', async () => {
    const reader = await somebody();
    for (const word of ['LibrariesWrite', 'libraries-write', 'libraries:write', 'SystemAdmin', 'users-read']) {
      const { status, json } = await ask(reader.token, 'POST', '/api-keys', { name: 'x', permissions: [word] });
      assert.is(status, 403, word);
      assert.match(json.message, /you lack: (?:LibrariesWrite|SystemAdmin|UsersRead)/);
      const { id } = await make(reader.token, { permissions: [] });
      assert.is((await ask(reader.token, 'PATCH', `/api-keys/${id}`, { permissions: [word] })).status, 403, word);
    }
  });
  check('a key made without a list has what its maker has: of a session, or of another key', async () => {
    const owner = await somebody('reader', ['TasksRead']);
    const whole = await make(owner.token);
    const held = new Set<string>([...ROLE_PERMISSIONS.reader, 'TasksRead']);
    assert.equal(
      whole.permissions,
      PERMISSIONS.filter((one) => held.has(one)),
    );
    const some = await make(owner.token, { permissions: ['api-keys-write', 'books:read', 'BOOKSREAD'] });
    assert.equal(some.permissions, ['BooksRead', 'ApiKeysWrite']);
    assert.equal((await make(some.key)).permissions, some.permissions);
    assert.equal((await make(whole.key, { permissions: null })).permissions, whole.permissions);
    assert.equal((await make(some.key, { permissions: [] })).permissions, []);
  });
  check('a key raises neither its own rights nor those of any other, and does not outlive itself', async () => {
    const { token } = await somebody('admin');
    const strong = await make(token);
    const weak = await make(token, { permissions: ['ApiKeysRead', 'ApiKeysWrite'], expires_at: whenMs(HOUR) });
    const { status } = await ask(weak.key, 'POST', '/api-keys', { name: 'x', permissions: ['BooksRead'] });
    assert.is(status, 403);
    for (const [id, body] of [
      [weak.id, { permissions: [...PERMISSIONS] }],
      [weak.id, { permissions: ['ApiKeysWrite', 'BooksRead'] }],
      [weak.id, { expiresAt: null }],
      [weak.id, { expires_at: whenMs(2 * HOUR) }],
      [strong.id, { name: 'mine now' }],
      [strong.id, { isActive: true }],
    ] as const)
      for (const method of ['PUT', 'PATCH'])
        assert.is((await ask(weak.key, method, `/api-keys/${id}`, body)).status, 403, JSON.stringify(body));
    assert.is((await ask(weak.key, 'POST', '/api-keys', { name: 'x' })).status, 403, 'without an expiry');
    const child = await make(weak.key, { expiresAt: whenMs(HOUR / 2) });
    assert.is((await ask(weak.key, 'PUT', `/api-keys/${weak.id}`, { name: 'Tablet 2' })).status, 200);
    const lowered = await ask(weak.key, 'PUT', `/api-keys/${child.id}`, { permissions: ['ApiKeysRead'] });
    assert.equal([lowered.status, lowered.json.permissions], [200, ['ApiKeysRead']]);
    assert.equal((await ask(token, 'GET', `/api-keys/${strong.id}`)).json.name, 'Tablet');
  });
  check('keys need their own permissions, also to read and to revoke keys', async () => {
    const { token } = await somebody();
    const { key, id } = await make(token, { permissions: ['BooksRead'] });
    for (const [method, path, needed] of [
      ['GET', '/api-keys', 'ApiKeysRead'],
      ['GET', `/api-keys/${id}`, 'ApiKeysRead'],
      ['POST', '/api-keys', 'ApiKeysWrite'],
      ['PUT', `/api-keys/${id}`, 'ApiKeysWrite'],
      ['PATCH', `/api-keys/${id}`, 'ApiKeysWrite'],
      ['DELETE', `/api-keys/${id}`, 'ApiKeysDelete'],
    ] as const) {
      const { status, json } = await ask(key, method, path, method === 'GET' ? undefined : { name: 'x' });
      assert.equal([status, json.message], [403, `Missing required permission: ${needed}`]);
    }
  });
  check('keys of others are for the administration of users, and nobody raises one of them', async () => {
    const [owner, other] = [await somebody(), await somebody()];
    const { id } = await make(owner.token, { permissions: ['BooksRead'] });
    for (const [method, needed] of [
      ['GET', 'UsersRead'],
      ['PUT', 'UsersWrite'],
      ['PATCH', 'UsersWrite'],
      ['DELETE', 'UsersDelete'],
    ] as const) {
      const { status, json } = await ask(other.token, method, `/api-keys/${id}`, method === 'GET' ? undefined : {});
      assert.equal([status, json.message], [403, `Missing required permission: ${needed}`]);
    }
    const root = people.admin.token;
    assert.is((await ask(root, 'GET', `/api-keys/${id}`)).json.userId, owner.id);
    const raised = await ask(root, 'PATCH', `/api-keys/${id}`, { permissions: ['LibrariesWrite'] });
    assert.equal([raised.status, raised.json.message.includes('owner of the key lacks')], [403, true]);
    assert.is((await ask(root, 'PATCH', `/api-keys/${id}`, { isActive: false })).json.isActive, false);
    const helper = await somebody('maintainer', PERMISSIONS);
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const { status, json } = await ask(helper.token, method, `/api-keys/${id}`, method === 'GET' ? undefined : {});
      assert.equal([status, json.message], [403, 'Only an administrator may do this.']);
    }
    const [strong, weak] = [await make(root), await make(root, { permissions: ['ApiKeysWrite', 'UsersWrite'] })];
    const boss = await somebody('admin');
    const theirs = await make(boss.token);
    for (const one of [strong, theirs]) {
      assert.is((await ask(weak.key, 'PATCH', `/api-keys/${one.id}`, { isActive: false })).status, 200);
      assert.is((await ask(weak.key, 'PATCH', `/api-keys/${one.id}`, { isActive: true })).status, 403);
    }
    assert.equal((await ask(other.token, 'GET', '/api-keys')).json, [], 'lists are of the caller alone');
    assert.is((await ask(root, 'DELETE', `/api-keys/${id}`)).status, 204);
    assert.is((await ask(owner.token, 'GET', `/api-keys/${id}`)).status, 404);
  });
};

const statusOf = async (key: string, path = '/books'): Promise<readonly [number, string | undefined]> => {
  const { status, json } = await ask(key, 'GET', path);
  return [status, status === 200 ? undefined : json.message];
};

const worth = (check: Check): void => {
  check('a key loses what its owner loses, from the next request on, and gains it back', async () => {
    const owner = await somebody('maintainer');
    const { key } = await make(owner.token);
    const tasks = (): Promise<Answer> => ask(key, 'POST', '/libraries', {});
    assert.is((await tasks()).status, 400);
    await ask(people.admin.token, 'PATCH', `/users/${owner.id}`, { role: 'reader' });
    assert.is((await tasks()).json.message, 'Missing required permission: LibrariesWrite');
    assert.equal(await statusOf(key), [200, undefined]);
    await ask(people.admin.token, 'PATCH', `/users/${owner.id}`, { role: 'maintainer' });
    assert.is((await tasks()).status, 400);
  });
  check('a revoked, a disabled and an expired key are refused by the next request, each with its words', async () => {
    const owner = await somebody();
    const [gone, off, late] = [await make(owner.token), await make(owner.token), await make(owner.token)];
    for (const { key } of [gone, off, late]) assert.equal(await statusOf(key), [200, undefined]);
    assert.is((await ask(owner.token, 'DELETE', `/api-keys/${gone.id}`)).status, 204);
    assert.equal(await statusOf(gone.key), [401, 'Invalid API key']);
    await ask(owner.token, 'PUT', `/api-keys/${off.id}`, { isActive: false });
    assert.equal(await statusOf(off.key), [401, 'Invalid API key']);
    await ask(owner.token, 'PUT', `/api-keys/${off.id}`, { is_active: true });
    assert.equal(await statusOf(off.key), [200, undefined]);
    await ask(owner.token, 'PUT', `/api-keys/${late.id}`, { expires_at: whenMs(10_000) });
    assert.equal(await statusOf(late.key), [200, undefined]);
    people.temp.advance(10_000);
    assert.equal(await statusOf(late.key), [401, 'API key has expired']);
    assert.is((await ask(owner.token, 'PUT', `/api-keys/${late.id}`, { expires_at: null })).json.expiresAt, null);
    assert.equal(await statusOf(late.key), [200, undefined]);
  });
  check('the key of a disabled owner is refused, and one of a deleted owner is no key', async () => {
    const owner = await somebody();
    const { key } = await make(owner.token);
    assert.equal(await statusOf(key), [200, undefined]);
    await ask(people.admin.token, 'PATCH', `/users/${owner.id}`, { isActive: false });
    assert.equal(await statusOf(key), [401, 'User account is inactive']);
    await ask(people.admin.token, 'DELETE', `/users/${owner.id}`);
    assert.equal(await statusOf(key), [401, 'Invalid API key']);
  });
  check('what waited while its key was revoked, or its session ended, leaves no key behind', async () => {
    const { app } = people.temp;
    const owner = await somebody();
    const { id, key } = await make(owner.token);
    const [byKey, bySession] = [await app.callers.byKey(key), await app.callers.byToken(owner.token)];
    await ask(owner.token, 'DELETE', `/api-keys/${id}`);
    await ask(owner.token, 'POST', '/auth/logout');
    for (const caller of [byKey, bySession]) {
      const by = { caller, address: null };
      const thrown = await thrownBy(() => createKey(app, by, { name: 'x', expiresAt: null }));
      assert.is(thrown instanceof AppError && thrown.kind, 'Unauthorized');
    }
  });
};

/** So many at once, without their texts. */
const stock = (person: Person, n: number): Promise<number> =>
  people.temp.app.db.write(SYSTEM, 'interactive', (tx) =>
    tx.run(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       INSERT INTO api_key (uuid, user_id, name, prefix, secret_hash, permissions, created_at, updated_at)
       SELECT randomblob(16), (SELECT id FROM user WHERE username = ?), i, hex(randomblob(4)), randomblob(32), '[]', i, i FROM n`,
      [n, person.name],
    ),
  );

const told = (check: Check): void => {
  check('a key is told once, and nobody finds it in an answer, a list or the database again', async () => {
    const owner = await somebody();
    const { id, key } = await make(owner.token, { expires_at: '2030-01-02T03:04:05Z' });
    const [, prefix = '', secret = ''] = /^svc_([A-Za-z0-9]{8})_([A-Za-z0-9]{32,})$/.exec(key) ?? [];
    const one = await ask(owner.token, 'GET', `/api-keys/${id}`);
    const { created_at: at } = one.json;
    assert.equal(one.json, {
      ...{ id, userId: owner.id, name: 'Tablet', permissions: [...ROLE_PERMISSIONS.reader], isActive: true },
      ...{ key_prefix: prefix, keyPrefix: prefix, created_at: at, createdAt: at, updatedAt: at },
      ...{ expires_at: '2030-01-02T03:04:05.000Z', expiresAt: '2030-01-02T03:04:05.000Z' },
      ...{ last_used_at: null, lastUsedAt: null },
    });
    const list = await ask(owner.token, 'GET', '/api-keys');
    assert.equal(list.json, [one.json]);
    const changed = await ask(owner.token, 'PUT', `/api-keys/${id}`, { name: 'Phone' });
    const audit = await ask(people.admin.token, 'GET', `/admin/audit?target=${id}`);
    assert.equal(
      audit.json.data.map(({ action }: { action: string }) => action),
      ['api_key.update', 'api_key.create'],
    );
    const rows = await people.temp.app.db.all('SELECT * FROM api_key WHERE prefix = ?', [prefix]);
    for (const text of [one, list, changed, audit].map(({ bytes }) => bytes.toString()).concat(JSON.stringify(rows)))
      assert.not.ok(text.includes(secret));
  });
  check('the list is an array, newest first, and a page when one is asked for', async () => {
    const owner = await somebody();
    for (const name of ['a', 'b', 'c']) await make(owner.token, { name });
    const names = (json: readonly { name: string }[]): readonly string[] => json.map(({ name }) => name);
    assert.equal(names((await ask(owner.token, 'GET', '/api-keys')).json), ['c', 'b', 'a']);
    for (const query of ['page=1&pageSize=2', 'page_size=2', 'pageSize=2']) {
      const { json } = await ask(owner.token, 'GET', `/api-keys?${query}`);
      assert.equal([names(json.data), json.total, json.totalPages], [['c', 'b'], 3, 2]);
    }
  });
  check('a user has so many keys and no more, and is told', async () => {
    const owner = await somebody();
    await stock(owner, 999);
    assert.is((await ask(owner.token, 'GET', '/api-keys')).json.length, 999);
    await make(owner.token);
    const full = await ask(owner.token, 'POST', '/api-keys', { name: 'x' });
    assert.equal([full.status, full.json.error], [409, 'Conflict']);
    assert.match(full.json.message, /1000 API keys/);
  });
};

block(
  'API keys',
  (check) => {
    for (const part of [refusedInput, rights, worth, told]) part(check);
    check('no answer was a server error', () => assert.equal(people.temp.faults, []));
  },
  {
    before: async () => {
      people = await openPeople();
    },
    after: () => people.temp.close(),
  },
);
