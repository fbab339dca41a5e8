// Who may administer whom: administrators alone, with a key only as far as the key goes, and the last one never loses it.
import type { Caller } from '../../core/access/caller.js';
import { changeProfile } from '../../core/access/own-profile.js';
import { changeUser, createUser, type UserChange } from '../../core/access/user-admin.js';
import { AppError } from '../../core/model/errors.js';
import { PERMISSIONS, type Permission, ROLE_PERMISSIONS } from '../../core/model/permissions.js';
import { ROUTES } from '../../http/api/rows/index.js';
import { needsOf, permitCaller } from '../../http/surface/permit.js';
import type { Answer } from '../app.js';
import { assert, block, type Check, thrownBy } from '../kit.js';
import { openPeople, PASSWORD, type People, type Person } from './people.js';

let people: People;

const root = (method: string, path: string, body?: unknown): Promise<Answer> =>
  people.ask(people.admin.token, method, path, { body });

const ADMINISTRATION = ROUTES.filter(({ administrator }) => administrator);

const strangers = (check: Check): void => {
  check('a maintainer with every permission of their own is no administrator', async () => {
    const { token, id } = await people.join('max', 'maintainer', PERMISSIONS);
    for (const { method, path } of ADMINISTRATION) {
      const body = { username: 'x', email: 'x@example.org', password: 'gulls over the pier 4', role: 'admin' };
      const answer = await people.ask(token, method, path.replace('{id}', id), { body });
      assert.equal(
        [answer.status, answer.json.message],
        [403, 'Only an administrator may do this.'],
        `${method} ${path}`,
      );
    }
    const { role, permissions } = (await root('GET', `/users/${id}`)).json;
    assert.equal([role, permissions], ['maintainer', [...PERMISSIONS]]);
  });
  check('a key needs the permission too, and an account that is an administrator', async () => {
    const [admin, max] = [people.admin, await people.join('mia', 'maintainer', PERMISSIONS)];
    for (const route of ADMINISTRATION) {
      const needs = needsOf(route.access);
      const others = PERMISSIONS.filter((one) => !needs.includes(one));
      permitCaller(needs, route, await people.withKey(admin, needs));
      for (const [who, held] of [
        [admin, others],
        [max, PERMISSIONS],
      ] as const) {
        const caller = await people.withKey(who, held);
        const thrown = await thrownBy(() => permitCaller(needs, route, caller));
        assert.is(thrown instanceof AppError && thrown.kind, 'Forbidden', route.id);
      }
    }
  });
};

const READER: readonly Permission[] = ROLE_PERMISSIONS.reader;

const keys = (check: Check): void => {
  const refused = async (body: () => Promise<unknown>, what: string): Promise<void> => {
    const thrown = await thrownBy(body);
    assert.is(thrown instanceof AppError && thrown.kind, 'Forbidden', what);
  };
  const change = (caller: Caller, { id }: Person, body: UserChange): Promise<unknown> =>
    changeUser(people.temp.app, { caller, address: '10.1.1.1' }, id, body);
  check('a key gives no role, permission or account beyond its own permissions', async () => {
    const target = await people.join('tim');
    const caller = await people.withKey(people.admin, [...READER, 'UsersRead', 'UsersWrite']);
    const by = { caller, address: null };
    const body = { username: 'new', email: 'new@example.org', password: 'gulls over the pier 4' };
    for (const role of ['maintainer', 'admin'])
      await refused(() => createUser(people.temp.app, by, { ...body, role }), role);
    const raising: readonly UserChange[] = [
      { role: 'maintainer' },
      { role: 'ADMIN' },
      { permissions: ['books:write'] },
      { permissions: ['UsersRead', 'SystemAdmin'] },
    ];
    for (const one of raising) await refused(() => change(caller, target, one), JSON.stringify(one));
    await createUser(people.temp.app, by, body);
    await change(caller, target, { permissions: ['users-read'], username: 'timothy' });
    const { role, permissions } = (await root('GET', `/users/${target.id}`)).json;
    assert.equal([role, permissions], ['reader', ['UsersRead']]);
  });
  check(
    'nor does it take over the account of somebody who has more: by password, address, role or opening it',
    async () => {
      const [owner, other] = [people.admin, await people.join('ada', 'admin')];
      const closed = await people.join('abe', 'admin');
      await root('PATCH', `/users/${closed.id}`, { isActive: false });
      const caller = await people.withKey(owner, [...READER, 'UsersRead', 'UsersWrite', 'UsersDelete']);
      for (const who of [owner, other]) {
        await refused(() => change(caller, who, { password: 'mine now 12' }), 'password');
        await refused(() => change(caller, who, { email: 'mine@example.org' }), 'email');
        await refused(() => change(caller, who, { role: 'reader', password: 'mine now 12' }), 'lowered first');
      }
      await refused(() => change(caller, closed, { isActive: true }), 'opened');
      await refused(() => change(caller, closed, { isActive: true, role: 'maintainer' }), 'opened lower');
      assert.is((await people.signIn('ada')).status, 200);
      assert.is((await people.signIn('Root', 'Root-passw0rd!')).status, 200);
    },
  );
  check('a key changes nothing of the account it belongs to', async () => {
    const person = await people.join('kay');
    const caller = await people.withKey(person, READER);
    const mine = { username: 'other', email: 'other@example.org', currentPassword: PASSWORD };
    await refused(() => changeProfile(people.temp.app, { caller, address: '10.1.1.2' }, mine), 'profile');
    assert.is((await people.signIn('kay')).status, 200);
  });
  check('not even an administrator, nor what restricts the account, nor the account as a whole', async () => {
    const [person, member] = [await people.join('una', 'admin'), await people.join('uri', 'admin')];
    const { key } = (await people.ask(person.token, 'POST', '/api-keys', { body: { name: 'x' } })).json;
    const tagId = (await root('POST', '/admin/sharing-tags', { name: 'Una' })).json.id;
    const group = `/access-groups/${(await root('POST', '/access-groups', { name: 'Una' })).json.id}/members`;
    const rows = ({ id }: { readonly id: string }): readonly (readonly [string, string, object?])[] => [
      ...[{}, { libraryIds: [] }, { ageLimit: { max: 6 } }, { permissions: ['TasksRead'] }, { isActive: false }].map(
        (body) => ['PATCH', `/users/${id}`, body] as const,
      ),
      ['PUT', `/users/${id}`, { role: 'reader' }],
      ['PUT', `/users/${id}/sharing-tags`, { sharingTagId: tagId, accessMode: 'deny' }],
      ['DELETE', `/users/${id}/sharing-tags/${tagId}`],
      ['POST', group, { userIds: [people.admin.id, id.toUpperCase()] }],
      ['DELETE', `${group}/${id}`],
      ['DELETE', `/users/${id}`],
    ];
    const before = (await root('GET', `/users/${person.id}`)).json;
    for (const [method, path, body] of rows(person)) {
      const { status, json } = await people.ask(key, method, path, body === undefined ? {} : { body });
      assert.is(status, 403, `${method} ${path} ${JSON.stringify(body)}`);
      assert.match(json.message, /cannot change the account of its owner/);
    }
    assert.equal((await root('GET', `/users/${person.id}`)).json, before);
    for (const [method, path, body] of rows(member)) {
      const { status } = await people.ask(key, method, path, body === undefined ? {} : { body });
      assert.ok(status < 300, `another account: ${status} ${method} ${path}`);
    }
  });
  check('nobody takes their own account over, past the password that it asks for', async () => {
    const person = await people.join('olga', 'admin');
    const { key } = (await people.ask(person.token, 'POST', '/api-keys', { body: { name: 'x' } })).json;
    const own = `/users/${person.id}`;
    for (const body of [{ password: 'mine now 12' }, { email: 'mine@example.org' }]) {
      assert.is((await people.ask(key, 'PATCH', own, { body })).status, 403);
      const { status, json } = await people.ask(person.token, 'PUT', own, { body });
      assert.equal([status, json.error], [400, 'BadRequest']);
    }
    assert.is((await people.ask(key, 'PATCH', own, { body: { username: 'olga2' } })).status, 403);
    assert.is((await people.ask(person.token, 'PATCH', own, { body: { username: 'olga2' } })).status, 200);
    assert.is((await people.signIn('olga2')).status, 200);
  });
  check('whoever lost the account or the role while a request waited changes nothing any more', async () => {
    const lost = await people.join('lou', 'admin');
    const caller = await people.temp.app.callers.byToken(lost.token);
    await root('PATCH', `/users/${lost.id}`, { role: 'reader' });
    const target = await people.join('tia');
    const body = { username: 'late', email: 'late@example.org', password: 'gulls over the pier 4', role: 'admin' };
    await refused(() => createUser(people.temp.app, { caller, address: null }, body), 'create');
    await refused(() => change(caller, target, { role: 'admin' }), 'change');
  });
};

const last = (check: Check): void => {
  check('the last administrator is neither disabled nor demoted, and nobody deletes themselves', async () => {
    const others = (await root('GET', '/users?role=admin')).json.data.filter(
      ({ id }: { id: string }) => id !== people.admin.id,
    );
    for (const { id } of others) assert.is((await root('DELETE', `/users/${id}`)).status, 204);
    const own = `/users/${people.admin.id}`;
    for (const body of [{ isActive: false }, { role: 'maintainer' }, { role: 'Reader', isActive: false }]) {
      const { status, json } = await root('PATCH', own, body);
      assert.equal([status, json.error], [409, 'Conflict']);
    }
    const { status, json } = await root('DELETE', own);
    assert.equal([status, json.message], [400, 'Cannot delete your own account']);
    assert.is((await root('GET', own)).json.role, 'admin');
  });
  check('of 10 administrators who go at each other 100 times in parallel one is left', async () => {
    const admins = [people.admin];
    for (let n = 0; n < 9; n += 1) admins.push(await people.join(`admin${n}`, 'admin'));
    const attempt = (n: number): Promise<Answer> => {
      const [from, to] = [admins[n % 10], admins[(n * 7 + Math.floor(n / 10)) % 10]];
      const path = `/users/${to?.id ?? ''}`;
      const token = from?.token ?? '';
      if (n % 3 === 0) return people.ask(token, 'DELETE', path);
      return people.ask(token, 'PATCH', path, { body: n % 3 === 1 ? { isActive: false } : { role: 'reader' } });
    };
    const answers = await Promise.all(Array.from({ length: 100 }, (_, n) => attempt(n)));
    const statuses = new Set(answers.map((one) => one.status));
    assert.equal(
      [...statuses].filter((one) => ![200, 204, 400, 401, 403, 404, 409].includes(one)),
      [],
    );
    const rows = await people.temp.app.db.all("SELECT 1 FROM user WHERE role = 'admin' AND active = 1");
    assert.is(rows.length, 1);
  });
  check('no answer was a server error', () => assert.equal(people.temp.faults, []));
};

block(
  'rights over users',
  (check) => {
    for (const part of [strangers, keys, last]) part(check);
  },
  {
    before: async () => {
      people = await openPeople();
    },
    after: () => people.temp.close(),
  },
);
