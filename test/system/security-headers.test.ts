// The security headers of every answer, as clients receive them: each row and each kind of refusal, over both back-ends.
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { writeZip } from '../../bench/zip-writer.js';
import { fixture } from '../../fixtures/index.js';
import { API, ROOT } from '../../http/api/surface.js';
import { docsSurface } from '../../http/docs/surface.js';
import { PAGES } from '../../http/pages/surface.js';
import { FOR_DATA, FOR_LIBRARY_BYTES, type SecurityHeaders } from '../../http/server/security-headers.js';
import { isMedia } from '../../http/surface/replies.js';
import type { Route } from '../../http/surface/route.js';
import { pathOf, type Surface } from '../../http/surface/surface.js';
import { until, writeBook } from '../app.js';
import { assert, block, type Check, IS_FULL } from '../kit.js';
import { BACK_ENDS, BODY_LIMIT, backEndNames } from './back-end.js';
import { type Program, startProgram } from './program.js';
import { ask, type RawReply } from './raw-client.js';
import { openStreams } from './stream-routes.js';

const UUID = '01890000-0000-7000-8000-000000000000';
const DRAWING = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>';
/** It would end the session of this test. */
const LOGOUT = 'auth.logout';

interface Scene {
  readonly program: Program;
  readonly folder: string;
  get(path: string, init?: RequestInit): Promise<Response>;
  /** Ids by the first part of a path. */
  readonly ids: Readonly<Record<string, string>>;
  bookOf(file: string): string;
}

/** Exactly these, each once: `fetch` joins repeated ones. */
const hold = (answer: Response, { list }: SecurityHeaders, what: string): void => {
  for (const [name, value] of list) assert.is(answer.headers.get(name), value, `${what} ${answer.status}: ${name}`);
};

const openScene = async (backend: string): Promise<Scene> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-headers-'));
  const shelf = join(folder, 'comics');
  mkdirSync(join(shelf, 'A'), { recursive: true });
  writeBook(join(shelf, 'A', 'drawn.cbz'), 1, 'x', [{ name: '2.svg', bytes: Buffer.from(DRAWING) }]);
  writeFileSync(join(shelf, 'A', 'page.cbz'), `<html><script>alert(1)</script>${DRAWING}`);
  writeFileSync(join(shelf, 'A', 'plain.cbz'), writeZip([{ name: 'a.html', bytes: Buffer.from('<script>') }]));
  copyFileSync(fixture('books/epub3-minimal.epub'), join(shelf, 'A', 'text.epub'));
  const program = await startProgram([shelf, '--data', join(folder, 'data')], {
    SVC_HTTP__BACKEND: backend,
    SVC_API__ENABLE_API_DOCS: 'true',
    SVC_WEB__ENABLED: 'false', // its own pages stand where those of links are otherwise
    SVC_API__CORS_ORIGINS: '*',
  });
  const made = await fetch(`${program.address}/api/v1/setup/initialize`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username: 'admin', email: 'admin@example.com', password: 'Secret123!' }),
  });
  const { access_token: token } = (await made.json()) as { access_token: string };
  await until('the scan completes', () => /scan of comics completed/.test(program.printed()));
  const get: Scene['get'] = (path, init = {}) =>
    fetch(program.address + path, { ...init, headers: { authorization: `Bearer ${token}`, ...init.headers } });
  const listed = async (path: string): Promise<{ id: string; path?: string }[]> => {
    const found = (await (await get(`/api/v1/${path}`)).json()) as { data?: [] };
    return found.data ?? (found as unknown as []);
  };
  const [books, series, libraries] = await Promise.all(['books', 'series', 'libraries'].map(listed));
  const bookOf = (file: string): string => books?.find(({ path }) => path?.endsWith(file) === true)?.id ?? file;
  const ids = { books: bookOf('drawn.cbz'), series: series?.[0]?.id ?? '', libraries: libraries?.[0]?.id ?? '' };
  return { program, folder, get, ids, bookOf };
};

/** With what there is for rows that only read. */
const addressOf = (surface: Surface, route: Route, ids: Scene['ids']): string => {
  const known = route.method === 'GET' ? ids[route.path.split('/')[1] ?? ''] : undefined;
  const path = pathOf(surface, route).replace('{page_number}', '1').replace('{name*}', 'swagger-ui.css');
  return path.replace(/\{\w+\}/, known ?? UUID).replaceAll(/\{\w+\}/g, UUID);
};

const isOfLibrary = ({ reply }: Route, status: number): boolean =>
  status < 400 &&
  Object.values(reply).some(
    (content) => content !== null && isMedia(content) && !content.media.every((type) => type.endsWith('+json')),
  );

const ROWS = API.rows.filter(({ id }) => id !== LOGOUT);

const everyRow = (check: Check, scene: () => Scene): void => {
  const askRow = async (surface: Surface, route: Route, method: string, init: RequestInit): Promise<boolean> => {
    const body = ['GET', 'HEAD', 'OPTIONS'].includes(method) ? {} : { body: '{}' };
    const headers = { 'content-type': 'application/json', ...init.headers };
    const answer = await scene().get(addressOf(surface, route, scene().ids), { ...body, method, headers });
    const isLive = answer.headers.get('content-type')?.startsWith('text/event-stream') === true;
    await (isLive ? answer.body?.cancel() : answer.arrayBuffer());
    const isText = answer.headers.get('content-type')?.startsWith('text/plain') === true; // of the server's own
    const isBytes = method !== 'OPTIONS' && !isLive && !isText && isOfLibrary(route, answer.status);
    hold(answer, isBytes ? FOR_LIBRARY_BYTES : FOR_DATA, `${method} ${route.id}`);
    return isBytes;
  };
  check('every row of the API: to nobody and to an administrator, HEAD and OPTIONS too', async () => {
    let ofLibrary = 0;
    for (const route of ROWS)
      for (const method of route.method === 'GET' ? ['GET', 'HEAD', 'OPTIONS'] : [route.method])
        for (const headers of [{}, { authorization: 'Bearer none' }])
          if (await askRow(API, route, method, { headers })) ofLibrary += 1;
    assert.ok(ofLibrary >= 10, `only ${ofLibrary} answers were bytes of a library`);
    assert.is((await scene().get('/api/v1/auth/me')).status, 200, 'the session held to the end');
    for (const route of ROOT.rows) await askRow(ROOT, route, 'GET', {});
  });
  check('the pages of links and of the description have policies of their own, in nobody’s frame', async () => {
    for (const surface of [PAGES, docsSurface('/docs', [], {})])
      for (const route of surface.rows) {
        const answer = await scene().get(addressOf(surface, route, {}));
        assert.is(answer.status, 200, route.id);
        const policy = answer.headers.get('content-security-policy') ?? '';
        const isPage = answer.headers.get('content-type')?.startsWith('text/html') === true;
        assert.match(policy, /^default-src 'none'; .*frame-ancestors 'none'$/, route.id);
        assert.is(policy.split("default-src 'none'").length, 2, 'one policy');
        if (isPage) assert.match(policy, /script-src 'self'/);
        for (const [name, value] of FOR_DATA.list)
          if (name !== 'Content-Security-Policy') assert.is(answer.headers.get(name), value, `${route.id}: ${name}`);
        await answer.arrayBuffer();
      }
  });
};

const libraryBytes = (check: Check, scene: () => Scene): void => {
  check('bytes of a library are sandboxed, whole, in part, and when the client has them', async () => {
    const { get, bookOf, ids } = scene();
    for (const path of [`/books/${ids.books}/pages/1`, `/books/${ids.books}/thumbnail`, `/books/${ids.books}/file`]) {
      const whole = await get(`/api/v1${path}`);
      assert.is(whole.status, 200, path);
      const tag = whole.headers.get('etag') ?? '';
      for (const [headers, status] of [
        [{ 'if-none-match': tag }, 304],
        ...(path.endsWith('/file') ? [[{ range: 'bytes=1-9' }, 206] as const] : []),
      ] as const) {
        const answer = await get(`/api/v1${path}`, { headers });
        assert.is(answer.status, status, path);
        hold(answer, FOR_LIBRARY_BYTES, path);
      }
      hold(whole, FOR_LIBRARY_BYTES, path);
    }
    for (const file of ['page.cbz', 'plain.cbz', 'text.epub']) {
      const answer = await get(`/api/v1/books/${bookOf(file)}/file`);
      assert.is(answer.status, 200, file);
      hold(answer, FOR_LIBRARY_BYTES, file);
      assert.match(answer.headers.get('content-disposition') ?? '', /^attachment; /);
      assert.not.match(answer.headers.get('content-type') ?? 'none', /html|svg|xml/);
    }
    const headers = { accept: 'image/svg+xml' };
    const card = await get(`/api/v1/books/${bookOf('text.epub')}/thumbnail`, { headers });
    assert.is(card.headers.get('content-type'), 'image/svg+xml');
    hold(card, FOR_LIBRARY_BYTES, 'title card');
  });
  check('a page that is an SVG is not sent at all', async () => {
    const answer = await scene().get(`/api/v1/books/${scene().ids.books}/pages/2`);
    assert.equal([answer.status, (await answer.text()).includes('<svg')], [422, false]);
    hold(answer, FOR_DATA, 'an SVG page');
  });
};

/** Each once in the head as it came. */
const holdRaw = (reply: RawReply | undefined, what: string): void => {
  const lines = reply?.head.split('\r\n') ?? [];
  for (const [name, value] of FOR_DATA.list) {
    const found = lines.filter((line) => line.toLowerCase().startsWith(`${name.toLowerCase()}:`));
    assert.equal(found, [`${name}: ${value}`], `${what}: ${lines[0]}`);
  }
};

const refusals = (check: Check, scene: () => Scene): void => {
  const login = '/api/v1/auth/login';
  const asked: readonly (readonly [what: string, status: number, path: string, init: RequestInit])[] = [
    ['no such address', 404, '/nothing', {}],
    ['another method', 405, login, { method: 'DELETE' }],
    ['no JSON', 400, login, { method: 'POST', body: '{"a":' }],
    ['another media type', 415, login, { method: 'POST', body: 'x', headers: { 'content-type': 'text/plain' } }],
    ['another site', 403, login, { method: 'POST', body: '{}', headers: { origin: 'https://evil.example' } }],
    ['an escape that is none', 400, '/api/v1/books/%zz', {}],
    ['a range that is not there', 416, 'FILE', { headers: { range: 'bytes=99999999-' } }],
    ['another version', 412, 'FILE', { headers: { 'if-match': '"x"' } }],
  ];
  for (const [what, status, path, init] of asked)
    check(`a refusal: ${what}`, async () => {
      const address = path === 'FILE' ? `/api/v1/books/${scene().ids.books}/file` : path;
      const headers = { 'content-type': 'application/json', ...init.headers };
      const answer = await scene().get(address, { ...init, headers });
      assert.is(answer.status, status);
      hold(answer, FOR_DATA, what);
    });
  check('a refusal: a body that is too large', async () => {
    const { port } = new URL(scene().program.address);
    const reply = await ask(Number(port), `POST ${login} HTTP/1.1\r\nHost: x\r\nContent-Length: ${1 << 24}\r\n\r\n`);
    assert.is(reply?.status, 413);
    holdRaw(reply, 'a body that is too large');
  });
  check('a refusal: too many sign-ins', async () => {
    const body = JSON.stringify({ username: 'admin', password: 'wrong' });
    const headers = { 'content-type': 'application/json' };
    await until('it is refused', async () => {
      const answer = await scene().get(login, { method: 'POST', body, headers });
      hold(answer, FOR_DATA, 'a wrong password');
      return answer.status === 429;
    });
  });
};

for (const name of BACK_ENDS.map((one) => one.name)) {
  let scene: Scene;
  block(
    `security headers (${name})`,
    (check) => {
      if (name === BACK_ENDS[0]?.name) backEndNames(check);
      if (IS_FULL || name === BACK_ENDS[0]?.name) everyRow(check, () => scene);
      else check.skip('every row of the API', 'the same for every network engine: only in a full run');
      libraryBytes(check, () => scene);
      refusals(check, () => scene);
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

block('security headers below the rows', (check) => {
  for (const adapter of BACK_ENDS)
    check(`bodies of every kind, streams, and what a back-end refuses by itself (${adapter.name})`, async () => {
      const server = await openStreams(adapter);
      const own = ['hello', 'none', 'same', 'big', 'lent', 'hot', 'cold', 'inject', 'stream', 'stream/empty'];
      for (const path of [...own, 'stream/throws-at-once', 'throw', 'reject', 'gone', 'nowhere'])
        holdRaw(await ask(server.port, `GET /${path} HTTP/1.1\r\nHost: x\r\n\r\n`), path);
      holdRaw(await ask(server.port, 'GET /live HTTP/1.1\r\nHost: x\r\n\r\n', true), 'the head of a live stream');
      for (const path of ['hello', 'hot', 'stream', 'live', 'lent'])
        holdRaw(await ask(server.port, `HEAD /${path} HTTP/1.1\r\nHost: x\r\n\r\n`, true), `HEAD ${path}`);
      const long = `Content-Length: ${BODY_LIMIT + 1}`;
      for (const line of [
        long,
        'Host: y',
        'Transfer-Encoding: gzip',
        'Content-Length: 1\r\nTransfer-Encoding: chunked',
      ]) {
        const reply = await ask(server.port, `POST /echo HTTP/1.1\r\nHost: x\r\n${line}\r\n\r\n`);
        if (reply !== undefined) holdRaw(reply, line); // what a parser refuses may have no answer
      }
      if (adapter.name === 'node') holdRaw(await ask(server.port, 'nonsense\r\n\r\n'), 'nonsense');
      await server.stop();
    });
});
