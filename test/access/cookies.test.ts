// Cookies: who may change something with one, where they are sent, and the refresh token that no script sees.
import { type Answer, type TempApp, tempApp } from '../app.js';
import { assert, block, type Check } from '../kit.js';

const ADMIN = { username: 'Admin', email: 'admin@example.com', password: 'Secret123!' };
const PROXY = '10.8.0.1';
const HOST = 'comics.example';

let temp: TempApp;
let below: TempApp;

type Headers = Readonly<Record<string, string>>;

const post = (
  on: TempApp,
  path: string,
  body: unknown,
  headers: Headers = {},
  address = '10.0.0.1',
): Promise<Answer> => {
  on.advance(10_000);
  return on.call('POST', `/api/v1${path}`, { body, headers: { host: HOST, ...headers }, address });
};

const login = (on: TempApp, body: object = {}, headers: Headers = {}, address?: string): Promise<Answer> =>
  post(on, '/auth/login', { username: 'admin', password: ADMIN.password, ...body }, headers, address);

const cookiesOf = (answer: Answer): readonly string[] =>
  (answer.header('set-cookie') ?? '').split('\n').filter(Boolean);

/** The value of a cookie that is set. */
const cookieOf = (answer: Answer, name: string): string | undefined =>
  cookiesOf(answer)
    .map((one) => new RegExp(`^${name}=([^;]*);`).exec(one)?.[1])
    .find((value) => value !== undefined);

const isIn = async (cookie: string): Promise<boolean> =>
  (await temp.call('GET', '/api/v1/auth/me', { headers: { host: HOST, cookie } })).status === 200;

const writes: readonly (readonly [what: string, headers: Headers, status: number, peer?: string])[] = [
  ['of another site, as its browser says', { 'sec-fetch-site': 'cross-site', origin: 'https://evil.example' }, 403],
  ['of another site that names our origin', { 'sec-fetch-site': 'cross-site', origin: `https://${HOST}` }, 403],
  ['of another host of the site', { 'sec-fetch-site': 'same-site', origin: 'https://nas.example' }, 403],
  ['of another site, of whose browser nothing is known', { origin: 'https://evil.example' }, 403],
  ['of another port', { origin: `http://${HOST}:5000` }, 403],
  ['of no origin', { origin: 'null' }, 403],
  ['with two statements', { 'sec-fetch-site': 'same-origin, cross-site', origin: `https://${HOST}` }, 403],
  ['of the host that anybody names', { origin: 'https://evil.example', 'x-forwarded-host': 'evil.example' }, 403],
  [
    'of the host that a trusted proxy does not name',
    { origin: 'https://evil.example', 'x-forwarded-host': 'a.example' },
    403,
    PROXY,
  ],
  ['of its own page', { 'sec-fetch-site': 'same-origin', origin: 'https://anything.example' }, 201],
  ['that somebody typed', { 'sec-fetch-site': 'none' }, 201],
  ['of its own origin', { origin: `http://${HOST}` }, 201],
  ['of its own origin over TLS', { origin: `https://${HOST}` }, 201],
  ['of the configured address', { origin: 'https://read.example:8443' }, 201],
  [
    'of the host that a trusted proxy names',
    { origin: 'https://out.example', 'x-forwarded-host': 'out.example' },
    201,
    PROXY,
  ],
  ['of no browser', {}, 201],
];

const forgery = (check: Check): void => {
  for (const [what, headers, status, peer] of writes)
    check(`a write with the cookie ${what} is ${status}`, async () => {
      const cookie = `auth_token=${cookieOf(await login(temp), 'auth_token')}`;
      const answer = await post(temp, '/api-keys', { name: 'x' }, { ...headers, cookie }, peer);
      assert.is(answer.status, status);
      if (status === 403) assert.match(answer.json.message, /Pages of other sites/);
    });
  check('with a token of its own a page of another site writes, whatever cookies come along', async () => {
    const answer = await login(temp);
    const cookie = `auth_token=${cookieOf(answer, 'auth_token')}`;
    const from = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site', cookie };
    const authorization = `Bearer ${answer.json.access_token}`;
    assert.is((await post(temp, '/api-keys', { name: 'x' }, { ...from, authorization })).status, 201);
    const refused = await post(temp, '/api-keys', { name: 'x' }, { ...from, authorization: 'Bearer x' });
    assert.is(refused.status, 401);
  });
  check(
    'the cookie reads everywhere, also by a link from elsewhere, and never for a page of another site',
    async () => {
      const cookie = `auth_token=${cookieOf(await login(temp), 'auth_token')}`;
      const read = async (headers: Headers): Promise<number> =>
        (await temp.call('GET', '/api/v1/books', { headers: { host: HOST, cookie, ...headers } })).status;
      assert.is(await read({}), 200);
      assert.is(await read({ 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }), 200);
      assert.is(await read({ origin: 'https://evil.example' }), 401);
    },
  );
  check('of what another site loads, by whatever its browser calls it, the cookie counts for links only', async () => {
    const cookie = `auth_token=${cookieOf(await login(temp), 'auth_token')}`;
    const read = async (site: string, mode: string, dest: string): Promise<number> => {
      const said = { 'sec-fetch-site': site, 'sec-fetch-mode': mode, 'sec-fetch-dest': dest };
      return (await temp.call('GET', '/api/v1/books', { headers: { host: HOST, cookie, ...said } })).status;
    };
    for (const site of ['same-site', 'cross-site'])
      assert.equal(
        [
          await read(site, 'no-cors', 'image'),
          await read(site, 'cors', 'empty'),
          await read(site, 'navigate', 'object'),
          await read(site, 'navigate', 'embed'),
          await read(site, 'navigate', 'document'),
        ],
        [401, 401, 401, 401, 200],
        site,
      );
    for (const site of ['same-origin', 'none']) assert.is(await read(site, 'no-cors', 'image'), 200, site);
  });
  check('a page of another site refreshes nothing, and nobody is signed out by it', async () => {
    const answer = await login(temp, { cookie: true });
    const cookie = `refresh_token=${cookieOf(answer, 'refresh_token')}; auth_token=${cookieOf(answer, 'auth_token')}`;
    for (const path of ['/auth/refresh', '/auth/logout', '/auth/change-password']) {
      const refused = await post(
        temp,
        path,
        {},
        { cookie, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      );
      assert.equal([refused.status, refused.header('set-cookie')], [403, undefined], path);
    }
    assert.ok(await isIn(cookie));
  });
};

const places = (check: Check): void => {
  check('without TLS a cookie is for scripts and other sites alone not, and for the whole host', async () => {
    const [access, ...others] = cookiesOf(await login(temp));
    assert.match(access ?? '', /^auth_token=[\w.-]+; Max-Age=86400; Path=\/; HttpOnly; SameSite=Lax$/);
    assert.equal(others, ['refresh_token=; Max-Age=0; Path=/api/v1/auth; HttpOnly; SameSite=Lax']);
  });
  check('it is Secure where a trusted proxy says that the client speaks TLS', async () => {
    const secure = async (headers: Headers, peer?: string): Promise<boolean> =>
      cookiesOf(await login(temp, { cookie: true }, headers, peer)).every((one) => one.endsWith('; Secure'));
    assert.ok(await secure({ 'x-forwarded-proto': 'https' }, PROXY));
    assert.ok(await secure({ 'x-forwarded-proto': 'HTTPS, http' }, PROXY));
    assert.not.ok(await secure({ 'x-forwarded-proto': 'http' }, PROXY));
    assert.not.ok(await secure({ 'x-forwarded-proto': 'https' }), 'anybody says so');
    assert.not.ok(await secure({}, PROXY));
  });
  check('below a path it is for that path, and so is the one that refreshes', async () => {
    const [access = '', refresh = ''] = cookiesOf(await login(below, { cookie: true }));
    assert.match(access, /; Path=\/comics;/);
    assert.match(
      refresh,
      /^refresh_token=[\w-]{64}; Max-Age=2592000; Path=\/comics\/api\/v1\/auth; HttpOnly; SameSite=Lax$/,
    );
    const out = await below.call('POST', '/api/v1/auth/logout', { token: cookieOf(await login(below), 'auth_token') });
    assert.equal(cookiesOf(out), [
      'auth_token=; Max-Age=0; Path=/comics; HttpOnly; SameSite=Lax',
      'refresh_token=; Max-Age=0; Path=/comics/api/v1/auth; HttpOnly; SameSite=Lax',
    ]);
  });
};

const refresh = (cookie: string, body: object = {}): Promise<Answer> =>
  post(temp, '/auth/refresh', body, { cookie: `refresh_token=${cookie}` });

const kept = (check: Check): void => {
  check('with cookie: true the refresh token is in a cookie and nowhere in the answer, and stays there', async () => {
    const first = await login(temp, { cookie: true });
    const value = cookieOf(first, 'refresh_token') ?? '';
    assert.not.ok(first.bytes.toString().includes(value));
    for (const body of [{}, { cookie: false }, { cookie: true }]) {
      const { refresh_token: inBody, refreshToken } = (await login(temp, { cookie: true })).json;
      assert.equal([inBody, refreshToken], [undefined, undefined]);
      const next = await refresh(cookieOf(await login(temp, { cookie: true }), 'refresh_token') ?? '', body);
      assert.equal([next.status, next.json.refresh_token, next.json.refreshToken], [200, undefined, undefined]);
      assert.ok(
        cookieOf(next, 'refresh_token') !== undefined && cookieOf(next, 'auth_token') === next.json.access_token,
      );
    }
  });
  check('whoever signs in without it leaves no refresh token of somebody before them in the browser', async () => {
    const cleared = 'refresh_token=; Max-Age=0; Path=/api/v1/auth; HttpOnly; SameSite=Lax';
    const { refresh_token: text } = (await login(temp)).json;
    for (const answer of [await login(temp), await post(temp, '/auth/refresh', { refreshToken: text })])
      assert.equal([answer.status, cookiesOf(answer).slice(1)], [200, [cleared]]);
  });
  check('nor does whoever asks for the cookie where there are no refresh tokens', async () => {
    const without = await tempApp({ overrides: [{ key: 'auth.refresh_token_enabled', text: 'false' }] });
    await without.call('POST', '/api/v1/setup/initialize', { body: ADMIN });
    const answer = await login(without, { cookie: true });
    const cleared = 'refresh_token=; Max-Age=0; Path=/api/v1/auth; HttpOnly; SameSite=Lax';
    assert.equal([answer.status, cookiesOf(answer).slice(1)], [200, [cleared]]);
    await without.close();
  });
  check('a refresh that comes too late for the next token leaves the cookie as it is', async () => {
    const value = cookieOf(await login(temp, { cookie: true }), 'refresh_token') ?? '';
    const atOnce = (text: string) =>
      temp.call('POST', '/api/v1/auth/refresh', { headers: { host: HOST, cookie: `refresh_token=${text}` } });
    await atOnce(cookieOf(await atOnce(value), 'refresh_token') ?? '');
    const late = await atOnce(value);
    assert.equal([late.status, cookieOf(late, 'refresh_token')], [200, undefined]);
  });
  check('one from a body goes into a cookie when asked for, and counts before the cookie', async () => {
    const { refresh_token: text } = (await login(temp)).json;
    const next = await refresh('nonsense', { refreshToken: text, cookie: true });
    assert.equal([next.status, next.json.refresh_token], [200, undefined]);
    assert.ok(cookieOf(next, 'refresh_token'));
  });
  check('tabs that refresh at the same moment get the same token, and stay signed in', async () => {
    const value = cookieOf(await login(temp, { cookie: true }), 'refresh_token') ?? '';
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, n) =>
        temp.call('POST', '/api/v1/auth/refresh', {
          headers: { host: HOST, cookie: `refresh_token=${value}` },
          address: `10.3.0.${n}`,
        }),
      ),
    );
    assert.equal(new Set(answers.map(({ status }) => status)), new Set([200]));
    const values = new Set(answers.map((answer) => cookieOf(answer, 'refresh_token')));
    assert.is(values.size, 1);
    const [next = ''] = values;
    assert.is((await refresh(next)).status, 200);
  });
  check('a moment later, or by a body, the same token is a copy and ends the session', async () => {
    for (const late of [true, false]) {
      const value = cookieOf(await login(temp, { cookie: true }), 'refresh_token') ?? '';
      const next = await refresh(value);
      if (late) temp.advance(10_001);
      const again = late ? await refresh(value) : await post(temp, '/auth/refresh', { refreshToken: value });
      assert.equal([again.status, again.header('set-cookie')], [401, undefined]);
      assert.not.ok(await isIn(`auth_token=${cookieOf(next, 'auth_token')}`));
      assert.is((await refresh(cookieOf(next, 'refresh_token') ?? '')).status, 401);
    }
  });
  check('whoever got the same token in that moment ends the session by using it second', async () => {
    const value = cookieOf(await login(temp, { cookie: true }), 'refresh_token') ?? '';
    const stolen = await temp.call('POST', '/api/v1/auth/refresh', { headers: { cookie: `refresh_token=${value}` } });
    const own = cookieOf(stolen, 'refresh_token') ?? '';
    assert.is((await refresh(own)).status, 200);
    temp.advance(60_000);
    assert.is((await refresh(own)).status, 401);
  });
};

const setUp = async (baseUrl: string): Promise<TempApp> => {
  const on = await tempApp({
    overrides: [
      { key: 'http.trusted_proxies', text: PROXY },
      { key: 'application.base_url', text: baseUrl },
    ],
  });
  assert.is((await on.call('POST', '/api/v1/setup/initialize', { body: ADMIN })).status, 200);
  return on;
};

block(
  'cookies',
  (check) => {
    for (const part of [forgery, places, kept]) part(check);
    check('no answer was a server error', () => assert.equal(temp.faults, []));
  },
  {
    before: async () => {
      temp = await setUp('https://read.example:8443');
      below = await setUp('http://read.example/comics/');
    },
    after: async () => {
      await temp.close();
      await below.close();
    },
  },
);
