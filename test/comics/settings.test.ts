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
  },
  { deadlineS: 120 },
);
