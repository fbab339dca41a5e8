// The interactive page of the API description: it consists of files of this server alone, and its addresses lead nowhere else.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readOnce } from '../../http/docs/ui-files.js';
import { assert, block, thrownBy } from '../kit.js';
import { kill, type Program, startProgram } from '../system/program.js';

let folder = '';
let program: Program;

const get = (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
  fetch(program.address + path, { headers });

block(
  'the page of the API description',
  (check) => {
    check('an address leads to a listed file or nowhere', async () => {
      for (const name of [
        '',
        'package.json',
        'README.md',
        'index.js',
        'absolute-path.js',
        'swagger-initializer.js',
        'swagger-ui-bundle.js.map',
        'swagger-ui-standalone-preset.js',
        'favicon-16x16.png',
        'swagger-ui.css.map',
        '..%2fpackage.json',
        '%2e%2e/%2e%2e/typebox/package.json',
        '..%2f..%2ftypebox%2fpackage.json',
        'constructor',
        '__proto__',
      ])
        assert.is((await get(`/about/ui/${name}`)).status, 404, name);
    });
    check('it may run its own scripts, ask this server, and nothing else', async () => {
      const page = await get('/about');
      const policy = page.headers.get('content-security-policy') ?? '';
      for (const part of ["default-src 'none'", "script-src 'self'", "connect-src 'self'", "frame-ancestors 'none'"])
        assert.ok(policy.split('; ').includes(part), part);
      assert.not.match(policy, /unsafe-eval|https?:|\*/);
      const text = await page.text();
      assert.not.match(text, /<script(?! src="\.\/about\/)|\son\w+=|(?:src|href)="(?!\.\/about\/)/);
      assert.not.match(await (await get('/about/start.js')).text(), /https?:/);
    });
    check('everything that it names is there, with its type, and is not sent twice', async () => {
      const named: string[] = [];
      for (const at of ['/about', '/about/'])
        for (const [, path = ''] of (await (await get(at)).text()).matchAll(/(?:src|href)="([^"]+)"/g))
          named.push(new URL(path, program.address + at).pathname);
      assert.is(new Set(named).size, 5);
      for (const path of named) {
        const answer = await get(path);
        assert.is(answer.status, 200, path);
        assert.ok((await answer.arrayBuffer()).byteLength > 100, path);
        const tag = answer.headers.get('etag');
        if (tag !== null) assert.is((await get(path, { 'if-none-match': tag })).status, 304, path);
      }
      const types = ['swagger-ui-bundle.js', 'swagger-ui.css', 'favicon-32x32.png'].map(async (name) =>
        (await get(`/about/ui/${name}`)).headers.get('content-type'),
      );
      assert.equal(await Promise.all(types), [
        'text/javascript; charset=utf-8',
        'text/css; charset=utf-8',
        'image/png',
      ]);
    });
    check('a file that was sent once is not read from the disk again', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'longbox-ui-'));
      try {
        const path = join(folder, 'one.css');
        writeFileSync(path, 'a {}');
        const body = readOnce(path);
        const first = await body();
        rmSync(path);
        assert.is(await body(), first);
        assert.instance(await thrownBy(readOnce(path)), Error);
      } finally {
        rmSync(folder, { recursive: true });
      }
    });
  },
  {
    before: async () => {
      folder = mkdtempSync(join(tmpdir(), 'longbox-page-'));
      program = await startProgram(['--data', join(folder, 'data')], {
        SVC_API__ENABLE_API_DOCS: 'true',
        SVC_API__API_DOCS_PATH: '/about',
      });
    },
    after: async () => {
      await kill(program);
      rmSync(folder, { recursive: true, force: true });
    },
  },
);
