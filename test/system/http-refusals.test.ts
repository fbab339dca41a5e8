// Every refusal of our own is in the shape of the surface that has the address, whatever refuses: bodies, headers, limits, faults, streams.
import type { Refuse } from '../../http/server/adapter.js';
import { errorReply, type Refusing } from '../../http/surface/errors.js';
import { assert, block, type Check } from '../kit.js';
import { BACK_ENDS, BODY_LIMIT, type Routes, type Server, SMALL_LIMIT, startServer } from './back-end.js';
import { ask, RawClient } from './raw-client.js';

/** Below this prefix errors are XML; everywhere else they are the envelope. */
const PREFIX = '/xml';
const TYPE = 'application/xml; charset=utf-8';

const XML: Refusing = {
  errorView: ({ word }) => ({ type: TYPE, text: `<error>${word}</error>` }),
  credentials: { ways: [], challenge: null },
};

const refuse: Refuse = (thrown, path) => (path.startsWith(PREFIX) ? errorReply(thrown, XML) : errorReply(thrown));

async function* failing(): AsyncGenerator<string> {
  yield '';
  throw new Error('the stream failed at once');
}

const faulty: Routes = {
  '/throw': () => {
    throw new Error('dispatch must not throw');
  },
  '/reject': () => Promise.reject(new Error('dispatch must not reject')),
  '/late': () => new Promise(() => undefined),
  '/stream': () => ({ status: 200, headers: [], body: { kind: 'stream', open: failing, isLive: false } }),
};
/** Each address twice. */
const routes: Routes = Object.fromEntries(
  Object.entries(faulty).flatMap(([path, run]) => [path, PREFIX + path].map((one) => [one, run])),
);

const HOST = 'Host: x\r\n';
const get = (path: string): string => `GET ${path}?a=b HTTP/1.1\r\n${HOST}\r\n`;
const post = (path: string, headers: string, body = ''): string =>
  `POST ${path} HTTP/1.1\r\n${HOST}${headers}\r\n${body}`;
const long = 'a'.repeat(SMALL_LIMIT);

interface Case {
  readonly what: string;
  readonly bytes: (prefix: string) => string;
  readonly status: number;
  readonly word: string;
  /** The one back-end where our own code refuses it; on the other the engine does, or it is taken. */
  readonly only?: 'uws' | 'node';
}

const CASES: readonly Case[] = [
  {
    what: 'a body that is announced as too large',
    bytes: (prefix) => post(`${prefix}/a`, `Content-Length: ${BODY_LIMIT + 1}\r\n`),
    status: 413,
    word: 'PayloadTooLarge',
  },
  {
    what: 'a body in chunks that becomes too large',
    bytes: (prefix) =>
      post(
        `${prefix}/a`,
        'Transfer-Encoding: chunked\r\n',
        `${SMALL_LIMIT.toString(16)}\r\n${long}\r\n`.repeat(BODY_LIMIT / SMALL_LIMIT + 1),
      ),
    status: 413,
    word: 'PayloadTooLarge',
    only: 'node',
  },
  {
    what: 'a body without a length',
    bytes: (prefix) => post(`${prefix}/a`, 'Transfer-Encoding: chunked\r\n', '0\r\n\r\n'),
    status: 411,
    word: 'LengthRequired',
    only: 'uws',
  },
  {
    what: 'a repeated header',
    bytes: (prefix) => post(`${prefix}/a`, 'Host: y\r\n'),
    status: 400,
    word: 'BadRequest',
  },
  {
    what: 'a host that is missing',
    bytes: (prefix) => `GET ${prefix}/a HTTP/1.1\r\nX-One: a\r\n\r\n`,
    status: 400,
    word: 'BadRequest',
    only: 'node',
  },
  {
    what: 'a dispatch that throws',
    bytes: (prefix) => get(`${prefix}/throw`),
    status: 500,
    word: 'InternalServerError',
  },
  {
    what: 'a dispatch that rejects',
    bytes: (prefix) => get(`${prefix}/reject`),
    status: 500,
    word: 'InternalServerError',
  },
  { what: 'a dispatch that takes too long', bytes: (prefix) => get(`${prefix}/late`), status: 503, word: 'Timeout' },
  {
    what: 'a stream that fails before its first piece',
    bytes: (prefix) => get(`${prefix}/stream`),
    status: 500,
    word: 'InternalServerError',
  },
];

const bodyOf = (prefix: string, word: string): string => (prefix === '' ? word : `<error>${word}</error>`);

const shaped = (check: Check, name: 'uws' | 'node', server: () => Server): void => {
  for (const { what, bytes, status, word, only } of CASES) {
    if (only !== undefined && only !== name) continue;
    for (const prefix of ['', PREFIX])
      check(`${name}: ${what}, ${prefix === '' ? 'beside' : 'below'} the prefix`, async () => {
        const reply = await ask(server().port, bytes(prefix));
        assert.is(reply?.status, status);
        assert.is(reply?.headers.get('content-type'), prefix === '' ? 'application/json; charset=utf-8' : TYPE);
        const text = reply?.body.toString() ?? '';
        assert.is(prefix === '' ? JSON.parse(text).error : text, bodyOf(prefix, word));
      });
  }
  check(`${name}: one body more than all may have, below the prefix`, async () => {
    const tight = await startServer(server().adapter, { bodiesBytes: SMALL_LIMIT }, { refuse });
    const client = await RawClient.open(tight.port);
    client.send(post(`${PREFIX}/a`, `Content-Length: ${BODY_LIMIT}\r\n`, long.repeat(2)));
    const reply = await client.reply();
    assert.equal([reply?.status, reply?.body.toString()], [503, '<error>Overloaded</error>']);
    client.end();
    await tight.stop();
  });
};

for (const adapter of BACK_ENDS) {
  let server: Server;
  block(`refusals over ${adapter.name}`, (check) => shaped(check, adapter.name, () => server), {
    before: async () => {
      server = await startServer(adapter, {}, { routes, refuse });
    },
    after: () => server.stop(),
    deadlineS: 30,
  });
}
