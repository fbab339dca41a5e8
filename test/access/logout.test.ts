// Logging out in a browser: also when it has nothing but the cookie of its refresh token, and never without the cookies being cleared.
import { type Answer, type TempApp, tempApp } from '../app.js';
import { assert, block } from '../kit.js';

const ADMIN = { username: 'Admin', email: 'admin@example.com', password: 'Secret123!' };
const HOST = 'comics.example';
const CLEARED = [
  'auth_token=; Max-Age=0; Path=/; HttpOnly; SameSite=Lax',
  'refresh_token=; Max-Age=0; Path=/api/v1/auth; HttpOnly; SameSite=Lax',
];

let temp: TempApp;
let asked = 0;

const post = (path: string, cookie: string, body: object = {}, headers = {}): Promise<Answer> => {
  asked += 1;
  const address = `10.4.${asked >> 8}.${asked & 255}`;
  return temp.call('POST', `/api/v1/auth/${path}`, { body, headers: { host: HOST, cookie, ...headers }, address });
};

const cookiesOf = (answer: Answer): readonly string[] =>
  (answer.header('set-cookie') ?? '').split('\n').filter(Boolean);

interface Browser {
  readonly access: string;
  readonly refresh: string;
}

const login = async (): Promise<Browser> => {
  const answer = await post('login', '', { username: 'admin', password: ADMIN.password, cookie: true });
  const [access = '', refresh = ''] = cookiesOf(answer).map((one) => one.split(';')[0] ?? '');
  return { access, refresh };
};

const isIn = async ({ access }: Browser): Promise<boolean> =>
  (await temp.call('GET', '/api/v1/auth/me', { headers: { host: HOST, cookie: access } })).status === 200;

block(
  'logging out',
  (check) => {
    check('without any cookie that is good: 401, and the cookies are cleared all the same', async () => {
      const ended = await login();
      assert.is((await post('logout', ended.access)).status, 200);
      for (const cookie of ['', ended.refresh, `${ended.access}; ${ended.refresh}`, 'refresh_token=nonsense']) {
        const answer = await post('logout', cookie);
        assert.equal([answer.status, answer.json.error, cookiesOf(answer)], [401, 'Unauthorized', CLEARED], cookie);
      }
    });
    check('no other row takes the refresh token for its caller, nor clears anything', async () => {
      const { refresh } = await login();
      const answer = await temp.call('GET', '/api/v1/auth/me', { headers: { host: HOST, cookie: refresh } });
      assert.equal([answer.status, cookiesOf(answer)], [401, []]);
    });
    check('a page of another site logs nobody out with it', async () => {
      const browser = await login();
      const answer = await post('logout', browser.refresh, {}, { 'sec-fetch-site': 'cross-site' });
      assert.equal([answer.status, cookiesOf(answer), await isIn(browser)], [403, [], true]);
    });
    check('with the refresh cookie alone the session ends, with every token of it', async () => {
      const browser = await login();
      temp.advance(25 * 3_600_000);
      const answer = await post('logout', browser.refresh);
      assert.equal([answer.status, cookiesOf(answer)], [200, CLEARED]);
      assert.is((await post('refresh', browser.refresh)).status, 401);
    });
    check('with both cookies both sessions end, if the browser has two of the same person', async () => {
      const [one, two] = [await login(), await login()];
      assert.is((await post('logout', `${one.access}; ${two.refresh}`)).status, 200);
      assert.equal([await isIn(one), await isIn(two)], [false, false]);
      assert.is((await post('refresh', two.refresh)).status, 401);
    });
    check('somebody who was disabled is told so', async () => {
      const { refresh } = await login();
      await temp.app.db.write(null, 'interactive', (tx) => tx.run('UPDATE user SET active = 0'));
      const answer = await post('logout', refresh);
      assert.equal([answer.status, answer.json.message], [401, 'User account is inactive']);
    });
    check('no answer was a server error', () => assert.equal(temp.faults, []));
  },
  {
    before: async () => {
      temp = await tempApp();
      assert.is((await temp.call('POST', '/api/v1/setup/initialize', { body: ADMIN })).status, 200);
    },
    after: () => temp.close(),
  },
);
