// How streams end that do not end by themselves: clients that leave or are slow, and a server that stops.

import type { Dispatch, Request } from '../../http/server/adapter.js';
import { NodeExchange } from '../../http/server/node-request.js';
import { until } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { BACK_ENDS, big, COPY_BYTES, startServer } from './back-end.js';
import { ask, RawClient } from './raw-client.js';
import { openStreams, PIECE_BYTES, type Scene } from './stream-routes.js';

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;

const LONG_MS = 3_600_000;

const opened = (port: number, count: number): Promise<RawClient[]> =>
  Promise.all(Array.from({ length: count }, () => RawClient.open(port)));

const endAll = (clients: readonly RawClient[]): void => {
  for (const client of clients) client.end();
};

const leaving = (check: Check, scene: () => Scene): void => {
  for (const path of ['/stream/endless', '/live', '/live/endless'])
    check(`clients that leave end their streams, each once: ${path}`, async () => {
      const { opened: before } = scene().tape(path);
      const clients = await opened(scene().port, 8);
      for (const client of clients) client.send(get(path));
      await Promise.all(clients.map((client) => client.has(100)));
      endAll(clients);
      const counts = scene().tape(path);
      await until('all are ended', () => counts.returned === before + 8);
      assert.equal([counts.opened, counts.aborted], [before + 8, before + 8]);
      assert.is((await ask(scene().port, get('/hello')))?.status, 200);
      assert.is(counts.returned, before + 8);
    });
  check('a client that leaves while its first piece is made ends the stream', async () => {
    const { returned } = scene().tape('/live/late');
    const client = await RawClient.open(scene().port);
    const asked = scene().tape('/live/late').asked;
    client.send(get('/live/late'));
    await until('it is asked', () => scene().tape('/live/late').asked > asked);
    client.end();
    await until('it is ended', () => scene().tape('/live/late').returned === returned + 1);
  });
};

const slow = (check: Check, scene: () => Scene): void => {
  check('a reader who takes nothing is disconnected, and nothing is made that the socket does not take', async () => {
    const hasty = await openStreams(scene().adapter, { slowMs: 300 });
    const clients = await opened(hasty.port, 3);
    for (const client of clients) {
      client.socket.pause();
      client.send(get('/stream/endless'));
    }
    const counts = hasty.tape('/stream/endless');
    await until('all are ended', () => counts.returned === 3);
    assert.ok(counts.asked * PIECE_BYTES < 3 * COPY_BYTES, `${counts.asked} pieces were made`);
    assert.is(counts.aborted, 3);
    endAll(clients);
    await hasty.stop();
  });
  check('pieces that slow readers hold have a budget', async () => {
    const tight = await openStreams(scene().adapter, { answersBytes: COPY_BYTES / 2 });
    const clients = await opened(tight.port, 4);
    for (const client of clients) {
      client.socket.pause();
      client.send(get('/stream/copy'));
    }
    const counts = tight.tape('/stream/copy');
    await until('three are ended', () => counts.returned === 3);
    for (const client of clients) client.socket.resume();
    await until('all came to an end', () =>
      clients.every((client) => client.isClosed || client.receivedBytes > COPY_BYTES),
    );
    assert.is(clients.filter((client) => client.receivedBytes > COPY_BYTES).length, 1);
    endAll(clients);
    await tight.stop();
  });
  check('a reader who is slow gets every byte', async () => {
    const client = await RawClient.open(scene().port);
    client.send(get('/stream/big'));
    const throttle = setInterval(() => {
      client.socket.pause();
      setTimeout(() => client.socket.resume(), 5);
    }, 10);
    const reply = await client.reply(false, 20_000);
    clearInterval(throttle);
    client.end();
    assert.ok(reply?.body.equals(big));
  });
};

const stopping = (check: Check, scene: () => Scene): void => {
  check('stopping ends live streams at once, whoever reads them, and waits for no one', async () => {
    const server = await openStreams(scene().adapter);
    const [reader, ...stalled] = await opened(server.port, 3);
    reader?.send(get('/live'));
    for (const client of stalled) {
      client.socket.pause();
      client.send(get('/live/endless'));
    }
    const endless = server.tape('/live/endless');
    await until('all have begun', () => server.tape('/live').asked === 2 && endless.opened === 2);
    let asked = -1;
    await until('the sockets take no more', () => {
      const isSame = asked === endless.asked;
      asked = endless.asked;
      return isSame && asked > 10;
    });
    await server.listening.stop(LONG_MS);
    assert.equal([(await reader?.reply())?.body.toString(), reader?.isCut], ['begun', false]);
    assert.ok(await reader?.closes());
    assert.equal([server.tape('/live').returned, endless.returned], [1, 2]);
    endAll([...stalled]);
  });
  check('stopping lets other streams finish', async () => {
    const server = await openStreams(scene().adapter);
    const reader = await RawClient.open(server.port);
    reader.send(get('/stream/big'));
    await until('it has begun', () => server.tape('/stream/big').asked > 1);
    const stopped = server.listening.stop(LONG_MS);
    assert.ok((await reader.reply())?.body.equals(big));
    await stopped;
    assert.is(server.tape('/stream/big').returned, 0);
    reader.end();
  });
  check('stopping ends streams that are not over in time', async () => {
    const server = await openStreams(scene().adapter);
    const reader = await RawClient.open(server.port);
    reader.socket.pause();
    reader.send(get('/stream/endless'));
    await until('it has begun', () => server.tape('/stream/endless').asked > 1);
    await server.listening.stop(100);
    await until('it is ended', () => server.tape('/stream/endless').returned === 1);
    reader.end();
  });
};

/** node:http takes a further request while it keeps the rest of an answer. */
const queued = (check: Check, scene: () => Scene): void => {
  check('stopping lets a client read what was handed over before', async () => {
    const PAGE_BYTES = 900_000;
    let latest: Request | undefined;
    const wrap =
      (dispatch: Dispatch): Dispatch =>
      (request) => {
        latest = request;
        return dispatch(request);
      };
    const server = await startServer(scene().adapter, {}, { wrap });
    const client = await RawClient.open(server.port);
    client.socket.pause();
    const isSent = (): boolean => latest instanceof NodeExchange && latest.response.writableFinished;
    let whole = 0;
    do {
      client.send(`GET /part?${PAGE_BYTES} HTTP/1.1\r\nHost: x\r\nX-One: hot\r\n\r\n`);
      whole += 1;
      await until('it is handled', () => server.handled.length === whole);
      for (let turn = 0; turn < 200 && !isSent(); turn += 1) await new Promise((resolve) => setImmediate(resolve));
    } while (isSent()); // until the system takes no more
    const stopped = server.listening.stop(LONG_MS);
    client.socket.resume();
    await stopped;
    await client.closes();
    assert.ok(client.receivedBytes >= whole * PAGE_BYTES, `${client.receivedBytes} of ${whole} pages`);
    client.end();
  });
  check('a stream behind another one ends with its connection', async () => {
    const server = await openStreams(scene().adapter);
    const client = await RawClient.open(server.port);
    client.send(get('/live') + get('/live/endless'));
    await until('both have begun', () => server.tape('/live').opened + server.tape('/live/endless').asked > 1);
    client.end();
    await until('both are ended', () => server.tape('/live').returned + server.tape('/live/endless').returned === 2);
    await server.stop();
  });
};

/** uWebSockets.js closes a connection whose next request comes before the answer is over. */
const newer = (check: Check, scene: () => Scene): void => {
  check('a request that comes before the stream is over ends the stream and its connection', async () => {
    const { returned } = scene().tape('/live');
    const client = await RawClient.open(scene().port);
    client.send(get('/live'));
    await client.has(100);
    client.send(get('/hello'));
    assert.ok(await client.closes());
    await until('it is ended', () => scene().tape('/live').returned === returned + 1);
    client.end();
  });
};

for (const adapter of BACK_ENDS) {
  let scene: Scene;
  block(
    `ends of streams over ${adapter.name}`,
    (check) => {
      const named: Check = Object.assign(
        (fact: string, body: () => void | Promise<void>) => check(`${adapter.name}: ${fact}`, body),
        { skip: check.skip },
      );
      for (const group of [leaving, slow, stopping]) group(named, () => scene);
      (adapter.name === 'uws' ? newer : queued)(named, () => scene);
    },
    {
      before: async () => {
        scene = await openStreams(adapter);
      },
      after: () => scene.stop(),
      deadlineS: 30,
    },
  );
}
