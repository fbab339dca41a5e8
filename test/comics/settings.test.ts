// Settings of the comic-server API on the real program: its switch, its prefix, and a port of its own.
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { assert, block } from '../kit.js';
import { startProgram } from '../system/program.js';

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });

const with_ = async (
  environment: Readonly<Record<string, string>>,
  use: (address: string) => Promise<void>,
): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-comics-'));
  const program = await startProgram(['--data', join(folder, 'data')], environment);
  try {
    await use(program.address);
  } finally {
    program.child.kill('SIGTERM');
    await program.ended;
    rmSync(folder, { recursive: true, force: true });
  }
};

const ROOT = { username: 'root', email: 'root@example.org', password: 'Secret123!' };

/** The cookies that a sign-in with a password gives, as a client keeps them, and as it sends them back with a request for that path. */
const signedIn = async (server: string, own: string) => {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify(ROOT);
  assert.is((await fetch(`${server}/api/v1/setup/initialize`, { method: 'POST', headers, body })).status, 200);
  const authorization = `Basic ${Buffer.from(`${ROOT.username}:${ROOT.password}`).toString('base64')}`;
  const reply = await fetch(`${own}/api/v2/users/me?remember-me=true`, { headers: { authorization } });
  assert.is(reply.status, 200);
  const cookies = reply.headers.getSetCookie();
  const sentWith = (path: string): string =>
    cookies
      .filter((one) => path.startsWith(/Path=([^;]*)/.exec(one)?.[1] ?? '/'))
      .map((one) => one.split(';', 1)[0])
      .join('; ');
  return { cookies, sentWith };
};

/** What says which surface has an address: its status, and whether it asks for Basic. */
const at = async (address: string): Promise<readonly [number, boolean]> => {
  const response = await fetch(address);
  return [response.status, (response.headers.get('www-authenticate') ?? '').startsWith('Basic ')];
};

block(
  'settings of the comic-server API',
  (check) => {
    check('komga_api.enabled off: there is nothing at its prefix', () =>
      with_({ SVC_KOMGA_API__ENABLED: 'false' }, async (address) => {
        assert.equal(await at(`${address}/komga/api/v1/libraries`), [404, false]);
      }),
    );
    check('komga_api.prefix moves it', () =>
      with_({ SVC_KOMGA_API__PREFIX: 'comics' }, async (address) => {
        assert.equal(await at(`${address}/comics/api/v1/libraries`), [401, true]);
        assert.equal(await at(`${address}/komga/api/v1/libraries`), [404, false]);
      }),
    );
    for (const backend of ['uws', 'node'])
      check(`komga_api.port serves it at the root as well (${backend})`, async () => {
        const port = await freePort();
        await with_({ SVC_KOMGA_API__PORT: String(port), SVC_HTTP__BACKEND: backend }, async (address) => {
          const own = `http://127.0.0.1:${port}`;
          assert.equal(await at(`${own}/api/v1/libraries`), [401, true]);
          assert.equal(await at(`${address}/komga/api/v1/libraries`), [401, true]);
          assert.equal(await at(`${address}/api/v1/libraries`), [401, false]);
          const unknown = await fetch(`${own}/api/v1/nonsense`);
          const { status, path } = (await unknown.json()) as { status: number; path: string };
          assert.equal([unknown.status, status, path], [404, 404, '/api/v1/nonsense']);
        });
      });
    check('cookies of a port of its own are for its root, wherever the main address is', async () => {
      const port = await freePort();
      const environment = {
        SVC_KOMGA_API__PORT: String(port),
        SVC_APPLICATION__BASE_URL: 'https://comics.example.org/longbox',
        SVC_AUTH__COOKIE_SECURE: 'false',
      };
      await with_(environment, async (address) => {
        const own = `http://127.0.0.1:${port}`;
        const { cookies, sentWith } = await signedIn(address, own);
        assert.is(cookies.length, 2);
        for (const cookie of cookies) assert.match(cookie, /; Path=\/;/);
        const cookie = sentWith('/api/v1/libraries');
        assert.is((await fetch(`${own}/api/v1/libraries`, { headers: { cookie } })).status, 200);
      });
    });
  },
  { deadlineS: 120 },
);
