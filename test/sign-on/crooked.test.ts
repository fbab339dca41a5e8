// Providers that are down, slow or wrong, and ID tokens that are not what they should be: nobody gets in, and the server goes on.

import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createServer } from 'node:net';
import { traceOf } from '../../core/model/errors.js';
import { ProviderRequests } from '../../core/sign-on/provider-requests.js';
import { assert, block, type Check, thrownBy } from '../kit.js';
import { answerJson, type Crooked, crookedProvider, HEADER, jwt, PUBLIC_KEY } from './crooked.js';
import { CLIENT, type Claims, cookieOf, type House, KEY, openHouse } from './house.js';

let crooked: Crooked;

const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
const METADATA = '/.well-known/openid-configuration';

const withHouse = async (use: (house: House) => Promise<void>, issuer = crooked.issuer): Promise<void> => {
  const house = await openHouse(issuer);
  try {
    await use(house);
    assert.equal(house.temp.faults, []);
  } finally {
    await house.close();
    crooked.otherwise.clear();
    Object.assign(crooked, { claims: {}, written: (payload: Claims) => jwt(HEADER, payload), keys: [PUBLIC_KEY] });
  }
};

/** How a flow ends: the word of the refusal, '' for a sign-in. */
const ending = async (house: House): Promise<string | null> => {
  const { address, cookie } = await house.begin();
  const answer = await house.comeBack(crooked.back(address), cookie);
  const word = new URL(answer.header('location') ?? '', 'http://x').searchParams.get('refused');
  assert.is(cookieOf(answer, 'auth_token') === '', word !== null);
  return word ?? '';
};

const beginStatus = async (house: House): Promise<number> => (await house.ask('POST', '/auth/oidc/home/login')).status;

const TOKENS: Readonly<Record<string, Partial<Pick<Crooked, 'claims' | 'written'>>>> = {
  'alg none': { written: (payload) => jwt({ alg: 'none' }, payload, null) },
  'alg None with a signature of nothing': { written: (payload) => jwt({ alg: 'None', kid: KEY.kid }, payload, null) },
  'HS256 with the client secret': { written: (payload) => jwt({ alg: 'HS256' }, payload, CLIENT.secret) },
  'HS256 with the public key': {
    written: (payload) =>
      jwt({ ...HEADER, alg: 'HS256' }, payload, KEY.public.export({ type: 'spki', format: 'pem' }).toString()),
  },
  'the key of somebody else': { written: (payload) => jwt(HEADER, payload, other.privateKey) },
  'a key that the token brings along': {
    written: (payload) =>
      jwt({ alg: 'RS256', jwk: other.publicKey.export({ format: 'jwk' }) }, payload, other.privateKey),
  },
  'an unknown key': { written: (payload) => jwt({ ...HEADER, kid: '../../dev/null' }, payload) },
  'a signature that was cut': { written: (payload) => jwt(HEADER, payload).slice(0, -4) },
  'no JWT': { written: () => 'x.y.z' },
  'another issuer': { claims: { iss: 'https://login.example' } },
  'no issuer': { claims: { iss: undefined } },
  'another audience': { claims: { aud: 'another-client' } },
  'several audiences and another party': { claims: { aud: [CLIENT.id, 'x'], azp: 'x' } },
  'no audience': { claims: { aud: undefined } },
  'another nonce': { claims: { nonce: 'x' } },
  'no nonce': { claims: { nonce: undefined } },
  'an end in the past': { claims: { exp: Math.floor(Date.now() / 1000) - 3600 } },
  'no end': { claims: { exp: undefined } },
  'no subject': { claims: { sub: undefined } },
  'an empty subject': { claims: { sub: '' } },
  'a subject that is a number': { claims: { sub: 7 } },
  'a subject that is too long': { claims: { sub: 'x'.repeat(256) } },
};

const tokens = (check: Check): void => {
  for (const [what, wrong] of Object.entries(TOKENS))
    check(`an ID token with ${what} signs nobody in`, () =>
      withHouse(async (house) => {
        Object.assign(crooked, wrong);
        assert.is(await ending(house), 'failed');
        assert.is((await house.done(200, 'GET', '/users')).json.total, 1);
        Object.assign(crooked, { claims: {}, written: (payload: Claims) => jwt(HEADER, payload) });
        assert.is(await ending(house), '');
      }),
    );
  check('userinfo of somebody else signs nobody in', () =>
    withHouse(async (house) => {
      const { issuer } = crooked;
      crooked.otherwise.set(
        METADATA,
        answerJson({
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          jwks_uri: `${issuer}/keys`,
          userinfo_endpoint: `${issuer}/me`,
        }),
      );
      crooked.otherwise.set('/me', answerJson({ sub: 'eve', preferred_username: 'eve' }));
      assert.is(await ending(house), 'failed');
      crooked.otherwise.set('/me', answerJson({ sub: 'ann', preferred_username: 'ann' }));
      assert.is(await ending(house), '');
    }),
  );
};

const metadata = (changes: object): object => ({
  issuer: crooked.issuer,
  authorization_endpoint: `${crooked.issuer}/authorize`,
  token_endpoint: `${crooked.issuer}/token`,
  jwks_uri: `${crooked.issuer}/keys`,
  ...changes,
});

const faults = (check: Check): void => {
  check('metadata that makes no sense is 503, and remembered for five seconds', () =>
    withHouse(async (house) => {
      for (const wrong of [
        answerJson([]),
        answerJson('rubbish'),
        answerJson({}),
        answerJson(metadata({ issuer: 'https://login.example' })),
        answerJson(metadata({ authorization_endpoint: 'javascript:alert(1)' })),
        answerJson(metadata({ jwks_uri: 'file:///etc/passwd' })),
        answerJson({}, 500),
        answerJson({}, 404),
      ]) {
        crooked.otherwise.set(METADATA, wrong);
        house.temp.advance(5000);
        assert.is(await beginStatus(house), 503);
      }
      crooked.otherwise.set(METADATA, answerJson(metadata({ more: 'x'.repeat(2 ** 20) })));
      house.temp.advance(5000);
      assert.is(await beginStatus(house), 503);
      crooked.otherwise.set(METADATA, (_request, response) => {
        response.writeHead(302, { location: '/moved' });
        response.end();
      });
      crooked.otherwise.set('/moved', answerJson(metadata({})));
      house.temp.advance(5000);
      assert.is(await beginStatus(house), 503);
      crooked.otherwise.clear();
      assert.is(await beginStatus(house), 503, 'still remembered');
      house.temp.advance(5000);
      assert.is(await beginStatus(house), 200);
    }),
  );
  check('a token endpoint or keys that fail say that the provider cannot be reached', () =>
    withHouse(async (house) => {
      crooked.otherwise.set('/token', answerJson({}, 502));
      assert.is(await ending(house), 'unreachable');
      crooked.otherwise.set('/token', (request) => request.socket.destroy());
      assert.is(await ending(house), 'unreachable');
      crooked.otherwise.clear();
      crooked.otherwise.set('/keys', (request) => request.socket.destroy());
      assert.is(await ending(house), 'unreachable');
      crooked.otherwise.set('/token', answerJson({ error: 'invalid_client' }, 401));
      assert.is(await ending(house), 'failed');
      const { warnings } = house.temp;
      assert.ok(
        warnings.some((line) => line.includes('(invalid_client)')),
        'the owner can find out',
      );
      assert.not.ok(warnings.some((line) => line.includes(CLIENT.secret)));
      for (let n = 0; n < 40; n += 1) await ending(house);
      assert.is(warnings.length, 30);
    }),
  );
  check('a provider that says nothing is given up after a while', () =>
    withHouse(async (house) => {
      crooked.otherwise.set(METADATA, () => undefined);
      assert.is(await beginStatus(house), 503);
    }),
  );
  check('a provider that is down is 503; the rest of the server works', async () => {
    const nobody = createServer().listen(0, '127.0.0.1');
    await once(nobody, 'listening');
    const { port } = nobody.address() as AddressInfo;
    nobody.close();
    await withHouse(async (house) => {
      const { status, json } = await house.ask('POST', '/auth/oidc/home/login');
      assert.equal([status, json.error], [503, 'ProviderFailed']);
      assert.is((await house.ask('GET', '/auth/oidc/providers')).status, 200);
    }, `http://127.0.0.1:${port}`);
  });
  check('many who begin at once share one request for the metadata', () =>
    withHouse(async (house) => {
      crooked.asked.length = 0;
      const statuses = await Promise.all(Array.from({ length: 30 }, () => beginStatus(house)));
      assert.equal([...new Set(statuses)], [200]);
      assert.equal(crooked.asked, [METADATA]);
      house.temp.advance(3_600_000);
      await beginStatus(house);
      assert.is(crooked.asked.length, 2);
    }),
  );
  check('stopping the server ends what a provider never answers', async () => {
    const reached = new Promise<void>((done) => crooked.otherwise.set(METADATA, () => done()));
    const requests = new ProviderRequests('home');
    const answer = thrownBy(() => requests.fetch(`${crooked.issuer}${METADATA}`));
    await reached;
    requests.stop();
    assert.match(traceOf(await answer), /the server is stopping/);
    crooked.otherwise.clear();
  });
};

block(
  'crooked providers',
  (check) => {
    tokens(check);
    faults(check);
  },
  {
    before: async () => {
      crooked = await crookedProvider();
    },
    after: () => crooked.stop(),
  },
);
