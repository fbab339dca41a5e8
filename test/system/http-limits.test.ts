// What many connections and slow readers may cost, over real sockets: the same bounds for every back-end, each in its own way.
import { until } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { BACK_ENDS, BIG_BYTES, BODY_LIMIT, COPY_BYTES, type Server, startServer } from './back-end.js';
import { ask, RawClient } from './raw-client.js';

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const MIB = 1024 * 1024;

const openMany = (port: number, count: number, from?: string): Promise<RawClient[]> =>
  Promise.all(Array.from({ length: count }, () => RawClient.open(port, from)));

const endAll = (clients: readonly RawClient[]): void => {
  for (const client of clients) client.end();
};

/** Asks on every connection and reads nothing of the answers. */
const askAndStall = async (port: number, path: string, count: number): Promise<RawClient[]> => {
  const clients = await openMany(port, count);
  for (const client of clients) {
    client.socket.pause();
    client.send(get(path));
  }
  return clients;
};

const stalled = (check: Check, server: () => Server): void => {
  for (const path of ['/big', '/hot', '/cold']) {
    check(`60 readers who take nothing of 20 MB from ${path} cost little, and others are served`, async () => {
      const before = process.memoryUsage.rss();
      const clients = await askAndStall(server().port, path, 60);
      await until('all are handled', () => server().handled.filter((one) => one === `GET ${path}`).length >= 60);
      for (let n = 0; n < 10; n += 1) assert.is((await ask(server().port, get('/hello')))?.status, 200);
      const grown = process.memoryUsage.rss() - before;
      endAll(clients);
      assert.ok(grown < 200 * MIB, `${Math.round(grown / MIB)} MB for 1200 MB of answers`);
    });
  }
  check(
    'a client that sends thousands of requests without waiting is disconnected after some, and others are served',
    async () => {
      const SENT = 20_000;
      const client = await RawClient.open(server().port);
      const before = server().handled.length;
      client.send(get('/hello').repeat(SENT));
      await until('the connection is closed', () => client.isClosed);
      // How many are answered before depends on what arrives, and is done, in one turn.
      assert.ok(server().handled.length - before < SENT / 2, `${server().handled.length - before} were answered`);
      assert.is((await ask(server().port, get('/hello')))?.status, 200);
      client.end();
    },
  );
  check('a reader who takes nothing for the allowed time is disconnected, and one who continues is not', async () => {
    const hasty = await startServer(server().adapter, { slowMs: 300 });
    const reading = await RawClient.open(hasty.port);
    const sip = setInterval(() => {
      reading.socket.resume();
      setTimeout(() => reading.socket.pause(), 5);
    }, 20);
    reading.send(get('/hot'));
    const clients = await askAndStall(hasty.port, '/hot', 4);
    const alsoCold = await askAndStall(hasty.port, '/cold', 4);
    await until('eight files are released', () => hasty.releases.filter((count) => count === 1).length >= 8);
    clearInterval(sip);
    reading.socket.resume();
    assert.ok(await reading.has(BIG_BYTES), 'the one who reads gets everything');
    endAll([...clients, ...alsoCold, reading]);
    await hasty.stop();
  });
  check('bytes of slow readers have a budget, and one answer that exceeds it alone is sent', async () => {
    const tight = await startServer(server().adapter, { answersBytes: COPY_BYTES / 2 });
    const clients = await askAndStall(tight.port, '/copy', 4);
    await until('all are handled', () => tight.handled.length === 4);
    // The answers are handed over in turns of the event loop that the clients share: none may be left when they begin to read.
    for (let turn = 0; turn < 2000; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    for (const client of clients) client.socket.resume();
    await until('all came to an end', () =>
      clients.every((client) => client.isClosed || client.receivedBytes > COPY_BYTES),
    );
    const whole = clients.filter((client) => client.receivedBytes > COPY_BYTES);
    assert.is(whole.length, 1);
    endAll(clients);
    await tight.stop();
  });
  check('a request that waits longer than a slow reader may is still answered', async () => {
    const hasty = await startServer(server().adapter, { slowMs: 60 });
    assert.is((await ask(hasty.port, get('/never')))?.status, 503);
    await until('the late file is released', () => hasty.releases[0] === 1);
    await hasty.stop();
  });
};

const plain = (check: Check, server: () => Server): void => {
  check('no answer names the engine, and every one forbids guessing its type', async () => {
    for (const bytes of [
      get('/hello'),
      get('/none'),
      get('/same'),
      get('/nowhere'),
      get('/hot'),
      get('/throw'),
      `POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: ${BODY_LIMIT + 1}\r\n\r\n`,
      'GET /hello HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n',
    ]) {
      const reply = await ask(server().port, bytes);
      if (reply === undefined) continue; // a fault of dispatch may end the connection
      assert.is(reply.headers.get('x-content-type-options'), 'nosniff', bytes);
      for (const name of ['server', 'x-powered-by', 'uwebsockets']) assert.not.ok(reply.headers.has(name), name);
    }
  });
};

const CONNECTIONS = 20;

/** node:http: room is made by closing connections. */
const makesRoom = (check: Check, start: () => Promise<Server>): void => {
  check('at the limit, connections that sent nothing are closed first, then the longest idle', async () => {
    const server = await start();
    const reader = await RawClient.open(server.port);
    reader.send(get('/hello'));
    assert.is((await reader.reply())?.status, 200);
    const silent = await openMany(server.port, 3 * CONNECTIONS);
    await until('the oldest are closed', () => silent.filter(({ isClosed }) => isClosed).length > 2 * CONNECTIONS);
    reader.send(get('/hello'));
    assert.is((await reader.reply())?.status, 200, 'who sent a request before is still there');
    const latest = await RawClient.open(server.port);
    latest.send(get('/hello'));
    assert.is((await latest.reply())?.status, 200, 'and so is who comes now');
    assert.is(server.crowded.length, 1, 'the log says so once');
    const later: RawClient[] = [];
    // a quarter is for those who may still ask
    for (let n = 0; n < (CONNECTIONS * 3) / 4; n += 1) {
      const client = await RawClient.open(server.port);
      later.push(client);
      client.send(get('/hello'));
      assert.is((await client.reply())?.status, 200);
    }
    assert.ok(await reader.closes(), 'the longest idle is closed when few are silent');
    assert.not.ok(later.some(({ isClosed }) => isClosed));
    endAll([reader, latest, ...silent, ...later]);
    await server.stop();
  });
  check('when all are active, the address with the most connections makes room for another', async () => {
    const server = await start();
    const greedy = await openMany(server.port, CONNECTIONS);
    for (const client of greedy) client.send(get('/wait'));
    await until('all are at work', () => server.handled.length === CONNECTIONS);
    const another = await RawClient.open(server.port);
    assert.ok(await another.closes(), 'that address itself gets no more');
    const other = await RawClient.open(server.port, '127.0.0.2');
    other.send(get('/hello'));
    assert.is((await other.reply())?.status, 200);
    endAll([other, another, ...greedy]);
    await server.stop();
  });
};

const leavesTime: (check: Check, start: () => Promise<Server>) => void = (check, start) => {
  check('while others are idle, newcomers do not evict each other before sending a request', async () => {
    const server = await start();
    const resting = await openMany(server.port, CONNECTIONS);
    for (const one of resting) {
      one.send(get('/hello'));
      await one.reply();
    }
    const slow = await RawClient.open(server.port);
    const silent = await openMany(server.port, CONNECTIONS / 4 - 1);
    await until(
      'the longest idle are closed',
      () => resting.filter(({ isClosed }) => isClosed).length >= CONNECTIONS / 4,
    );
    slow.send(get('/hello'));
    assert.is((await slow.reply())?.status, 200);
    endAll([...resting, ...silent, slow]);
    await server.stop();
  });
};

/** Only node:http names it. */
const isOfNode = async (port: number): Promise<boolean> =>
  (await ask(port, get('/hello')))?.headers.has('keep-alive') === true;

/** uWebSockets.js: no connection can be closed from outside, so another engine takes the new ones. */
const changesEngine = (check: Check, start: () => Promise<Server>): void => {
  check(
    'at the limit node:http takes new connections and closes the silent ones, until the number has fallen',
    async () => {
      const server = await start();
      const reader = await RawClient.open(server.port);
      const silent = await openMany(server.port, CONNECTIONS);
      await until('the log says so', () => server.crowded.length === 1);
      await until('node:http answers', () => isOfNode(server.port).catch(() => false));
      const more = await openMany(server.port, 2 * CONNECTIONS);
      await until(
        'the oldest silent ones are closed',
        () => more.filter(({ isClosed }) => isClosed).length > CONNECTIONS,
      );
      const latest = await RawClient.open(server.port);
      latest.send(get('/hello'));
      assert.is((await latest.reply())?.status, 200);
      reader.send(get('/hello'));
      assert.is((await reader.reply())?.status, 200, 'who was there before is served');
      endAll([...silent, ...more]);
      await until('the engine listens again', async () => !(await isOfNode(server.port).catch(() => true)));
      assert.is(server.crowded.length, 1);
      endAll([reader, latest]);
      await server.stop();
    },
  );
};

for (const adapter of BACK_ENDS) {
  let server: Server;
  block(
    `limits over ${adapter.name}`,
    (check) => {
      const named: Check = Object.assign(
        (fact: string, body: () => void | Promise<void>) => check(`${adapter.name}: ${fact}`, body),
        { skip: check.skip },
      );
      plain(named, () => server);
      stalled(named, () => server);
      (adapter.name === 'node' ? makesRoom : changesEngine)(named, () =>
        startServer(adapter, { connections: CONNECTIONS }),
      );
      if (adapter.name === 'node') leavesTime(named, () => startServer(adapter, { connections: CONNECTIONS }));
    },
    {
      before: async () => {
        server = await startServer(adapter);
      },
      after: () => server.stop(),
      deadlineS: 30,
    },
  );
}
