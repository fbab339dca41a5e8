// What signs a request in, in which order, and what refuses it: tokens, keys, names with passwords, forged and malformed ones.
import { createHmac, randomBytes } from 'node:crypto';
import type { Answer } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { openPeople, PASSWORD, type People, type Person } from './people.js';

let people: People;
let ann: Person;
let key = '';
let addresses = 0;

const MISSING = 'Missing or invalid authentication credentials';
const STRANGE_KEY = `svc_${'a'.repeat(8)}_${'b'.repeat(40)}`;

/** Who is asked for, or why not; each time from another address, so that nobody has to wait. */
const who = async (headers: Readonly<Record<string, string>>, path = '/auth/me'): Promise<string> => {
  addresses += 1;
  const address = `10.8.${addresses >> 8}.${addresses & 255}`;
  const { status, json } = await people.temp.call('GET', `/api/v1${path}`, { headers, address });
  assert.is(status, json.username === undefined ? 401 : 200);
  return json.username ?? json.message;
};

const basic = (pair: string): string => `Basic ${Buffer.from(pair).toString('base64')}`;
const bearer = (text: string): string => `Bearer ${text}`;

/** A token signed by whoever has the secret. */
const signed = (header: object, claims: object, secret: Uint8Array = Buffer.alloc(32, 7), hash = 'sha256'): string => {
  const parts = [header, claims].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${parts}.${createHmac(hash, secret).update(parts).digest('base64url')}`;
};

const claimsIn = (token: string): Record<string, unknown> =>
  JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString());

const HS256 = { alg: 'HS256', typ: 'JWT' };

const tokens = (check: Check): void => {
  const forgeries: readonly (readonly [string, (claims: Record<string, unknown>) => string, RegExp])[] = [
    [
      'without a signature',
      (claims) => `${signed({ alg: 'none' }, claims).split('.').slice(0, 2).join('.')}.`,
      /malformed/,
    ],
    ['that says it needs none', (claims) => signed({ ...HS256, alg: 'none' }, claims), /malformed/],
    [
      'of another algorithm',
      (claims) => signed({ ...HS256, alg: 'HS512' }, claims, Buffer.alloc(32, 7), 'sha512'),
      /malformed/,
    ],
    ['signed with another secret', (claims) => signed(HS256, claims, randomBytes(32)), /bad signature/],
    ['signed with nothing', (claims) => signed(HS256, claims, Buffer.alloc(0)), /bad signature/],
    [
      'whose key is a file',
      (claims) => signed({ ...HS256, kid: '../../dev/null' }, claims, Buffer.alloc(0)),
      /bad signature/,
    ],
    [
      'whose key is its own',
      (claims) => signed({ ...HS256, jwk: { kty: 'oct', k: 'AAAA' } }, claims, Buffer.alloc(3)),
      /bad/,
    ],
    [
      'whose key is at an address',
      (claims) =>
        signed({ ...HS256, jku: 'http://127.0.0.1:1/keys', x5u: 'http://127.0.0.1:1/' }, claims, Buffer.alloc(0)),
      /bad signature/,
    ],
    [
      'of another issuer, for another audience',
      (claims) => signed(HS256, { ...claims, iss: 'https://evil.example', aud: 'x' }, randomBytes(32)),
      /bad signature/,
    ],
    [
      'with an extension that must be understood',
      (claims) => signed({ ...HS256, crit: ['x'], x: 1 }, claims),
      /malformed/,
    ],
    ['without an end', ({ exp: _, ...claims }) => signed(HS256, claims), /malformed/],
    ['that has ended', (claims) => signed(HS256, { ...claims, exp: 1 }), /expired/],
    ['of no session', ({ sid: _, ...claims }) => signed(HS256, claims), /malformed/],
    ['of a session that is no id', (claims) => signed(HS256, { ...claims, sid: "' OR 1=1" }), /malformed/],
    ['of a session that is not there', (claims) => signed(HS256, { ...claims, sid: ann.id }), /session has ended/],
    ['that is none', () => 'a.b.c', /malformed/],
    ['as long as a book', () => 'x'.repeat(10_000), /malformed/],
  ];
  for (const [what, forge, words] of forgeries)
    check(`a token ${what} signs nobody in`, async () => {
      const message = await who({ authorization: bearer(forge(claimsIn(ann.token))) });
      assert.match(message, /^Invalid JWT token: /);
      assert.match(message, words);
    });
  check('what a token says of its bearer is not believed', async () => {
    const claims = { ...claimsIn(ann.token), sub: people.admin.id, username: 'Root', role: 'admin' };
    assert.is(await who({ authorization: bearer(signed({ ...HS256, kid: 'x' }, claims)) }), 'ann');
    const answer = await people.ask(signed(HS256, claims), 'GET', '/users');
    assert.is(answer.status, 403);
  });
};

const keys = (check: Check): void => {
  for (const [what, text, message] of [
    ['nothing but its mark', 'svc_', 'Invalid API key format'],
    ['without a secret', 'svc_abcdefgh_', 'Invalid API key format'],
    ['with a short prefix', `svc_abc_${'x'.repeat(40)}`, 'Invalid API key format'],
    ['with a wildcard', `svc_%%%%%%%%_${'x'.repeat(40)}`, 'Invalid API key format'],
    ['that is endless', `svc_abcdefgh_${'x'.repeat(5000)}`, 'Invalid API key format'],
    ['that nobody has', STRANGE_KEY, 'Invalid API key'],
  ] as const)
    check(`a key ${what} is "${message}", however it is sent`, async () => {
      for (const headers of [
        { authorization: bearer(text) },
        { 'x-api-key': text },
        { authorization: basic(`api:${text}`) },
      ])
        assert.is(await who(headers), message);
    });
  check('a key is as good as all of its text', async () => {
    const other = key.endsWith('A') ? 'B' : 'A';
    for (const text of [`${key.slice(0, -1)}${other}`, key.slice(0, -1), `${key}A`, key.toLowerCase()])
      assert.match(await who({ 'x-api-key': text }), /^Invalid API key/);
    assert.is(await who({ 'x-api-key': key.slice(4) }), 'Invalid API key format');
  });
  check('a key in an address signs nobody in', async () => {
    for (const name of ['api_key', 'apikey', 'key', 'token', 'access_token', 'X-API-Key', 'authorization'])
      assert.is(await who({}, `/auth/me?${name}=${key}`), MISSING);
  });
  check('a key is taken in each of its four places', async () => {
    for (const headers of [
      { authorization: bearer(key) },
      { authorization: `bearer   ${key} ` },
      { 'x-api-key': key },
      { authorization: basic(`api:${key}`) },
      { authorization: basic(`whoever:${key}`) },
      { authorization: basic(`:${key}`) },
    ])
      assert.is(await who(headers), 'ann', JSON.stringify(headers));
    assert.is(await who({ cookie: `auth_token=${key}` }), 'Invalid JWT token: malformed', 'cookies hold no keys');
  });
};

const passwords = (check: Check): void => {
  const wrong = 'Invalid username or password';
  for (const [what, pair, message] of [
    ['an empty name', ':', wrong],
    ['an empty name and a password', `:${PASSWORD}`, wrong],
    ['an empty password', 'ann:', wrong],
    ['an unknown name and no password', 'nobody:', wrong],
    ['a wrong password', 'ann:wrong', wrong],
    ['a name that could match any', `%:${PASSWORD}`, wrong],
    ['a name with what follows it', `ann\u0000:${PASSWORD}`, wrong],
    ['the start of a password', `ann:${PASSWORD.slice(0, -1)}`, wrong],
    ['a password that looks like the start of a key', 'ann:svc_short', wrong],
    ['an overlong password', `ann:${'x'.repeat(5000)}`, wrong],
    ['api and a password', `api:${PASSWORD}`, 'Invalid API key format'],
    ['a name alone', 'ann', MISSING],
  ] as const)
    check(`Basic with ${what} is "${message}"`, async () =>
      assert.is(await who({ authorization: basic(pair) }), message),
    );
  check('Basic takes a name or an e-mail address, with colons and other letters in the password', async () => {
    const { id } = await people.join('Jürgen');
    const password = 'ä:ö:ü: ✓';
    await people.ask(people.admin.token, 'PATCH', `/users/${id}`, { body: { password, email: 'j@example.org' } });
    for (const name of ['jürgen', 'JÜRGEN', 'j@example.org'])
      assert.is(await who({ authorization: basic(`${name}:${password}`) }), 'Jürgen');
  });
  check('a disabled account is told so only to its own password', async () => {
    const { id } = await people.join('off');
    await people.ask(people.admin.token, 'PATCH', `/users/${id}`, { body: { isActive: false } });
    assert.is(await who({ authorization: basic('off:wrong') }), wrong);
    assert.is(await who({ authorization: basic(`off:${PASSWORD}`) }), 'User account is inactive');
  });
  check('guesses are slowed down like those at a login, and count together with them', async () => {
    const guess = (): Promise<Answer> =>
      people.temp.call('GET', '/api/v1/books', { headers: { authorization: basic('ann:x') }, address: '10.7.7.7' });
    const statuses: number[] = [];
    for (let n = 0; n < 12; n += 1) statuses.push((await guess()).status);
    assert.equal([statuses.filter((one) => one === 401).length, statuses.at(-1)], [10, 429]);
    const login = { username: 'ann', password: PASSWORD };
    const answer = await people.temp.call('POST', '/api/v1/auth/login', { body: login, address: '10.7.7.7' });
    assert.is(answer.status, 429);
    assert.is(answer.header('retry-after'), '60');
  });
  check('a password opens no session', async () => {
    const sessions = async (): Promise<number> => (await people.temp.app.db.all('SELECT 1 FROM session')).length;
    const before = await sessions();
    assert.is(await who({ authorization: basic(`ann:${PASSWORD}`) }), 'ann');
    assert.is(await sessions(), before);
  });
};

const order = (check: Check): void => {
  for (const [what, header] of [
    ['another scheme', 'Digest username="ann"'],
    ['no scheme', 'ann'],
    ['a scheme alone', 'Bearer'],
    ['a scheme and a space', 'Bearer '],
    ['two tokens', 'Bearer a b'],
    ['Basic alone', 'Basic'],
    ['Basic that is not base64', 'Basic ann:password!'],
    ['Basic with padding inside', 'Basic YQ==YQ=='],
    ['two schemes', `Basic ${Buffer.from('ann:x').toString('base64')}, Bearer x`],
  ] as const)
    check(`an Authorization header with ${what} is refused, whatever else is sent`, async () => {
      const headers = { authorization: header, 'x-api-key': key, cookie: `auth_token=${ann.token}` };
      assert.is(await who(headers), MISSING);
    });
  check('the first header that is there decides, and a wrong one is never passed over', async () => {
    const [good, cookie] = [bearer(ann.token), `auth_token=${people.admin.token}`];
    assert.is(await who({ authorization: good, 'x-api-key': 'nonsense', cookie }), 'ann');
    assert.is(
      await who({ authorization: bearer('nonsense'), 'x-api-key': key, cookie }),
      'Invalid JWT token: malformed',
    );
    assert.is(await who({ 'x-api-key': 'nonsense', cookie }), 'Invalid API key format');
    assert.is(await who({ 'x-api-key': key, cookie }), 'ann');
    assert.is(await who({ cookie }), 'Root');
    assert.is(await who({ cookie: 'auth_token=; theme=dark' }), MISSING);
    assert.is(await who({}), MISSING);
  });
};

block(
  'credentials',
  (check) => {
    for (const part of [tokens, keys, passwords, order]) part(check);
    check('no answer was a server error', () => assert.equal(people.temp.faults, []));
  },
  {
    before: async () => {
      people = await openPeople();
      ann = await people.join('ann');
      key = (await people.ask(ann.token, 'POST', '/api-keys', { body: { name: 'Tablet' } })).json.key;
    },
    after: () => people.temp.close(),
  },
);
