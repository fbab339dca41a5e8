// Where somebody is signed in, ending it one by one, and another password.
import { SESSIONS_MAX } from '../../core/access/sessions.js';
import { SYSTEM } from '../../core/store/feed.js';
import type { Answer } from '../app.js';
import { reportChanged } from '../changed-rows.js';
import { assert, block, type Check } from '../kit.js';
import { basicPair, openPeople, PASSWORD, type People } from './people.js';

let people: People;
let count = 0;

const NEW = 'Gulls over the pier 4!';
const NOBODYS = '01890000-0000-7000-8000-000000000000';

const somebody = () => {
  count += 1;
  return people.join(`person${count}`);
};

const login = async (name: string, headers = {}, password = PASSWORD): Promise<{ access: string; refresh: string }> => {
  people.temp.advance(1000);
  const { status, json } = await people.temp.call('POST', '/api/v1/auth/login', {
    body: { username: name, password },
    headers,
    address: `192.0.2.${count}`,
  });
  assert.is(status, 200);
  return { access: json.access_token, refresh: json.refresh_token };
};

const ask = (token: string, method: string, path: string, body?: unknown): Promise<Answer> =>
  people.ask(token, method, path, { body });
const isIn = async (token: string): Promise<boolean> => (await ask(token, 'GET', '/auth/me')).status === 200;

const sessions = (check: Check): void => {
  check("somebody else's session does not exist, and none is ended twice", async () => {
    const [ann, bob] = [await somebody(), await somebody()];
    const [{ id }] = (await ask(bob.token, 'GET', '/user/sessions')).json;
    for (const one of [id, NOBODYS]) assert.is((await ask(ann.token, 'DELETE', `/user/sessions/${one}`)).status, 404);
    assert.is((await ask(people.admin.token, 'DELETE', `/user/sessions/${id}`)).status, 404);
    assert.ok(await isIn(bob.token));
    const other = await login(bob.name);
    assert.is((await ask(other.access, 'DELETE', `/user/sessions/${id}`)).status, 204);
    assert.is((await ask(other.access, 'DELETE', `/user/sessions/${id}`)).status, 404);
    assert.not.ok(await isIn(bob.token));
  });
  check('a key neither sees nor ends sessions, and changes no password; a password does', async () => {
    const ann = await somebody();
    const { key } = (await ask(ann.token, 'POST', '/api-keys', { name: 'x' })).json;
    const [{ id }] = (await ask(ann.token, 'GET', '/user/sessions')).json;
    const change = { currentPassword: PASSWORD, newPassword: NEW };
    assert.equal(
      [
        (await ask(key, 'GET', '/user/sessions')).status,
        (await ask(key, 'DELETE', `/user/sessions/${id}`)).status,
        (await ask(key, 'POST', '/auth/change-password', change)).status,
      ],
      [403, 403, 403],
    );
    assert.ok(await isIn(ann.token));
    const headers = { authorization: basicPair(ann.name, PASSWORD) };
    const { json } = await people.temp.call('GET', '/api/v1/user/sessions', { headers });
    assert.equal([json.length, json[0].current], [1, false]);
  });
  check('each says when it began and was seen last, with what and from where, the latest first', async () => {
    const ann = await somebody();
    const phone = await login(ann.name, { 'user-agent': 'Phone 1' });
    const began = people.temp.app.clock.now();
    const tablet = await login(ann.name, { 'user-agent': `Tablet ${'x'.repeat(1000)}` });
    people.temp.advance(10 * 60_000);
    assert.ok(await isIn(phone.access));
    const { json } = await ask(phone.access, 'GET', '/user/sessions');
    const at = (ms: number): string => new Date(ms).toISOString();
    assert.is(json.length, 3);
    const { id, ...first } = json[0];
    assert.equal(first, {
      ...{ createdAt: at(began), lastSeenAt: at(people.temp.app.clock.now()), expiresAt: at(began + 30 * 86_400_000) },
      ...{ userAgent: 'Phone 1', address: `192.0.2.${count}`, current: true },
    });
    assert.equal([json[1].current, json[1].userAgent.length], [false, 300]);
    assert.is((await ask(phone.access, 'DELETE', `/user/sessions/${id}`)).status, 204);
    assert.equal([await isIn(phone.access), await isIn(tablet.access)], [false, true]);
  });
  check('of too many the one that was not seen for the longest ends', async () => {
    const ann = await somebody();
    await people.temp.app.db.write(SYSTEM, 'interactive', async (tx) => {
      await tx.run(
        `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
         INSERT INTO session (uuid, user_id, created_at, expires_at)
         SELECT randomblob(16), (SELECT id FROM user WHERE username = ?), i, 4000000000000 FROM n`,
        [SESSIONS_MAX, ann.name],
      );
      await reportChanged(tx);
    });
    const fresh = await login(ann.name);
    const { json } = await ask(fresh.access, 'GET', '/user/sessions');
    assert.is(json.length, SESSIONS_MAX);
    assert.ok(await isIn(ann.token), 'one that is in use stays');
  });
};

const passwords = (check: Check): void => {
  for (const [what, body, path] of [
    ['a wrong current one', { currentPassword: 'wrong', newPassword: NEW }, 'currentPassword'],
    ['an empty current one', { currentPassword: '', newPassword: NEW }, 'currentPassword'],
    ['none', { newPassword: NEW }, 'currentPassword'],
    ['a weak new one', { currentPassword: PASSWORD, newPassword: 'weak' }, 'newPassword'],
    ['no new one', { currentPassword: PASSWORD }, 'newPassword'],
    ['a huge new one', { currentPassword: PASSWORD, newPassword: `Aa1!${'x'.repeat(2000)}` }, 'newPassword'],
  ] as const)
    check(`another password with ${what} is 400, names the field and changes nothing`, async () => {
      const ann = await somebody();
      const { status, json, header } = await ask(ann.token, 'POST', '/auth/change-password', body);
      assert.equal([status, json.details[0].path, header('set-cookie')], [400, path, undefined]);
      assert.ok(await isIn(ann.token));
      await login(ann.name);
    });
  check('the current password is not to be guessed here either', async () => {
    const ann = await somebody();
    const guess = async (): Promise<number> =>
      (await ask(ann.token, 'POST', '/auth/change-password', { currentPassword: 'x', newPassword: NEW })).status;
    const statuses: number[] = [];
    for (let n = 0; n < 12; n += 1) {
      people.temp.advance(1000);
      statuses.push(await guess());
    }
    assert.equal([statuses.filter((one) => one === 400).length, statuses.at(-1)], [10, 429]);
  });
  check(
    'another password ends all other sessions and their tokens, answers a new pair, and keeps the keys',
    async () => {
      const ann = await somebody();
      const [one, two] = [await login(ann.name), await login(ann.name)];
      const { key } = (await ask(one.access, 'POST', '/api-keys', { name: 'x' })).json;
      const { status, json } = await ask(one.access, 'POST', '/auth/change-password', {
        ...{ currentPassword: PASSWORD, newPassword: NEW },
      });
      assert.equal([status, json.user.username], [200, ann.name]);
      for (const token of [one.access, two.access, ann.token]) assert.not.ok(await isIn(token));
      for (const refreshToken of [one.refresh, two.refresh])
        assert.is((await people.temp.call('POST', '/api/v1/auth/refresh', { body: { refreshToken } })).status, 401);
      assert.ok((await isIn(json.access_token)) && (await isIn(key)));
      const again = await people.temp.call('POST', '/api/v1/auth/refresh', {
        body: { refreshToken: json.refresh_token },
      });
      assert.is(again.status, 200);
      assert.is((await people.signIn(ann.name)).status, 401);
      await login(ann.name, {}, NEW);
      const { data } = (
        await ask(
          (
            await people.signIn('Root', 'Root-passw0rd!')
          ).json.access_token,
          'GET',
          `/admin/audit?target=${ann.id}&pageSize=1`,
        )
      ).json;
      assert.equal(
        [data[0].action, data[0].details, data[0].actor.username],
        ['user.update', { changed: ['password'] }, ann.name],
      );
    },
  );
  check('a login with the old password that is under way when it changes signs nobody in', async () => {
    const ann = await somebody();
    const { app } = people.temp;
    const matches = app.passwords.matches.bind(app.passwords);
    let changed: Answer | undefined;
    app.passwords.matches = async (stored, password) => {
      app.passwords.matches = matches;
      const isRight = await matches(stored, password);
      changed = await ask(ann.token, 'POST', '/auth/change-password', { currentPassword: PASSWORD, newPassword: NEW });
      return isRight;
    };
    const late = await people.signIn(ann.name);
    assert.is(changed?.status, 200);
    assert.equal([late.status, late.json.message], [401, 'Invalid credentials']);
  });
};

block(
  'own sessions and password',
  (check) => {
    for (const part of [sessions, passwords]) part(check);
    check('no answer was a server error', () => assert.equal(people.temp.faults, []));
  },
  {
    before: async () => {
      people = await openPeople();
    },
    after: () => people.temp.close(),
  },
);
