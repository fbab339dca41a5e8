// Behind a reverse proxy as its owner would set it up: pages, ranges and conditions pass unchanged, on kept connections.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixture } from '../../fixtures/index.js';
import { until } from '../app.js';
import { fetch } from '../described.js';
import { assert, block } from '../kit.js';
import { BACK_ENDS } from './back-end.js';
import { checkWithNginx, freePort, startNginx } from './nginx.js';
import { startProgram } from './program.js';

interface Proxied {
  readonly shelf: string;
  /** Through the proxy, below the prefix of the API. */
  ask(path: string, headers?: Record<string, string>): Promise<Response>;
}

const withProxy = async (backend: string, use: (proxied: Proxied) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-proxy-'));
  const shelf = join(folder, 'comics');
  mkdirSync(join(shelf, 'Corpus'), { recursive: true });
  writeFileSync(join(shelf, 'Corpus', 'six-pages.cbz'), readFileSync(fixture('books/six-pages.cbz')));
  const program = await startProgram([shelf, '--data', join(folder, 'data')], {
    SVC_HTTP__BACKEND: backend,
    SVC_HTTP__TRUSTED_PROXIES: '127.0.0.1',
  });
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  let stopProxy = async (): Promise<void> => undefined;
  try {
    stopProxy = await startNginx({
      folder,
      upstream: new URL(program.address).host,
      server: (proxy) => `listen 127.0.0.1:${port}; location / { proxy_pass http://longbox; ${proxy} }`,
      answers: async () => (await fetch(`${address}/health`).catch(() => null))?.status === 200,
    });
    const made = await fetch(`${address}/api/v1/setup/initialize`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'admin', email: 'admin@example.com', password: 'Secret123!' }),
    });
    const { access_token: token } = (await made.json()) as { access_token: string };
    await until('the scan completes', () => /scan of comics completed/.test(program.printed()));
    await use({
      shelf,
      ask: (path, headers = {}) =>
        fetch(`${address}/api/v1${path}`, { headers: { authorization: `Bearer ${token}`, ...headers } }),
    });
  } finally {
    await stopProxy();
    program.child.kill('SIGTERM');
    await program.ended;
    rmSync(folder, { recursive: true, force: true });
  }
};

block('behind a proxy', (check) => {
  for (const { name } of BACK_ENDS) {
    checkWithNginx(check, `pages, ranges and conditions pass nginx unchanged (${name})`, () =>
      withProxy(name, async ({ shelf, ask }) => {
        const { data } = (await (await ask('/books')).json()) as { data: { id: string; pageCount: number }[] };
        const book = data[0];
        assert.is(book?.pageCount, 6);
        for (let page = 1; page <= 6; page += 1) {
          const found = await ask(`/books/${book?.id}/pages/${page}`);
          assert.is(found.status, 200);
          const again = await ask(`/books/${book?.id}/pages/${page}`, {
            'if-none-match': found.headers.get('etag') ?? '',
          });
          assert.is(again.status, 304);
        }
        const whole = readFileSync(join(shelf, 'Corpus', 'six-pages.cbz'));
        const part = await ask(`/books/${book?.id}/file`, { range: 'bytes=100-199' });
        assert.is(part.status, 206);
        assert.ok(Buffer.from(await part.arrayBuffer()).equals(whole.subarray(100, 200)));
        const file = await ask(`/books/${book?.id}/file`);
        assert.ok(Buffer.from(await file.arrayBuffer()).equals(whole));
        assert.is((await ask('/nothing/here')).status, 404);
      }),
    );
  }
});
