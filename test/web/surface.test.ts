// The web client over HTTP: its page at exactly its addresses, its files under names that never change, and nothing from anywhere else.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { surfacesFor } from '../../http/cli/surfaces.js';
import { loadConfig } from '../../http/config/config.js';
import { ADDRESSES } from '../../http/web/addresses.js';
import { assert, block, type Check } from '../kit.js';
import { kill, type Program, startProgram } from '../system/program.js';

let folder = '';
let program: Program;
/** Reached under a path. */
let below: Program;

const get = (path: string, init: RequestInit = {}): Promise<Response> =>
  fetch(program.address + path, { redirect: 'manual', ...init });

/** Each address of the client, with an id where it takes one. */
const PATHS = Object.values(ADDRESSES).map((path) => path.replace('{id}', '0199aa00-0000-7000-8000-000000000000'));

/** The addresses in the page at a path, as a browser resolves them. */
const namedAt = async (path: string): Promise<readonly string[]> => {
  const text = await (await get(path)).text();
  return [...text.matchAll(/(?:src|href)="([^"]+)"/g)].map(
    ([, to = '']) => new URL(to, program.address + path).pathname,
  );
};

/** Of a page: the start with the first screen, the screen itself, and two that screens of signing in share. */
const SCRIPTS_MAX = 4;

/** Requested together with the scripts, and used by them. */
const SESSION = '/api/v1/auth/session';

const filesAt = async (path: string): Promise<readonly string[]> =>
  (await namedAt(path)).filter((name) => name !== SESSION);

const pageFacts = (check: Check): void => {
  for (const path of PATHS)
    check(`${path}: the page, by GET and HEAD alone, and what it names is there`, async () => {
      const page = await get(path);
      assert.equal([page.status, page.headers.get('content-type')], [200, 'text/html; charset=utf-8']);
      assert.is(page.headers.get('cache-control'), 'no-cache');
      const text = await page.text();
      assert.not.match(text, /<style|style=|<script(?! type="module" src=)|\son\w+=|https?:|src="\/|href="\//);
      const head = await get(path, { method: 'HEAD' });
      assert.equal([head.status, await head.text()], [200, '']);
      const refused = await get(path, { method: 'POST' });
      assert.equal([refused.status, refused.headers.get('allow')], [405, 'GET, HEAD, OPTIONS']);
      const named = await namedAt(path);
      assert.ok(named.length >= 3 && named.includes(SESSION));
      // On a slow processor, requesting a script takes longer than running it.
      assert.ok(named.filter((one) => one.endsWith('.js')).length <= SCRIPTS_MAX, named.join(' '));
      for (const one of named) assert.is((await get(one)).status, 200, one);
    });
  check('the same page with a slash at its end names the same files', async () => {
    assert.equal(await namedAt('/sign-in/'), await namedAt('/sign-in'));
  });
  check('who has the page is told so', async () => {
    const tag = (await get('/sign-in')).headers.get('etag') ?? '';
    assert.ok(tag.length > 4);
    assert.is((await get('/sign-in', { headers: { 'if-none-match': tag } })).status, 304);
    assert.is((await get('/sign-in', { headers: { 'if-none-match': '"other"' } })).status, 200);
  });
  check('the page may use this server and nothing else, and nothing inline', async () => {
    const policy = (await get('/')).headers.get('content-security-policy') ?? '';
    for (const part of [
      "default-src 'none'",
      "script-src 'self'",
      "style-src 'self'",
      "require-trusted-types-for 'script'",
    ])
      assert.ok(policy.split('; ').includes(part), part);
    assert.not.match(policy, /unsafe|https?:|\*|data:/);
  });
};

const otherAddresses = (check: Check): void => {
  for (const path of [
    '/sign-in/x',
    '/books',
    '/index.html',
    '/web',
    '/web/',
    '/nothing',
    '/favicon.ico',
    '/Sign-in',
    '/books/a/b',
  ])
    check(`${path}: 404 as at the root of the server`, async () => {
      const answer = await get(path);
      assert.is(answer.status, 404);
      assert.is(((await answer.json()) as { error: string }).error, 'NotFound');
      assert.match(answer.headers.get('content-security-policy') ?? '', "default-src 'none'");
    });
  for (const path of ['/nope', '/settings/users', '/index.html', '/nope/', '/a/b/c/'])
    check(
      `${path}, opened in a browser: the page, which says that there is nothing, and what it names is there`,
      async () => {
        const answer = await get(path, { headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } });
        assert.equal([answer.status, answer.headers.get('content-type')], [404, 'text/html; charset=utf-8']);
        assert.match(answer.headers.get('content-security-policy') ?? '', "script-src 'self'");
        const text = await answer.text();
        for (const [, to = ''] of text.matchAll(/(?:src|href)="([^"]+)"/g)) {
          const { pathname } = new URL(to, program.address + path);
          assert.is((await get(pathname)).status, 200, pathname);
        }
        const post = await get(path, { method: 'POST', headers: { accept: 'text/html' } });
        assert.match(post.headers.get('content-type') ?? '', 'application/json');
      },
    );
  check('an address of the API that a browser opens is refused in words of the API', async () => {
    const answer = await get('/api/v1/nope', { headers: { accept: 'text/html' } });
    assert.equal([answer.status, ((await answer.json()) as { error: string }).error], [404, 'NotFound']);
  });
  for (const path of ['/web/files.json', '/web/..%2ffiles.json', '/web/constructor', '/web/__proto__', '/web/main.js'])
    check(`${path}: no file of the client`, async () => {
      assert.is((await get(path)).status, 404);
    });
  check('addresses below another prefix are refused in its own shape', async () => {
    const answer = await get('/koreader/nothing');
    assert.equal([answer.status, ((await answer.json()) as { code?: number }).code], [404, 404]);
  });
};

const fileFacts = (check: Check): void => {
  check('a file is kept for ever, typed, and comes compressed as it was built', async () => {
    for (const path of await filesAt('/')) {
      const answer = await get(path, { headers: { 'accept-encoding': 'identity' } });
      assert.is(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable', path);
      assert.match(
        answer.headers.get('content-type') ?? '',
        /^(?:text\/(?:javascript|css); charset=utf-8|image\/svg\+xml)$/,
      );
      assert.match(path, /^\/web\/[\w-]+-[\w]{8}\.(?:js|css|svg)$/);
      const head = await get(path, { method: 'HEAD' });
      assert.equal([head.status, await head.text()], [200, '']);
    }
  });
  check('its compressed forms are the same file, in less than half of the bytes', async () => {
    const style = (await namedAt('/')).find((path) => path.endsWith('.css')) ?? '';
    const plain = Buffer.from(await (await get(style, { headers: { 'accept-encoding': 'identity' } })).arrayBuffer());
    for (const [coding, decode] of [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const) {
      const { body, headers } = await rawGet(style, coding);
      assert.match(headers, new RegExp(`content-encoding: ${coding}`, 'i'));
      assert.ok(decode(body).equals(plain), coding);
      assert.ok(body.length * 2 < plain.length, `${coding}: ${body.length} of ${plain.length}`);
    }
  });
};

/** As it comes over the wire: fetch would decode it. */
const rawGet = async (path: string, coding: string): Promise<{ headers: string; body: Buffer }> => {
  const { request } = await import('node:http');
  return new Promise((resolve, reject) => {
    const asked = request(program.address + path, { headers: { 'accept-encoding': coding } }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () =>
        resolve({ headers: answer.rawHeaders.join(': ').replaceAll(/: ([A-Z])/g, '\n$1'), body: Buffer.concat(parts) }),
      );
    });
    asked.on('error', reject);
    asked.end();
  });
};

/** Behind a proxy that serves it under a path of its own, and removes this path from what it forwards, or does not. */
const subPathFacts = (check: Check): void => {
  for (const [kind, kept] of [
    ['removes', ''],
    ['keeps', '/shelf'],
  ] as const) {
    check(`a proxy that ${kind} its path: the page, its files and the API are there`, async () => {
      for (const path of [...PATHS, '/sign-in/']) {
        const answer = await fetch(`${below.address}${kept}${path}`);
        assert.is(answer.status, 200, path);
        // As the browser resolves them, which knows the public address alone.
        for (const [, to = ''] of (await answer.text()).matchAll(/(?:src|href)="([^"]+)"/g)) {
          const { pathname } = new URL(to, `https://books.example/shelf${path}`);
          assert.match(pathname, /^\/shelf\/(?:web\/[\w-]+\.\w+|api\/v1\/auth\/session)$/);
          const file = await fetch(`${below.address}${kept}${pathname.slice('/shelf'.length)}`);
          assert.is(file.status, 200, pathname);
        }
      }
      assert.is((await fetch(`${below.address}${kept}/api/v1/setup/status`)).status, 200);
      assert.is((await fetch(`${below.address}${kept}/api/v1/setup/status`, { method: 'PUT' })).status, 405);
      const nothing = await fetch(`${below.address}${kept}/koreader/nothing`);
      assert.equal([nothing.status, ((await nothing.json()) as { code?: number }).code], [404, 404]);
    });
  }
  check('the path of the proxy without a slash at its end leads to the start page', async () => {
    const answer = await fetch(`${below.address}/shelf`, { redirect: 'manual' });
    assert.equal([answer.status, answer.headers.get('location')], [308, '/shelf/']);
  });
  check('another path is not taken for it', async () => {
    for (const path of ['/shelfx/sign-in', '/shelf/shelf/sign-in', '/x/shelf/sign-in'])
      assert.is((await fetch(below.address + path)).status, 404, path);
  });
};

const prefixesWith = (text: string): readonly string[] => {
  const overrides = [{ key: 'web.enabled', text, from: 'test' }] as const;
  return surfacesFor(loadConfig({ file: null, environment: {}, overrides }), 'test').map(({ name }) => name);
};

block(
  'the web client over HTTP',
  (check) => {
    check('web.enabled: without it there is none', () => {
      assert.ok(prefixesWith('true').includes('web client'));
      assert.not.ok(prefixesWith('false').includes('web client'));
      assert.equal(
        ['true', 'false'].map((text) => prefixesWith(text).includes('pages')),
        [false, true],
        'links in mails lead to its screens, or to pages of their own',
      );
    });
    pageFacts(check);
    otherAddresses(check);
    fileFacts(check);
    subPathFacts(check);
  },
  {
    before: async () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-web-'));
      program = await startProgram(['--data', join(folder, 'data')]);
      below = await startProgram(['--data', join(folder, 'below')], {
        SVC_APPLICATION__BASE_URL: 'https://books.example/shelf',
      });
    },
    after: async () => {
      await Promise.all([kill(program), kill(below)]);
      rmSync(folder, { recursive: true, force: true });
    },
  },
);
