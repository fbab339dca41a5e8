// Requests that a browser sends for pages of other sites: none may sign anybody up, in or out.

import { ROUTES } from '../../http/api/rows/index.js';
import { type CallOptions, type TempApp, tempApp } from '../app.js';
import { assert, block } from '../kit.js';

const ADMIN = { username: 'Admin', email: 'admin@example.com', password: 'Secret123!' };
const PROXY = '10.8.0.1';

let temp: TempApp;

const signIn = async (headers: Record<string, string>, options: CallOptions = {}): Promise<number> => {
  temp.advance(10_000);
  const body = { username: 'admin', password: ADMIN.password };
  return (await temp.call('POST', '/api/v1/auth/login', { body, headers, ...options })).status;
};

const cases: readonly (readonly [fact: string, headers: Record<string, string>, status: number, peer?: string])[] = [
  ['without an Origin, as apps send it', { host: 'comics.example' }, 200],
  ['from the same host', { host: 'comics.example:8080', origin: 'http://comics.example:8080' }, 200],
  ['from the same host in other letters', { host: 'Comics.example', origin: 'http://comics.EXAMPLE' }, 200],
  ['over TLS that ends before us', { host: 'comics.example', origin: 'https://comics.example' }, 200],
  ['with the port written out', { host: 'comics.example:443', origin: 'https://comics.example' }, 200],
  ['from the same IPv6 address', { host: '[::1]:8080', origin: 'http://[::1]:8080' }, 200],
  ['from another site', { host: 'comics.example', origin: 'https://evil.example' }, 403],
  ['from a name that begins the same', { host: 'comics.example', origin: 'https://comics.example.evil.example' }, 403],
  ['from another port of the host', { host: 'nas.local:8080', origin: 'http://nas.local:5000' }, 403],
  ['from nowhere (null)', { host: 'comics.example', origin: 'null' }, 403],
  ['from an extension', { host: 'abc', origin: 'chrome-extension://abc' }, 403],
  ['with an Origin that is none', { host: 'comics.example', origin: 'http://comics.example/@x' }, 403],
  ['with two hosts', { host: 'evil.example, comics.example', origin: 'https://evil.example' }, 403],
  ['without a Host', { origin: 'https://comics.example' }, 403],
  [
    'through a proxy that sends its own Host, and the browser says it is the same site',
    { host: '127.0.0.1:8080', origin: 'https://comics.example', 'sec-fetch-site': 'same-origin' },
    200,
  ],
  [
    'and the browser says it is another site',
    { host: '127.0.0.1:8080', origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    403,
  ],
  [
    'with the host that a trusted proxy names',
    { host: '127.0.0.1:8080', origin: 'https://comics.example', 'x-forwarded-host': 'comics.example' },
    200,
    PROXY,
  ],
  [
    'with the port that a trusted proxy names',
    {
      host: 'comics.example',
      origin: 'https://comics.example:8801',
      'x-forwarded-proto': 'https',
      'x-forwarded-port': '8801',
    },
    200,
    PROXY,
  ],
  [
    'with another port than the one that a trusted proxy names',
    {
      host: 'comics.example',
      origin: 'https://comics.example:8802',
      'x-forwarded-proto': 'https',
      'x-forwarded-port': '8801',
    },
    403,
    PROXY,
  ],
  [
    'with a port that anybody names',
    { host: 'comics.example', origin: 'https://comics.example:8801', 'x-forwarded-port': '8801' },
    403,
  ],
  [
    'with the host in Forwarded of a trusted proxy',
    { host: '127.0.0.1:8080', origin: 'https://comics.example', forwarded: 'proto=https;host=comics.example' },
    200,
    PROXY,
  ],
  [
    'with the host that anybody names',
    { host: '127.0.0.1:8080', origin: 'https://comics.example', 'x-forwarded-host': 'comics.example' },
    403,
  ],
  [
    'when the browser says that it is the same site, but another host of it',
    { host: 'comics.example', origin: 'http://comics.example', 'sec-fetch-site': 'same-site' },
    403,
  ],
  [
    'without TLS, when a trusted proxy says that the server has it',
    { host: 'comics.example', origin: 'http://comics.example', 'x-forwarded-proto': 'https' },
    403,
    PROXY,
  ],
  [
    'when anybody says so',
    { host: 'comics.example', origin: 'http://comics.example', 'x-forwarded-proto': 'https' },
    200,
  ],
  [
    'without TLS from the configured address, which has it',
    { host: 'read.example:8443', origin: 'http://read.example:8443' },
    403,
  ],
  ['from the configured address', { host: '127.0.0.1:8080', origin: 'https://read.example:8443' }, 200],
];

block(
  'origins',
  (check) => {
    for (const [fact, headers, status, address = '10.0.0.1'] of cases)
      check(`signing in ${fact} gives ${status}`, async () => assert.is(await signIn(headers, { address }), status));
    check(
      'every route of set-up and login refuses another site, sends no CORS header, and changes nothing',
      async () => {
        const { json } = await temp.call('POST', '/api/v1/auth/login', { body: { ...ADMIN } });
        const headers = {
          host: 'comics.example',
          origin: 'https://evil.example',
          cookie: `auth_token=${json.access_token}`,
        };
        for (const { method, path } of ROUTES.filter((row) => /^\/(?:auth|setup)\//.test(row.path))) {
          const refused = await temp.call(method, `/api/v1${path}`, { headers });
          assert.equal(
            [
              refused.status,
              refused.json.error,
              refused.header('access-control-allow-origin'),
              refused.header('set-cookie'),
            ],
            [403, 'Forbidden', undefined, undefined],
            `${method} ${path}`,
          );
        }
        assert.is(
          (await temp.call('GET', '/api/v1/auth/me', { token: json.access_token })).status,
          200,
          'still signed in',
        );
      },
    );
  },
  {
    before: async () => {
      temp = await tempApp({
        overrides: [
          { key: 'http.trusted_proxies', text: PROXY },
          { key: 'application.base_url', text: 'https://read.example:8443' },
        ],
      });
      assert.is((await temp.call('POST', '/api/v1/setup/initialize', { body: ADMIN })).status, 200);
    },
    after: () => temp.close(),
  },
);
