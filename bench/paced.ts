// Readers over plain sockets: at a fixed pace, or as fast as answers come. The client does as little as possible, since it shares the
// processors with the program under measurement.
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** One connection, one request at a time. */
class Connection {
  readonly #socket: Socket;
  readonly #token: string;
  #missing = 0;
  #done: ((error?: Error) => void) | null = null;

  constructor(port: number, token: string) {
    this.#token = token;
    this.#socket = connect(port, '127.0.0.1').setNoDelay(true);
    this.#socket.on('data', (chunk) => this.#take(chunk));
    this.#socket.on('error', (error) => this.#end(error));
  }

  /** Until the last byte. */
  get(path: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#missing = 0;
      this.#done = (error) => (error === undefined ? resolve() : reject(error));
      this.#socket.write(`GET ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${this.#token}\r\n\r\n`);
    });
  }

  close(): void {
    this.#socket.destroy();
  }

  #take(chunk: Buffer): void {
    if (this.#missing > 0) this.#missing -= chunk.length;
    else this.#missing = this.#begin(chunk);
    if (this.#missing === 0) this.#end();
  }

  /** Bytes still to come. The head comes in one piece: it is short. */
  #begin(chunk: Buffer): number {
    const end = chunk.indexOf('\r\n\r\n');
    const head = chunk.toString('latin1', 0, end);
    const length = /content-length: (\d+)/i.exec(head)?.[1];
    if (head.startsWith('HTTP/1.1 200') && length !== undefined) return Number(length) - (chunk.length - end - 4);
    this.#end(new Error(`answered with ${head}`));
    return Number.NaN;
  }

  #end(error?: Error): void {
    const done = this.#done;
    this.#done = null;
    done?.(error);
  }
}

export interface Server {
  readonly port: number;
  readonly token: string;
}

const using = async <T>(
  server: Server,
  count: number,
  body: (all: readonly Connection[]) => Promise<T>,
): Promise<T> => {
  const all = Array.from({ length: count }, () => new Connection(server.port, server.token));
  try {
    return await body(all);
  } finally {
    for (const one of all) one.close();
  }
};

const OPEN_LOOP_CONNECTIONS = 8;

/**
 * Pages asked for at fixed moments, however fast the answers are. Each time counts from the moment of the wish, also when the answers before
 * it came too late. Returns all times, in milliseconds.
 */
export const openLoop = (
  server: Server,
  paths: readonly string[],
  perSecond: number,
  count: number,
): Promise<readonly number[]> =>
  using(server, OPEN_LOOP_CONNECTIONS, async (all) => {
    const times: number[] = [];
    const started = performance.now();
    const turns = all.map(async (connection, lane) => {
      for (let n = lane; n < count; n += all.length) {
        const wished = started + (n * 1000) / perSecond;
        await sleep(Math.max(0, wished - performance.now()));
        await connection.get(paths[n % paths.length] ?? '');
        times.push(performance.now() - wished);
      }
    });
    await Promise.all(turns);
    return times;
  });

/** Answers per second over some connections that ask without a pause. */
export const fullBlast = (
  server: Server,
  paths: readonly string[],
  connections: number,
  seconds: number,
): Promise<number> =>
  using(server, connections, async (all) => {
    let answers = 0;
    const until = performance.now() + seconds * 1000;
    const turns = all.map(async (connection) => {
      for (; performance.now() < until; answers += 1) await connection.get(paths[answers % paths.length] ?? '');
    });
    await Promise.all(turns);
    return answers / seconds;
  });
