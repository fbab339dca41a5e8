// The way to a provider and back: what is worth nothing when it comes twice, late, from elsewhere or changed; and where it may lead.
import { randomBytes } from 'node:crypto';
import { faultsOf } from '../http/answer-shapes.js';
import { assert, block, type Check } from '../kit.js';
import {
  APP,
  BASE,
  CHALLENGE,
  cookieOf,
  type House,
  openHouse,
  type RealProvider,
  realProvider,
  VERIFIER,
} from './house.js';

let provider: RealProvider;
let house: House;

const EXPIRED = '/books/auth/sign-on?refused=expired';

/** Nobody is signed in, and the browser is told on a page of ours. */
const refusedWith = async (address: string, cookie: string, location = EXPIRED): Promise<void> => {
  const answer = await house.comeBack(address, cookie);
  const got = [answer.status, answer.header('location'), cookieOf(answer, 'auth_token'), answer.bytes.length];
  assert.equal(got, [303, location, '', 0], address);
};

const changed = (address: string, name: string, value: string): string => {
  const url = new URL(address);
  url.searchParams.set(name, value);
  return url.href;
};

const flow = async (body: object = {}): Promise<{ back: string; cookie: string }> => {
  const { address, cookie } = await house.begin(body);
  return { back: await provider.visit(address, 'ann'), cookie };
};

const APP_WISH = { redirectUri: APP, codeChallenge: CHALLENGE, state: 'of the app & more\r\nSet-Cookie: a=b' };

const appCode = async (): Promise<string> => {
  const { back } = await flow(APP_WISH);
  const location = (await house.comeBack(back, '')).header('location') ?? '';
  return new URL(location).searchParams.get('code') ?? '';
};

const exchange = (code: string, codeVerifier = VERIFIER) =>
  house.ask('POST', '/auth/oidc/token', { code, codeVerifier });

const nameOf = (cookie: string): string => cookie.split('=')[0] ?? '';

const bad = (check: Check): void => {
  check('a state that is unknown, missing, doubled or another one signs nobody in', async () => {
    const { back, cookie } = await flow();
    const other = await flow();
    await refusedWith(changed(back, 'state', randomBytes(32).toString('base64url')), cookie);
    await refusedWith(back.replace(/&?state=[^&]*/, ''), cookie);
    await refusedWith(`${back.split('?')[0]}`, cookie);
    const state = new URL(other.back).searchParams.get('state') ?? '';
    await refusedWith(changed(back, 'state', state), cookie);
    await refusedWith(`${back}&state=${state}`, cookie, '/books/auth/sign-on?refused=failed');
    const third = await flow();
    await refusedWith(third.back, `${nameOf(third.cookie)}=${other.cookie.split('=')[1]}`);
  });
  check('a flow counts once, in the browser that began it, for ten minutes', async () => {
    const { back, cookie } = await flow();
    await refusedWith(back, `${nameOf(cookie)}=${randomBytes(32).toString('base64url')}`);
    await refusedWith(back, cookie, EXPIRED);
    await refusedWith((await flow()).back, '');
    const late = await flow();
    house.temp.advance(10 * 60_000);
    await refusedWith(late.back, late.cookie);
    const good = await flow();
    house.temp.advance(10 * 60_000 - 1);
    assert.is((await house.comeBack(good.back, good.cookie)).header('location'), '/books/auth/sign-on');
    await refusedWith(good.back, good.cookie);
  });
  check('two flows of one browser do not end each other, nor does a link to a third', async () => {
    const [one, two] = [await flow(), await flow()];
    const both = `${one.cookie}; ${two.cookie}`;
    const link = await house.comeBack(`${BASE}/api/v1/auth/oidc/home/callback?state=x`, both);
    for (const { cookie } of [one, two]) assert.not.ok(link.header('set-cookie')?.includes(nameOf(cookie)));
    for (const { back, cookie } of [one, two]) {
      const answer = await house.comeBack(back, both);
      assert.is(answer.header('location'), '/books/auth/sign-on');
      const ended = answer.header('set-cookie')?.match(/sign_on_[^;]*/g);
      assert.equal(ended, [`${nameOf(cookie)}=`]);
    }
  });
  check('a code of another flow is refused by its verifier, and one that was used by the provider', async () => {
    const [one, two] = [await flow(), await flow()];
    const code = new URL(one.back).searchParams.get('code') ?? '';
    await refusedWith(changed(two.back, 'code', code), two.cookie, '/books/auth/sign-on?refused=failed');
    const third = await flow();
    const used = await flow();
    await house.comeBack(used.back, used.cookie);
    const spent = new URL(used.back).searchParams.get('code') ?? '';
    await refusedWith(changed(third.back, 'code', spent), third.cookie, '/books/auth/sign-on?refused=failed');
  });
  check('what began with one provider does not end with another', async () => {
    const { back, cookie } = await flow();
    await refusedWith(back.replace('/oidc/home/', '/oidc/other/'), cookie);
    await refusedWith(back, cookie);
  });
  check('an issuer that is not the provider’s is refused', async () => {
    const { back, cookie } = await flow();
    const location = '/books/auth/sign-on?refused=failed';
    await refusedWith(changed(back, 'iss', 'https://login.example'), cookie, location);
  });
  check('what a provider says of an error is not shown', async () => {
    for (const [error, word] of [
      ['access_denied', 'declined'],
      ['<script>alert(1)</script>', 'failed'],
      ['x\r\nSet-Cookie: a=b', 'failed'],
    ] as const) {
      const { address, cookie } = await house.begin();
      const state = new URL(address).searchParams.get('state') ?? '';
      const query = new URLSearchParams({ error, error_description: error, state, iss: provider.issuer });
      const back = `${BASE}/api/v1/auth/oidc/home/callback?${query}`;
      await refusedWith(back, cookie, `/books/auth/sign-on?refused=${word}`);
    }
    assert.not.ok(house.temp.warnings.some((line) => /[\r\n]/.test(line)));
    const page = await house.temp.call('GET', '/auth/sign-on?refused=%3Cscript%3Ealert(1)%3C/script%3E');
    assert.is(page.status, 200);
    assert.not.match(page.bytes.toString(), /script|alert/);
    assert.match(page.header('content-security-policy') ?? '', /default-src 'none'/);
  });
  check('unknown providers are 404, and names of the object prototype are unknown', async () => {
    for (const name of ['nobody', 'constructor', '__proto__', 'HOME', '%2e%2e', 'home%2f'])
      assert.is((await house.ask('POST', `/auth/oidc/${name}/login`, {})).status, 404, name);
    assert.is((await house.ask('GET', '/auth/oidc/nobody/callback?state=x')).status, 404);
  });
  check('pages of other sites cannot begin to sign anybody in', async () => {
    const headers = { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' };
    const answer = await house.temp.call('POST', '/api/v1/auth/oidc/home/login', { body: {}, headers });
    assert.is(answer.status, 403);
  });
};

const ELSEWHERE = [
  'https://evil.example/',
  '//evil.example',
  '/\\evil.example',
  '\\\\evil.example',
  '/a\\b',
  '/.//evil.example',
  '/x/..//evil.example',
  '/%2e//evil.example',
  '/\t/evil.example',
  '/a\r\nSet-Cookie: x=y',
  '/ä',
  ' /',
  'books',
  'javascript:alert(1)',
  `${APP}&more=1`,
  APP.toUpperCase(),
  'https://comics.example.evil.example/',
  'https://comics.example@evil.example/',
  'https://comics.example//evil.example',
  `/${'x'.repeat(500)}`,
];

const targets = (check: Check): void => {
  check('nobody is sent to another place than this server and the apps in the settings', async () => {
    for (const redirectUri of ELSEWHERE) {
      const answer = await house.ask('POST', '/auth/oidc/home/login', { redirectUri, codeChallenge: CHALLENGE });
      assert.equal([answer.status, answer.header('set-cookie')], [400, undefined], redirectUri);
    }
  });
  check('a Host that is forged changes nothing', async () => {
    const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'http' };
    const { json } = await house.temp.call('POST', '/api/v1/auth/oidc/home/login', { body: {}, headers });
    const back = new URL(json.redirectUrl).searchParams.get('redirect_uri');
    assert.is(back, `${BASE}/api/v1/auth/oidc/home/callback`);
  });
  check('a path of this server is where it ends', async () => {
    for (const [redirectUri, location] of [
      ['/books/library?sort=name#top', '/books/library?sort=name#top'],
      [`${BASE}/library`, '/books/library'],
      [null, '/books/auth/sign-on'],
      ['', '/books/auth/sign-on'],
    ] as const) {
      const { back, cookie } = await flow({ redirectUri });
      const answer = await house.comeBack(back, cookie);
      assert.equal([answer.header('location'), cookieOf(answer, 'auth_token') !== ''], [location, true]);
    }
  });
  check('what goes to the provider is bound: PKCE, state and nonce, each new', async () => {
    const [one, two] = [await house.begin(), await house.begin()].map(({ address }) => new URL(address).searchParams);
    for (const name of ['state', 'nonce', 'code_challenge']) {
      assert.match(one?.get(name) ?? '', /^[A-Za-z0-9_-]{43}$/);
      assert.is.not(one?.get(name), two?.get(name));
    }
    assert.equal([one?.get('code_challenge_method'), one?.get('response_type')], ['S256', 'code']);
    assert.is(one?.get('scope'), 'openid profile email groups');
  });
};

const apps = (check: Check): void => {
  check('an app needs a challenge', async () => {
    for (const codeChallenge of [undefined, null, '', VERIFIER, `${CHALLENGE}=`, `${CHALLENGE.slice(0, -1)}+`])
      assert.is((await house.ask('POST', '/auth/oidc/home/login', { ...APP_WISH, codeChallenge })).status, 400);
  });
  check('an app gets a code, and its own state, but no cookie; the code gives tokens once', async () => {
    const begun = await house.ask('POST', '/auth/oidc/home/login', APP_WISH);
    assert.is(begun.header('set-cookie'), undefined);
    const back = await provider.visit(begun.json.redirectUrl, 'ann');
    const answer = await house.comeBack(back, '');
    assert.equal([answer.status, answer.header('set-cookie')], [303, undefined]);
    assert.match(answer.header('location') ?? '', /^[!-~]+$/);
    const location = new URL(answer.header('location') ?? '');
    assert.equal([location.protocol, location.pathname], ['example.reader:', '/signed-in']);
    assert.equal([...location.searchParams.keys()], ['from', 'code', 'state']);
    assert.is(location.searchParams.get('state'), APP_WISH.state);
    const code = location.searchParams.get('code') ?? '';
    const { status, json } = await exchange(code);
    assert.equal(faultsOf('OidcLoginResponse', begun.json), []);
    assert.equal(faultsOf('OidcCallbackResponse', json), []);
    assert.equal([status, json.provider, json.newAccount, json.user.username], [200, 'home', false, 'ann']);
    assert.is((await house.temp.call('GET', '/api/v1/auth/me', { token: json.accessToken })).json.username, 'ann');
    assert.is((await house.ask('POST', '/auth/refresh', { refreshToken: json.refreshToken })).status, 200);
    assert.is((await exchange(code)).status, 401);
  });
  check('a code is nothing without its verifier, used up by a wrong one, and void after a minute', async () => {
    const code = await appCode();
    assert.is((await exchange(code, `${VERIFIER}!`)).status, 401);
    assert.is((await exchange(code)).status, 401);
    const late = await appCode();
    house.temp.advance(60_000);
    assert.is((await exchange(late)).status, 401);
    const soon = await appCode();
    house.temp.advance(59_999);
    assert.is((await exchange(soon)).status, 200);
    assert.is((await exchange('')).status, 401);
    assert.is((await exchange(CHALLENGE)).status, 401);
  });
  check('of parallel exchanges one succeeds', async () => {
    const code = await appCode();
    const statuses = await Promise.all(Array.from({ length: 20 }, async () => (await exchange(code)).status));
    assert.equal(statuses.toSorted(), [200, ...Array(19).fill(401)]);
  });
  check('who was disabled meanwhile gets no tokens', async () => {
    const code = await appCode();
    const { data } = (await house.done(200, 'GET', '/users?search=ann')).json;
    const { id } = data.find(({ username }: { username: string }) => username === 'ann');
    await house.done(200, 'PATCH', `/users/${id}`, { isActive: false });
    assert.is((await exchange(code)).status, 401);
    await house.done(200, 'PATCH', `/users/${id}`, { isActive: true });
  });
  check('an app hears of a refusal at its address', async () => {
    const { address } = await house.begin(APP_WISH);
    const answer = await house.comeBack(await provider.visit(address, ''), '');
    const told = new URL(answer.header('location') ?? '').searchParams;
    assert.equal(
      [told.get('error'), told.get('reason'), told.get('state')],
      ['access_denied', 'declined', APP_WISH.state],
    );
  });
};

block(
  'the way of a sign-on',
  (check) => {
    bad(check);
    targets(check);
    apps(check);
    check('nothing failed in the background', () => assert.equal(house.temp.faults, []));
  },
  {
    before: async () => {
      provider = await realProvider();
      house = await openHouse(provider.issuer, [
        { key: 'auth.oidc.providers.other.issuer_url', text: 'https://login.example' },
        { key: 'auth.oidc.providers.other.client_id', text: 'x' },
      ]);
      await provider.setPeople({ ann: { preferred_username: 'ann' } });
    },
    after: async () => {
      await house.close();
      await provider.stop();
    },
  },
);
