// What a page that starts is told: who is signed in by the cookies of its browser, and what it can offer to nobody. Neither is ever an error.
import { type Answer, type TempApp, tempApp } from '../app.js';
import { assert, block } from '../kit.js';

const ADMIN = { username: 'Admin', email: 'admin@example.com', password: 'Secret123!' };

let temp: TempApp;

const ask = async (cookie: string): Promise<unknown> => {
  const { status, json } = await temp.call('GET', '/api/v1/auth/session', cookie === '' ? {} : { headers: { cookie } });
  assert.is(status, 200);
  return [json.user?.username ?? null, json.isRenewable];
};

const cookieOf = (answer: Answer, name: string): string =>
  new RegExp(`${name}=[^;]*`).exec(answer.header('set-cookie') ?? '')?.[0] ?? '';

block(
  'what a page that starts is told',
  (check) => {
    check('nobody is an answer, whatever is wrong with the cookies', async () => {
      for (const cookie of [
        '',
        'auth_token=',
        'auth_token=x.y.z',
        'refresh_token=none',
        'auth_token=a; refresh_token=b',
      ])
        assert.equal(await ask(cookie), [null, false], cookie);
    });
    check('who is signed in, who could be again, and nobody once the session has ended', async () => {
      const body = { username: ADMIN.username, password: ADMIN.password, cookie: true };
      const answer = await temp.call('POST', '/api/v1/auth/login', { body });
      const [access, refresh] = [cookieOf(answer, 'auth_token'), cookieOf(answer, 'refresh_token')];
      assert.equal(await ask(`${access}; ${refresh}`), ['Admin', false]);
      assert.equal(await ask(refresh), [null, true]);
      temp.advance(25 * 3_600_000);
      assert.equal(await ask(`${access}; ${refresh}`), [null, true]);
      const renewed = await temp.call('POST', '/api/v1/auth/refresh', { body: {}, headers: { cookie: refresh } });
      const now = cookieOf(renewed, 'auth_token');
      assert.equal(await ask(now), ['Admin', false]);
      await temp.call('POST', '/api/v1/auth/logout', { body: {}, headers: { cookie: now } });
      assert.equal(await ask(`${now}; ${cookieOf(renewed, 'refresh_token')}`), [null, false]);
    });
    check('a new password is offered only where mails reach people', async () => {
      const offered = async (on: TempApp) => (await on.call('GET', '/api/v1/setup/status')).json.passwordResetEnabled;
      assert.is(await offered(temp), false);
      const sending = await tempApp({ overrides: [{ key: 'email.smtp_host', text: '127.0.0.1' }] });
      try {
        assert.is(await offered(sending), true);
      } finally {
        await sending.close();
      }
    });
  },
  {
    before: async () => {
      temp = await tempApp();
      await temp.call('POST', '/api/v1/setup/initialize', { body: ADMIN });
    },
    after: () => temp.close(),
  },
);
