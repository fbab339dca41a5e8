// Accounts that e-readers create for themselves, where an administrator allows it, and the settings of e-reader sync.
import { createHash } from 'node:crypto';
import { surfacesFor } from '../../http/cli/surfaces.js';
import { loadConfig } from '../../http/config/config.js';
import { assert, block, type Check } from '../kit.js';
import { type Answer, type AppServer, PERSON, startAppServer } from './app-server.js';

let server: AppServer;

const md5 = (words: string): string => createHash('md5').update(words).digest('hex');
const KEY = md5('a word');

const register = (body: unknown): Promise<Answer> =>
  server.app('/koreader', {}).send('POST', '/users/create', { body });
const refused = ({ status, json }: Answer): readonly number[] => [status, json.code];

const prefixes = (text: string): readonly string[] => {
  const overrides = [{ key: 'koreader_api.enabled', text, from: 'test' }] as const;
  return surfacesFor(loadConfig({ file: null, environment: {}, overrides }), 'test').map(({ prefix }) => prefix);
};

const facts = (check: Check): void => {
  check('koreader_api.enabled: without it there is nothing at /koreader', () => {
    assert.ok(prefixes('true').includes('/koreader'));
    assert.not.ok(prefixes('false').includes('/koreader'));
  });
  check('koreader_api.registration: K-REG-1 K-REG-2 the key of a registration signs in', async () => {
    const answer = await register({ username: 'Ann', password: KEY });
    assert.equal([answer.status, answer.json], [201, { username: 'Ann' }]);
    const device = server.app('/koreader', { 'x-auth-user': 'Ann', 'x-auth-key': KEY });
    assert.is((await device.send('GET', '/users/auth')).status, 200);
    const body = { document: md5('x'), progress: '3', percentage: 0.5, device: 'Kobo' };
    assert.is((await device.send('PUT', '/syncs/progress', { body })).status, 200);
  });
  check('K-REG-3 a taken name is 402 with 2002, in any letters', async () => {
    for (const username of ['Ann', 'ANN', PERSON.username])
      assert.equal(refused(await register({ username, password: KEY })), [402, 2002], username);
  });
  check('K-REG-4 K-AUTH-4 a name or a password that is empty, and a colon, are 403 with 2003', async () => {
    for (const body of [
      { username: '', password: '' },
      { username: 'bea', password: '' },
      { username: 'has:colon', password: KEY },
      { username: 'bea' },
      { username: ' ', password: KEY },
      { username: 'bea@example.org', password: KEY },
      { username: 'b\u0000a', password: KEY },
      { username: 'b\u202ea', password: KEY },
      { username: 'x'.repeat(101), password: KEY },
      { username: 'bea', password: 'x'.repeat(201) },
      { username: ['bea'], password: { a: 1 } },
      [],
      'null',
    ])
      assert.equal(refused(await register(body)), [403, 2003], JSON.stringify(body).slice(0, 60));
  });
  check('such an account is a reader without an address, and opens nothing else', async () => {
    const { json } = await server.admin('GET', '/users?pageSize=100');
    const ann = json.data.find(({ username }: { username: string }) => username === 'Ann');
    assert.is(ann.role, 'reader');
    assert.match(ann.email, /\.invalid$/);
    for (const password of ['a word', KEY, 'none', ''])
      assert.ok(
        (await server.app('/api/v1', {}).send('POST', '/auth/login', { body: { username: 'Ann', password } })).status >=
          400,
      );
  });
};

block('KOReader registration', facts, {
  before: async () => {
    server = await startAppServer({ SVC_KOREADER_API__REGISTRATION: 'true' });
  },
  after: () => server.stop(),
  deadlineS: 120,
});
