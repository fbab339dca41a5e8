// Registration: off unless wanted, one account for each name and address, and with confirmation on no word about whose address is known.
import { pruneRegistration, UNCONFIRMED_MS } from '../../core/access/registration.js';
import type { Answer } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { CONFIRMED, OPEN, PASSWORD, tokenIn, withOffice } from './post-office.js';

const refused = (check: Check): void => {
  check('registration is off, and says so, unless it is turned on', () =>
    withOffice([], async ({ temp, register, count }) => {
      assert.is((await register('ann')).status, 403);
      assert.is((await temp.call('GET', '/api/v1/setup/status')).json.registrationEnabled, false);
      assert.is(await count('user'), 0);
    }),
  );
  check('every fault is named', () =>
    withOffice(OPEN, async ({ post }) => {
      const { status, json } = await post('/auth/register', { username: ' ', email: 'a@b', password: '1234567' });
      assert.equal(
        [status, json.details.map(({ path }: { path: string }) => path)],
        [400, ['username', 'email', 'password']],
      );
    }),
  );
  check('a line break in a name or an address is refused', () =>
    withOffice(CONFIRMED, async ({ post, count }) => {
      for (const body of [
        { username: 'ann\r\nBcc: x@y.example', email: 'ann@example.org' },
        { username: 'ann', email: 'ann@example.org\r\nBcc: x@y.example' },
        { username: 'ann', email: 'ann@example.org, x@y.example' },
        { username: 'ann', email: '<x@y.example>ann@example.org' },
      ])
        assert.is((await post('/auth/register', { ...body, password: PASSWORD })).status, 400, JSON.stringify(body));
      assert.is(await count('user'), 0);
    }),
  );
  check('a role, permissions or a verified address cannot be asked for', () =>
    withOffice(OPEN, async ({ post }) => {
      const more = { role: 'admin', permissions: ['SystemAdmin'], emailVerified: true, isActive: true };
      const body = { username: 'ann', email: 'ann@example.org', password: PASSWORD, ...more };
      const { status, json } = await post('/auth/register', body);
      assert.equal(
        [status, json.user.role, json.user.permissions, json.user.emailVerified],
        [201, 'reader', [], false],
      );
    }),
  );
  check('a taken name or address is 409', () =>
    withOffice(OPEN, async ({ register }) => {
      await register('ann');
      const answers = [await register('ANN', 'other@example.org'), await register('bea', 'Ann@Example.org')];
      assert.equal(
        answers.map(({ status, json }) => [status, json.message]),
        [
          [409, 'Username already exists'],
          [409, 'Email already exists'],
        ],
      );
    }),
  );
  for (const [word, overrides] of [
    ['without', OPEN],
    ['with', CONFIRMED],
  ] as const)
    check(`of 50 who want one name at once, one gets it, ${word} confirmation`, () =>
      withOffice(overrides, async ({ register, count }) => {
        const all = await Promise.all(Array.from({ length: 50 }, (_, n) => register('ann', `ann${n}@example.org`)));
        const statuses = all.map(({ status }) => status).sort();
        assert.equal(statuses, [201, ...Array.from({ length: 49 }, () => 409)]);
        assert.is(await count('user'), 1);
      }),
    );
  check('one place that registers again and again has to wait', () =>
    withOffice(OPEN, async ({ temp }) => {
      const statuses: number[] = [];
      for (let n = 0; n < 21; n += 1) {
        const body = { username: `a${n}`, email: `a${n}@example.org`, password: PASSWORD };
        statuses.push((await temp.call('POST', '/api/v1/auth/register', { body })).status);
      }
      assert.equal([statuses.filter((one) => one === 201).length, statuses.at(-1)], [20, 429]);
    }),
  );
};

/** What an answer says, without what differs between any two. */
const said = ({ status, json }: Answer): unknown => {
  const { id, username, email, ...user } = json.user;
  return [status, typeof id, typeof username, typeof email, { ...json, user }];
};

const silent = (check: Check): void => {
  check('with confirmation, signing in does not tell a taken address from a free one either', () =>
    withOffice(CONFIRMED, async ({ register, post }) => {
      assert.is((await register('ann', 'root@example.org')).status, 201);
      assert.is((await register('bea', 'free@example.org')).status, 201);
      for (const username of ['root@example.org', 'free@example.org']) {
        const { status, json } = await post('/auth/login', { username, password: PASSWORD });
        assert.equal([status, json.message], [401, 'Invalid credentials'], username);
      }
    }),
  );
  check('with confirmation, a taken address is answered like a free one, and its owner gets a mail', () =>
    withOffice(CONFIRMED, async ({ register, post, mails, token }) => {
      const first = await register('ann');
      await post('/auth/verify-email', { token: await token() });
      const second = await register('bea', 'ann@example.org');
      assert.equal(said(second), said(first));
      assert.is(second.header('set-cookie'), undefined);
      assert.is(second.json.user.email, 'ann@example.org');
      const [, last = ''] = await mails();
      assert.match(last, /^To: ann@example\.org\n/);
      assert.match(last, /already belongs to an account/);
      assert.is(tokenIn(last), '');
    }),
  );
  check(
    'nor does the account that such a registration leaves tell of it: its name is taken, and it cannot sign in',
    () =>
      withOffice(CONFIRMED, async ({ register, post, token }) => {
        await register('ann');
        await post('/auth/verify-email', { token: await token() });
        const outcomes: unknown[] = [];
        for (const [name, email] of [
          ['bea', 'ann@example.org'],
          ['cleo', 'cleo@example.org'],
        ] as const) {
          await register(name, email);
          const login = await post('/auth/login', { username: name, password: PASSWORD });
          const again = await register(name, `${name}2@example.org`);
          outcomes.push([login.status, login.json.message, again.status, again.json.message]);
        }
        assert.equal(outcomes[0], outcomes[1]);
        assert.equal(outcomes[0], [401, 'Account is inactive', 409, 'Username already exists']);
      }),
  );
  check('an address that is the name of somebody is taken too', () =>
    withOffice(CONFIRMED, async ({ temp, register, post, mails, count }) => {
      const token = await temp.tokenOf('admin');
      const body = { username: 'ann@example.org', email: 'other@example.org', password: PASSWORD };
      assert.is((await temp.call('POST', '/api/v1/users', { token, body })).status, 201);
      const taken = await register('bea', 'Ann@example.org');
      assert.equal(said(taken), said(await register('cleo')));
      assert.is(await count("user WHERE email_key = 'ann@example.org'"), 0);
      // Nor does a link open it: only the other registration sent one.
      assert.is((await mails()).length, 1);
      assert.is((await post('/auth/login', { username: 'ann@example.org', password: PASSWORD })).status, 200);
    }),
  );
  check('no name that looks like an address may be tried out', () =>
    withOffice(CONFIRMED, async ({ register }) => {
      await register('ann');
      assert.is((await register('ann@example.org', 'x@example.org')).status, 400);
      assert.is((await register('nobody＠example.org', 'y@example.org')).status, 400);
    }),
  );
  check('a taken address and a free one cost the same statements until the answer', () =>
    withOffice(CONFIRMED, async ({ temp, register }) => {
      await register('ann');
      await temp.app.mails.idle();
      const { db } = temp.app;
      const work: string[][] = [];
      const { post: send } = temp.app.mails;
      for (const [name, email] of [
        ['bea', 'ann@example.org'],
        ['cleo', 'cleo@example.org'],
      ] as const) {
        const before = await db.all<{ n: number }>(
          'SELECT (SELECT count(*) FROM user) * 100 + (SELECT count(*) FROM mail_link) AS n',
          [],
        );
        temp.app.mails.post = () => undefined; // only what comes before the answer counts
        await register(name, email);
        const after = await db.all<{ n: number }>(
          'SELECT (SELECT count(*) FROM user) * 100 + (SELECT count(*) FROM mail_link) AS n',
          [],
        );
        work.push([String((after[0]?.n ?? 0) - (before[0]?.n ?? 0))]);
      }
      temp.app.mails.post = send;
      assert.equal(work, [['101'], ['101']]);
    }),
  );
};

const opened = (check: Check): void => {
  check('without confirmation the account is signed in at once: token, cookie, role reader, no mail', () =>
    withOffice(OPEN, async ({ temp, register, notes }) => {
      const { status, json, header } = await register('ann');
      assert.equal([status, json.token_type, json.accessToken], [201, 'Bearer', json.access_token]);
      assert.match(header('set-cookie') ?? '', /^auth_token=/);
      const me = await temp.call('GET', '/api/v1/auth/me', { token: json.access_token });
      assert.equal([me.json.username, me.json.role, me.json.emailVerified], ['ann', 'reader', false]);
      await temp.app.mails.idle();
      assert.equal(
        notes.filter((one) => one.includes('mail')),
        [],
      );
    }),
  );
  check('with confirmation nobody signs in before the link was used, which signs in', () =>
    withOffice(CONFIRMED, async ({ temp, register, post, token }) => {
      const { json } = await register('ann');
      assert.equal([json.access_token, json.user.username, json.user.emailVerified], [null, 'ann', false]);
      assert.is((await post('/auth/login', { username: 'ann', password: PASSWORD })).status, 401);
      const verified = await post('/auth/verify-email', { token: await token() });
      assert.equal([verified.status, verified.json.user.emailVerified], [200, true]);
      assert.match(verified.header('set-cookie') ?? '', /^auth_token=/);
      const bearer = verified.json.accessToken;
      assert.is((await temp.call('GET', '/api/v1/auth/me', { token: bearer })).status, 200);
      assert.is((await post('/auth/login', { username: 'ann', password: PASSWORD })).status, 200);
    }),
  );
  check('an account that an administrator disabled is not opened by a link', () =>
    withOffice(CONFIRMED, async ({ temp, register, post, mails, token }) => {
      const { json } = await register('ann');
      const first = await token();
      const admin = await temp.tokenOf('admin');
      const change = (isActive: boolean) =>
        temp.call('PATCH', `/api/v1/users/${json.user.id}`, { token: admin, body: { isActive } });
      assert.is((await change(true)).status, 200);
      assert.is((await change(false)).status, 200);
      assert.is((await post('/auth/verify-email', { token: first })).status, 400);
      await post('/auth/resend-verification', { email: 'ann@example.org' });
      await post('/auth/forgot-password', { email: 'ann@example.org' });
      assert.is((await mails()).length, 1);
    }),
  );
  check('an account that nobody confirms is deleted after a week, others are not', () =>
    withOffice(CONFIRMED, async ({ temp, register, post, token, count }) => {
      await register('ann');
      await post('/auth/verify-email', { token: await token() });
      await register('bea');
      await register('cleo', 'ann@example.org');
      temp.advance(UNCONFIRMED_MS - 60_000);
      await pruneRegistration(temp.app.db, temp.app.clock);
      assert.is(await count('user'), 3);
      temp.advance(61_000);
      await pruneRegistration(temp.app.db, temp.app.clock);
      assert.equal([await count('user'), await count("audit_entry WHERE action = 'user.delete'")], [1, 2]);
    }),
  );
  check('who registered is in the audit log, with the place', () =>
    withOffice(OPEN, async ({ register, count }) => {
      await register('ann');
      assert.is(
        await count("audit_entry WHERE action = 'user.create' AND target_name = 'ann' AND address LIKE '10.9.%'"),
        1,
      );
    }),
  );
};

block('registration', (check) => {
  refused(check);
  silent(check);
  opened(check);
});
