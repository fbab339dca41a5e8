// The streams of events behind a reverse proxy as its owner would set it up: each event arrives as it happens, comments keep the connections
// open while nothing does, and a key that is revoked ends them.
import { type IncomingMessage, request } from 'node:http';
import { until } from '../app.js';
import { heardIn } from '../events/listener.js';
import { assert, block } from '../kit.js';
import { programSecrets } from '../secret-watch.js';
import { BACK_ENDS } from './back-end.js';
import { checkWithNginx } from './nginx.js';
import { type Proxied, withProxy } from './proxied.js';

interface Stream {
  readonly reply: IncomingMessage;
  text(): string;
  readonly ended: Promise<void>;
}

const PATHS = ['/events/stream', '/tasks/stream', '/scans/stream'] as const;

const open = (address: string, path: string, key: string): Promise<Stream> =>
  new Promise((resolve, reject) => {
    const asking = request(`${address}/api/v1${path}`, { headers: { 'x-api-key': key } }, (reply) => {
      let text = '';
      reply.on('data', (piece: Buffer) => {
        text += piece.toString();
      });
      const ended = new Promise<void>((end) => reply.on('close', end));
      resolve({ reply, text: () => text, ended });
    });
    asking.on('error', reject);
    asking.end();
  });

const jsonOf = async (answer: Response): Promise<{ readonly [name: string]: string }> => {
  assert.ok(answer.ok, `${answer.status} ${answer.url}`);
  return (await answer.json()) as { readonly [name: string]: string };
};

const follow = async ({ address, ask }: Proxied): Promise<void> => {
  const post = { method: 'POST' } as const;
  const body = { name: 'a wall panel', permissions: ['LibrariesRead'] };
  const made = await jsonOf(await ask('/api-keys', {}, { ...post, body }));
  programSecrets.heard({ path: '/events/stream', headers: { 'x-api-key': made.key ?? '' }, body: undefined });
  const streams = await Promise.all(PATHS.map((path) => open(address, path, made.key ?? '')));
  for (const { reply, text } of streams) {
    assert.equal([reply.statusCode, reply.headers['content-type']], [200, 'text/event-stream; charset=utf-8']);
    await until('the first bytes', () => text().startsWith(': connected'));
  }
  const { data } = (await (await ask('/libraries')).json()) as { data: { id: string }[] };
  await jsonOf(await ask(`/libraries/${data[0]?.id}/scan?mode=deep`, {}, post));
  for (const [index, type] of ['book_updated', 'task_progress', 'scan_progress'].entries())
    await until(`${type} arrives`, () =>
      heardIn(streams[index]?.text() ?? '').some(({ event, data }) => event === type && data.type === type),
    );
  for (const { text } of streams) await until('it is kept open', () => text().includes('\n\n: keep-alive\n\n'));
  assert.ok(streams.every(({ reply }) => !reply.closed));
  assert.is((await ask(`/api-keys/${made.id}`, {}, { method: 'DELETE' })).status, 204);
  for (const { reply, ended } of streams) {
    await ended;
    assert.ok(reply.complete, 'it ends, and is not cut');
  }
  assert.is((await open(address, PATHS[0], made.key ?? '')).reply.statusCode, 401);
};

block('streams behind a proxy', (check) => {
  // All at the same time: it takes a quarter of a minute until the first keep-alive comes.
  const names = BACK_ENDS.map(({ name }) => name);
  checkWithNginx(
    check,
    `the three streams arrive unbuffered, are kept open, and end with their key (${names.join(', ')})`,
    async () => {
      await Promise.all(names.map((name) => withProxy(name, follow)));
    },
  );
});
