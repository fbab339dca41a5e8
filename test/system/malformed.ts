// Requests that servers and proxies may read in two ways, or that are no HTTP/1.1, and what each back-end makes of them.
import { Buffer } from 'node:buffer';

/**
 * A number is a status of our own, in the shape of the surface; of a refusal it is followed by the end of the connection. Anything else is
 * what the engine does by itself: a status as text, `closed` for the end without an answer, `ignored` for the end ten seconds later.
 */
export type Outcome = number | '400' | '431' | 'closed' | 'ignored';

export interface Shape {
  readonly what: string;
  readonly bytes: string | Uint8Array;
  readonly uws: Outcome;
  readonly node: Outcome;
  /** With the parser of Node 22.23, 24.21 and later (llhttp 9.4), where it does something else. */
  readonly newerNode?: Outcome;
}

const [llhttp, minor] = (process.versions.llhttp ?? '').split('.').map(Number);
const isNewer = (llhttp ?? 0) > 9 || (llhttp === 9 && (minor ?? 0) >= 4);

/** What the running back-end makes of it. */
export const outcomeAt = (shape: Shape, name: 'uws' | 'node'): Outcome =>
  name === 'node' && isNewer ? (shape.newerNode ?? shape.node) : shape[name];

const HOST = 'Host: x\r\n';
const get = (headers: string): string => `GET /hello HTTP/1.1\r\n${HOST}${headers}\r\n`;
const post = (headers: string, body = ''): string => `POST /echo HTTP/1.1\r\n${HOST}${headers}\r\n${body}`;
const many = (count: number): string => Array.from({ length: count }, (_, n) => `X-${n}: a\r\n`).join('');
const shape = (what: string, bytes: string | Uint8Array, uws: Outcome, node: Outcome): Shape => ({
  what,
  bytes,
  uws,
  node,
});

const LENGTHS: readonly Shape[] = [
  shape('two different lengths', post('Content-Length: 3\r\nContent-Length: 5\r\n', 'abcde'), 400, '400'),
  shape('two equal lengths', post('Content-Length: 3\r\nContent-Length: 3\r\n', 'abc'), 400, '400'),
  shape('a length of nothing before another', get('Content-Length: 0\r\nContent-Length: 50\r\n'), 400, '400'),
  shape('a list of lengths', post('Content-Length: 3, 3\r\n', 'abc'), 'closed', '400'),
  shape('a length with a sign', post('Content-Length: +3\r\n', 'abc'), 'closed', '400'),
  shape('a negative length', post('Content-Length: -1\r\n'), 'closed', '400'),
  shape('a length in hexadecimal', post('Content-Length: 0x3\r\n', 'abc'), 'closed', '400'),
  shape('a length that is no number', post('Content-Length: abc\r\n'), 'closed', '400'),
  shape('a length beyond all numbers', post('Content-Length: 99999999999999999999999\r\n'), 'closed', '400'),
  shape('an empty length', post('Content-Length: \r\n'), 400, '400'),
  shape('a space before the colon of a length', post('Content-Length : 3\r\n', 'abc'), 'ignored', '400'),
];

const CODINGS: readonly Shape[] = [
  shape(
    'a length beside chunks',
    post('Content-Length: 3\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n'),
    'closed',
    '400',
  ),
  shape(
    'chunks beside a length',
    post('Transfer-Encoding: chunked\r\nContent-Length: 3\r\n', '0\r\n\r\n'),
    'closed',
    '400',
  ),
  shape('the coding identity', post('Transfer-Encoding: identity\r\n'), 411, 400),
  shape('the coding gzip, chunked', post('Transfer-Encoding: gzip, chunked\r\n', '0\r\n\r\n'), 411, 400),
  shape('the coding chunked, identity', post('Transfer-Encoding: chunked, identity\r\n', '0\r\n\r\n'), 411, '400'),
  shape('the coding xchunked', post('Transfer-Encoding: xchunked\r\n', '0\r\n\r\n'), 411, 400),
  { ...shape('an empty coding', post('Transfer-Encoding:\r\n'), 411, 400), newerNode: '400' },
  shape(
    'two codings in two headers',
    post('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n', '0\r\n\r\n'),
    400,
    '400',
  ),
  shape('a space before the colon of a coding', post('Transfer-Encoding : chunked\r\n', '0\r\n\r\n'), 'ignored', '400'),
  shape('a coding on the next line', post('Transfer-Encoding:\r\n chunked\r\n', '0\r\n\r\n'), 'ignored', '400'),
  shape('a chunk size that is no number', post('Transfer-Encoding: chunked\r\n', 'g\r\nabc\r\n0\r\n\r\n'), 411, '400'),
  shape('a chunk size with a sign', post('Transfer-Encoding: chunked\r\n', '+3\r\nabc\r\n0\r\n\r\n'), 'closed', '400'),
  shape(
    'a chunk size beyond all numbers',
    post('Transfer-Encoding: chunked\r\n', 'fffffffffffffffff\r\nabc\r\n'),
    'closed',
    '400',
  ),
  shape('a chunk longer than its size', post('Transfer-Encoding: chunked\r\n', '3\r\nabcdef\r\n0\r\n\r\n'), 411, '400'),
  shape('chunks of HTTP/1.0', 'POST /echo HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n', 'ignored', 400),
];

const HEADERS: readonly Shape[] = [
  shape('two hosts', get('Host: y\r\n'), 400, 400),
  shape('two credentials', get('Authorization: Bearer a\r\nAuthorization: Bearer b\r\n'), 400, 400),
  shape('no host', 'GET /hello HTTP/1.1\r\nX-One: a\r\n\r\n', 'closed', 400),
  shape('no header at all', 'GET /hello HTTP/1.1\r\n\r\n', 'ignored', 400),
  shape('a folded header', get('X-One: b\r\n c: d\r\n'), 'ignored', '400'),
  shape('a header folded with a tab', get('X-One: b\r\n\tContent-Length: 5\r\n'), 'ignored', '400'),
  shape('a first header that is folded', 'GET /hello HTTP/1.1\r\n Host: x\r\n\r\n', 'ignored', '400'),
  shape('a header without a colon', get('nonsense\r\n'), 'ignored', '400'),
  shape('brackets in a header name', get('X(One): b\r\n'), 'ignored', '400'),
  shape('a space in a header name', get('X One: b\r\n'), 'ignored', '400'),
  shape('a NUL in a header name', get('X\0: b\r\n'), 'ignored', '400'),
  shape('a NUL in a header', get('X-One: a\0b\r\n'), 'ignored', '400'),
  shape('a bare CR in a header', get('X-One: a\rX-Two: b\r\n'), 'ignored', '400'),
  shape('a bare LF in a header', get('X-One: a\nX-Two: b\r\n'), 'ignored', '400'),
  shape('lines that end in LF', 'GET /hello HTTP/1.1\nHost: x\n\n', 'ignored', '400'),
];

const LINES: readonly Shape[] = [
  shape('garbage', 'garbage\r\n\r\n', 'ignored', '400'),
  shape('NULs', '\0\0\0\0\r\n\r\n', 'ignored', '400'),
  shape('the start of TLS', Buffer.from([0x16, 3, 1, 0, 0xa5, 1, 0, 0, 0xa1, 3, 3]), 'ignored', '400'),
  shape('the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'ignored', '400'),
  shape('no version', 'GET /hello\r\n\r\n', 'ignored', 400),
  shape('HTTP/1.2', `GET /hello HTTP/1.2\r\n${HOST}\r\n`, 'ignored', '400'),
  shape('HTTP/2.0', `GET /hello HTTP/2.0\r\n${HOST}\r\n`, 'ignored', 400),
  shape('an unknown method', `BREW /hello HTTP/1.1\r\n${HOST}\r\n`, 'closed', '400'),
  shape('a method in lower case', `get /hello HTTP/1.1\r\n${HOST}\r\n`, 'closed', '400'),
  shape('the method CONNECT', `CONNECT x:80 HTTP/1.1\r\n${HOST}\r\n`, 'ignored', 'closed'),
  shape('an address with its host', `GET http://x/hello HTTP/1.1\r\n${HOST}\r\n`, 'ignored', 400),
  shape('the address *', `OPTIONS * HTTP/1.1\r\n${HOST}\r\n`, 'ignored', 400),
  shape('an address without a slash', `GET hello HTTP/1.1\r\n${HOST}\r\n`, 'ignored', '400'),
  shape('a space in the address', `GET /hel lo HTTP/1.1\r\n${HOST}\r\n`, 'ignored', '400'),
  shape('a NUL in the address', `GET /hel\0lo HTTP/1.1\r\n${HOST}\r\n`, 'ignored', '400'),
  shape('tabs in the first line', `GET\t/hello\tHTTP/1.1\r\n${HOST}\r\n`, 'ignored', '400'),
  shape('a space after the version', `GET /hello HTTP/1.1 \r\n${HOST}\r\n`, 'ignored', '400'),
];

/** Refused by both, one way or another: nothing behind them is ever read as a request. */
export const REFUSED: readonly Shape[] = [...LENGTHS, ...CODINGS, ...HEADERS, ...LINES];

/** Taken by one back-end and refused by the other; each answer is followed by the next request. */
export const TAKEN: readonly Shape[] = [
  shape('a GET with a body', `GET /echo HTTP/1.1\r\n${HOST}Content-Length: 3\r\n\r\nabc`, 200, 200),
  shape('escapes that are none', `GET /%zz%00%ff HTTP/1.1\r\n${HOST}\r\n`, 404, 404),
  shape('bytes that are not ASCII', Buffer.from(`GET /\xff\xfe HTTP/1.1\r\n${HOST}\r\n`, 'latin1'), 404, '400'),
  shape('an unknown expectation', post('Content-Length: 2\r\nExpect: banana\r\n', 'ok'), 200, 200),
  shape('an upgrade that is not on offer', get('Connection: Upgrade\r\nUpgrade: websocket\r\n'), 200, 200),
  shape('an empty line before the request', `\r\n${get('')}`, 'ignored', 200),
  shape('two spaces before the address', `GET  /hello HTTP/1.1\r\n${HOST}\r\n`, 'ignored', 200),
  shape('a header name with an underscore', get('x_one: b\r\n'), 'ignored', 200),
  shape('a header name with a dot', get('x.one: b\r\n'), 'ignored', 200),
  shape('47 headers', get(many(46)), 200, 200),
  shape('60 headers', get(many(59)), 'ignored', 200),
  shape('a header of 15 kB', get(`X-Long: ${'a'.repeat(15_000)}\r\n`), 200, 200),
  shape('a header of 64 kB', get(`X-Long: ${'a'.repeat(65_536)}\r\n`), 200, '431'),
  shape('an address of 64 kB', `GET /${'a'.repeat(65_536)} HTTP/1.1\r\n${HOST}\r\n`, 404, '431'),
  shape('a header without a name', get(': b\r\n'), 200, '400'),
  shape('HTTP/1.0', 'GET /hello HTTP/1.0\r\n\r\n', 'ignored', 200),
  shape('a chunked body', post('Transfer-Encoding: chunked\r\n', '3\r\nabc\r\n0\r\n\r\n'), 411, 200),
  shape('a chunk with an extension', post('Transfer-Encoding: chunked\r\n', '3;a=b\r\nabc\r\n0\r\n\r\n'), 411, 200),
];
