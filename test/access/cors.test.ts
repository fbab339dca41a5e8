// Pages of other sites (CORS): open to all with a token by default, to named origins only when told; cookies never work across origins.
import { type Answer, type TempApp, tempApp } from '../app.js';
import { assert, block } from '../kit.js';

const EVIL = 'https://evil.example';
const FRIEND = 'https://reader.example';
const HOST = 'comics.example';
const ADMIN = { username: 'Admin', email: 'admin@example.com', password: 'Secret123!' };

const starts = async (origins: string): Promise<TempApp> => {
  const temp = await tempApp({ overrides: [{ key: 'api.cors_origins', text: origins }] });
  assert.is((await temp.call('POST', '/api/v1/setup/initialize', { body: ADMIN })).status, 200);
  return temp;
};

const allowedOf = (answer: Answer): readonly (string | undefined)[] => [
  answer.header('access-control-allow-origin'),
  answer.header('access-control-allow-credentials'),
];

const preflight = (temp: TempApp, path: string, origin: string, method = 'GET'): Promise<Answer> =>
  temp.call('OPTIONS', path, {
    headers: {
      host: HOST,
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': 'authorization',
    },
  });

const login = (temp: TempApp, origin: string): Promise<Answer> =>
  temp.call('POST', '/api/v1/auth/login', {
    body: { username: 'admin', password: ADMIN.password },
    headers: { host: HOST, origin },
  });

let open: TempApp;
let named: TempApp;
let token = '';

block(
  'cross-origin requests',
  (check) => {
    check('by default any page may read answers with a token, errors too', async () => {
      for (const [path, status] of [
        ['/api/v1/libraries', 200],
        ['/api/v1/nothing', 404],
        ['/health', 200],
      ] as const) {
        const answer = await open.call('GET', path, { token, headers: { host: HOST, origin: EVIL } });
        assert.equal([answer.status, ...allowedOf(answer)], [status, '*', undefined], path);
        assert.match(answer.header('access-control-expose-headers') ?? '', /ETag/);
      }
    });
    check('a browser that asks first is told methods and headers, without credentials', async () => {
      const answer = await preflight(open, '/api/v1/libraries', EVIL, 'POST');
      assert.equal([answer.status, ...allowedOf(answer)], [204, '*', undefined]);
      assert.is(answer.header('access-control-allow-methods'), 'GET, HEAD, POST, OPTIONS');
      for (const name of ['Authorization', 'Content-Type', 'Accept', 'X-API-Key', 'Range', 'If-None-Match'])
        assert.ok(answer.header('access-control-allow-headers')?.includes(name), name);
      assert.is((await preflight(open, '/api/v1/nothing', EVIL)).status, 404);
    });
    check('no page of another site may sign anyone in while all are allowed', async () => {
      for (const answer of [await login(open, EVIL), await preflight(open, '/api/v1/auth/login', EVIL, 'POST')])
        assert.equal([answer.status, ...allowedOf(answer)], [403, undefined, undefined]);
    });
    check('a cookie does not count when a page of another site sends it, nor of another port', async () => {
      const ask = async (origin?: string): Promise<number> =>
        (
          await open.call('GET', '/api/v1/health/details', {
            headers: { host: HOST, cookie: `auth_token=${token}`, ...(origin === undefined ? {} : { origin }) },
          })
        ).status;
      assert.equal(
        [
          await ask(),
          await ask(`https://${HOST}`),
          await ask(EVIL),
          await ask(`https://${HOST}:8443`),
          await ask('null'),
        ],
        [200, 200, 401, 401, 401],
      );
    });
    check('without an Origin an answer says the same: a browser may keep it for a page of another site', async () => {
      const answer = await open.call('GET', '/api/v1/libraries', { token });
      assert.equal([answer.header('access-control-allow-origin'), answer.header('vary')], ['*', undefined]);
      const other = await named.call('GET', '/health');
      assert.equal([other.header('access-control-allow-origin'), other.header('vary')], [undefined, 'Origin']);
    });
    check('with origins named one by one only those may read, and caches are told that it differs', async () => {
      const friend = await named.call('GET', '/health', { headers: { host: HOST, origin: FRIEND } });
      assert.equal([...allowedOf(friend), friend.header('vary')], [FRIEND, undefined, 'Origin']);
      for (const origin of [EVIL, `${FRIEND}.evil.example`, 'null', '*']) {
        const other = await named.call('GET', '/health', { headers: { host: HOST, origin } });
        assert.equal([...allowedOf(other), other.header('vary')], [undefined, undefined, 'Origin'], origin);
      }
    });
    check('those may sign people in, and no others', async () => {
      const friend = await login(named, FRIEND);
      assert.equal([friend.status, ...allowedOf(friend)], [200, FRIEND, undefined]);
      assert.equal(
        [(await preflight(named, '/api/v1/auth/login', FRIEND, 'POST')).status, (await login(named, EVIL)).status],
        [204, 403],
      );
    });
    check('a list with anything but origins is refused', async () => {
      for (const text of ['evil.example', 'https://a.example/path', 'ftp://a.example', 'https://a.example/'])
        await tempApp({ overrides: [{ key: 'api.cors_origins', text }] }).then(
          async (temp) => {
            await temp.close();
            throw new Error(`${text} was accepted`);
          },
          (thrown: Error) => assert.match(thrown.message, /origins without a path, like https:\/\/comics\.example/),
        );
    });
  },
  {
    before: async () => {
      open = await starts('*');
      named = await starts(`${FRIEND}, http://localhost:3000`);
      token = (await open.call('POST', '/api/v1/auth/login', { body: { username: 'admin', password: ADMIN.password } }))
        .json.access_token;
    },
    after: async () => {
      await open.close();
      await named.close();
    },
  },
);
