// The audit log: in the transaction of the change, without secrets, for administrators, bounded in time and number.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { audited, ENTRIES_MAX, OWN_MAX, pruneAudit } from '../../core/access/audit.js';
import { SERVER } from '../../core/access/caller.js';
import { resetPassword } from '../../core/access/password-change.js';
import { changeUser, createUser } from '../../core/access/user-admin.js';
import { PERMISSIONS } from '../../core/model/permissions.js';
import { SYSTEM } from '../../core/store/feed.js';
import { type Answer, tempApp, until } from '../app.js';
import { assert, block, type Check, thrownBy } from '../kit.js';
import { openPeople, PASSWORD, type People } from './people.js';

const DAY_MS = 24 * 3_600_000;

let people: People;

const root = (method: string, path: string, body?: unknown, address = '192.0.2.7'): Promise<Answer> =>
  people.temp.call(method, `/api/v1${path}`, { token: people.admin.token, body, address });

interface Entry {
  readonly at: string;
  readonly actor: { readonly id: string; readonly username: string } | null;
  readonly apiKey: string | null;
  readonly address: string | null;
  readonly action: string;
  readonly target: { readonly id: string; readonly name: string } | null;
  readonly details: Record<string, unknown>;
}

const entries = async (query = ''): Promise<readonly Entry[]> => (await root('GET', `/admin/audit?${query}`)).json.data;

const total = async (): Promise<number> => (await root('GET', '/admin/audit')).json.total;

const bad = (check: Check): void => {
  check('what was refused or changed nothing is not entered', async () => {
    const person = await people.join('plain');
    const before = await total();
    const body = { username: 'plain', email: 'other@example.org', password: PASSWORD };
    await root('POST', '/users', body);
    await root('POST', '/users', { ...body, username: '' });
    await root('PATCH', `/users/${person.id}`, { role: 'reader', username: 'plain' });
    await root('PATCH', `/users/${people.admin.id}`, { role: 'reader' });
    await root('DELETE', `/users/${people.admin.id}`);
    await people.ask(person.token, 'PATCH', '/user', { body: { email: 'x@example.org', currentPassword: 'wrong' } });
    await people.ask(person.token, 'DELETE', `/users/${people.admin.id}`);
    assert.is(await total(), before);
  });
  check('a change whose entry cannot be written does not happen', async () => {
    const { db } = people.temp.app;
    await db.write(SYSTEM, 'interactive', (tx) =>
      tx.run(`CREATE TRIGGER no_entry BEFORE INSERT ON audit_entry BEGIN SELECT RAISE(ABORT, 'no entry'); END`),
    );
    assert.is(
      (await root('POST', '/users', { username: 'a', email: 'a@example.org', password: PASSWORD })).status,
      500,
    );
    await db.write(SYSTEM, 'interactive', (tx) => tx.run('DROP TRIGGER no_entry'));
    assert.is(people.temp.faults.splice(0).length, 1);
    assert.not.ok((await root('GET', '/users')).json.data.some((one: { username: string }) => one.username === 'a'));
  });
  check('no entry holds a password, a hash or a secret', async () => {
    const secrets = ['first secret word', 'second secret word'];
    const body = { username: 'hush', email: 'hush@example.org', password: secrets[0] };
    const { json } = await root('POST', '/users', body);
    await root('PATCH', `/users/${json.id}`, { password: secrets[1] });
    const rows = await people.temp.app.db.all('SELECT * FROM audit_entry');
    assert.not.match(JSON.stringify(rows), /secret word|argon2/);
    assert.equal((await entries())[0]?.details, { changed: ['password'] });
  });
  check('only administrators read it, and a filter that is none is 400', async () => {
    const { token } = await people.join('nosy', 'maintainer', PERMISSIONS);
    assert.is((await people.ask(token, 'GET', '/admin/audit')).status, 403);
    for (const query of ['action=fly', 'actor=x', 'target=root', 'from=yesterday', 'to=2026-02-30T00:00:00Z'])
      assert.is((await root('GET', `/admin/audit?${query}`)).status, 400, query);
  });
};

const told = (check: Check): void => {
  check('who, from where, what and when: the newest first', async () => {
    const { json } = await root('POST', '/users', { username: 'ned', email: 'ned@example.org', password: PASSWORD });
    people.temp.advance(5000);
    const change = {
      role: 'Maintainer',
      permissions: ['users:read'],
      isActive: false,
      username: 'Ned',
      password: PASSWORD,
    };
    await root('PATCH', `/users/${json.id}`, change, '192.0.2.8');
    people.temp.advance(5000);
    await root('DELETE', `/users/${json.id}`);
    const [gone, changed, made] = await entries(`target=${json.id}`);
    const actor = { id: people.admin.id, username: 'Root' };
    const target = { kind: 'user', id: json.id, name: 'ned' };
    assert.equal([made?.action, made?.actor, made?.target, made?.address], ['user.create', actor, target, '192.0.2.7']);
    assert.equal(made?.details, { role: 'reader' });
    const rights = { role: 'maintainer', permissions: ['UsersRead'], isActive: false };
    assert.equal([changed?.action, changed?.address, changed?.target], ['user.update', '192.0.2.8', target]);
    assert.equal(changed?.details, { changed: ['username', 'role', 'permissions', 'isActive', 'password'], ...rights });
    assert.equal(
      [gone?.action, gone?.target, gone?.details],
      ['user.delete', { ...target, name: 'Ned' }, { role: 'maintainer' }],
    );
    assert.is(Date.parse(changed?.at ?? '') - Date.parse(made?.at ?? ''), 5000);
  });
  check('what somebody changes of their own account, the set-up and the command line are told too', async () => {
    const { token, id } = await people.join('own');
    await people.ask(token, 'PATCH', '/user', { body: { username: 'Own' } });
    assert.equal(
      (await entries(`actor=${id}`)).map(({ action, target, details }) => [action, target?.id, details]),
      [['user.update', id, { changed: ['username'] }]],
    );
    const { db, clock, passwords } = people.temp.app;
    await resetPassword(db, clock, passwords, 'own', async () => 'Another-passw0rd!');
    const [byServer] = await entries(`target=${id}`);
    assert.equal([byServer?.actor, byServer?.address, byServer?.details], [null, null, { changed: ['password'] }]);
    const setUp = (await entries(`target=${people.admin.id}`)).at(-1);
    assert.equal([setUp?.action, setUp?.actor, setUp?.address], ['user.create', null, '127.0.0.1']);
  });
  check('a key is named, with its owner', async () => {
    const caller = await people.withKey(people.admin, PERMISSIONS);
    const by = { caller, address: '192.0.2.9' };
    const { id } = await createUser(people.temp.app, by, { username: 'k', email: 'k@example.org', password: PASSWORD });
    await changeUser(people.temp.app, by, id, { isActive: false });
    for (const { apiKey, actor } of await entries(`target=${id}`))
      assert.equal([apiKey, actor?.username], ['Tablet', 'Root']);
  });
  check('entries are filtered by what was done, by whom, to whom and when', async () => {
    const all = await entries('pageSize=500');
    for (const action of ['user.create', 'user.update', 'user.delete'])
      assert.equal(
        await entries(`action=${action}&pageSize=500`),
        all.filter((one) => one.action === action),
      );
    const at = all[Math.floor(all.length / 2)]?.at ?? '';
    assert.equal(
      await entries(`from=${at}&pageSize=500`),
      all.filter((one) => one.at >= at),
    );
    assert.equal(
      await entries(`to=${at}&actor=${people.admin.id}&pageSize=500`),
      all.filter((one) => one.at < at && one.actor?.id === people.admin.id),
    );
    const page = await root('GET', '/admin/audit?pageSize=2&page=2');
    assert.equal([page.json.data, page.json.total, page.json.page], [all.slice(2, 4), all.length, 2]);
  });
};

const bounds = (check: Check): void => {
  check('an entry is kept for 180 days', async () => {
    const { db, clock } = people.temp.app;
    const first = await total();
    await pruneAudit(db, clock.now() + 180 * DAY_MS - 60_000 * 60);
    assert.is(await total(), first);
    await pruneAudit(db, clock.now() + 180 * DAY_MS + 1);
    assert.is(await total(), 0);
  });
  check('of many entries the oldest goes with the next one', async () => {
    const { db, clock } = people.temp.app;
    const deed = { at: clock.now(), by: SERVER, action: 'user.update', target: null } as const;
    await db.write(SYSTEM, 'interactive', (tx) => audited(tx, deed));
    await db.write(SYSTEM, 'interactive', async (tx) => {
      await audited(tx, deed);
      await tx.run('UPDATE audit_entry SET nth = nth + ? WHERE nth = (SELECT max(nth) FROM audit_entry)', [
        ENTRIES_MAX - 2,
      ]);
    });
    assert.is(await total(), 2);
    await db.write(SYSTEM, 'interactive', (tx) => audited(tx, deed));
    assert.is(await total(), 2);
    await db.write(SYSTEM, 'interactive', (tx) => audited(tx, deed));
    assert.is(await total(), 3);
  });
  check(
    'of what people do to their own account and keys a part is kept, and nothing of others goes for it',
    async () => {
      const before = await total();
      const { id, token } = await people.join('busy');
      const { json } = await people.ask(token, 'POST', '/api-keys', { body: { name: 'k' } });
      for (let n = 0; n < OWN_MAX / 2 + 1; n += 1)
        for (const isActive of [false, true])
          await people.ask(token, 'PATCH', `/api-keys/${json.id}`, { body: { isActive } });
      await people.ask(token, 'PATCH', '/user', { body: { username: 'Busier' } });
      const own = await root('GET', `/admin/audit?actor=${id}`);
      assert.equal([own.json.total, own.json.data[0].action], [OWN_MAX, 'user.update']);
      assert.is((await root('GET', `/admin/audit?target=${id}&action=user.create`)).json.total, 1);
      assert.is(await total(), before + OWN_MAX + 1);
    },
  );
  check('a start deletes what is too old', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'longbox-audit-'));
    const old = await tempApp({ folder });
    await old.app.db.write(SYSTEM, 'interactive', (tx) =>
      audited(tx, { at: 0, by: SERVER, action: 'user.update', target: null }),
    );
    await old.close();
    const again = await tempApp({ folder });
    await until('the entry is gone', async () => (await again.app.db.all('SELECT 1 FROM audit_entry')).length === 0);
    await again.close();
    rmSync(folder, { recursive: true, force: true });
  });
  check('a transaction that is rolled back leaves no entry', async () => {
    const { db } = people.temp.app;
    const before = await total();
    const thrown = await thrownBy(() =>
      db.write(SYSTEM, 'interactive', async (tx) => {
        await audited(tx, { at: 0, by: SERVER, action: 'user.update', target: null });
        throw new Error('undone');
      }),
    );
    assert.match(String(thrown), /undone/);
    assert.is(await total(), before);
  });
  check('no answer was a server error', () => assert.equal(people.temp.faults, []));
};

block(
  'audit log',
  (check) => {
    for (const part of [bad, told, bounds]) part(check);
  },
  {
    before: async () => {
      people = await openPeople();
    },
    after: () => people.temp.close(),
  },
);
