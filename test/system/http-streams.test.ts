// Replies that are made while they are sent, as bytes on a socket: content, framing and faults.
import { assert, block, type Check } from '../kit.js';
import { BACK_ENDS, big, textOf } from './back-end.js';
import { ask, RawClient } from './raw-client.js';
import { openStreams, type Scene } from './stream-routes.js';

const request = (method: string, path: string): string => `${method} ${path} HTTP/1.1\r\nHost: x\r\n\r\n`;
const get = (path: string): string => request('GET', path);

const framed = (check: Check, scene: () => Scene): void => {
  check('pieces of any length arrive in order, in chunks, and the connection goes on', async () => {
    const client = await RawClient.open(scene().port);
    for (const name of ['one', 'two']) {
      client.send(get(`/stream?${name}`));
      const reply = await client.reply();
      assert.ok(reply?.body.equals(Buffer.from(textOf(name))), name);
      assert.equal([reply?.status, reply?.headers.get('transfer-encoding')], [200, 'chunked']);
      assert.not.ok(reply?.headers.has('content-length'));
      assert.is(reply?.headers.get('content-type'), 'text/plain');
    }
    client.send(get('/hello'));
    assert.is((await client.reply())?.body.toString(), 'hello');
    client.end();
    const { opened: count, returned, aborted } = scene().tape('/stream');
    assert.equal([count, returned, aborted], [2, 0, 0], 'what ends by itself is not told to end');
  });
  check('an empty stream is an empty body', async () => {
    const client = await RawClient.open(scene().port);
    client.send(get('/stream/empty'));
    const reply = await client.reply();
    assert.equal([reply?.status, reply?.body.length, client.isCut], [200, 0, false]);
    client.send(get('/hello'));
    assert.is((await client.reply())?.body.toString(), 'hello');
    client.end();
  });
  check('HEAD has neither body nor length, opens nothing, and the connection goes on', async () => {
    const before = scene().tape('/stream/big').opened;
    const client = await RawClient.open(scene().port);
    client.send(request('HEAD', '/stream/big'));
    const reply = await client.reply(true);
    assert.equal([reply?.status, reply?.headers.get('content-type')], [200, 'text/plain']);
    assert.not.ok(reply?.headers.has('content-length'));
    client.send(get('/hello'));
    assert.is((await client.reply())?.body.toString(), 'hello');
    client.end();
    assert.is(scene().tape('/stream/big').opened, before);
  });
  check('many at once, each complete', async () => {
    const bigs = Array.from({ length: 4 }, () => ask(scene().port, get('/stream/big')));
    const texts = Array.from({ length: 24 }, async (_, n) => {
      const reply = await ask(scene().port, get(`/stream?text${n}`));
      assert.ok(reply?.body.equals(Buffer.from(textOf(`text${n}`))), `text${n}`);
    });
    await Promise.all(texts);
    for (const reply of await Promise.all(bigs)) assert.ok(reply?.body.equals(big));
  });
};

const faulty = (check: Check, scene: () => Scene): void => {
  check('a stream that fails in the middle ends its connection without the end of the body', async () => {
    const before = scene().faults.length;
    const client = await RawClient.open(scene().port);
    client.send(get('/stream/throws'));
    const reply = await client.reply(); // what was sent may be lost with the connection
    assert.ok(reply === undefined || client.isCut);
    assert.ok(await client.closes());
    assert.equal(scene().faults.slice(before).map(String), ['Error: the stream failed']);
    assert.is(scene().tape('/stream/throws').returned, 0);
  });
  check('a stream that fails before its first piece is answered like any error', async () => {
    const before = scene().faults.length;
    const client = await RawClient.open(scene().port);
    client.send(get('/stream/throws-at-once'));
    assert.is((await client.reply())?.status, 500);
    client.send(get('/hello'));
    assert.is((await client.reply())?.status, 200);
    client.end();
    assert.is(scene().faults.length, before + 1);
    assert.is(scene().tape('/stream/throws-at-once').returned, 0);
  });
  for (const path of ['/stream/late', '/live/late'])
    check(`a first piece that takes too long is answered with Timeout: ${path}`, async () => {
      const reply = await ask(scene().port, get(path));
      assert.equal([reply?.status, JSON.parse(reply?.body.toString() ?? '{}').error], [503, 'Timeout']);
      assert.is((scene().faults.at(-1) as { kind?: string }).kind, 'Timeout');
      const { returned, aborted } = scene().tape(path);
      assert.equal([returned, aborted], [1, 1]);
    });
  check('a later piece that takes too long ends the connection', async () => {
    const client = await RawClient.open(scene().port);
    client.send(get('/stream/stuck'));
    assert.is((await client.reply())?.body.toString(), 'begun');
    assert.ok(client.isCut);
    assert.equal([scene().tape('/stream/stuck').returned, scene().tape('/stream/stuck').aborted], [1, 1]);
  });
  check('a live stream may wait for longer than an answer may take', async () => {
    const reply = await ask(scene().port, get('/live/paused'));
    assert.is(reply?.body.toString(), 'begun again');
  });
};

/** Over HTTP/1.0, which only node:http speaks, a body ends with its connection. */
const older = (check: Check, scene: () => Scene): void => {
  const allOf = (path: string): Promise<readonly [text: string, isError: boolean]> =>
    new Promise((resolve, reject) => {
      RawClient.open(scene().port).then(({ socket }) => {
        let text = '';
        socket.setEncoding('utf8');
        socket.on('data', (bytes) => {
          text += bytes;
        });
        socket.on('error', () => resolve([text, true]));
        socket.on('end', () => resolve([text, false]));
        socket.write(`GET ${path} HTTP/1.0\r\n\r\n`);
      }, reject);
    });
  check('over HTTP/1.0 there are no chunks, and the connection ends with the body', async () => {
    const [text, isError] = await allOf('/stream?old');
    assert.ok(text.endsWith(`\r\n\r\n${textOf('old')}`));
    assert.equal([/transfer-encoding/i.test(text), isError], [false, false]);
  });
  check('over HTTP/1.0 a stream that fails is an error, not the end', async () => {
    assert.ok((await allOf('/stream/throws'))[1]);
  });
  check('streams that were asked for one after the other arrive one after the other', async () => {
    const client = await RawClient.open(scene().port);
    client.send(get('/stream?first') + get('/stream/big') + get('/stream?third') + get('/hello'));
    assert.ok((await client.reply())?.body.equals(Buffer.from(textOf('first'))));
    assert.ok((await client.reply())?.body.equals(big));
    assert.ok((await client.reply())?.body.equals(Buffer.from(textOf('third'))));
    assert.is((await client.reply())?.body.toString(), 'hello');
    client.end();
  });
};

for (const adapter of BACK_ENDS) {
  let scene: Scene;
  block(
    `streams over ${adapter.name}`,
    (check) => {
      const named: Check = Object.assign(
        (fact: string, body: () => void | Promise<void>) => check(`${adapter.name}: ${fact}`, body),
        { skip: check.skip },
      );
      for (const group of [framed, faulty]) group(named, () => scene);
      if (adapter.name === 'node') older(named, () => scene);
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
