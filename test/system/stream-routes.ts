// Streams for tests over raw sockets, which count how often they were opened, asked and ended.
import type { Reply, StreamBody } from '../../http/server/adapter.js';
import { big, COPY_BYTES, HANDLER_MS, type Routes, type Server, startServer, textOf } from './back-end.js';

export const PIECE_BYTES = 100_000;

/** What happened to the streams of one address. */
export interface Tape {
  opened: number;
  asked: number;
  returned: number;
  aborted: number;
}

type Made = AsyncGenerator<Uint8Array | string, void, undefined>;
type Make = (signal: AbortSignal, query: string) => Made;

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

/** A text in pieces of all lengths, as text and as bytes, with nothing in between. */
async function* inPieces(text: string): Made {
  for (let at = 0, length = 1; at < text.length; at += length, length = (length * 7) % 50_021) {
    const piece = text.slice(at, at + length);
    yield length % 2 === 0 ? piece : Buffer.from(piece);
    yield '';
  }
}

async function* bigInPieces(): Made {
  for (let at = 0; at < big.length; at += PIECE_BYTES) yield big.subarray(at, at + PIECE_BYTES);
}

async function* endless(signal: AbortSignal): Made {
  while (!signal.aborted) yield Buffer.alloc(PIECE_BYTES);
}

/** `live`: one piece, and then nothing until somebody ends it. */
async function* quiet(signal: AbortSignal): Made {
  yield 'begun';
  await untilAborted(signal);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

const MAKERS: Readonly<Record<string, Make>> = {
  '/stream': (_, query) => inPieces(textOf(query)),
  '/stream/big': bigInPieces,
  '/stream/copy': async function* () {
    yield Buffer.alloc(COPY_BYTES);
  },
  '/stream/empty': async function* () {},
  '/stream/endless': endless,
  '/stream/throws': async function* () {
    yield 'begun';
    throw new Error('the stream failed');
  },
  '/stream/throws-at-once': async function* () {
    yield '';
    throw new Error('the stream failed at once');
  },
  '/stream/late': async function* (signal) {
    await untilAborted(signal);
    yield 'too late';
  },
  '/stream/stuck': quiet,
  '/live': quiet,
  '/live/late': async function* (signal) {
    await untilAborted(signal);
    yield 'too late';
  },
  '/live/paused': async function* () {
    yield 'begun';
    await pause(HANDLER_MS * 2);
    yield ' again';
  },
  '/live/endless': endless,
};

interface Streams {
  readonly routes: Routes;
  tape(path: string): Tape;
}

const createStreams = (): Streams => {
  const tapes = new Map<string, Tape>();
  const tape = (path: string): Tape => {
    const found = tapes.get(path) ?? { opened: 0, asked: 0, returned: 0, aborted: 0 };
    tapes.set(path, found);
    return found;
  };
  const counted =
    (path: string, make: Make, query: string): StreamBody['open'] =>
    (signal) => {
      const counts = tape(path);
      counts.opened += 1;
      signal.addEventListener('abort', () => {
        counts.aborted += 1;
      });
      const made = make(signal, query);
      const next = (): ReturnType<Made['next']> => {
        counts.asked += 1;
        return made.next();
      };
      const end = (): ReturnType<Made['return']> => {
        counts.returned += 1;
        return made.return();
      };
      return { [Symbol.asyncIterator]: () => ({ next, return: end }) };
    };
  const route =
    (path: string, make: Make) =>
    ({ query }: { readonly query: string }): Reply => ({
      status: 200,
      headers: [['Content-Type', 'text/plain']],
      body: { kind: 'stream', open: counted(path, make, query), isLive: path.startsWith('/live') },
    });
  const routes = Object.fromEntries(Object.entries(MAKERS).map(([path, make]) => [path, route(path, make)]));
  return { routes, tape };
};

export interface Scene extends Server {
  readonly tape: Streams['tape'];
}

/** A server with these addresses. */
export const openStreams = async (
  adapter: Server['adapter'],
  bounds: Parameters<typeof startServer>[1] = {},
): Promise<Scene> => {
  const { routes, tape } = createStreams();
  return { ...(await startServer(adapter, bounds, { routes })), tape };
};
