// What registration leaves behind: a bounded number of accounts and mails, and a session only together with the account it is for.
import { REGISTRATIONS_MAX } from '../../core/access/audit.js';
import { assert, block, type Check } from '../kit.js';
import { CONFIRMED, type Office, OPEN, withOffice } from './post-office.js';

/** From addresses in as many households of one IPv6 site. */
const fromOneSite = async ({ temp }: Office, households: number): Promise<readonly number[]> => {
  const statuses: number[] = [];
  for (let n = 0; n < households; n += 1) {
    const body = { email: `a${n}@example.org` };
    const address = `2001:db8:7:${n.toString(16)}::1`;
    statuses.push((await temp.call('POST', '/api/v1/auth/resend-verification', { body, address })).status);
  }
  return statuses;
};

const bounds = (check: Check): void => {
  check('a site of many households has to wait as well, and no other site for it', () =>
    withOffice(OPEN, async (office) => {
      const statuses = await fromOneSite(office, 101);
      assert.equal([statuses.filter((one) => one === 200).length, statuses.at(-1)], [100, 429]);
      const body = { email: 'a@example.org' };
      for (const address of ['2001:db8:8::1', '192.0.2.1'])
        assert.is((await office.temp.call('POST', '/api/v1/auth/resend-verification', { body, address })).status, 200);
    }),
  );
  check('of many accounts that wait for their confirmation the oldest goes with the next one, and no other', () =>
    withOffice(CONFIRMED, async ({ temp, register, post, token, count }) => {
      await register('ann');
      await post('/auth/verify-email', { token: await token() });
      await register('bea');
      await temp.app.db.write(null, 'interactive', (tx) =>
        tx.run(`WITH RECURSIVE n(i) AS (VALUES (1) UNION ALL SELECT i + 1 FROM n WHERE i < 999)
          INSERT INTO user (uuid, username, username_key, email, email_key, password_hash, role, active, unconfirmed, created_at, updated_at)
          SELECT randomblob(16), 'u' || i, 'u' || i, 'u' || i || '@x', 'u' || i || '@x', '', 'reader', 0, 1, u.created_at + 1, 0
            FROM n, user u WHERE u.username = 'bea'`),
      );
      temp.advance(1000);
      assert.is((await register('cleo')).status, 201);
      assert.equal([await count('user WHERE unconfirmed = 1'), await count("user WHERE username = 'bea'")], [1000, 0]);
      assert.equal([await count("user WHERE username IN ('ann', 'cleo')"), await count('mail_link')], [2, 1]);
      assert.is(await count("audit_entry WHERE action = 'user.delete' AND target_name = 'bea'"), 1);
    }),
  );
  check('of the entries in the audit log that registering makes, a part is kept, whatever accounts they tell of', () =>
    withOffice(CONFIRMED, async ({ temp, register, count }) => {
      for (const name of ['ann', 'bea']) await register(name);
      const sql = "UPDATE audit_entry SET nth = nth + ? WHERE target_name = 'bea'";
      await temp.app.db.write(null, 'interactive', (tx) => tx.run(sql, [REGISTRATIONS_MAX - 3]));
      await register('cleo');
      const before = await count('audit_entry');
      assert.is(await count("audit_entry WHERE target_name = 'ann'"), 1);
      await register('dan');
      assert.equal([await count("audit_entry WHERE target_name = 'ann'"), await count('audit_entry')], [0, before]);
    }),
  );
};

const FAULT = `CREATE TRIGGER no_session BEFORE INSERT ON session BEGIN SELECT RAISE(ABORT, 'no session'); END`;

const signedIn = (check: Check): void => {
  for (const [what, overrides] of [
    ['registers', OPEN],
    ['verifies the address', CONFIRMED],
  ] as const)
    check(`whoever ${what} is signed in in the same transaction: without a session nothing is stored`, () =>
      withOffice(overrides, async ({ temp, register, post, token, count }) => {
        const body = { token: overrides === CONFIRMED && (await register('ann')).status === 201 ? await token() : '' };
        const sign = () => (overrides === OPEN ? register('ann') : post('/auth/verify-email', body));
        const run = (sql: string) => temp.app.db.write(null, 'interactive', (tx) => tx.run(sql));
        await run(FAULT);
        assert.is((await sign()).status, 500);
        assert.is(temp.faults.splice(0).length, 1);
        assert.is(await count('user WHERE active = 1'), 0);
        await run('DROP TRIGGER no_session');
        assert.ok((await sign()).status < 300);
        assert.equal([await count('user WHERE active = 1'), await count('session')], [1, 1]);
      }),
    );
  check('neither gets a refresh token, and the session lasts as long as the access token', () =>
    withOffice(CONFIRMED, async ({ temp, register, post, token, count }) => {
      await register('ann');
      const { json } = await post('/auth/verify-email', { token: await token() });
      assert.equal([json.refresh_token, json.refreshToken, await count('refresh_token')], [undefined, undefined, 0]);
      const [session] = (await temp.call('GET', '/api/v1/user/sessions', { token: json.access_token })).json;
      assert.is(Date.parse(session.expiresAt) - Date.parse(session.createdAt), 24 * 3_600_000);
    }),
  );
};

block('bounds of registration', (check) => {
  bounds(check);
  signedIn(check);
});
