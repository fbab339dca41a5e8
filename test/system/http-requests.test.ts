// Requests as bytes on a socket, whole, in pieces, malformed and oversized: the same facts for every back-end that loads.
import { assert, block, type Check } from '../kit.js';
import { BACK_ENDS, BODY_LIMIT, type Server, startServer } from './back-end.js';
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

/** No answer: uWS drops what it cannot parse and ends the connection at its idle limit of ten seconds. */
const SILENT = -1;
const SILENCE_MS = 300;

const statusOf = async (port: number, bytes: string): Promise<number> => {
  const client = await RawClient.open(port);
  try {
    client.send(bytes);
    const reply = await client.reply(false, SILENCE_MS).catch(() => null); // nothing came in time
    return reply === null ? SILENT : (reply?.status ?? 0);
  } finally {
    client.end();
  }
};

const inWords = (status: number): string =>
  status === SILENT ? 'silence' : status === 0 ? 'a closed connection' : String(status);

const malformed = (check: Check, name: string, server: () => Server): void => {
  /** What may come instead of an answer: 0 stands for a closed connection. */
  const cases: readonly (readonly [what: string, bytes: string, accepted: readonly number[]])[] = [
    ['a request line of garbage', 'garbage\r\n\r\n', [400, 505, SILENT, 0]],
    // node takes this for the oldest form of HTTP.
    ['a missing version', 'GET /hello\r\n\r\n', [200, 400, 505, SILENT, 0]],
    ['a header without a colon', 'GET /hello HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n', [400, SILENT, 0]],
    [
      'two different Content-Length headers',
      'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\nabcde',
      [400],
    ],
    [
      'two equal Content-Length headers',
      'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc',
      [400],
    ],
    ['a Content-Length that is no number', 'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: abc\r\n\r\n', [400, 0]],
    ['a negative Content-Length', 'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n', [400, 0]],
    [
      'Content-Length beside Transfer-Encoding',
      'POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      [400, 0],
    ],
    ['a header block of 64 kB', get('/hello', `X-Long: ${'a'.repeat(65_536)}\r\n`), [200, 431, 400, 505, 0]],
    // uWS speaks HTTP/1.1 only; node answers HTTP/1.0.
    ['HTTP/1.0', 'GET /hello HTTP/1.0\r\n\r\n', [200, 505, SILENT, 0]],
    ['a NUL in a header', 'GET /hello HTTP/1.1\r\nHost: x\r\nX-One: a\0b\r\n\r\n', [200, 400, SILENT, 0]],
    ['a bare CR in a header', 'GET /hello HTTP/1.1\r\nHost: x\r\nX-One: a\rX-Two: b\r\n\r\n', [200, 400, SILENT, 0]],
  ];
  for (const [what, bytes, accepted] of cases) {
    check(`${name}: ${what} gives ${accepted.map(inWords).join(' or ')}, and the server lives`, async () => {
      const status = await statusOf(server().port, bytes);
      assert.ok(accepted.includes(status), `got ${inWords(status)}`);
      assert.is((await ask(server().port, get('/hello')))?.status, 200);
    });
  }
};

const bodies = (check: Check, name: string, server: () => Server): void => {
  check(`${name}: a body of the greatest size arrives, one byte more is 413`, async () => {
    const post = (size: number): string =>
      `POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n${'b'.repeat(size)}`;
    assert.is((await ask(server().port, post(BODY_LIMIT)))?.body.length, `POST   ${'b'.repeat(BODY_LIMIT)}`.length);
    const refused = await ask(server().port, post(BODY_LIMIT + 1));
    assert.equal([refused?.status, JSON.parse(refused?.body.toString() ?? '{}').error], [413, 'PayloadTooLarge']);
  });
  check(`${name}: a chunked body arrives, a chunked one that is too large is 413 or ends the connection`, async () => {
    const chunk = (text: string): string => `${text.length.toString(16)}\r\n${text}\r\n`;
    const head = 'POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n';
    assert.is(
      (await ask(server().port, `${head}${chunk('abc')}${chunk('de')}0\r\n\r\n`))?.body.toString(),
      'POST   abcde',
    );
    const large = await ask(server().port, `${head}${chunk('x'.repeat(40_000))}${chunk('x'.repeat(40_000))}0\r\n\r\n`);
    assert.ok(large === undefined || large.status === 413, `got ${large?.status}`);
  });
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
  check(
    `${name}: a client that closes its half gets its answer or a closed connection, and nobody else notices`,
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
      malformed(check, adapter.name, () => server);
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
