// Setting up a new server from a page elsewhere that gave its own name the server's address (DNS rebinding), and by forged forwarding headers.
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { jsonOf } from '../ask.js';
import type { Kind } from '../kind.js';
import { ADMIN, type Target } from '../target.js';

const HOSTS = [
  'evil.example',
  'evil.example:80',
  '127.0.0.1.evil.example',
  'localhost.evil.example',
  'nas.local.evil.example',
  'evil.example.',
  '0x7f.1.evil',
];
/** Nobody trusts the address that these come from. */
const FORGED: readonly Readonly<Record<string, string>>[] = [
  { 'x-forwarded-host': 'localhost' },
  { 'x-forwarded-host': '127.0.0.1', 'x-forwarded-for': '127.0.0.1', 'x-real-ip': '127.0.0.1' },
  { forwarded: 'for=127.0.0.1;host=localhost;proto=http' },
  { 'x-original-host': 'localhost', 'x-host': 'localhost', 'x-forwarded-server': 'localhost' },
];

const PATH = '/api/v1/setup/initialize';

/** What no library for requests sends: two hosts, and a host in the first line. The status, 0 where the connection was closed. */
const raw = ({ port }: Target, first: string, hosts: readonly string[]): Promise<number> =>
  new Promise((resolve) => {
    const body = JSON.stringify(ADMIN);
    const lines = [`POST ${first} HTTP/1.1`, ...hosts.map((host) => `Host: ${host}`), 'Origin: http://evil.example'];
    const head = [...lines, 'Content-Type: application/json', `Content-Length: ${body.length}`, 'Connection: close'];
    const socket = createConnection(port, '127.0.0.1', () => socket.write(`${head.join('\r\n')}\r\n\r\n${body}`));
    let text = '';
    socket.setTimeout(5000, () => socket.destroy());
    socket.on('data', (piece) => {
      text += piece.toString('latin1');
    });
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? 0)));
  });

export const setUp: Kind = {
  name: 'set-up',
  concerns: 'socket',
  hindrance: () => null,
  run: async (scene) => {
    const { report } = scene;
    const target = await scene.start({ data: join(scene.folder, 'data'), shelves: [], token: '' });
    const send = (headers: Readonly<Record<string, string>>) =>
      target.api('/setup/initialize', { method: 'POST', body: ADMIN, headers });
    report.tried.push(`the set-up under ${HOSTS.length} names of others, with ${FORGED.length} forged headers each`);
    const tries = HOSTS.flatMap((host) => [{}, ...FORGED].map((more) => ({ host, origin: `http://${host}`, ...more })));
    const through: string[] = [];
    for (const headers of tries) {
      const { status } = await send({ ...headers, 'sec-fetch-site': 'same-origin' });
      if (status !== 403) through.push(`${status} with ${JSON.stringify(headers)}`);
    }
    for (const [first, hosts] of [
      [PATH, ['evil.example', 'localhost']],
      [PATH, ['localhost', 'evil.example']],
      [`http://localhost${PATH}`, ['evil.example']],
    ] as const) {
      const status = await raw(target, first, hosts);
      if (status === 200) through.push(`${status} with ${first} and the hosts ${hosts.join()}`);
    }
    const open = jsonOf(await target.api('/setup/status', { headers: { host: 'evil.example' } }));
    report.judge(
      through.length === 0 && open.setupRequired === true,
      'none of them sets the server up',
      through.length === 0 ? 'the server was set up' : through.join('; '),
    );
    const { status } = await send({});
    report.judge(status === 200, 'its own address does', `its own address gets ${status}`);
  },
};
