// Behind nginx that speaks TLS and serves the program under a path of its own, as its owner would set it up.
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeZip } from '../../bench/zip-writer.js';
import { FOR_DATA, FOR_LIBRARY_BYTES } from '../../http/server/security-headers.js';
import { until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';
import { headerText, programSecrets } from '../secret-watch.js';
import { BACK_ENDS } from './back-end.js';
import { selfSigned } from './certificate.js';
import { checkWithNginx, freePort, startNginx } from './nginx.js';
import { startProgram } from './program.js';

const PASSWORD = 'Secret123!';
const LARGE_BYTES = 24 * 1024 * 1024;

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly bytes: Buffer;
  // biome-ignore lint/suspicious/noExplicitAny: a test names the fields it expects, and a missing one fails it
  readonly json: any;
}

interface Asked {
  readonly method?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

interface Scene {
  /** Where clients reach the server, with its path. */
  readonly base: string;
  readonly origin: string;
  readonly folder: string;
  ask(address: string, asked?: Asked): Promise<Answer>;
  api(path: string, asked?: Asked): Promise<Answer>;
}

const askWith =
  (ca: string): Scene['ask'] =>
  (address, { method = 'GET', body, headers = {} } = {}) =>
    new Promise((resolve, reject) => {
      const sent = body === undefined ? '' : JSON.stringify(body);
      programSecrets.heard({ path: address, headers, body });
      const typed =
        body === undefined ? {} : { 'content-type': 'application/json', 'content-length': `${sent.length}` };
      const asking = request(address, { method, ca, headers: { ...typed, ...headers } }, (message) => {
        const pieces: Buffer[] = [];
        message.on('data', (piece: Buffer) => pieces.push(piece));
        message.on('error', reject);
        message.on('end', () => {
          const bytes = Buffer.concat(pieces);
          const isJson = message.headers['content-type']?.includes('json') === true && bytes.length > 0;
          const json = isJson ? JSON.parse(bytes.toString()) : undefined;
          const [status, cookies] = [message.statusCode ?? 0, (message.headers['set-cookie'] ?? []).join('\n')];
          const shown = { status, cookies, headers: headerText(Object.entries(message.headers)) };
          programSecrets.said({ ...shown, text: isJson ? bytes.toString() : '' }, `${method} ${address}`);
          resolve({ status, headers: message.headers, bytes, json });
        });
      });
      asking.on('error', reject);
      asking.end(sent);
    });

const withScene = async (backend: string, use: (scene: Scene) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-tls-'));
  const shelf = join(folder, 'comics');
  mkdirSync(shelf);
  writeBook(join(shelf, 'Small', 'small.cbz'), 3, 'x');
  const filler = Buffer.alloc(LARGE_BYTES, 'all of this is read in one piece and in parts; ');
  mkdirSync(join(shelf, 'Large'));
  writeFileSync(join(shelf, 'Large', 'large.cbz'), writeZip([{ name: '1.txt', bytes: filler }]));
  const port = await freePort();
  const origin = `https://127.0.0.1:${port}`;
  const base = `${origin}/books`;
  const program = await startProgram([shelf, '--data', join(folder, 'data')], {
    SVC_HTTP__BACKEND: backend,
    SVC_HTTP__TRUSTED_PROXIES: '127.0.0.1',
    SVC_APPLICATION__BASE_URL: base,
    SVC_API__ENABLE_API_DOCS: 'true',
    SVC_LOGGING__LEVEL: 'debug',
    SVC_AUTH__REGISTRATION_ENABLED: 'true',
    SVC_AUTH__EMAIL_CONFIRMATION_REQUIRED: 'true',
  });
  const { certificate, key } = selfSigned();
  writeFileSync(join(folder, 'certificate.pem'), certificate);
  writeFileSync(join(folder, 'key.pem'), key);
  const ask = askWith(certificate);
  let stopProxy = async (): Promise<void> => undefined;
  try {
    stopProxy = await startNginx({
      folder,
      upstream: new URL(program.address).host,
      server: (proxy) => `listen 127.0.0.1:${port} ssl; ssl_certificate ${folder}/certificate.pem;
        ssl_certificate_key ${folder}/key.pem;
        location /books/ { proxy_pass http://longbox/; ${proxy} proxy_set_header X-Forwarded-Proto $scheme; }`,
      answers: async () => (await ask(`${base}/health`).catch(() => null))?.status === 200,
    });
    await until('the scan completes', () => /scan of comics completed/.test(program.printed()));
    await use({ base, origin, folder, ask, api: (path, asked) => ask(`${base}/api/v1${path}`, asked) });
    assert.not.match(program.printed(), /forwards requests but is not a trusted proxy/);
  } finally {
    await stopProxy();
    program.child.kill('SIGTERM');
    await program.ended;
    rmSync(folder, { recursive: true, force: true });
  }
};

interface Cookie {
  readonly name: string;
  readonly value: string;
  readonly attributes: readonly string[];
}

const cookiesOf = ({ headers }: Answer): ReadonlyMap<string, Cookie> =>
  new Map(
    [headers['set-cookie'] ?? []].flat().map((text) => {
      const [pair = '', ...attributes] = text.split('; ');
      const [name = '', value = ''] = pair.split('=');
      return [name, { name, value, attributes }];
    }),
  );

const SAFE = ['HttpOnly', 'SameSite=Lax', 'Secure'];

/** Both are for TLS and for this path alone. */
const holdCookies = (cookies: ReturnType<typeof cookiesOf>): void => {
  for (const [name, path] of [
    ['auth_token', '/books'],
    ['refresh_token', '/books/api/v1/auth'],
  ] as const) {
    const attributes = cookies.get(name)?.attributes ?? [];
    assert.ok(
      [...SAFE, `Path=${path}`].every((one) => attributes.includes(one)),
      `${name}: ${attributes}`,
    );
    assert.not.ok(attributes.some((one) => one.startsWith('Domain')));
  }
};

const sent = (cookies: ReturnType<typeof cookiesOf>): string =>
  [...cookies.values()].map(({ name, value }) => `${name}=${value}`).join('; ');

const setUp = async ({ api, origin }: Scene): Promise<Answer> => {
  const body = { username: 'admin', email: 'admin@example.com', password: PASSWORD, cookie: true };
  const made = await api('/setup/initialize', { method: 'POST', body, headers: { origin } });
  assert.is(made.status, 200);
  return made;
};

/** Signing in, staying signed in and leaving, with cookies alone. */
const cookies = async (scene: Scene): Promise<void> => {
  const { api, origin } = scene;
  holdCookies(cookiesOf(await setUp(scene)));
  const body = { username: 'admin', password: PASSWORD, cookie: true };
  const http = origin.replace('https', 'http');
  for (const from of ['https://evil.example', 'null', 'https://127.0.0.1', http])
    assert.is((await api('/auth/login', { method: 'POST', body, headers: { origin: from } })).status, 403, from);
  const login = await api('/auth/login', { method: 'POST', body, headers: { origin } });
  assert.equal([login.status, login.json.refresh_token ?? null], [200, null]);
  const held = cookiesOf(login);
  holdCookies(held);
  const cookie = sent(held);
  assert.is((await api('/auth/me', { headers: { cookie } })).json.username, 'admin');
  const make = (headers: Record<string, string>): Promise<Answer> =>
    api('/api-keys', { method: 'POST', body: { name: 'x', permissions: [] }, headers: { cookie, ...headers } });
  for (const [headers, status] of [
    [{ origin: 'https://evil.example' }, 403],
    [{ origin: 'null' }, 403],
    [{ origin: http }, 403],
    [{ 'sec-fetch-site': 'cross-site', origin }, 403],
    [{ 'sec-fetch-site': 'same-site', origin }, 403],
    [{ origin }, 201],
    [{ 'sec-fetch-site': 'same-origin', origin }, 201],
    [{}, 201],
  ] as const)
    assert.is((await make(headers)).status, status, JSON.stringify(headers));
  const refreshed = await api('/auth/refresh', { method: 'POST', headers: { cookie, origin } });
  assert.is(refreshed.status, 200);
  holdCookies(cookiesOf(refreshed));
  assert.is.not(cookiesOf(refreshed).get('refresh_token')?.value, held.get('refresh_token')?.value);
  const left = await api('/auth/logout', { method: 'POST', headers: { cookie: sent(cookiesOf(refreshed)), origin } });
  assert.is(left.status, 200);
  holdCookies(cookiesOf(left));
  assert.ok([...cookiesOf(left).values()].every(({ value }) => value === ''));
  assert.is((await api('/auth/me', { headers: { cookie } })).status, 401);
};

/** The newest mail's link, its page with the files that a browser loads, and what its button posts; each link works once. */
const mails = async ({ api, ask, base, folder, origin }: Scene): Promise<void> => {
  const newest = (): string => {
    const of = join(folder, 'data', 'mails');
    const names = readdirSync(of).sort((a, b) => a.localeCompare(b));
    return readFileSync(join(of, names.at(-1) ?? ''), 'utf8');
  };
  const use = async (action: string, more: object): Promise<void> => {
    await until(`the mail to ${action}`, () => newest().includes(`/${action}#token=`));
    const [address = '', token = ''] = /(https:\S+)#token=([\w-]{43})/.exec(newest())?.slice(1) ?? [];
    assert.is(address, `${base}/auth/${action}`);
    const page = await ask(address);
    assert.is(page.status, 200);
    const named = [...page.bytes.toString().matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path);
    assert.ok(named.some((path) => path.endsWith('.js')) && named.some((path) => path.endsWith('.css')), named.join());
    for (const path of named) assert.is((await ask(new URL(path, address).href)).status, 200, path);
    const to = `${base}/api/v1/auth/${action}`;
    const post = (from: string): Promise<Answer> =>
      ask(to, { method: 'POST', body: { token, ...more }, headers: { origin: from } });
    assert.is((await post('https://evil.example')).status, 403, 'a page of another site');
    assert.is((await post(origin)).status, 200);
    assert.is((await post(origin)).status, 400, 'the same link again');
  };
  mkdirSync(join(folder, 'data', 'mails'), { recursive: true });
  const email = 'ann@example.org';
  const body = { username: 'ann', email, password: PASSWORD };
  assert.is((await api('/auth/register', { method: 'POST', body, headers: { origin } })).status, 201);
  await until('a mail is written', () => readdirSync(join(folder, 'data', 'mails')).length > 0);
  await use('verify-email', {});
  await api('/auth/forgot-password', { method: 'POST', body: { email }, headers: { origin } });
  await use('reset-password', { newPassword: 'Another-4321!' });
};

/** Files, pages and lists; every link leads back through the proxy. */
const reading = async (scene: Scene): Promise<void> => {
  const { api, ask, base } = scene;
  const login = await api('/auth/login', { method: 'POST', body: { username: 'admin', password: PASSWORD } });
  const headers = { authorization: `Bearer ${login.json.access_token}` };
  const list = await api('/books?pageSize=1&sort=title', { headers });
  const [own = ''] = /<([^>]+)>; rel="next"/.exec(String(list.headers.link))?.slice(1) ?? [];
  for (const next of [own, list.json.links.next as string]) {
    const second = await ask(new URL(next, `${base}/api/v1/books`).href, { headers });
    assert.equal([second.status, second.json.page], [200, 2], next);
  }
  const none = await api('/books/in-progress', { headers });
  assert.match(String(none.json.links?.self ?? '/books/api/v1'), /^\/books\/api\/v1/);
  const books = (await api('/books', { headers })).json.data as { id: string; path: string }[];
  const idOf = (name: string): string => books.find(({ path }) => path.endsWith(name))?.id ?? name;
  const page = await api(`/books/${idOf('small.cbz')}/pages/1`, { headers });
  assert.is(page.status, 200);
  for (const [name, value] of FOR_LIBRARY_BYTES.list) assert.is(page.headers[name.toLowerCase()], value);
  for (const [name, value] of FOR_DATA.list) assert.is(list.headers[name.toLowerCase()], value);
  const again = { ...headers, 'if-none-match': String(page.headers.etag) };
  assert.is((await api(`/books/${idOf('small.cbz')}/pages/1`, { headers: again })).status, 304);
  const file = `/books/${idOf('large.cbz')}/file`;
  const whole = await api(file, { headers });
  assert.ok(whole.bytes.length > LARGE_BYTES);
  const part = await api(file, { headers: { ...headers, range: 'bytes=9000000-9999999' } });
  assert.is(part.status, 206);
  assert.ok(part.bytes.equals(whole.bytes.subarray(9_000_000, 10_000_000)));
};

const docs = async ({ ask, base }: Scene): Promise<void> => {
  for (const at of [`${base}/docs`, `${base}/docs/`]) {
    const page = await ask(at);
    assert.is(page.status, 200);
    const named = [...page.bytes.toString().matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path = '']) => path);
    assert.is(named.length, 5);
    for (const path of named) assert.is((await ask(new URL(path, at).href)).status, 200, path);
  }
  const address = `${base}/docs/openapi.json`;
  const root = new URL((await ask(address)).json.servers[0].url, address).href;
  assert.is(root, `${base}/`);
};

block('behind TLS under a path', (check) => {
  for (const { name } of BACK_ENDS)
    checkWithNginx(
      check,
      `cookies, links in mails and lists, files, pages and the description lead back (${name})`,
      () =>
        withScene(name, async (scene) => {
          await cookies(scene);
          await mails(scene);
          await reading(scene);
          await docs(scene);
        }),
    );
});
