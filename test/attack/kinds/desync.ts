// Request smuggling: requests that two HTTP parsers could split differently, each followed by a smuggled one. After a refusal nothing may be answered.
import { connect } from 'node:net';
import type { Kind, Scene } from '../kind.js';
import type { Backend, Target } from '../target.js';

/** Answered at once: uWS closes a connection whose next request arrives before the answer to the last. */
const SMUGGLED = 'GET /health/live HTTP/1.1\r\nHost: smuggled\r\n\r\n';

const post = (headers: string, body: string): string =>
  `POST /api/v1/auth/login HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n${headers}\r\n\r\n${body}`;

const chunked = (body: string): string => post('Transfer-Encoding: chunked', body);

/** All of these must be refused, on every back-end. */
const REFUSED: readonly (readonly [name: string, bytes: string])[] = [
  ['two different lengths', post('Content-Length: 2\r\nContent-Length: 5', '{}')],
  ['two different lengths, the larger one first', post('Content-Length: 5\r\nContent-Length: 2', '{}')],
  ['a list of lengths', post('Content-Length: 2, 5', '{}')],
  ['a length with a sign', post('Content-Length: +2', '{}')],
  ['a negative length', post('Content-Length: -2', '{}')],
  ['a hexadecimal length', post('Content-Length: 0x2', '{}')],
  ['a length with a space in it', post('Content-Length: 2 5', '{}')],
  ['a length of twenty digits', post('Content-Length: 18446744073709551618', '{}')],
  ['a length and chunks', post('Content-Length: 2\r\nTransfer-Encoding: chunked', '0\r\n\r\n')],
  ['chunks and a length', post('Transfer-Encoding: chunked\r\nContent-Length: 60', '0\r\n\r\n')],
  ['an unknown transfer coding', post('Transfer-Encoding: xchunked', '0\r\n\r\n')],
  ['the identity coding', post('Transfer-Encoding: identity', '')],
  ['chunked before another coding', post('Transfer-Encoding: chunked, identity', '0\r\n\r\n')],
  ['chunked with a tab before the colon', post('Transfer-Encoding\t: chunked', '0\r\n\r\n')],
  ['a space before the colon of the length', post('Content-Length : 2', '{}')],
  ['a folded header', post('Transfer-Encoding:\r\n chunked', '0\r\n\r\n')],
  ['a chunk size of no digits', chunked('g\r\n{}\r\n0\r\n\r\n')],
  ['a chunk size in C notation', chunked('0x2\r\n{}\r\n0\r\n\r\n')],
  ['a negative chunk size', chunked('-2\r\n{}\r\n0\r\n\r\n')],
  ['a chunk size beyond 64 bits', chunked('10000000000000002\r\n{}\r\n0\r\n\r\n')],
  ['a chunk longer than its size', chunked('1\r\n{}\r\n0\r\n\r\n')],
  ['a header without a colon', 'GET /health HTTP/1.1\r\nHost: x\r\nnonsense\r\n\r\n'],
  ['a NUL in a header', 'GET /health HTTP/1.1\r\nHost: x\r\nX-One: a\0b\r\n\r\n'],
  ['a bare CR in a header', 'GET /health HTTP/1.1\r\nHost: x\r\nX-One: a\rX-Two: b\r\n\r\n'],
  ['no Host', 'GET /health HTTP/1.1\r\nX-One: a\r\n\r\n'],
  ['an unknown version', 'GET /health HTTP/7.3\r\nHost: x\r\n\r\n'],
  ['a request line of garbage', 'garbage\r\n\r\n'],
];

const CHUNKED: readonly (readonly [name: string, bytes: string])[] = [
  ['a chunked body', chunked('2\r\n{}\r\n0\r\n\r\n')],
  ['a chunk with an extension', chunked('2;a=b\r\n{}\r\n0\r\n\r\n')],
];

/** uWS misreads chunk sizes, so that back-end accepts no chunked bodies: a request after one is refused like the rest. */
const refusedBy = (backend: Backend): readonly (readonly [name: string, bytes: string])[] =>
  backend === 'uws' ? [...REFUSED, ...CHUNKED] : REFUSED;

/** Well-formed requests and their answers: `{}` is not a sign-in, so 400. */
const soundBy = (backend: Backend): readonly (readonly [name: string, bytes: string, statuses: string])[] => [
  ['two plain requests', SMUGGLED + SMUGGLED, '200, 200'],
  ['a body and a request behind it', post('Content-Length: 2', '{}') + SMUGGLED, '400, 200'],
  ...CHUNKED.map(([name, bytes]): readonly [string, string, string] =>
    backend === 'uws' ? [name, bytes, '411'] : [name, bytes + SMUGGLED, '400, 200'],
  ),
];

interface Heard {
  readonly statuses: readonly number[];
  readonly isClosed: boolean;
}

/** Sends the bytes and collects answers until the connection closes or time is up. */
const hear = (target: Target, bytes: string, waitMs: number): Promise<Heard> =>
  new Promise((resolve) => {
    let text = '';
    const socket = connect({ host: '127.0.0.1', port: target.port, localAddress: '127.0.0.70' });
    const end = (isClosed: boolean): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve({ isClosed, statuses: [...text.matchAll(/HTTP\/1\.1 (\d{3})/g)].map(([, status]) => Number(status)) });
    };
    const timer = setTimeout(() => end(false), waitMs);
    socket.on('data', (chunk: Buffer) => {
      text += chunk.toString('latin1');
    });
    socket.once('close', () => end(true));
    socket.on('error', () => undefined); // a reset counts as a close
    socket.write(bytes, 'latin1');
  });

const isRefusal = ({ statuses }: Heard): boolean => statuses.length <= 1 && statuses.every((status) => status >= 400);

const said = ({ statuses, isClosed }: Heard): string =>
  `${statuses.length === 0 ? 'no answer' : `answers ${statuses.join(', ')}`}, ${isClosed ? 'closed' : 'left open'}`;

/** The idle limit of a connection is ten seconds, in steps of four. */
const CLOSE_MS = 16_000;
const HEAR_MS = 1500;

const refusals = async ({ isLarge, backend, report }: Scene, target: Target): Promise<void> => {
  const shapes = refusedBy(backend);
  report.tried.push(`${shapes.length} malformed shapes, each followed by a request`);
  const wait = isLarge ? CLOSE_MS : HEAR_MS;
  const heard = await Promise.all(shapes.map(([, bytes]) => hear(target, bytes + SMUGGLED, wait)));
  const bad = shapes.flatMap(([name], at) => {
    const one = heard[at];
    const isWrong = one === undefined || !isRefusal(one) || (isLarge && !one.isClosed);
    return isWrong ? [`${name}: ${one === undefined ? '' : said(one)}`] : [];
  });
  if (bad.length === 0) report.held.push('each was refused, and nothing after it was answered');
  report.losses.push(...bad);
};

const sound = async ({ report, backend }: Scene, target: Target): Promise<void> => {
  const shapes = soundBy(backend);
  report.tried.push(`${shapes.length} well-formed shapes`);
  const heard = await Promise.all(shapes.map(([, bytes]) => hear(target, bytes, HEAR_MS)));
  for (const [at, [name, , want]] of shapes.entries()) {
    const got = heard[at]?.statuses.join(', ') ?? '';
    report.judge(got === want, `${name}: ${want}`, `${name}: ${got === '' ? 'no answer' : got} instead of ${want}`);
  }
};

export const desync: Kind = {
  name: 'desync',
  concerns: 'socket',
  hindrance: () => null,
  run: async (scene) => {
    const target = await scene.target();
    await Promise.all([refusals(scene, target), sound(scene, target)]);
  },
};
