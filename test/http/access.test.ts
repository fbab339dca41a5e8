// Set-up, login and logout: who gets in, who does not, and for how long.
import { type Answer, type CallOptions, type TempApp, tempApp } from '../app.js';
import { assert, block, type Check } from '../kit.js';

const ADMIN = { username: 'Admin', email: 'admin@example.com', password: 'Secret123!' };

let temp: TempApp;
let token = '';

const api = (method: string, path: string, options: CallOptions = {}): Promise<Answer> =>
  temp.call(method, `/api/v1${path}`, { token, ...options });

const access = (check: Check): void => {
  const weak: readonly (readonly [string, unknown, RegExp])[] = [
    ['a short password', { ...ADMIN, password: 'Ab1!' }, /at least 8/],
    ['a password without a digit', { ...ADMIN, password: 'Abcdefgh!' }, /digit/],
    ['an e-mail that is none', { ...ADMIN, email: 'nobody' }, /e-mail/],
    ['an empty name', { ...ADMIN, username: ' ' }, /username/],
    ['a missing field', { username: 'a', password: 'Secret123!' }, /email is required/],
  ];
  for (const [what, body, words] of weak) {
    check(`set-up with ${what} is 400 and says so`, async () => {
      const answer = await api('POST', '/setup/initialize', {
        body,
        address: `10.1.0.${weak.findIndex(([one]) => one === what)}`,
      });
      assert.is(answer.status, 400);
      assert.match(answer.json.message, words);
    });
  }
  check('of many concurrent set-ups exactly one succeeds', async () => {
    assert.is((await api('GET', '/setup/status')).json.setupRequired, true);
    const all = await Promise.all(
      Array.from({ length: 100 }, (_, n) => api('POST', '/setup/initialize', { body: ADMIN, address: `10.0.0.${n}` })),
    );
    assert.equal(all.map(({ status }) => status).sort(), [200, ...Array.from({ length: 99 }, () => 400)]);
    assert.equal((await temp.app.db.all<{ n: number }>('SELECT count(*) AS n FROM user'))[0]?.n, 1);
    assert.is((await api('GET', '/setup/status')).json.setupRequired, false);
  });
  check('login takes the name or e-mail in any case, and answers as the contract says', async () => {
    for (const username of ['admin', 'ADMIN@example.com']) {
      const { status, json } = await api('POST', '/auth/login', { body: { username, password: ADMIN.password } });
      assert.equal(
        [status, Object.keys(json).sort(), json.token_type, json.expires_in],
        [
          200,
          [
            ...['accessToken', 'access_token', 'expiresIn', 'expires_in', 'refreshToken', 'refresh_token'],
            ...['tokenType', 'token_type', 'user'],
          ],
          'Bearer',
          86_400,
        ],
      );
      assert.equal([json.accessToken, json.tokenType, json.expiresIn], [json.access_token, 'Bearer', 86_400]);
      assert.is(json.refreshToken, json.refresh_token);
      assert.equal(json.user, (await api('GET', '/auth/me', { token: json.access_token })).json);
      token = json.access_token;
    }
  });
  check('a wrong password and an unknown user get the same answer', async () => {
    const wrong = await api('POST', '/auth/login', { body: { username: 'admin', password: 'x' }, address: '10.2.0.1' });
    const unknown = await api('POST', '/auth/login', {
      body: { username: 'nobody', password: 'x' },
      address: '10.2.0.1',
    });
    assert.equal([wrong.status, wrong.json], [401, unknown.json]);
  });
  check('after too many wrong passwords from one address a login has to wait', async () => {
    const guess = () => api('POST', '/auth/login', { body: { username: 'admin', password: 'x' }, address: '10.3.0.1' });
    const statuses = [];
    for (let n = 0; n < 12; n += 1) statuses.push((await guess()).status);
    assert.equal([statuses.filter((one) => one === 401).length, statuses.at(-1)], [10, 429]);
    temp.advance(61_000);
    assert.is((await guess()).status, 401);
  });
  check('a token ends with its session, when it expires, and when any letter is changed', async () => {
    const { json } = await api('POST', '/auth/login', { body: { username: 'admin', password: ADMIN.password } });
    const other: string = json.access_token;
    assert.is((await api('GET', '/auth/me', { token: other })).json.username, 'Admin');
    assert.is((await api('POST', '/auth/logout', { token: other })).status, 200);
    assert.is((await api('GET', '/auth/me', { token: other })).status, 401);
    const at = token.length - 20;
    const forged = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
    const [, payload] = token.split('.');
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`;
    for (const bad of [forged, unsigned, '', 'a.b.c', 'x'.repeat(10_000)])
      assert.is((await api('GET', '/auth/me', { token: bad })).status, 401);
    temp.advance(25 * 3_600_000);
    assert.match((await api('GET', '/auth/me')).json.message, /expired/);
    token = (await api('POST', '/auth/login', { body: { username: 'admin', password: ADMIN.password } })).json
      .access_token;
  });
};

block('access', access, {
  before: async () => {
    temp = await tempApp();
  },
  after: () => temp.close(),
});
