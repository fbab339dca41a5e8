// Byte ranges of files over uWebSockets.js: slice by slice, as fast as the socket takes them, with no copy a client.
import { readSync } from 'node:fs';
import type { FileBody } from './adapter.js';
import type { Readers } from './readers.js';
import type { Exchange } from './uws-exchange.js';

const SLICE_BYTES = 1024 * 1024;
/** Read off the loop, so many of these may be in memory at once. */
const COLD_SLICE_BYTES = 256 * 1024;
/** Read into and sent from within one turn of the loop, so one buffer serves every client. */
const shared = Buffer.allocUnsafeSlow(SLICE_BYTES);

/** `head` writes status and headers; it is called once, right before the first bytes. */
export const sendRange = (exchange: Exchange, body: FileBody, readers: Readers, head: () => void): void => {
  const sender = body.hot ? new HotSender(exchange, body, readers) : new ColdSender(exchange, body, readers);
  sender.start(head);
};

/** A reader of a file holds no bytes: they are read again when its socket takes more. */
const watchReader = (exchange: Exchange, readers: Readers): void => {
  const { response } = exchange;
  const reader = { bytes: null, taken: () => response.getWriteOffset(), close: () => exchange.break() };
  exchange.onFinish(() => readers.remove(reader));
  readers.add(reader);
};

/** Bytes that lie in memory anyway: read and handed over slice by slice for as long as the socket takes them. */
class HotSender {
  readonly #exchange: Exchange;
  readonly #body: FileBody;
  readonly #readers: Readers;

  constructor(exchange: Exchange, body: FileBody, readers: Readers) {
    this.#exchange = exchange;
    this.#body = body;
    this.#readers = readers;
  }

  start(head: () => void): void {
    head();
    if (this.#push()) return;
    this.#exchange.response.onWritable(() => this.#push());
    watchReader(this.#exchange, this.#readers);
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

/** Buffers for reads that may wait for a disk, one per read. A few are pooled; more are allocated when many reads are in flight. */
const KEPT_BUFFERS = 32;
const spare: Buffer[] = [];
const takeBuffer = (): Buffer => spare.pop() ?? Buffer.allocUnsafeSlow(COLD_SLICE_BYTES);
const giveBuffer = (buffer: Buffer): void => {
  if (spare.length < KEPT_BUFFERS) spare.push(buffer);
};

/** Bytes that may have to come from a disk: the loop is never blocked, and a buffer is held only from a read to the end of its push. */
class ColdSender {
  readonly #exchange: Exchange;
  readonly #body: FileBody;
  readonly #readers: Readers;
  #reading = false;
  #isSlow = false;
  #head: (() => void) | null = null;

  constructor(exchange: Exchange, body: FileBody, readers: Readers) {
    this.#exchange = exchange;
    this.#body = body;
    this.#readers = readers;
  }

  start(head: () => void): void {
    this.#head = head;
    this.#read(0);
  }

  #read(from: number): void {
    const wanted = Math.min(COLD_SLICE_BYTES, this.#body.length - from);
    const buffer = takeBuffer();
    this.#reading = true;
    this.#exchange.beginRead();
    this.#body.readPart(buffer, wanted, this.#body.offset + from, (error, bytes) => {
      this.#reading = false;
      this.#exchange.endRead();
      if (!this.#exchange.isEnded) {
        if (error !== null || bytes !== wanted) this.#exchange.break();
        else this.#exchange.response.cork(() => this.#push(buffer.subarray(0, bytes)));
      }
      if (error === null) giveBuffer(buffer); // after an error the read may still complete: do not reuse the buffer
    });
  }

  /** Hands over what was read. What the socket does not take is read again, from memory by then. */
  #push(bytes: Uint8Array): void {
    const { response } = this.#exchange;
    this.#head?.();
    this.#head = null;
    const [ok, done] = response.tryEnd(bytes, this.#body.length);
    if (done) this.#exchange.finish();
    else if (ok) this.#read(response.getWriteOffset());
    else this.#waitForSocket();
  }

  #waitForSocket(): void {
    if (this.#isSlow) return;
    this.#isSlow = true;
    const { response } = this.#exchange;
    response.onWritable(() => {
      if (!this.#exchange.isEnded && !this.#reading) this.#read(response.getWriteOffset());
      return true;
    });
    watchReader(this.#exchange, this.#readers);
  }
}
