// Answers over connections that close afterwards: whole from every source; uWebSockets.js holds them open until the client has them.
import { readFileSync } from 'node:fs';
import { until } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { AT_BYTES, BACK_ENDS, big, type Server, startServer, textOf } from './back-end.js';
import { ask, RawClient } from './raw-client.js';

const get = (path: string, headers: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;

const PORT_DIGITS = 4;
const portOf = (address: string | undefined): number => Number.parseInt(address?.slice(-PORT_DIGITS) ?? '', 16);

/** Whether the server's end still belongs to a process: the kernel shows no inode for one that was closed. Linux only. */
const isHeld = (serverPort: number, clientPort: number): boolean =>
  ['/proc/self/net/tcp', '/proc/self/net/tcp6']
    .flatMap((file) => readFileSync(file, 'latin1').split('\n'))
    .map((line) => line.trim().split(/\s+/))
    .some((fields) => portOf(fields[1]) === serverPort && portOf(fields[2]) === clientPort && Number(fields[9]) > 0);

const at = (path: string): Buffer => big.subarray(Number(path.split('?')[1]), Number(path.split('?')[1]) + AT_BYTES);
const LONG = 'é'.repeat(1500);

/** From each source of bytes, below and above what is handed over at once. */
const ANSWERS: readonly (readonly [path: string, body: () => Buffer])[] = [
  ['/hello', () => Buffer.from('hello')],
  ['/later', () => Buffer.from('later')],
  ['/long', () => Buffer.from(LONG)],
  ['/text?x', () => Buffer.from(textOf('x'))],
  ['/lent?x', () => Buffer.from(textOf('x'))],
  ['/at?33', () => at('/at?33')],
  ['/part?33000', () => big.subarray(7, 33_007)],
  ['/big', () => big],
  ['/hot', () => big],
  ['/cold', () => big],
];

const whole = (check: Check, server: () => Server): void => {
  for (const [path, body] of ANSWERS) {
    for (const word of ['close', 'Close'])
      check(`${path} is whole with Connection: ${word}, and then the server closes`, async () => {
        const client = await RawClient.open(server().port);
        client.send(get(path, `Connection: ${word}\r\n`));
        const reply = await client.reply();
        assert.is(reply?.status, 200);
        assert.ok(reply?.body.equals(body()), `${reply?.body.length} bytes`);
        assert.ok(await client.closes());
        assert.is(client.receivedBytes, 0, 'nothing follows the answer');
        client.end();
      });
  }
  check('HEAD, no body and an empty one end with the connection too', async () => {
    for (const [method, path, status] of [
      ['HEAD', '/hot', 200],
      ['GET', '/none', 204],
      ['GET', '/empty', 200],
    ] as const) {
      const client = await RawClient.open(server().port);
      client.send(get(path, 'Connection: close\r\n').replace('GET', method));
      assert.is((await client.reply(true))?.status, status);
      assert.ok(await client.closes());
      client.end();
    }
  });
  check('a client that reads late gets everything', async () => {
    const client = await RawClient.open(server().port);
    client.socket.pause();
    client.send(get('/text?x', 'Connection: close\r\n'));
    await until('it is handled', () => server().handled.includes('GET /text'));
    await new Promise((resolve) => setTimeout(resolve, 1500));
    client.socket.resume();
    assert.ok((await client.reply())?.body.equals(Buffer.from(textOf('x'))));
    client.end();
  });
  check('clients that close at once leave no connection, file or fault behind', async () => {
    for (const path of ['/hot', '/cold', '/text?x'])
      await Promise.all(Array.from({ length: 10 }, () => ask(server().port, get(path, 'Connection: close\r\n'))));
    await until('all are closed', () => (server().listening.load().connections ?? 0) === 0);
    assert.ok(server().releases.every((count) => count === 1));
    assert.equal(server().faults, []);
  });
};

const held = (check: Check, server: () => Server): void => {
  const sources = ANSWERS.filter(([, body]) => body().length > 1024);
  if (process.platform !== 'linux') check.skip('who closes first', 'only Linux shows which sockets are closed');
  else
    for (const [path, body] of sources)
      check(`${path}: uWebSockets.js does not close before the client has the answer`, async () => {
        const client = await RawClient.open(server().port);
        const from = client.socket.localPort ?? 0;
        client.send(get(path, 'Connection: close\r\n'));
        await client.has(body().length);
        assert.ok(isHeld(server().port, from));
        client.end();
        await until('it is closed', () => !isHeld(server().port, from));
      });
};

for (const adapter of BACK_ENDS) {
  let server: Server;
  block(
    `connections that close over ${adapter.name}`,
    (check) => {
      const named: Check = Object.assign(
        (fact: string, body: () => void | Promise<void>) => check(`${adapter.name}: ${fact}`, body),
        { skip: check.skip },
      );
      whole(named, () => server);
      if (adapter.name === 'uws') held(named, () => server);
    },
    {
      before: async () => {
        const long = { status: 200, headers: [], body: { kind: 'bytes', bytes: LONG } } as const;
        server = await startServer(adapter, {}, { routes: { '/long': () => long } });
      },
      after: () => server.stop(),
      deadlineS: 30,
    },
  );
}
