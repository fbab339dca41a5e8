// Creating the first account under names that a page elsewhere could give itself (DNS rebinding). What is let through is refused for its empty
// body, so that no case sets the server up.
import { type TempApp, tempApp } from '../app.js';
import { assert, block } from '../kit.js';

const PROXY = '10.8.0.1';

let temp: TempApp;

const setUp = async (headers: Record<string, string>, address = '10.0.0.1'): Promise<readonly [number, string]> => {
  temp.advance(10_000);
  const { status, json } = await temp.call('POST', '/api/v1/setup/initialize', { body: {}, headers, address });
  return [status, json.message];
};

const HERE = [
  '127.0.0.1:8080',
  '192.168.1.20',
  '[::1]:8080',
  '[fe80::1]',
  'localhost:8080',
  'nas',
  'NAS:9000',
  'nas.local',
];
const OWN = ['mac.localhost', 'read.example:8443', 'READ.example', 'read.example.'];
const STRANGE = [
  'evil.example:8080',
  'comics.read.example',
  'local.evil.example',
  'nas.local.evil.example',
  '127.0.0.1.evil.example',
];
const BROKEN = ['evil.example@nas', 'a b', '[::1', 'evil.example, nas'];

block(
  'set-up under a name',
  (check) => {
    for (const host of [...HERE, ...OWN])
      check(`${host} may`, async () => {
        assert.is((await setUp({ host }))[0], 400);
        const origin = `http://${host}`;
        assert.is((await setUp({ host, origin, 'sec-fetch-site': 'same-origin' }))[0], 400);
      });
    for (const host of STRANGE)
      check(`${host} may not`, async () => {
        const [status, message] = await setUp({ host, origin: `http://${host}`, 'sec-fetch-site': 'same-origin' });
        assert.is(status, 403);
        assert.match(message, /application\.base_url/);
      });
    for (const host of BROKEN) check(`nor may ${host}`, async () => assert.is((await setUp({ host }))[0], 403));
    check('what nobody trusted forwards does not count', async () => {
      for (const host of ['127.0.0.1:8080', 'evil.example'])
        for (const named of ['nas.local', 'evil.example']) {
          const expected = host === 'evil.example' ? 403 : 400;
          assert.is((await setUp({ host, 'x-forwarded-host': named }))[0], expected, `${host} ${named}`);
          assert.is((await setUp({ host, forwarded: `host=${named}` }))[0], expected, `${host} ${named}`);
        }
    });
    for (const [host, forwarded] of [
      ['127.0.0.1:8080', { 'x-forwarded-host': 'nas.local' }],
      ['longbox:8080', { 'x-forwarded-host': 'read.example:8443' }],
      ['read.example', { 'x-forwarded-host': 'read.example, longbox' }],
      ['read.example', { forwarded: 'for=10.0.0.1;host="read.example:8443", for=10.8.0.2' }],
    ] as const)
      check(`through a trusted proxy, ${host} with ${JSON.stringify(forwarded)} may`, async () =>
        assert.is((await setUp({ host, ...forwarded }, PROXY))[0], 400),
      );
    for (const [host, forwarded] of [
      ['127.0.0.1:8080', { 'x-forwarded-host': 'evil.example' }],
      ['evil.example', { 'x-forwarded-host': 'nas.local' }],
      ['evil.example', { 'x-forwarded-host': 'localhost' }],
      ['evil.example', { 'x-forwarded-host': 'read.example' }],
      ['evil.example', { forwarded: 'host=localhost' }],
      ['127.0.0.1:8080', { 'x-forwarded-host': 'localhost, evil.example' }],
      ['127.0.0.1:8080', { 'x-forwarded-host': 'localhost', forwarded: 'host=evil.example' }],
      ['127.0.0.1:8080', { forwarded: 'host=localhost, for=10.0.0.1;host=evil.example' }],
      ['127.0.0.1:8080', { forwarded: '{, host=evil.example' }],
      ['127.0.0.1:8080', { 'x-forwarded-host': ',' }],
    ] as const)
      check(`nor may ${host} with ${JSON.stringify(forwarded)}`, async () =>
        assert.is((await setUp({ host, ...forwarded }, PROXY))[0], 403),
      );
    check('a forwarded name counts without a Host too', async () => {
      assert.is((await setUp({ 'x-forwarded-host': 'evil.example' }, PROXY))[0], 403);
      assert.is((await setUp({ 'x-forwarded-host': 'nas.local' }, PROXY))[0], 400);
    });
    check('a program that names no host may', async () => assert.is((await setUp({}))[0], 400));
    check('the status is answered under every name', async () => {
      const { status, json } = await temp.call('GET', '/api/v1/setup/status', { headers: { host: 'evil.example' } });
      assert.equal([status, json.setupRequired], [200, true]);
    });
  },
  {
    before: async () => {
      temp = await tempApp({
        overrides: [
          { key: 'http.trusted_proxies', text: PROXY },
          { key: 'application.base_url', text: 'https://read.example:8443' },
        ],
      });
    },
    after: () => temp.close(),
  },
);
