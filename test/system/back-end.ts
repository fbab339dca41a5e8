// A back-end with a small dispatch of its own, for tests over raw sockets. Counts which file bodies were released, and how often.
import { closeSync, mkdtempSync, openSync, read, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { AppError } from '../../core/model/errors.js';
import type {
  Admission,
  Bounds,
  Dispatch,
  FileBody,
  HttpAdapter,
  Listening,
  Refuse,
  Reply,
  Request,
} from '../../http/server/adapter.js';
import { nodeAdapter } from '../../http/server/node.js';
import { loadUws } from '../../http/server/uws.js';
import { errorReply } from '../../http/surface/errors.js';
import type { Check } from '../kit.js';

export const BODY_LIMIT = 64 * 1024;
export const BIG_BYTES = 20 * 1024 * 1024;
/** More than the system itself buffers for a connection whose reader takes nothing: 36 MB since Linux 6.16 (tcp_rmem, tcp_wmem). */
export const COPY_BYTES = 48 * 1024 * 1024;
/** What `/at` sends, from the position in its query on: several fit into what the system buffers for one connection. */
export const AT_BYTES = 100_000;
export const SMALL_LIMIT = 1024;
export const HANDLER_MS = 300;

const uws = loadUws();

/** Every back-end that loads here. */
export const BACK_ENDS: readonly HttpAdapter[] = 'reason' in uws ? [nodeAdapter] : [uws, nodeAdapter];
/** Why the other one is missing; null when it is there. */
export const NO_UWS: string | null = 'reason' in uws ? uws.reason : null;

/** The names of the back-ends that load here; what is skipped for the other is said once. */
export const backEndNames = (check: Check): readonly string[] => {
  if (NO_UWS !== null) check.skip('the same over uws', NO_UWS);
  return BACK_ENDS.map(({ name }) => name);
};

export const big = Buffer.alloc(BIG_BYTES);
for (let at = 0; at < BIG_BYTES; at += 4) big.writeUInt32LE((at * 2654435761) >>> 0, at);

export interface Server {
  readonly adapter: HttpAdapter;
  readonly port: number;
  readonly listening: Listening;
  readonly path: string;
  readonly faults: unknown[];
  /** Release calls per file body handed out, in order. */
  readonly releases: number[];
  readonly aborted: string[];
  /** Every request that reached dispatch, as method and path. */
  readonly handled: string[];
  /** Sentences about the bound on connections. */
  readonly crowded: string[];
  /** Lets `/wait` answer. */
  finish(): void;
  stop(): Promise<void>;
}

const text = (status: number, body: string, headers: Reply['headers'] = []): Reply => ({
  status,
  headers: [['Content-Type', 'text/plain'], ...headers],
  body: { kind: 'bytes', bytes: body },
});

/** About 700 kB, of characters of one to three bytes: another text for each name. */
export const textOf = (name: string): string => `${name} é あ `.repeat(Math.floor(240_000 / (name.length + 5)));

/** One buffer for all, as the cache has. */
const lending = Buffer.alloc(1_000_000);
const lent = (name: string): Reply => ({
  status: 200,
  headers: [],
  body: { kind: 'lent', read: () => lending.subarray(0, lending.write(textOf(name))) },
});

export type Routes = Readonly<Record<string, (request: Request) => Reply | Promise<Reply>>>;

/** What a test has of its own. */
interface Special {
  readonly routes?: Routes;
  readonly refuse?: Refuse;
  readonly wrap?: (dispatch: Dispatch) => Dispatch;
}

const BOUNDS: Bounds = {
  connections: 4096,
  bodiesBytes: 8 << 20,
  uploadsBytes: 8 << 20,
  answersBytes: 96 << 20,
  slowMs: 30_000,
};

/** `/guest` is open to all, `/file` takes one, `/small` takes little, `/private` takes nothing from anybody, `/asked` answers after a turn. */
const admit = ({ path }: Request): Admission | Promise<Admission> => {
  if (path === '/small') return { bodyBytes: SMALL_LIMIT };
  if (path === '/private') return { refusal: errorReply(new AppError('Unauthorized')) };
  if (path === '/file') return { bodyBytes: BODY_LIMIT, isUpload: true };
  if (path !== '/asked') return { bodyBytes: BODY_LIMIT, isGuest: path === '/guest' };
  return new Promise((resolve) => setImmediate(() => resolve({ bodyBytes: BODY_LIMIT })));
};

export const startServer = async (
  adapter: HttpAdapter,
  bounds: Partial<Bounds> = {},
  { routes: more = {}, refuse = (thrown) => errorReply(thrown), wrap = (same) => same }: Special = {},
): Promise<Server> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-http-'));
  const path = join(folder, 'big');
  writeFileSync(path, big);
  const releases: number[] = [];
  const faults: unknown[] = [];
  const aborted: string[] = [];
  const handled: string[] = [];
  const crowded: string[] = [];
  let finish = (): void => undefined;
  const waited = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const file = (offset: number, length: number, hot: boolean): Reply => {
    const fd = openSync(path, 'r');
    const readPart: FileBody['readPart'] = (target, wanted, position, done) =>
      read(fd, target, 0, wanted, position, done);
    const index = releases.push(0) - 1;
    const release = (): void => {
      releases[index] = (releases[index] ?? 0) + 1;
      if (releases[index] === 1) closeSync(fd);
    };
    return {
      status: 200,
      headers: [['Content-Type', 'application/octet-stream']],
      body: { kind: 'file', fd, readPart, offset, length, hot, release },
    };
  };
  const routes: Routes = {
    ...more,
    '/hello': () => text(200, 'hello'),
    '/later': () => new Promise((resolve) => setImmediate(() => resolve(text(200, 'later')))),
    '/echo': (request) =>
      text(
        200,
        `${request.method} ${request.query} ${request.header('x-one')} ${Buffer.from(request.body).toString('latin1')}`,
      ),
    '/has': (request) => text(200, ['x-one', 'x-two'].map((name) => request.has(name)).join(' ')),
    '/none': () => ({ status: 204, headers: [], body: { kind: 'none' } }),
    '/same': () => ({ status: 304, headers: [['ETag', '"x"']], body: { kind: 'none' } }),
    '/empty': () => text(200, ''),
    '/inject': () => text(200, 'safe', [['X-Name', 'a\r\nX-Evil: 1\r\n\r\n<p>\0']]),
    '/big': () => ({ status: 200, headers: [], body: { kind: 'bytes', bytes: big } }),
    '/lent': ({ query }) => lent(query),
    '/gone-lent': () => ({ status: 200, headers: [], body: { kind: 'lent', read: () => undefined } }),
    '/text': ({ query }) => text(200, textOf(query)),
    '/copy': () => ({ status: 200, headers: [], body: { kind: 'bytes', bytes: Buffer.alloc(COPY_BYTES) } }),
    '/hot': () => file(0, BIG_BYTES, true),
    '/cold': () => file(0, BIG_BYTES, false),
    '/part': (request) => file(7, Number(request.query), request.header('x-one') === 'hot'),
    '/at': ({ query }) => file(Number(query), AT_BYTES, true),
    '/beyond': () => file(BIG_BYTES - 10, 1000, false),
    '/beyond-hot': () => file(BIG_BYTES - 10, 1000, true),
    '/throw': () => {
      throw new Error('dispatch must not throw');
    },
    '/reject': () => Promise.reject(new Error('dispatch must not reject')),
    '/never': (request) => {
      request.signal.addEventListener('abort', () => aborted.push('/never'));
      return new Promise<Reply>((resolve) => setTimeout(() => resolve(file(0, 10, false)), HANDLER_MS * 2));
    },
    '/gone': (request) => {
      request.signal.addEventListener('abort', () => aborted.push('/gone'));
      return new Promise<Reply>(() => undefined);
    },
    '/wait': () => waited.then(() => text(200, 'waited')),
  };
  const listening = await adapter.listen({
    host: '127.0.0.1',
    port: 0,
    bodyBytes: BODY_LIMIT,
    bounds: { ...BOUNDS, ...bounds },
    admit,
    handlerMs: HANDLER_MS,
    refuse,
    dispatch: wrap((request) => {
      handled.push(`${request.method} ${request.path}`);
      return (routes[request.path] ?? (() => text(404, 'nothing')))(request);
    }),
    onFault: (thrown) => faults.push(thrown),
    onCrowded: (sentence) => crowded.push(sentence),
  });
  return {
    adapter,
    port: listening.port,
    listening,
    path,
    faults,
    releases,
    aborted,
    handled,
    crowded,
    finish: () => finish(),
    stop: async () => {
      finish();
      await listening.stop(500);
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
