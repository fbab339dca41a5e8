// Links in mails: each works once, for one purpose, for one address and not for long; and nobody learns by asking for one who has an account.
import { createHash } from 'node:crypto';
import { pruneRegistration } from '../../core/access/registration.js';
import { assert, block, type Check } from '../kit.js';
import { BASE, CONFIRMED, type Office, OPEN, PASSWORD, withOffice } from './post-office.js';

const HOUR_MS = 3_600_000;
const NEXT = 'rain on the harbour 9';

/** A verified account, and the token of a link that sets its password. */
const forgetful = async ({ register, post, token }: Office): Promise<string> => {
  await register('ann');
  await post('/auth/verify-email', { token: await token() });
  await post('/auth/forgot-password', { email: 'ann@example.org' });
  return token();
};

const reset = (office: Office, token: string, newPassword = NEXT) =>
  office.post('/auth/reset-password', { token, newPassword });

const signIn = async (office: Office, password: string): Promise<number> =>
  (await office.post('/auth/login', { username: 'ann', password })).status;

const useless = (check: Check): void => {
  check('what is no token is 400, in the same words whatever it is', () =>
    withOffice(CONFIRMED, async (office) => {
      const words = new Set<string>();
      for (const token of ['', 'x', 'A'.repeat(43), "' OR 1=1 --", 'A'.repeat(200)])
        for (const answer of [await office.post('/auth/verify-email', { token }), await reset(office, token)]) {
          assert.is(answer.status, 400);
          words.add(answer.json.message);
        }
      assert.is(words.size, 1);
    }),
  );
  check('a link works once', () =>
    withOffice(CONFIRMED, async (office) => {
      const { register, post, token } = office;
      await register('ann');
      const verification = await token();
      const both = await Promise.all([1, 2].map(() => post('/auth/verify-email', { token: verification })));
      assert.equal(both.map(({ status }) => status).sort(), [200, 400]);
      assert.is((await post('/auth/verify-email', { token: verification })).status, 400);
      await post('/auth/forgot-password', { email: 'ann@example.org' });
      const link = await token();
      assert.is((await reset(office, link)).status, 200);
      assert.is((await reset(office, link, 'another password')).status, 400);
      assert.equal([await signIn(office, NEXT), await signIn(office, 'another password')], [200, 401]);
    }),
  );
  check('a link of another purpose is refused, and stays good for its own', () =>
    withOffice(CONFIRMED, async (office) => {
      const { register, post, token } = office;
      await register('ann');
      const verification = await token();
      assert.is((await reset(office, verification)).status, 400);
      assert.is((await post('/auth/verify-email', { token: verification })).status, 200);
      await post('/auth/forgot-password', { email: 'ann@example.org' });
      const link = await token();
      assert.is((await post('/auth/verify-email', { token: link })).status, 400);
      assert.is((await reset(office, link)).status, 200);
    }),
  );
  check('an expired link is refused and later deleted', () =>
    withOffice([...CONFIRMED, { key: 'email.verification_token_expiry_hours', text: '2' }], async (office) => {
      const { temp, register, post, token, count } = office;
      await register('ann');
      const verification = await token();
      temp.advance(2 * HOUR_MS);
      assert.is((await post('/auth/verify-email', { token: verification })).status, 400);
      await post('/auth/resend-verification', { email: 'ann@example.org' });
      const fresh = await token();
      temp.advance(HOUR_MS);
      assert.is((await post('/auth/verify-email', { token: fresh })).status, 200);
      await post('/auth/forgot-password', { email: 'ann@example.org' });
      const link = await token();
      temp.advance(HOUR_MS);
      assert.is((await reset(office, link)).status, 400);
      await pruneRegistration(temp.app.db, temp.app.clock);
      assert.is(await count('mail_link'), 0);
    }),
  );
  check('a newer link ends the one before it', () =>
    withOffice(CONFIRMED, async (office) => {
      const older = await forgetful(office);
      await office.post('/auth/forgot-password', { email: 'ANN@example.org' });
      const newer = await office.token();
      assert.is.not(newer, older);
      assert.equal([(await reset(office, older)).status, (await reset(office, newer)).status], [400, 200]);
    }),
  );
  check('a link is void once the account has another address or is disabled', () =>
    withOffice(CONFIRMED, async (office) => {
      const { temp, post, token } = office;
      const link = await forgetful(office);
      const admin = await temp.tokenOf('admin');
      const [{ id = '' } = {}] = await temp.app.db.all<{ id: string }>(
        "SELECT lower(hex(uuid)) AS id FROM user WHERE username = 'ann'",
        [],
      );
      const uuid = id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
      const change = (body: object) => temp.call('PATCH', `/api/v1/users/${uuid}`, { token: admin, body });
      assert.is((await change({ email: 'new@example.org' })).status, 200);
      assert.is((await reset(office, link)).status, 400);
      await post('/auth/forgot-password', { email: 'new@example.org' });
      const second = await token();
      await change({ isActive: false });
      await change({ isActive: true });
      assert.is((await reset(office, second)).status, 400);
    }),
  );
  check('a short password is refused, and uses nothing up', () =>
    withOffice(CONFIRMED, async (office) => {
      const link = await forgetful(office);
      const short = await reset(office, link, '1234567');
      assert.equal([short.status, short.json.details[0].path], [400, 'newPassword']);
      assert.is((await reset(office, link)).status, 200);
    }),
  );
  check('opening a link uses nothing up', () =>
    withOffice(CONFIRMED, async (office) => {
      const link = await forgetful(office);
      for (const path of ['/auth/reset-password', '/auth/verify-email'])
        for (const method of ['GET', 'HEAD'])
          assert.is((await office.temp.call(method, `${path}?token=${link}`)).status, 200);
      assert.is((await office.temp.call('GET', `/api/v1/auth/reset-password?token=${link}`)).status, 405);
      assert.is((await reset(office, link)).status, 200);
    }),
  );
};

const enumeration = (check: Check): void => {
  for (const path of ['/auth/forgot-password', '/auth/resend-verification'])
    check(`${path} answers the same before it looks for the account`, () =>
      withOffice(CONFIRMED, async ({ temp, register, post, mails }) => {
        await register('ann');
        assert.is((await mails()).length, 1);
        const drafts: (() => Promise<unknown>)[] = [];
        const { mails: queue } = temp.app;
        const send = queue.post.bind(queue);
        queue.post = (draft) => drafts.push(draft);
        const answers = [];
        for (const email of ['ann@example.org', 'nobody@example.org', 'no address'])
          answers.push(await post(path, { email }));
        const said = answers.map(({ status, bytes }) => `${status} ${bytes.toString()}`);
        assert.equal([new Set(said).size, said[0]?.slice(0, 3), drafts.length], [1, '200', 3]);
        queue.post = send;
      }),
    );
  check('an address that is verified gets no further link', () =>
    withOffice(CONFIRMED, async ({ register, post, mails, token }) => {
      await register('ann');
      await post('/auth/verify-email', { token: await token() });
      assert.is((await post('/auth/resend-verification', { email: 'ann@example.org' })).status, 200);
      assert.is((await mails()).length, 1);
    }),
  );
  check('nobody gets a mail at an address without an account', () =>
    withOffice(CONFIRMED, async ({ register, post, mails }) => {
      await register('ann');
      for (const path of ['/auth/forgot-password', '/auth/resend-verification'])
        await post(path, { email: 'nobody@example.org' });
      await post('/auth/forgot-password', { email: 'ann@example.org' }); // waits for its confirmation
      assert.is((await mails()).length, 1);
    }),
  );
  check(
    'an address gets few mails, however often and from wherever they are asked for, and the answers do not tell',
    () =>
      withOffice(CONFIRMED, async (office) => {
        const { post, mails, temp } = office;
        await forgetful(office);
        const before = (await mails()).length;
        const said = new Set<string>();
        for (let n = 0; n < 12; n += 1)
          said.add(String((await post('/auth/forgot-password', { email: 'Ann@example.org' })).bytes));
        assert.equal([said.size, (await mails()).length - before], [1, 1]);
        temp.advance(HOUR_MS);
        await post('/auth/forgot-password', { email: 'ann@example.org' });
        assert.is((await mails()).length - before, 2);
      }),
  );
  for (const path of ['/auth/forgot-password', '/auth/resend-verification'])
    check(`one place that asks ${path} again and again has to wait, for any address`, () =>
      withOffice(CONFIRMED, async ({ temp }) => {
        const ask = (n: number) => temp.call('POST', `/api/v1${path}`, { body: { email: `a${n}@example.org` } });
        for (let n = 0; n < 20; n += 1) assert.is((await ask(n)).status, 200);
        const late = await ask(20);
        assert.equal(
          [late.status, late.header('retry-after')],
          [429, String(late.json.details?.retry_after ?? late.json.retry_after)],
        );
      }),
    );
};

const good = (check: Check): void => {
  check('a new password ends every session, and every other link', () =>
    withOffice(OPEN, async (office) => {
      const { temp, register, post, token, count } = office;
      const { json } = await register('ann');
      await post('/auth/resend-verification', { email: 'ann@example.org' });
      const verification = await token();
      await post('/auth/forgot-password', { email: 'ann@example.org' });
      const link = await token();
      assert.is((await reset(office, link)).status, 200);
      assert.is((await temp.call('GET', '/api/v1/auth/me', { token: json.access_token })).status, 401);
      assert.is((await post('/auth/verify-email', { token: verification })).status, 400);
      assert.equal([await signIn(office, PASSWORD), await signIn(office, NEXT)], [401, 200]);
      assert.equal([await count('mail_link'), await count('user WHERE email_verified = 1')], [0, 1]);
    }),
  );
  check('a password that is changed by whoever has the old one ends the links too', () =>
    withOffice(OPEN, async (office) => {
      const { temp, register, post, token, count } = office;
      const { json } = await register('ann');
      await post('/auth/resend-verification', { email: 'ann@example.org' });
      const verification = await token();
      const body = { currentPassword: PASSWORD, newPassword: 'Rain on the harbour 9!' };
      const changed = await temp.call('POST', '/api/v1/auth/change-password', { token: json.access_token, body });
      assert.equal([changed.status, await count('mail_link')], [200, 0]);
      assert.is((await post('/auth/verify-email', { token: verification })).status, 400);
    }),
  );
  check('only the hash of a token is stored', () =>
    withOffice(CONFIRMED, async (office) => {
      const link = await forgetful(office);
      const rows = await office.temp.app.db.all<Record<string, unknown>>(
        'SELECT hex(hash) AS hash, purpose, email_key FROM mail_link',
        [],
      );
      assert.equal(
        rows.map(({ hash }) => hash),
        [createHash('sha256').update(link).digest('hex').toUpperCase()],
      );
      assert.not.ok(JSON.stringify(rows).includes(link));
    }),
  );
  check('links are made of the configured address, whatever the Host header says', () =>
    withOffice(CONFIRMED, async ({ post, mails }) => {
      const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' };
      await post('/auth/register', { username: 'ann', email: 'ann@example.org', password: PASSWORD }, headers);
      const [mail = ''] = await mails();
      assert.ok(mail.includes(`\n${BASE}/auth/verify-email#token=`), mail);
      assert.not.match(mail, /evil/);
    }),
  );
  check('email.verification_url_base comes before application.base_url', () =>
    withOffice(
      [...CONFIRMED, { key: 'email.verification_url_base', text: 'https://mail.example/' }],
      async ({ register, mails }) => {
        await register('ann');
        assert.match((await mails())[0] ?? '', /\nhttps:\/\/mail\.example\/auth\/verify-email#token=/);
      },
    ),
  );
  check('without either, the mail has the path and the log says which setting is missing', () =>
    withOffice(
      CONFIRMED.filter(({ key }) => key !== 'application.base_url'),
      async ({ register, mails, temp }) => {
        await register('ann');
        assert.match((await mails())[0] ?? '', /\n\/auth\/verify-email#token=[\w-]{43}\n/);
        assert.ok(temp.warnings.some((one) => /application\.base_url or email\.verification_url_base/.test(one)));
      },
    ),
  );
};

block('links in mails', (check) => {
  useless(check);
  enumeration(check);
  good(check);
});
