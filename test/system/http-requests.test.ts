// Requests as bytes on a socket, whole, in pieces, malformed and oversized: the same facts for every back-end that loads.
import { until } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { BACK_ENDS, BODY_LIMIT, type Server, SMALL_LIMIT, startServer } from './back-end.js';
import { ask, RawClient } from './raw-client.js';

const get = (path: string, headers = ''): string => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`;

/** Sends the two halves as two segments. */
const inHalves = async (port: number, bytes: string, at: number): Promise<number> => {
  const client = await RawClient.open(port);
  try {
    client.send(bytes.slice(0, at));
    await new Promise((resolve) => setTimeout(resolve, 2));
    client.send(bytes.slice(at));
    return (await client.reply())?.status ?? 0;
  } finally {
    client.end();
  }
};

/** A head that promises a body, without a byte of it. */
const promise = (path: string, length: number, headers = ''): string =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: ${length}\r\n${headers}\r\n`;

const admitted = (check: Check, name: string, server: () => Server): void => {
  const refusedAtOnce = async (head: string): Promise<number | undefined> => {
    const client = await RawClient.open(server().port);
    try {
      client.send(head);
      const status = (await client.reply())?.status;
      assert.ok(await client.closes(), 'the connection ends');
      return status;
    } finally {
      client.end();
    }
  };
  check(`${name}: a body is refused before any of it has arrived`, async () => {
    assert.is(await refusedAtOnce(promise('/small', SMALL_LIMIT + 1)), 413);
    assert.is(await refusedAtOnce(promise('/private', 10)), 401);
    assert.is(await refusedAtOnce(promise('/echo', BODY_LIMIT + 1)), 413);
    assert.equal(
      server().handled.filter((one) => one === 'POST /small' || one === 'POST /private'),
      [],
    );
  });
  check(`${name}: a body that is admitted a turn later arrives complete, in one piece or in many`, async () => {
    const bytes = `${promise('/asked', 6)}abcdef`;
    assert.is((await ask(server().port, bytes))?.status, 404);
    for (const at of [20, bytes.length - 6, bytes.length - 3]) assert.is(await inHalves(server().port, bytes, at), 404);
  });
  check(`${name}: bodies that never end share one budget, and a client who exceeds it is told to retry`, async () => {
    const tight = await startServer(server().adapter, { bodiesBytes: 4 * BODY_LIMIT });
    const half = `${promise('/echo', BODY_LIMIT)}${'b'.repeat(BODY_LIMIT - 1)}`;
    const clients = await Promise.all(Array.from({ length: 10 }, () => RawClient.open(tight.port)));
    for (const client of clients) client.send(half);
    await until('six are refused', () => clients.filter(({ receivedBytes }) => receivedBytes > 0).length >= 6);
    const replies = await Promise.all(
      clients.filter(({ receivedBytes }) => receivedBytes > 0).map((client) => client.reply()),
    );
    assert.equal(new Set(replies.map((reply) => reply?.status)), new Set([503]));
    assert.is(tight.faults.length, replies.length, 'each has a line in the log');
    for (const client of clients) client.end();
    await until(
      'the budget is free again',
      async () => (await ask(tight.port, `${promise('/echo', BODY_LIMIT)}${'b'.repeat(BODY_LIMIT)}`))?.status === 200,
    );
    await tight.stop();
  });
  check(`${name}: files that never end have a budget of their own`, async () => {
    const tight = await startServer(server().adapter, { bodiesBytes: 4 * BODY_LIMIT, uploadsBytes: 2 * BODY_LIMIT });
    const half = `${promise('/file', BODY_LIMIT)}${'b'.repeat(BODY_LIMIT - 1)}`;
    const clients = await Promise.all(Array.from({ length: 5 }, () => RawClient.open(tight.port)));
    for (const client of clients) client.send(half);
    await until('three are refused', () => clients.filter(({ receivedBytes }) => receivedBytes > 0).length >= 3);
    const whole = `${promise('/echo', BODY_LIMIT)}${'b'.repeat(BODY_LIMIT)}`;
    const others = await Promise.all(Array.from({ length: 3 }, () => ask(tight.port, whole)));
    assert.equal(
      others.map((answer) => answer?.status),
      [200, 200, 200],
    );
    for (const client of clients) client.end();
    await tight.stop();
  });
  check(`${name}: bodies without a login leave half of the budget to those with one`, async () => {
    const tight = await startServer(server().adapter, { bodiesBytes: 4 * BODY_LIMIT });
    const half = `${promise('/guest', BODY_LIMIT)}${'b'.repeat(BODY_LIMIT - 1)}`;
    const clients = await Promise.all(Array.from({ length: 10 }, () => RawClient.open(tight.port)));
    for (const client of clients) client.send(half);
    await until('eight are refused', () => clients.filter(({ receivedBytes }) => receivedBytes > 0).length >= 8);
    const whole = (path: string): string => `${promise(path, BODY_LIMIT)}${'b'.repeat(BODY_LIMIT)}`;
    assert.is((await ask(tight.port, whole('/echo')))?.status, 200);
    assert.is((await ask(tight.port, whole('/guest')))?.status, 503);
    for (const client of clients) client.end();
    await tight.stop();
  });
};

const bodies = (check: Check, name: string, server: () => Server): void => {
  check(`${name}: a body of the maximum size arrives, one byte more is 413`, async () => {
    const post = (size: number): string =>
      `POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n${'b'.repeat(size)}`;
    assert.is((await ask(server().port, post(BODY_LIMIT)))?.body.length, `POST   ${'b'.repeat(BODY_LIMIT)}`.length);
    const refused = await ask(server().port, post(BODY_LIMIT + 1));
    assert.equal([refused?.status, JSON.parse(refused?.body.toString() ?? '{}').error], [413, 'PayloadTooLarge']);
  });
  const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
  const chunked = 'POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
  if (name === 'node') {
    check(`${name}: a chunked body arrives, in any pieces, and one that is too large is 413`, async () => {
      const bytes = `${chunked}${chunk('abc')}${chunk('de')}0\r\n\r\n`;
      assert.is((await ask(server().port, bytes))?.body.toString(), 'POST   abcde');
      const cuts = Array.from({ length: bytes.length - 1 }, (_, index) => index + 1);
      const statuses = await Promise.all(cuts.map((at) => inHalves(server().port, bytes, at)));
      assert.ok(statuses.every((status) => status === 200));
      const large = chunk('x'.repeat(40_000));
      assert.is((await ask(server().port, `${chunked}${large}${large}0\r\n\r\n`))?.status, 413);
    });
  } else {
    check(`${name}: a chunked body is 411, since this engine misreads chunk sizes`, async () => {
      const reply = await ask(server().port, `${chunked}${chunk('abc')}0\r\n\r\n`);
      assert.equal([reply?.status, JSON.parse(reply?.body.toString() ?? '{}').error], [411, 'LengthRequired']);
    });
  }
  admitted(check, name, server);
  check(`${name}: Expect: 100-continue is answered and the body taken`, async () => {
    const client = await RawClient.open(server().port);
    client.send('POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n');
    assert.is((await client.reply())?.status, 100);
    client.send('ok');
    assert.is((await client.reply())?.body.toString(), 'POST   ok');
    client.end();
  });
};

const whole = (check: Check, name: string, server: () => Server): void => {
  check(`${name}: a request cut in two at any byte is understood`, async () => {
    const bytes = 'GET /echo?a=1 HTTP/1.1\r\nHost: x\r\nX-One: two words\r\nAccept: */*\r\n\r\n';
    const cuts = Array.from({ length: bytes.length - 1 }, (_, index) => index + 1);
    const statuses = await Promise.all(cuts.map((at) => inHalves(server().port, bytes, at)));
    assert.equal(
      cuts.filter((_, index) => statuses[index] !== 200),
      [],
    );
  });
  check(`${name}: two requests in one segment get two answers in order`, async () => {
    const client = await RawClient.open(server().port);
    client.send(get('/hello') + get('/echo?second'));
    assert.is((await client.reply())?.body.toString(), 'hello');
    assert.is((await client.reply())?.body.toString(), 'GET second  ');
    client.end();
  });
  check(`${name}: a connection serves one request after the other, slow and fast`, async () => {
    const client = await RawClient.open(server().port);
    for (const [path, want] of [
      ['/hello', 'hello'],
      ['/later', 'later'],
      ['/hello', 'hello'],
    ] as const) {
      client.send(get(path));
      assert.is((await client.reply())?.body.toString(), want);
    }
    client.end();
  });
  check(`${name}: header names are found in any case, repeated headers are joined`, async () => {
    const reply = await ask(server().port, get('/echo', 'X-ONE: a\r\nx-one: b\r\n'));
    assert.is(reply?.body.toString(), 'GET  a, b ');
  });
  check(`${name}: an empty header is another thing than none`, async () => {
    assert.is((await ask(server().port, get('/has', 'X-One:\r\n')))?.body.toString(), 'true false');
  });
  check(
    `${name}: a client that half-closes gets its answer or a closed connection, and no one else notices`,
    async () => {
      const client = await RawClient.open(server().port);
      client.send(get('/hello'));
      client.socket.end();
      const reply = await client.reply();
      assert.ok(reply === undefined || reply.status === 200);
      client.end();
      assert.is((await ask(server().port, get('/hello')))?.status, 200);
    },
  );
};

for (const adapter of BACK_ENDS) {
  let server: Server;
  block(
    `requests over ${adapter.name}`,
    (check) => {
      bodies(check, adapter.name, () => server);
      whole(check, adapter.name, () => server);
      check(`${adapter.name}: no fault was reported`, () => assert.equal(server.faults, []));
    },
    {
      before: async () => {
        server = await startServer(adapter);
      },
      after: () => server.stop(),
      deadlineS: 20,
    },
  );
}
