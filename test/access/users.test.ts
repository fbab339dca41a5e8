// Users over the API: what is refused and how, what is stored, and who is listed.
import { bytesOfUuid } from '../../core/model/ids.js';
import { SYSTEM, updated } from '../../core/store/feed.js';
import type { Answer } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { openPeople, PASSWORD, type People } from './people.js';

let people: People;

const root = (method: string, path: string, body?: unknown): Promise<Answer> =>
  people.ask(people.admin.token, method, path, { body });

const create = (fields: object): Promise<Answer> =>
  root('POST', '/users', { username: 'somebody', email: 'somebody@example.org', password: PASSWORD, ...fields });

const LONG = 'x'.repeat(10_000);

const BAD: readonly (readonly [what: string, fields: object, path: string])[] = [
  ['an empty name', { username: '' }, 'username'],
  ['a blank name', { username: ' \u2003 ' }, 'username'],
  ['a name of 10,000 characters', { username: LONG }, 'username'],
  ['a name of 20,000 characters', { username: LONG + LONG }, 'username'],
  ['a name with a line break', { username: 'some\r\nbody' }, 'username'],
  ['a name with a NUL', { username: 'some\0body' }, 'username'],
  ['a name that turns the direction of writing', { username: 'some\u202ebody' }, 'username'],
  ['a name with a space of no width', { username: 'Ro\u200bot' }, 'username'],
  ['a name with an invisible letter', { username: 'Root\u3164' }, 'username'],
  ['a name with half a character', { username: 'some\ud83dbody' }, 'username'],
  ['an e-mail address that is none', { email: 'nobody' }, 'email'],
  ['an e-mail address with a line break', { email: 'a@example.org\r\nBcc: b@example.org' }, 'email'],
  ['two e-mail addresses', { email: 'a,b@example.org' }, 'email'],
  ['an e-mail address with a control character', { email: 'a\u0007@example.org' }, 'email'],
  ['an e-mail address of 10,000 characters', { email: `${LONG}@example.org` }, 'email'],
  ['an empty password', { password: '' }, 'password'],
  ['a password of seven characters', { password: 'gulls 7' }, 'password'],
  ['a password that is tried first', { password: 'Passw0rd' }, 'password'],
  ['a password of 10,000 characters', { password: LONG }, 'password'],
  ['a role that there is not', { role: 'owner' }, 'role'],
  ['a role of 10,000 characters', { role: LONG }, 'role'],
];

const fields = (check: Check): void => {
  for (const [what, given, path] of BAD)
    check(`${what} is 400 and named, for a new user and an existing one`, async () => {
      const before = (await root('GET', '/users')).json.total;
      for (const answer of [await create(given), await root('PATCH', `/users/${people.admin.id}`, given)])
        assert.equal([answer.status, answer.json.error, answer.json.details[0].path], [400, 'BadRequest', path]);
      assert.is((await root('GET', '/users')).json.total, before);
    });
  check('the password is never said back, in no answer', async () => {
    const made = await create({ password: 'a very secret word' });
    assert.is(made.status, 201);
    const texts = [made, await root('GET', '/users'), await root('GET', `/users/${made.json.id}`)];
    for (const { bytes } of texts) assert.not.match(bytes.toString(), /secret word|\$argon2|hash/i);
    await root('DELETE', `/users/${made.json.id}`);
  });
  check('an unknown permission is 400 and named, and nothing of the body is stored', async () => {
    const { json } = await create({});
    const body = { permissions: ['books-write', 'fly'], username: 'other' };
    const answer = await root('PATCH', `/users/${json.id}`, body);
    assert.equal([answer.status, answer.json.details[0].path], [400, 'permissions[1]']);
    assert.match(answer.json.message, /"fly"/);
    const { username, permissions } = (await root('GET', `/users/${json.id}`)).json;
    assert.equal([username, permissions], ['somebody', []]);
    await root('DELETE', `/users/${json.id}`);
  });
};

const names = (check: Check): void => {
  const TAKEN: readonly (readonly [what: string, fields: object, path: string])[] = [
    ['a name', { username: 'ann' }, 'username'],
    ['a name in capitals and with spaces', { username: '  ANN ' }, 'username'],
    ['a name in wide letters', { username: '\uff41\uff4e\uff4e' }, 'username'],
    ['an address', { email: 'ann@example.org' }, 'email'],
    ['an address in capitals', { email: 'Ann@Example.ORG' }, 'email'],
    ['a name that is the address of another', { username: 'ann@example.org' }, 'username'],
    ['an address that is the name of another', { email: 'odd@example.com' }, 'email'],
  ];
  for (const [what, given, path] of TAKEN)
    check(`${what} that is taken is 409, for a new user, an existing one, and oneself`, async () => {
      const bob = await people.signIn('bob');
      const bodies = { ...given, currentPassword: PASSWORD };
      const answers = [await create(given), await root('PUT', `/users/${bob.json.user.id}`, given)];
      const own = await people.ask(bob.json.access_token, 'PATCH', '/user', { body: bodies });
      if (path === 'username' && what.includes('address')) assert.is(own.status, 400, 'nobody calls themselves that');
      else answers.push(own);
      for (const { status, json } of answers)
        assert.equal([status, json.error, json.details], [409, 'Conflict', [{ path, message: 'is taken' }]]);
    });
  check('of 20 parallel requests for one name exactly one succeeds', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => create({ username: 'Race' })));
    assert.equal(all.map(({ status }) => status).sort(), [201, ...Array.from({ length: 19 }, () => 409)]);
    await root('DELETE', `/users/${all.find(({ status }) => status === 201)?.json.id}`);
  });
  check('a name is stored with single spaces, and one may write the own name in other letters', async () => {
    const { json } = await create({ username: '  Some \u00a0 Body ' });
    assert.is(json.username, 'Some Body');
    const changed = await root('PATCH', `/users/${json.id}`, { username: 'SOME BODY', email: 'SOMEBODY@example.org' });
    assert.equal([changed.status, changed.json.username], [200, 'SOME BODY']);
    await root('DELETE', `/users/${json.id}`);
  });
};

const strangers = (check: Check): void => {
  check('nobody but administrators learns whether there is such a user', async () => {
    for (const role of ['reader', 'maintainer'] as const) {
      const { token } = await people.join(`curious-${role}`, role, ['UsersRead', 'UsersWrite', 'UsersDelete']);
      for (const [method, body] of [['GET'], ['PUT', {}], ['PATCH', {}], ['DELETE']] as const) {
        const known = await people.ask(token, method, `/users/${people.admin.id}`, { body });
        const unknown = await people.ask(token, method, '/users/01890000-0000-7000-8000-000000000000', { body });
        assert.equal([known.status, known.json], [403, unknown.json]);
      }
    }
  });
  check('somebody else changes only what is theirs, whatever the body says', async () => {
    const [eve, ann] = [await people.join('eve'), (await people.signIn('ann')).json.user];
    const body = { id: ann.id, userId: ann.id, username: 'Eve', role: 'admin', permissions: ['SystemAdmin'] };
    const sent = {
      ...body,
      isActive: true,
      emailVerified: true,
      password: 'gulls over the pier 4',
      sharingTags: [],
      key: 1,
      lastLoginAt: 1,
    };
    const { status, json } = await people.ask(eve.token, 'PATCH', '/user', { body: sent });
    assert.equal([status, json.id, json.username, json.role, json.permissions], [200, eve.id, 'Eve', 'reader', []]);
    assert.is((await people.signIn('Eve')).status, 200);
    assert.is((await people.ask(eve.token, 'GET', '/users')).status, 403);
    assert.equal((await people.signIn('ann')).json.user, ann);
  });
  check('a new user is what the administrator said and nothing more, whatever else the body says', async () => {
    const { json } = await create({ permissions: ['SystemAdmin'], isActive: false, id: people.admin.id, active: 0 });
    assert.equal([json.role, json.permissions, json.isActive], ['reader', [], true]);
    assert.is.not(json.id, people.admin.id);
    await root('DELETE', `/users/${json.id}`);
  });
  check('without the own password nobody finds out through another address who has an account', async () => {
    const { token } = await people.join('prober');
    const tried = async (email: string, currentPassword?: string): Promise<unknown> => {
      const { status, json } = await people.ask(token, 'PATCH', '/user', { body: { email, currentPassword } });
      return [status, json.details?.[0]];
    };
    for (const email of ['ann@example.org', 'free@example.org']) {
      assert.equal(await tried(email), [400, { path: 'currentPassword', message: 'is required' }]);
      assert.equal(await tried(email, 'wrong'), [400, { path: 'currentPassword', message: 'is wrong' }]);
    }
    for (let n = 0; n < 10; n += 1) await tried('free@example.org', 'wrong');
    const [status] = (await tried('free@example.org', PASSWORD)) as [number];
    assert.is(status, 429, 'guesses are counted');
  });
};

const renames = (check: Check): void => {
  check(
    'nobody takes a name that looks like an address, which would tell whether somebody has it, or hold it',
    async () => {
      const { token } = await people.join('renamer');
      for (const username of ['ann@example.org', 'free@example.org', 'free＠example.org']) {
        const { status, json } = await people.ask(token, 'PATCH', '/user', { body: { username } });
        assert.equal([status, json.details], [400, [{ path: 'username', message: 'must not contain @' }]], username);
      }
      const { id, token: named } = await people.join('at');
      await root('PATCH', `/users/${id}`, { username: 'at@home' });
      const kept = await people.ask(named, 'PATCH', '/user', {
        body: { username: 'at@home', email: 'at@example.org' },
      });
      assert.equal([kept.status, kept.json.username], [200, 'at@home'], 'one that an administrator gave stays');
    },
  );
};

/** Grants a tag by rows: routes for tags are another room's. */
const grant = async (userId: string, name: string, access: 'allow' | 'deny'): Promise<void> => {
  await people.temp.app.db.write(SYSTEM, 'interactive', async (tx) => {
    const binds = [name, name.toLowerCase()];
    await tx.run(
      'INSERT OR IGNORE INTO sharing_tag (uuid, name, name_key, created_at, updated_at) VALUES (randomblob(16), ?, ?, 0, 0)',
      binds,
    );
    await tx.run(
      `INSERT INTO user_grant (user_id, sharing_tag_id, uuid, access, created_at)
       SELECT u.id, t.id, randomblob(16), ?, 0 FROM user u, sharing_tag t WHERE u.uuid = ? AND t.name = ?`,
      [access, bytesOfUuid(userId), name],
    );
    tx.report(updated('restriction', 'all', 64));
  });
};

const lists = (check: Check): void => {
  const listed = async (query: string): Promise<string[]> =>
    (await root('GET', `/users?${query}`)).json.data.map(({ username }: { username: string }) => username);
  check('users are listed by name, filtered by role and grants, at most 100 on a page', async () => {
    const [kim, lee] = [await people.join('kim', 'maintainer'), await people.join('Lee')];
    await grant(kim.id, 'Kids', 'deny');
    await grant(lee.id, 'Kids', 'allow');
    await grant(lee.id, 'Staff', 'deny');
    const all = await listed('');
    assert.equal(
      all,
      [...all].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1)),
    );
    assert.ok((await listed('role=MAINTAINER')).includes('kim'));
    assert.not.ok((await listed('role=maintainer')).includes('Lee'));
    assert.equal(await listed('sharingTag=kids'), ['kim', 'Lee']);
    assert.equal(await listed('sharingTag=Kids&sharingTagMode=allow'), ['Lee']);
    assert.equal(await listed('sharingTagMode=deny'), ['kim', 'Lee']);
    assert.equal(await listed('sharingTag=Kids&role=reader'), ['Lee']);
    assert.equal(await listed('sharingTag=nothing'), []);
    const [{ sharingTagId }] = (await root('GET', `/users/${lee.id}`)).json.sharingTags;
    assert.equal(await listed(`sharingTag=${sharingTagId}`), ['kim', 'Lee']);
    const { pageSize, total } = (await root('GET', '/users?pageSize=500')).json;
    assert.equal([pageSize, total], [500, all.length]);
    for (const bad of ['role=owner', 'sharingTagMode=some', `sharingTag=${LONG}`])
      assert.is((await root('GET', `/users?${bad}`)).status, 400, bad);
  });
  check('one user is shown with the tags granted, and the own account like it', async () => {
    const lee = await people.signIn('lee');
    const { json } = await root('GET', `/users/${lee.json.user.id}`);
    assert.equal(
      json.sharingTags.map((one: Record<string, unknown>) => [one.sharingTagName, one.accessMode]),
      [
        ['Kids', 'allow'],
        ['Staff', 'deny'],
      ],
    );
    assert.equal((await people.ask(lee.json.access_token, 'GET', '/user')).json, json);
  });
};

block(
  'users',
  (check) => {
    for (const part of [renames, fields, names, strangers, lists]) part(check);
    check('no answer was a server error', () => assert.equal(people.temp.faults, []));
  },
  {
    before: async () => {
      people = await openPeople();
      await people.join('ann');
      await people.join('bob');
      await root('POST', '/users', { username: 'odd@example.com', email: 'odd@example.org', password: PASSWORD });
    },
    after: () => people.temp.close(),
  },
);
