// Byte ranges of files over uWebSockets.js: slice by slice, as fast as the socket takes them, with no copy a client.
import { readSync } from 'node:fs';
import type { FileBody } from './adapter.js';
import type { Exchange } from './uws-exchange.js';

const SLICE_BYTES = 1024 * 1024;
/** Read into and sent from within one turn of the loop, so one buffer serves every client. */
const shared = Buffer.allocUnsafeSlow(SLICE_BYTES);

/** `head` writes status and headers; it is called once, right before the first bytes. */
export const sendRange = (exchange: Exchange, body: FileBody, head: () => void): void => {
  const sender = body.hot ? new HotSender(exchange, body) : new ColdSender(exchange, body);
  sender.start(head);
};

/** Bytes that lie in memory anyway: read and handed over slice by slice for as long as the socket takes them. */
class HotSender {
  readonly #exchange: Exchange;
  readonly #body: FileBody;

  constructor(exchange: Exchange, body: FileBody) {
    this.#exchange = exchange;
    this.#body = body;
  }

  start(head: () => void): void {
    head();
    if (!this.#push()) this.#exchange.response.onWritable(() => this.#push());
  }

  /** True when the response is over. */
  #push(): boolean {
    const { response } = this.#exchange;
    const { fd, offset, length } = this.#body;
    for (;;) {
      if (this.#exchange.isEnded) return true;
      const sent = response.getWriteOffset();
      const wanted = Math.min(SLICE_BYTES, length - sent);
      const bytes = readNow(fd, wanted, offset + sent);
      if (bytes !== wanted) {
        this.#exchange.break();
        return true;
      }
      const [ok, done] = response.tryEnd(shared.subarray(0, wanted), length);
      if (done) {
        this.#exchange.finish();
        return true;
      }
      if (!ok) return false;
    }
  }
}

/** -1 on an error: the file went away under us, and the connection is all there is left to end. */
const readNow = (fd: number, length: number, position: number): number => {
  try {
    return readSync(fd, shared, 0, length, position);
  } catch {
    return -1;
  }
};

/** Buffers for reads that may wait for a disk. Few are kept; more are made when many clients wait at once, each with one at the most. */
const KEPT_BUFFERS = 8;
const spare: Buffer[] = [];
const takeBuffer = (length: number): Buffer =>
  (length <= SLICE_BYTES ? spare.pop() : undefined) ?? Buffer.allocUnsafeSlow(SLICE_BYTES);
const giveBuffer = (buffer: Buffer): void => {
  if (spare.length < KEPT_BUFFERS) spare.push(buffer);
};

/** Bytes that may have to come from a disk: the loop is never blocked, and one slice a client is in memory. */
class ColdSender {
  readonly #exchange: Exchange;
  readonly #body: FileBody;
  #buffer: Buffer | null = null;
  /** What is in the buffer: file bytes from `#start` on, `#length` of them. */
  #start = 0;
  #length = 0;
  #reading = false;
  #onWritableSet = false;
  #head: (() => void) | null = null;

  constructor(exchange: Exchange, body: FileBody) {
    this.#exchange = exchange;
    this.#body = body;
  }

  start(head: () => void): void {
    this.#head = head;
    this.#read(0);
  }

  #read(from: number): void {
    const wanted = Math.min(SLICE_BYTES, this.#body.length - from);
    const buffer = this.#buffer ?? takeBuffer(wanted);
    this.#buffer = buffer;
    this.#reading = true;
    this.#exchange.beginRead();
    this.#body.readPart(buffer, wanted, this.#body.offset + from, (error, bytes) => {
      this.#reading = false;
      if (error !== null) this.#buffer = null; // its bytes may still come: no other client gets it
      this.#exchange.endRead();
      this.#start = from;
      this.#length = bytes;
      if (this.#exchange.isEnded) this.#free();
      else if (error !== null || bytes !== wanted) this.#break();
      else this.#exchange.response.cork(() => this.#push());
    });
  }

  #break(): void {
    this.#free();
    this.#exchange.break();
  }

  #free(): void {
    if (this.#buffer !== null && !this.#reading) giveBuffer(this.#buffer);
    this.#buffer = null;
  }

  /** Sends what is in the buffer from where the socket is; reads on when all of it was taken. */
  #push(): boolean {
    const { response } = this.#exchange;
    if (this.#exchange.isEnded) {
      this.#free();
      return true;
    }
    if (this.#reading || this.#buffer === null) return true;
    this.#head?.();
    this.#head = null;
    const sent = response.getWriteOffset();
    if (sent >= this.#start + this.#length) {
      this.#read(sent);
      return true;
    }
    const [ok, done] = response.tryEnd(this.#buffer.subarray(sent - this.#start, this.#length), this.#body.length);
    if (done) {
      this.#free();
      this.#exchange.finish();
      return true;
    }
    if (!this.#onWritableSet) {
      this.#onWritableSet = true;
      response.onWritable(() => this.#push());
    }
    if (ok) this.#read(response.getWriteOffset());
    return ok;
  }
}
