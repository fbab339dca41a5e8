// A client over a bare socket: sends exactly the bytes it is given and reads what comes back. Every wait has a deadline.

import { connect, type Socket } from 'node:net';
import { PATIENCE } from '../kit.js';

export interface RawReply {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  /** The header block as it came. */
  readonly head: string;
  readonly body: Buffer;
}

const WAIT_MS = 5000 * PATIENCE;

export class RawClient {
  readonly socket: Socket;
  #chunks: Buffer[] = [];
  #size = 0;
  #closed = false;
  /** The last chunked body had no end. */
  isCut = false;
  #changed: () => void = () => undefined;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk) => {
      this.#chunks.push(chunk);
      this.#size += chunk.length;
      this.#changed();
    });
    const end = (): void => {
      this.#closed = true;
      this.#changed();
    };
    socket.on('close', end);
    socket.on('end', end);
    socket.on('error', end);
  }

  /** `from` is a loopback address of its own, which makes it another client. */
  static open(port: number, from = '127.0.0.1'): Promise<RawClient> {
    return new Promise((resolve, reject) => {
      const socket = connect({ host: '127.0.0.1', port, localAddress: from, allowHalfOpen: true });
      socket.setNoDelay(true);
      socket.once('error', reject);
      socket.once('connect', () => {
        socket.off('error', reject);
        resolve(new RawClient(socket));
      });
    });
  }

  send(bytes: string | Uint8Array): void {
    if (!this.socket.destroyed) this.socket.write(bytes);
  }

  get isClosed(): boolean {
    return this.#closed;
  }

  get receivedBytes(): number {
    return this.#size;
  }

  /** Everything received and not yet taken, in one piece. */
  #all(): Buffer {
    if (this.#chunks.length !== 1) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0] ?? Buffer.alloc(0);
  }

  async #until(isSo: () => boolean, ms: number): Promise<boolean> {
    const end = Date.now() + ms;
    while (!isSo()) {
      const left = end - Date.now();
      if (left <= 0) return false;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, Math.min(left, 50));
        this.#changed = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return true;
  }

  /** True when the other side closed the connection in time. */
  closes(ms = WAIT_MS): Promise<boolean> {
    return this.#until(() => this.#closed, ms);
  }

  async has(bytes: number, ms = WAIT_MS): Promise<boolean> {
    return this.#until(() => this.#size >= bytes, ms);
  }

  /** The next reply. `isHead`: it has no body whatever its length says. Undefined when the connection closed instead. */
  async reply(isHead = false, ms = WAIT_MS): Promise<RawReply | undefined> {
    let end = -1;
    const hasHead = (): boolean => {
      if (end < 0 && this.#size > 0) end = this.#all().indexOf('\r\n\r\n');
      return end >= 0 || this.#closed;
    };
    if (!(await this.#until(hasHead, ms))) throw new Error('no reply in time');
    if (end < 0) return undefined;
    const head = this.#all().subarray(0, end).toString('latin1');
    const [first = '', ...lines] = head.split('\r\n');
    const headers = new Map(
      lines.map((line): [string, string] => [
        line.slice(0, line.indexOf(':')).toLowerCase(),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
    );
    const start = end + 4;
    if (!isHead && headers.get('transfer-encoding') === 'chunked')
      return { status: Number(first.split(' ')[1]), headers, head, body: await this.#chunked(start, ms) };
    const length = isHead ? 0 : Number(headers.get('content-length') ?? 0);
    await this.#until(() => this.#size >= start + length || this.#closed, ms);
    const all = this.#all();
    this.#drop(start + length);
    return {
      status: Number(first.split(' ')[1]),
      headers,
      head,
      body: Buffer.from(all.subarray(start, start + length)),
    };
  }

  /** A chunked body; what arrived of it when the connection closed before its end. */
  async #chunked(start: number, ms: number): Promise<Buffer> {
    const body: Buffer[] = [];
    this.#drop(start);
    for (;;) {
      let mark = -1;
      const hasSize = (): boolean => {
        mark = this.#all().indexOf('\r\n');
        return mark >= 0 || this.#closed;
      };
      if (!(await this.#until(hasSize, ms))) throw new Error('no chunk in time');
      const size = mark < 0 ? 0 : Number.parseInt(this.#all().subarray(0, mark).toString('latin1'), 16);
      await this.#until(() => this.#size >= mark + 4 + size || this.#closed, ms);
      body.push(this.#all().subarray(mark + 2, mark + 2 + size));
      this.#drop(mark + 4 + size);
      if (size > 0) continue;
      this.isCut = mark < 0;
      return Buffer.concat(body);
    }
  }

  #drop(bytes: number): void {
    const rest = this.#all().subarray(bytes);
    this.#chunks = [rest];
    this.#size = rest.length;
  }

  end(): void {
    this.socket.destroy();
  }
}

/** One request on a connection of its own; undefined when the server closed without an answer. */
export const ask = async (port: number, bytes: string | Uint8Array, isHead = false): Promise<RawReply | undefined> => {
  const client = await RawClient.open(port);
  try {
    client.send(bytes);
    return await client.reply(isHead);
  } finally {
    client.end();
  }
};
