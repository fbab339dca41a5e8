// Requests that try to be taken for others: by their address, method, host or what they say of their way. Over both back-ends, as bytes.
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { BACK_ENDS } from './back-end.js';
import { type Program, startProgram } from './program.js';
import { ask, type RawReply } from './raw-client.js';

/** Control characters that a file system takes and a header does not. */
const ODD_NAME = 'a\r\nX-Evil: 1\r\n\r\n<p> "b" .cbz';
const ADMIN = { username: 'admin', email: 'admin@example.com', password: 'Secret123!' };

interface Scene {
  readonly program: Program;
  readonly folder: string;
  readonly admin: string;
  readonly reader: string;
  /** Exactly these bytes before the headers. */
  raw(line: string, headers?: Readonly<Record<string, string>>, body?: string): Promise<RawReply | undefined>;
}

const openScene = async (backend: string): Promise<Scene> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-tricks-'));
  mkdirSync(join(folder, 'comics', 'A'), { recursive: true });
  writeBook(join(folder, 'comics', 'A', ODD_NAME), 1, 'x');
  const program = await startProgram([join(folder, 'comics'), '--data', join(folder, 'data')], {
    SVC_HTTP__BACKEND: backend,
    SVC_LOGGING__LEVEL: 'debug',
  });
  const raw: Scene['raw'] = (line, headers = {}, body = '') => {
    const all = { Host: 'x', ...(body === '' ? {} : { 'Content-Type': 'application/json' }), ...headers };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    const length = body === '' ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
    return ask(
      Number(new URL(program.address).port),
      `${line} HTTP/1.1\r\n${lines.join('')}${length}\r\n${body}`,
      line.startsWith('HEAD'),
    );
  };
  const tokenOf = async (path: string, body: object): Promise<string> =>
    JSON.parse(String((await raw(`POST /api/v1${path}`, {}, JSON.stringify(body)))?.body)).access_token;
  const admin = await tokenOf('/setup/initialize', ADMIN);
  const ann = { username: 'ann', email: 'ann@example.org', password: 'gulls over the pier 4' };
  await raw('POST /api/v1/users', { Authorization: `Bearer ${admin}` }, JSON.stringify(ann));
  const reader = await tokenOf('/auth/login', ann);
  await until('the scan completes', () => /scan of comics completed/.test(program.printed()));
  return { program, folder, admin, reader, raw };
};

const ADDRESSES: readonly string[] = [
  '//api/v1/users',
  '/api//v1/users',
  '/api/v1//users',
  '/api/v1/users//',
  '/api/v1/./users',
  '/api/v1/books/../users',
  '/api/v1/health/..;/users',
  '/api/v1/..;/v1/users',
  '/api/v1/health%2f..%2fusers',
  '/api/v1%2fusers',
  '/api%2fv1%2fusers',
  '/api/v1/%75sers',
  '/api/v1/users%2f',
  '/api/v1/users%00',
  '/api/v1/users%20',
  '/api/v1/users.json',
  '/api/v1/users.',
  '/api/v1/users;x=/health',
  '/api/v1/users/',
  '/api/v1/users/.',
  '/api/v1/users?/health',
  '/api/v1/Users',
  '/API/V1/USERS',
  '/api/v1\\users',
  '//x/api/v1/users',
  '/auth/../api/v1/users',
  '/health/../api/v1/users',
  '/api/v1/setup/status/../../users',
];

const addresses = (check: Check, scene: () => Scene): void => {
  check('no other spelling of an address opens it to a reader or to nobody', async () => {
    const { raw, reader } = scene();
    for (const address of ADDRESSES)
      for (const headers of [{}, { Authorization: `Bearer ${reader}` }])
        for (const method of ['GET', 'HEAD', 'POST']) {
          const status = (await raw(`${method} ${address}`, headers, method === 'POST' ? '{}' : ''))?.status ?? 400;
          assert.ok(status >= 400 && status < 500, `${method} ${address}: ${status}`);
        }
  });
};

const methods = (check: Check, scene: () => Scene): void => {
  check('a method is what the first line says, whatever a header, the query or a body says', async () => {
    const { raw, admin } = scene();
    const authorization = { Authorization: `Bearer ${admin}` };
    const { data } = JSON.parse(String((await raw('GET /api/v1/users', authorization))?.body));
    const ann = (data as { id: string; username: string }[]).find(({ username }) => username === 'ann')?.id;
    for (const name of ['X-HTTP-Method-Override', 'X-HTTP-Method', 'X-Method-Override'])
      for (const first of [`GET /api/v1/users/${ann}?_method=DELETE&method=DELETE`, `POST /api/v1/users/${ann}`]) {
        const reply = await raw(
          first,
          { ...authorization, [name]: 'DELETE' },
          first.startsWith('POST') ? '{"_method":"DELETE"}' : '',
        );
        assert.is(reply?.status, first.startsWith('POST') ? 405 : 200, `${name} ${first}`);
      }
    for (const method of ['get', 'Get', 'delete', 'TRACE', 'TRACK', 'PROPFIND', 'DEBUG', 'GETT']) {
      const status = (await raw(`${method} /api/v1/users/${ann}`, authorization))?.status ?? 400;
      assert.ok(status >= 400, `${method}: ${status}`);
    }
    assert.is((await raw(`GET /api/v1/users/${ann}`, authorization))?.status, 200, 'she is still there');
  });
};

const EVIL = 'evil.example';
const FORWARDED = {
  'X-Forwarded-For': '203.0.113.9',
  'X-Forwarded-Host': EVIL,
  'X-Forwarded-Proto': 'https',
  'X-Forwarded-Prefix': '/evil',
  'X-Original-URL': '/api/v1/health',
  'X-Rewrite-URL': '/api/v1/health',
  'X-Real-IP': '203.0.113.9',
  Forwarded: `for=203.0.113.9;host=${EVIL};proto=https`,
};

const hosts = (check: Check, scene: () => Scene): void => {
  check('what a request says of its host and its way is not repeated, and believed of nobody', async () => {
    const { raw, admin, reader } = scene();
    const body = JSON.stringify({ username: 'admin', password: ADMIN.password, cookie: true });
    const login = await raw('POST /api/v1/auth/login', { Host: EVIL, ...FORWARDED }, body);
    assert.is(login?.status, 200);
    assert.not.match(login?.head ?? '', /evil|; secure|^location:|203\.0\.113/im);
    const token = JSON.parse(String(login?.body)).access_token as string;
    const sessions = await raw('GET /api/v1/user/sessions', { Authorization: `Bearer ${token}` });
    assert.equal([sessions?.status, String(sessions?.body).includes('203.0.113.9')], [200, false]);
    const list = await raw('GET /api/v1/books', { Host: EVIL, ...FORWARDED, Authorization: `Bearer ${admin}` });
    assert.not.match(`${list?.head}${list?.body}`, /evil/);
    const refused = await raw('GET /api/v1/users', { ...FORWARDED, Authorization: `Bearer ${reader}` });
    assert.is(refused?.status, 403);
    const foreign = await raw('POST /api/v1/auth/login', { ...FORWARDED, Origin: `https://${EVIL}` }, body);
    assert.is(foreign?.status, 403);
  });
  check('nothing leads away: no answer redirects, and no address in a request comes back in a header', async () => {
    const { raw, admin } = scene();
    const away = 'https://evil.example/%0d%0aX-Evil:%201';
    for (const path of [
      '/',
      '/auth/verify-email',
      '/api/v1/auth/me',
      '/api/v1/books',
      '/health',
      `//${EVIL}/`,
      '/api/v1/none',
    ])
      for (const name of ['next', 'redirect', 'redirect_uri', 'return', 'url', 'callback']) {
        const reply = await raw(`GET ${path}?${name}=${away}`, { Authorization: `Bearer ${admin}` });
        const { status = 400, head = '' } = reply ?? {};
        assert.ok(status < 300 || status >= 400, `${path}: ${status}`);
        assert.not.match(head, /^(?:location|refresh|x-evil):/im);
      }
  });
};

const headers = (check: Check, scene: () => Scene): void => {
  check('line breaks of a file name, an id or a header begin no header of an answer', async () => {
    const { raw, admin } = scene();
    const authorization = { Authorization: `Bearer ${admin}` };
    const { data } = JSON.parse(String((await raw('GET /api/v1/books', authorization))?.body));
    const [book] = data as { id: string }[];
    const file = await raw(`GET /api/v1/books/${book?.id}/file`, authorization);
    assert.is(file?.status, 200);
    assert.is(file?.headers.get('x-evil'), undefined);
    assert.match(
      file?.headers.get('content-disposition') ?? '',
      /^attachment; filename="[^"\r\n]*"; filename\*=UTF-8''[\w.%~-]*$/,
    );
    for (const [name, value] of [
      ['X-Request-Id', 'a\tb%0d%0aX-Evil: 1'],
      ['Origin', 'https://x%0d%0aX-Evil:1'],
      ['Range', 'bytes=0-1%0d%0aX-Evil: 1'],
      ['If-None-Match', '"%0d%0aX-Evil: 1"'],
      ['Accept-Encoding', 'br%0d%0aX-Evil: 1'],
    ] as const) {
      const reply = await raw('GET /api/v1/books?sort=title%0d%0aX-Evil:%201', { ...authorization, [name]: value });
      assert.is(reply?.headers.get('x-evil'), undefined, name);
      assert.not.match(reply?.head ?? '', /x-evil|x-request-id/i);
    }
  });
  check('a session is made by a login, never by a value that the client brings', async () => {
    const { raw } = scene();
    const fixed = 'auth_token=fixed; refresh_token=fixed; session=fixed; JSESSIONID=fixed';
    const body = JSON.stringify({ username: 'admin', password: ADMIN.password, cookie: true });
    const tokens = new Set<string>();
    for (let n = 0; n < 3; n += 1) {
      const reply = await raw('POST /api/v1/auth/login', { Cookie: fixed }, body);
      assert.is(reply?.status, 200);
      const refresh = /refresh_token=([^;]+)/.exec(reply?.head ?? '')?.[1] ?? '';
      assert.not.match(reply?.head ?? '', /fixed/);
      tokens.add(refresh);
    }
    assert.is(tokens.size, 3);
    assert.is((await raw('GET /api/v1/auth/me', { Cookie: fixed }))?.status, 401);
  });
};

for (const { name } of BACK_ENDS) {
  let scene: Scene;
  block(
    `requests that would be taken for others (${name})`,
    (check) => {
      for (const group of [addresses, methods, hosts, headers]) group(check, () => scene);
    },
    {
      before: async () => {
        scene = await openScene(name);
      },
      after: async () => {
        scene.program.child.kill('SIGTERM');
        await scene.program.ended;
        rmSync(scene.folder, { recursive: true, force: true });
      },
    },
  );
}
