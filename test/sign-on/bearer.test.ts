// Access tokens of a provider as bearer tokens: signed by its keys, for this server, and only for people who signed in before.
import { createHash, generateKeyPairSync } from 'node:crypto';
import { createKey } from '../../core/access/key-changes.js';
import type { Answer, CallOptions } from '../app.js';
import { assert, block, type Check, thrownBy } from '../kit.js';
import { answerJson, type Crooked, crookedProvider, HEADER, jwt, PUBLIC_KEY } from './crooked.js';
import { CLIENT, type Claims, type House, KEY, meOf, openHouse } from './house.js';

let crooked: Crooked;
let house: House;
let ann: { readonly id: string };

const other = generateKeyPairSync('rsa', { modulusLength: 2048 });
const elliptic = generateKeyPairSync('ec', { namedCurve: 'P-256' });
const AT = { ...HEADER, typ: 'at+jwt' };

const seconds = (): number => Math.floor(house.temp.app.clock.now() / 1000);

const payload = (changes: Claims = {}): Claims => ({
  iss: crooked.issuer,
  sub: 'ann',
  aud: CLIENT.id,
  exp: seconds() + 3600,
  jti: Math.random().toString(36),
  ...changes,
});

const ask = (token: string, options: CallOptions = {}): Promise<Answer> =>
  house.temp.call('GET', '/api/v1/auth/me', { token, ...options });

const refusals: Readonly<Record<string, () => string>> = {
  'alg none': () => jwt({ alg: 'none', typ: 'at+jwt' }, payload(), null),
  'HS256 with the public key': () =>
    jwt({ ...AT, alg: 'HS256' }, payload(), KEY.public.export({ type: 'spki', format: 'pem' }).toString()),
  'HS256 with the client secret': () => jwt({ ...AT, alg: 'HS256' }, payload(), CLIENT.secret),
  'HS256 with the key id of the provider': () => jwt({ ...AT, alg: 'HS256' }, payload(), ''),
  RS512: () => jwt({ ...AT, alg: 'RS512' }, payload()),
  PS256: () => jwt({ ...AT, alg: 'PS256' }, payload()),
  'ES256 where the key is RSA': () => jwt({ ...AT, alg: 'ES256' }, payload(), elliptic.privateKey),
  'the key of somebody else': () => jwt(AT, payload(), other.privateKey),
  'a key that it brings along': () =>
    jwt({ ...AT, kid: undefined, jwk: other.publicKey.export({ format: 'jwk' }) }, payload(), other.privateKey),
  'keys at an address that it names': () => jwt({ ...AT, jku: 'http://127.0.0.1:9/keys' }, payload(), other.privateKey),
  'a path as key id': () => jwt({ ...AT, kid: '../../../dev/null' }, payload(), other.privateKey),
  'a key id that injects': () => jwt({ ...AT, kid: "x' OR '1'='1" }, payload(), other.privateKey),
  'a critical header': () => jwt({ ...AT, crit: ['b64'], b64: false }, payload()),
  'another issuer': () => jwt(AT, payload({ iss: 'https://login.example' })),
  'an issuer that begins alike': () => jwt(AT, payload({ iss: `${crooked.issuer}.evil.example` })),
  'no issuer': () => jwt(AT, payload({ iss: undefined })),
  'another audience': () => jwt(AT, payload({ aud: 'another' })),
  'no audience': () => jwt(AT, payload({ aud: undefined })),
  'no end': () => jwt(AT, payload({ exp: undefined })),
  'an end in the past': () => jwt(AT, payload({ exp: seconds() - 31 })),
  'an end that is a text': () => jwt(AT, payload({ exp: '9999999999' })),
  'a beginning in the future': () => jwt(AT, payload({ nbf: seconds() + 60 })),
  'no subject': () => jwt(AT, payload({ sub: undefined })),
  'a subject that never signed in': () => jwt(AT, payload({ sub: 'bob' })),
  'the id of an account as subject': () => jwt(AT, payload({ sub: ann.id })),
  'the type of a logout token': () => jwt({ ...HEADER, typ: 'logout+jwt' }, payload()),
  'the claims of an ID token': () => jwt({ ...HEADER, typ: 'JWT' }, payload({ nonce: 'n', at_hash: 'h' })),
  'the claims of a logout token': () => jwt(HEADER, payload({ events: {} })),
  'more than 16 kB': () => jwt(AT, payload({ more: 'x'.repeat(16_384) })),
};

const bad = (check: Check): void => {
  for (const [what, token] of Object.entries(refusals))
    check(`a token with ${what} is refused`, async () => assert.is((await ask(token())).status, 401));
  check('a token without key id is refused where several keys could have signed it', async () => {
    crooked.keys = [PUBLIC_KEY, { ...other.publicKey.export({ format: 'jwk' }), kid: 'new' }];
    house.temp.advance(600_000);
    assert.is((await ask(jwt({ ...AT, kid: undefined }, payload()))).status, 401);
    assert.is((await ask(jwt(AT, payload()))).status, 200);
    crooked.keys = [PUBLIC_KEY];
    house.temp.advance(600_000);
  });
};

const good = (check: Check): void => {
  check('a token of the provider is its person, with the role here', async () => {
    const { status, json } = await ask(jwt(AT, payload()));
    assert.equal([status, json.id, json.role], [200, ann.id, 'reader']);
    const long = jwt(HEADER, payload({ aud: ['x', CLIENT.id], more: 'x'.repeat(8000) }));
    assert.equal([(await ask(long)).status, (await ask(long)).json.id], [200, ann.id]);
    assert.is((await ask(`${long.slice(0, -4)}AAAA`)).status, 401);
    assert.is((await ask(createHash('sha256').update(long).digest('base64'))).status, 401);
    assert.is((await house.temp.call('GET', '/api/v1/users', { token: jwt(AT, payload()) })).status, 403);
  });
  check('it ends when it says', async () => {
    const token = jwt(AT, payload({ exp: seconds() + 5 }));
    assert.is((await ask(token)).status, 200);
    house.temp.advance(36_000);
    assert.is((await ask(token)).status, 401);
  });
  check('what it began ends with it: an answer that goes on, a request that waited', async () => {
    const { app, advance } = house.temp;
    const token = jwt(AT, payload({ exp: seconds() }));
    advance(29_980);
    const caller = await app.callers.byToken(token);
    let isEnded = false;
    const ended = new Promise<void>((resolve) => {
      app.liveCallers.hold(
        caller,
        () => undefined,
        () => {
          isEnded = true;
          resolve();
        },
      );
    });
    await app.liveCallers.checkAll();
    assert.not(isEnded);
    advance(1000);
    const wanted = { name: 'late', permissions: [], expiresAt: null };
    const late = await thrownBy(() => createKey(app, { caller, address: null }, wanted));
    assert.match(String(late), /expired/);
    await ended;
  });
  check('it makes keys and ends nothing it has not begun', async () => {
    const token = jwt(AT, payload());
    const body = { name: 'Tablet' };
    assert.is((await house.temp.call('POST', '/api/v1/api-keys', { token, body })).status, 201);
    assert.is((await house.temp.call('POST', '/api/v1/auth/logout', { token, body: {} })).status, 200);
    assert.is((await ask(token)).status, 200);
  });
  check('a closed account and a link that is gone end it at once', async () => {
    const token = jwt(AT, payload());
    await house.done(200, 'PATCH', `/users/${ann.id}`, { isActive: false });
    assert.is((await ask(token)).status, 401);
    await house.done(200, 'PATCH', `/users/${ann.id}`, { isActive: true });
    assert.is((await ask(token)).status, 200);
    await house.temp.app.db.write(null, 'interactive', (tx) => tx.run("DELETE FROM identity WHERE subject = 'ann'"));
    assert.is((await ask(token)).status, 401);
    const before = ann.id;
    await signIn();
    assert.is.not(ann.id, before);
    assert.is((await ask(token)).json.id, ann.id, 'the person has another account now');
  });
};

const keys = (check: Check): void => {
  check('keys are asked for once, again for a new one, and not for each that is unknown', async () => {
    house.temp.advance(600_000);
    crooked.asked.length = 0;
    await Promise.all(Array.from({ length: 20 }, () => ask(jwt(AT, payload({ sub: 'ann' })))));
    assert.equal(crooked.asked, ['/keys']);
    for (let n = 0; n < 5; n += 1) assert.is((await ask(jwt({ ...AT, kid: `k${n}` }, payload()))).status, 401);
    assert.is(crooked.asked.length, 1, 'the keys are younger than half a minute');
    crooked.keys = [PUBLIC_KEY, { ...elliptic.publicKey.export({ format: 'jwk' }), kid: 'turned' }];
    house.temp.advance(30_000);
    const turned = jwt({ ...AT, alg: 'ES256', kid: 'turned' }, payload(), elliptic.privateKey);
    assert.is((await ask(turned)).status, 200);
    assert.is(crooked.asked.length, 2);
  });
  check('a provider that cannot be reached, or sends rubbish, is 503; own tokens still work', async () => {
    for (const wrong of [answerJson({}, 500), answerJson({ keys: 'none' }), answerJson([]), answerJson(null)]) {
      crooked.otherwise.set('/keys', wrong);
      house.temp.advance(600_000);
      const { status, json } = await ask(jwt(AT, payload()));
      assert.equal([status, json.error], [503, 'ProviderFailed']);
    }
    crooked.otherwise.set('/keys', (request) => request.socket.destroy());
    house.temp.advance(5000);
    assert.is((await ask(jwt(AT, payload()))).status, 503);
    crooked.asked.length = 0;
    assert.is((await ask(jwt(AT, payload()))).status, 503);
    assert.equal(crooked.asked, [], 'a failure is remembered');
    assert.is((await ask(await house.temp.tokenOf('reader'))).status, 200);
    crooked.otherwise.clear();
    house.temp.advance(5000);
    assert.is((await ask(jwt(AT, payload()))).status, 200);
  });
};

const signIn = async (): Promise<void> => {
  const { address, cookie } = await house.begin();
  ann = await meOf(house, await house.comeBack(crooked.back(address), cookie));
};

block(
  'bearer tokens of a provider',
  (check) => {
    bad(check);
    keys(check);
    good(check);
    check('with audiences in the settings only those are accepted', async () => {
      const named = await openHouse(crooked.issuer, [
        { key: 'auth.oidc.providers.home.accepted_audiences', text: 'comics,reader' },
      ]);
      const { address, cookie } = await named.begin();
      await named.comeBack(crooked.back(address), cookie);
      const statusFor = async (aud: string) =>
        (await named.temp.call('GET', '/api/v1/auth/me', { token: jwt(AT, payload({ aud })) })).status;
      assert.equal([await statusFor('reader'), await statusFor('comics'), await statusFor(CLIENT.id)], [200, 200, 401]);
      await named.close();
    });
    check('nothing failed in the background', () => assert.equal(house.temp.faults, []));
  },
  {
    before: async () => {
      crooked = await crookedProvider();
      // The key itself does not say for which algorithm it is.
      crooked.keys = [{ ...PUBLIC_KEY, alg: undefined }];
      house = await openHouse(crooked.issuer);
      await signIn();
    },
    after: async () => {
      await house.close();
      await crooked.stop();
    },
  },
);
