// The program behind nginx, with one library that has been scanned and an administrator who is signed in.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fixture } from '../../fixtures/index.js';
import { until } from '../app.js';
import { fetch } from '../described.js';
import { freePort, startNginx } from './nginx.js';
import { startProgram } from './program.js';

export interface Proxied {
  readonly shelf: string;
  /** Of the proxy. */
  readonly address: string;
  /** Through the proxy, below the prefix of the API. */
  ask(
    path: string,
    headers?: Record<string, string>,
    sent?: { readonly method: string; readonly body?: unknown },
  ): Promise<Response>;
}

export const withProxy = async (backend: string, use: (proxied: Proxied) => Promise<void>): Promise<void> => {
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
      address,
      ask: (path, headers = {}, { method, body } = { method: 'GET' }) =>
        fetch(`${address}/api/v1${path}`, {
          method,
          headers: {
            authorization: `Bearer ${token}`,
            ...(body === undefined ? {} : { 'content-type': 'application/json' }),
            ...headers,
          },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        }),
    });
  } finally {
    await stopProxy();
    program.child.kill('SIGTERM');
    await program.ended;
    rmSync(folder, { recursive: true, force: true });
  }
};
