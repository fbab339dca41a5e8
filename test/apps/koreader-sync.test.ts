// KOReader's progress sync against the real program, with the headers of its plugin; the names of facts begin with the requirements of the
// kosync conformance kit that they show.
import { createHash } from 'node:crypto';
import { assert, block, type Check } from '../kit.js';
import { type Answer, type App, type AppServer, basicOf, PERSON, startAppServer } from './app-server.js';
import { bookFacts } from './koreader-books.js';
import { closed, filledText, long, number, oneOf, record, text } from './strict.js';

let server: AppServer;
/** Rosa's reader, signed in with her name and her sync secret. */
let app: App;
/** The same with an API key as the name. */
let keyed: App;
/** An administrator's reader. */
let other: App;
let secret = '';
let documents = 0;

const ACCEPT = { Accept: 'application/vnd.koreader.v1+json' };
const md5 = (words: string): string => createHash('md5').update(words).digest('hex');
const signedInAs = (name: string, key: string): App =>
  server.app('/koreader', { ...ACCEPT, 'x-auth-user': name, 'x-auth-key': key });

/** A document that nobody has reported yet. */
const fresh = (): string => {
  documents += 1;
  return md5(`document ${documents}`);
};

const POINTER = '/body/DocFragment[11]/body/div/p[7]/text().123';
const reported = (document: string, more: object = {}): object => ({
  document,
  progress: POINTER,
  percentage: 0.4213,
  device: 'Kobo_clara',
  device_id: '1A2B3C4D5E6F',
  ...more,
});

const push = (body: unknown, as: App = app): Promise<Answer> => as.send('PUT', '/syncs/progress', { body });
const pull = (document: string, as: App = app): Promise<Answer> =>
  as.send('GET', `/syncs/progress/${encodeURIComponent(document)}`);

const stored = closed({ document: filledText, timestamp: long });
const place = closed({
  document: filledText,
  progress: filledText,
  percentage: number,
  device: filledText,
  device_id: filledText,
  timestamp: long,
});
const fault = record({ code: long, message: filledText, error: text });

/** Also that the body says so in every way. */
const refused = ({ status, json }: Answer, code: number): readonly number[] => {
  fault(json, '');
  assert.is(json.code, code, JSON.stringify(json));
  return [status, json.code];
};

const accounts = (check: Check): void => {
  check('K-AUTH-7 a name and the MD5 of the sync secret sign in', async () => {
    assert.equal(await app.read('/users/auth', closed({ authorized: oneOf('OK') })), { authorized: 'OK' });
  });
  check('an API key as the name signs in, with any key beside it or none', async () => {
    for (const key of ['', md5('anything'), 'x']) {
      assert.is((await signedInAs(server.key, key).send('GET', '/users/auth')).status, 200);
    }
    const { status } = await server
      .app('/koreader', { ...ACCEPT, 'x-auth-user': server.key })
      .send('GET', '/users/auth');
    assert.is(status, 200);
  });
  check('K-AUTH-6 nothing, a wrong key and an unknown name are 401 with 2001 and without a challenge', async () => {
    const bare = await server.app('/koreader', ACCEPT).send('GET', '/users/auth');
    assert.equal(refused(bare, 2001), [401, 2001]);
    assert.is(bare.header('www-authenticate'), '');
    for (const [name, key] of [
      [PERSON.username, md5('wrong')],
      [`nobody-${documents}`, md5(secret)],
      [PERSON.username, ''],
      ['', md5(secret)],
      ['svc_abcdefgh_wrong', md5(secret)],
    ] as const)
      assert.equal(refused(await signedInAs(name, key).send('GET', '/users/auth'), 2001), [401, 2001], name);
  });
  check('K-AUTH-3 neither the password of the account nor upper case is the secret', async () => {
    for (const key of [md5(PERSON.password), md5(secret).toUpperCase(), secret])
      refused(await signedInAs(PERSON.username, key).send('GET', '/users/auth'), 2001);
    assert.is((await app.send('GET', '/users/auth')).status, 200);
  });
  check('the secret signs in nowhere else', async () => {
    const native = server.app('/api/v1', { 'x-auth-user': PERSON.username, 'x-auth-key': md5(secret) });
    assert.is((await native.send('GET', '/user')).status, 401);
    const basic = server.app('/api/v1', { Authorization: basicOf(PERSON.username, secret) });
    assert.is((await basic.send('GET', '/user')).status, 401);
  });
  check('K-REG-5 registration that is off is 402 with 2005 and a message', async () => {
    const body = { username: 'ann', password: md5('x') };
    const answer = await server.app('/koreader', ACCEPT).send('POST', '/users/create', { body });
    assert.equal(refused(answer, 2005), [402, 2005]);
  });
  check('K-HC-1 the health check needs no login', async () => {
    const answer = await server.app('/koreader', {}).send('GET', '/healthcheck');
    assert.equal([answer.status, answer.json], [200, { state: 'OK' }]);
  });
};

const transport = (check: Check): void => {
  check('K-ACC-3 any Accept header is served, and none', async () => {
    for (const headers of [{ Accept: '*/*' }, { Accept: 'text/html' }, ACCEPT, {}]) {
      const user = { 'x-auth-user': PERSON.username, 'x-auth-key': md5(secret) };
      const answer = await server.app('/koreader', { ...headers, ...user }).send('GET', '/users/auth');
      assert.equal([answer.status, answer.header('content-type').split(';')[0]], [200, 'application/json']);
    }
  });
  check('K-CT-2 K-CT-3 any Content-Type is taken, and JSON is answered', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/vnd.koreader.v1+json']) {
      const body = JSON.stringify(reported(fresh()));
      const answer = await app.send('PUT', '/syncs/progress', { headers: { 'Content-Type': type }, body });
      assert.equal([answer.status, answer.header('content-type').split(';')[0]], [200, 'application/json'], type);
    }
  });
  check('K-URL-3 other addresses are 404 or 405 in JSON', async () => {
    for (const path of ['/syncs/progress', '/users', '/syncs', '']) {
      const { status, json } = await app.send('GET', path);
      assert.ok(status === 404 || status === 405, path);
      fault(json, '');
    }
  });
  check('K-BODY-1 a list, no JSON and no body are refused with a code', async () => {
    assert.equal(refused(await push('[1,2,3]'), 2003), [403, 2003]);
    for (const body of ['{', 'x', '\u0000']) assert.equal(refused(await push(body), 103), [400, 103]);
    for (const body of ['5', '"x"', 'null', 'true', '[]']) assert.equal(refused(await push(body), 2003), [403, 2003]);
  });
};

const places = (check: Check): void => {
  check('K-PUT-3 K-PUT-4 a push answers the document and the time in whole seconds', async () => {
    const document = fresh();
    const before = Math.floor(Date.now() / 1000);
    const { status, json } = await push(reported(document, { timestamp: 1_000_000_000 }));
    stored(json, '');
    assert.equal([status, json.document], [200, document]);
    assert.ok(json.timestamp >= before && json.timestamp <= before + 60);
    assert.is((await pull(document)).json.timestamp, json.timestamp);
  });
  check('K-GET-2 K-FLD-3 K-FLD-4 K-FLD-6 K-FLD-7 K-FLD-13 K-FLD-14 a pull answers what was pushed', async () => {
    const document = fresh();
    const { timestamp } = (await push(reported(document))).json;
    const { status, json } = await pull(document);
    place(json, '');
    assert.equal([status, json], [200, { ...reported(document), timestamp }]);
  });
  check('K-GET-3 an unknown document is 200 with an empty object', async () => {
    const { status, bytes } = await pull(fresh());
    assert.equal([status, bytes.toString()], [200, '{}']);
  });
  check('K-PUT-5 the last push wins, also backwards and to 0', async () => {
    const document = fresh();
    for (const [progress, percentage, device] of [
      ['200', 0.9, 'b'],
      ['10', 0.1, 'c'],
      ['1', 0, 'b'],
    ] as const) {
      await push(reported(document, { progress, percentage, device, device_id: device }));
      const { json } = await pull(document);
      assert.equal(
        [json.progress, json.percentage, json.device, json.device_id],
        [progress, percentage, device, device],
      );
    }
  });
  check('K-PUT-2 what lacks a field is 403 with 2003, and percentage 0 lacks none', async () => {
    for (const missing of ['progress', 'percentage', 'device'])
      assert.equal(refused(await push(reported(fresh(), { [missing]: undefined })), 2003), [403, 2003]);
    for (const percentage of [null, 'x', '', {}, [], true])
      assert.equal(refused(await push(reported(fresh(), { percentage })), 2003), [403, 2003]);
    assert.is((await push(reported(fresh(), { percentage: 0 }))).status, 200);
  });
  check('K-FLD-7 a device without an id gets none back', async () => {
    const document = fresh();
    await push(reported(document, { device_id: undefined }));
    assert.not.ok('device_id' in (await pull(document)).json);
  });
  check('K-FLD-10 K-FLD-11 metadata is taken, and a push without it still counts', async () => {
    const document = fresh();
    const metadata = { filename: 'leaves.epub', title: 'Leaves of Grass', authors: 'Walt Whitman' };
    assert.is((await push(reported(document, { metadata }))).status, 200);
    assert.is((await push(reported(document, { percentage: 0.5 }))).status, 200);
    assert.is((await pull(document)).json.percentage, 0.5);
  });
  check('K-PUT-1 K-DOC-ID-1 a document is refused with 2004, or can be pulled', async () => {
    for (const document of [undefined, null, '', 5, {}, 'has:colon', 'a/b', 'a\\b', '.', '..', 'a\nb', 'x'.repeat(256)])
      assert.equal(refused(await push(reported('', { document })), 2004), [403, 2004], String(document));
    for (const document of [
      'has-hyphen',
      'has.dot',
      'a b',
      'ü?#%41',
      '{document}',
      'x'.repeat(255),
      '__proto__',
      '..a',
    ]) {
      assert.is((await push(reported(document))).status, 200, document);
      assert.is((await pull(document)).json.document, document);
    }
    assert.equal(refused(await pull('has:colon'), 2004), [403, 2004]);
  });
  check('K-ISO-1 nobody sees the documents of others', async () => {
    const document = fresh();
    await push(reported(document));
    assert.equal((await pull(document, other)).json, {});
    await push(reported(document, { progress: '7' }), other);
    assert.is((await pull(document)).json.progress, POINTER);
  });
};

block(
  'KOReader sync',
  (check) => {
    accounts(check);
    transport(check);
    places(check);
    bookFacts(check, () => ({ server, keyed, push, pull, reported }));
  },
  {
    before: async () => {
      server = await startAppServer();
      secret = (await server.native('PUT', '/user/sync-secret')).json.secret;
      const { json } = await server.admin('PUT', '/user/sync-secret', { secret: 'fog over the harbour 7' });
      assert.is(json.secret, null);
      app = signedInAs(PERSON.username, md5(secret));
      other = signedInAs('admin', md5('fog over the harbour 7'));
      keyed = signedInAs(server.key, md5('none'));
    },
    after: () => server.stop(),
    deadlineS: 120,
  },
);
