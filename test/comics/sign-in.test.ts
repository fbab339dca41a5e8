// Signing in to the comic-server API: the typed name, cookies that end with the session, keys that apps make for themselves.
import { basicPair, openPeople, PASSWORD, type People, type Person } from '../access/people.js';
import type { Answer, CallOptions } from '../app.js';
import { assert, block, type Check } from '../kit.js';

let people: People;
let ann: Person;

const call = (method: string, path: string, options: CallOptions): Promise<Answer> =>
  people.temp.call(method, `/komga${path}`, options);
const basic = (name: string, password = PASSWORD) => ({ authorization: basicPair(name, password) });
const me = (headers: Readonly<Record<string, string>>, query = '', version = 'v2'): Promise<Answer> =>
  call('GET', `/api/${version}/users/me${query}`, { headers });

/** The cookies of an answer, as a client sends them back. */
const cookiesOf = async (headers: Readonly<Record<string, string>>, query = ''): Promise<string[]> => {
  const reply = await people.temp.reply('GET', `/komga/api/v2/users/me${query}`, { headers });
  assert.is(reply.status, 200);
  return reply.headers.flatMap(([name, value]) => (name === 'Set-Cookie' ? [value ?? ''] : []));
};
const pairOf = (cookie: string): string => cookie.split(';', 1)[0] ?? '';

const who = (check: Check): void => {
  check('nobody, a wrong password and a wrong cookie are 401 with a challenge', async () => {
    for (const headers of [
      {},
      basic('ann', 'wrong'),
      { cookie: 'KOMGA-SESSION=x' },
      { cookie: 'komga-remember-me=x' },
    ]) {
      const answer = await me(headers);
      assert.equal([answer.status, answer.json.status], [401, 401]);
      assert.match(answer.header('www-authenticate') ?? '', /^Basic realm=/);
    }
  });
  check('the answer names the login that was typed, and roles that apps need', async () => {
    for (const name of ['ann', 'ANN', 'ann@example.org']) assert.is((await me(basic(name))).json.email, name);
    const { json } = await me(basic('ann'), '', 'v1');
    assert.equal(json.roles, ['USER', 'FILE_DOWNLOAD', 'PAGE_STREAMING']);
    assert.equal([json.sharedAllLibraries, json.ageRestriction, json.labelsAllow], [true, null, []]);
    const root = await people.temp.call('GET', '/komga/api/v2/users/me', { token: people.admin.token });
    assert.equal([root.json.roles[0], root.json.email], ['ADMIN', 'root@example.org']);
  });
  check('restrictions are told in the words of the API', async () => {
    const bob = await people.join('bob');
    const limit = (body: object) => people.ask(people.admin.token, 'PATCH', `/users/${bob.id}`, { body });
    await limit({ libraryIds: [], ageLimit: { max: 12, unrated: 'hide' } });
    const first = (await me(basic('bob'))).json;
    assert.equal([first.sharedAllLibraries, first.sharedLibrariesIds], [false, []]);
    assert.equal(first.ageRestriction, { age: 12, restriction: 'ALLOW_ONLY' });
    await limit({ ageLimit: { max: 12, unrated: 'allow' } });
    assert.equal((await me(basic('bob'))).json.ageRestriction, { age: 13, restriction: 'EXCLUDE' });
  });
};

const cookies = (check: Check): void => {
  check('a password gives a session cookie that scripts of pages cannot read, a key gives none', async () => {
    const [session = '', ...more] = await cookiesOf(basic('ann'));
    assert.match(session, /^KOMGA-SESSION=[^;]+; Path=\/; HttpOnly; SameSite=Lax$/);
    assert.equal(more, []);
    const { json } = await people.ask(ann.token, 'POST', '/api-keys', { body: { name: 'tablet' } });
    assert.equal(await cookiesOf({ 'x-api-key': json.key }), []);
    assert.is((await me({ cookie: pairOf(session) })).json.email, 'ann@example.org');
  });
  check('an app that sends its password each time fills no list of sessions', async () => {
    const dee = await people.join('dee');
    for (let at = 0; at < 5; at += 1) assert.is((await cookiesOf(basic('dee'))).length, 1);
    const { json } = await people.ask(dee.token, 'GET', '/user/sessions');
    assert.is((json.sessions ?? json.data ?? json).length, 2, 'that of the browser and that of the app');
  });
  check('a remembered app is still signed in when its session has ended', async () => {
    const given = await cookiesOf(basic('ann'), '?remember-me=true');
    const kept = pairOf(given.find((one) => one.startsWith('komga-remember-me=')) ?? '');
    assert.match(given[1] ?? '', /Max-Age=\d{6,}; Path=\/; HttpOnly; SameSite=Lax$/);
    assert.is((await me({ cookie: kept })).status, 200);
    assert.is((await me({ cookie: `KOMGA-SESSION=gone; ${kept}` })).status, 200);
  });
  check('a page of another site reads and changes nothing with these cookies', async () => {
    const cookie = (await cookiesOf(basic('ann'), '?remember-me=true')).map(pairOf).join('; ');
    const foreign = { cookie, origin: 'https://elsewhere.example', 'sec-fetch-site': 'cross-site' };
    assert.is((await me(foreign)).status, 401);
    assert.is((await call('POST', '/api/logout', { headers: foreign })).status, 403);
    assert.is((await me({ cookie })).status, 200);
  });
  check('a page of another site signs nobody in or out by a link', async () => {
    const link = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' };
    const cookie = (await cookiesOf(basic('ann'), '?remember-me=true')).map(pairOf).join('; ');
    assert.is((await call('GET', '/api/logout', { headers: { ...link, cookie } })).status, 403);
    assert.is((await me({ cookie })).status, 200);
    assert.equal(await cookiesOf({ ...link, ...basic('ann') }, '?remember-me=true'), []);
    assert.is((await cookiesOf({ ...link, ...basic('ann'), 'sec-fetch-site': 'none' })).length, 1);
  });
  check('signing out ends the session and removes the cookies, by either method, also beside a password', async () => {
    for (const method of ['POST', 'GET'])
      for (const beside of [{}, basic('ann')]) {
        const cookie = (await cookiesOf(basic('ann'), '?remember-me=true')).map(pairOf).join('; ');
        const reply = await people.temp.reply(method, '/komga/api/logout', { headers: { ...beside, cookie } });
        const removed = reply.headers.filter(([name]) => name === 'Set-Cookie').map(([, value]) => value);
        assert.is(reply.status, 204);
        assert.ok(removed.length === 2 && removed.every((one) => one.includes('Max-Age=0')));
        assert.is((await me({ cookie })).status, 401);
      }
  });
  check('a new password and a disabled account end the cookies', async () => {
    const cy = await people.join('cy');
    const first = (await cookiesOf(basic('cy'), '?remember-me=true')).map(pairOf).join('; ');
    const changed = 'Other waves at noon 9!';
    const body = { currentPassword: PASSWORD, newPassword: changed };
    assert.is((await people.ask(cy.token, 'POST', '/auth/change-password', { body })).status, 200);
    assert.is((await me({ cookie: first })).status, 401);
    const second = (await cookiesOf(basic('cy', changed), '?remember-me=true')).map(pairOf).join('; ');
    await people.ask(people.admin.token, 'PATCH', `/users/${cy.id}`, { body: { isActive: false } });
    assert.is((await me({ cookie: second })).status, 401);
  });
};

const tokens = (check: Check): void => {
  /** The session in the header of an answer, and its cookies. */
  const given = async (headers: Readonly<Record<string, string>>, query = '') => {
    const reply = await people.temp.reply('GET', `/komga/api/v2/users/me${query}`, { headers });
    const of = (wanted: string) => reply.headers.filter(([name]) => name === wanted).map(([, value]) => value ?? '');
    return { status: reply.status, token: of('X-Auth-Token').join(), cookies: of('Set-Cookie') };
  };
  check('an app that sends an empty X-Auth-Token gets its session in that header, and signs in with it', async () => {
    const first = await given({ ...basic('ann'), 'x-auth-token': '' });
    assert.equal([first.status, first.cookies], [200, []]);
    assert.ok(first.token.length > 20);
    assert.is((await given({ ...basic('ann'), 'x-auth-token': '' })).token, first.token);
    const later = { 'x-auth-token': first.token };
    assert.equal(await given(later), { status: 200, token: '', cookies: [] });
    assert.equal(await given({ ...basic('ann'), ...later }), { status: 200, token: '', cookies: [] });
    const remembered = await given({ ...basic('ann'), 'x-auth-token': '' }, '?remember-me=true');
    assert.ok(remembered.token.length > 20);
    assert.equal(
      remembered.cookies.map((one) => one.split('=')[0]),
      ['komga-remember-me'],
    );
    assert.is((await given({ 'x-auth-token': remembered.token })).status, 200);
  });
  check('set-cookie returns the session from X-Auth-Token as a cookie that also signs in', async () => {
    const { token } = await given({ ...basic('ann'), 'x-auth-token': '' });
    const cookiesFor = async (headers: Readonly<Record<string, string>>) => {
      const reply = await people.temp.reply('GET', '/komga/api/v1/login/set-cookie', { headers });
      const cookies = reply.headers.filter(([name]) => name === 'Set-Cookie').map(([, value]) => value ?? '');
      return [reply.status, ...cookies.map((one) => one.split(';')[0])];
    };
    assert.equal(await cookiesFor({ 'x-auth-token': token }), [204, `KOMGA-SESSION=${token}`]);
    assert.is((await me({ cookie: `KOMGA-SESSION=${token}` })).status, 200);
    assert.equal(await cookiesFor({ 'x-auth-token': 'wrong' }), [401]);
    assert.equal(await cookiesFor({ cookie: `KOMGA-SESSION=${token}` }), [204], 'it has it already');
  });
  check('a wrong or empty X-Auth-Token signs nobody in, and a signed-out one no longer', async () => {
    for (const text of ['', 'wrong']) assert.is((await given({ 'x-auth-token': text })).status, 401, text);
    const { json } = await people.ask(ann.token, 'POST', '/api-keys', { body: { name: 'header' } });
    assert.is((await given({ 'x-api-key': json.key, 'x-auth-token': '' })).token, '');
    for (const beside of [{}, basic('ann')]) {
      const { token } = await given({ ...basic('ann'), 'x-auth-token': '' });
      const headers = { ...beside, 'x-auth-token': token };
      assert.is((await call('POST', '/api/logout', { headers })).status, 204);
      assert.is((await given({ 'x-auth-token': token })).status, 401);
    }
  });
};

const keys = (check: Check): void => {
  const path = '/api/v2/users/me/api-keys';
  check('a comment is used once, and the key is shown once', async () => {
    const headers = basic('ann');
    const made = await call('POST', path, { headers, body: { comment: 'KOReader Client' } });
    assert.is(made.status, 200);
    assert.is((await me({ 'x-api-key': made.json.key })).status, 200);
    assert.is((await call('POST', path, { headers, body: { comment: 'KOReader Client' } })).status, 400);
    for (const body of [{}, { comment: '' }, { comment: 7 }])
      assert.is((await call('POST', path, { headers, body })).status, 400);
    const listed = (await call('GET', path, { headers })).json.find((one: { id: string }) => one.id === made.json.id);
    assert.equal([listed.key, listed.comment], ['******', 'KOReader Client']);
    assert.is((await call('DELETE', `${path}/${made.json.id}`, { headers })).status, 204);
    assert.is((await me({ 'x-api-key': made.json.key })).status, 401);
    assert.is((await call('DELETE', `${path}/${made.json.id}`, { headers })).status, 404);
  });
};

block(
  'signing in to the comic-server API',
  (check) => {
    who(check);
    cookies(check);
    tokens(check);
    keys(check);
  },
  {
    before: async () => {
      people = await openPeople();
      ann = await people.join('ann');
    },
    after: () => people.temp.close(),
  },
);
