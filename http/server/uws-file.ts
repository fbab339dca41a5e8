// Sends byte ranges of files over uWebSockets.js: slice by slice, as fast as the socket takes them, without a copy per client.
import { readSync } from 'node:fs';
import type { FileBody } from './adapter.js';
import { tryEnd } from './uws-closing.js';
import type { Exchange } from './uws-exchange.js';
import { Pump, type PushFlow, type Source } from './uws-pump.js';

/** These are read off the event loop, so this many of them may be in memory at once. */
const COLD_SLICE_BYTES = 256 * 1024;

/** `head` writes status and headers; it is called once, right before the first bytes. */
export const sendRange = (exchange: Exchange, body: FileBody, flow: PushFlow, head: () => void): void => {
  if (!body.hot) {
    new ColdSender(exchange, body, flow).start(head);
    return;
  }
  head();
  new Pump(exchange, hotSource(body), flow).push();
};

/** Read into and sent from within one call, so one buffer serves all clients. */
let shared = Buffer.alloc(0);

/** Bytes that are in the page cache anyway: read again whenever the socket takes more, so that a slow reader holds none. */
const hotSource = ({ fd, offset, length }: FileBody): Source => ({
  length,
  held: null,
  piece: (from, wanted) => {
    if (shared.length < wanted) shared = Buffer.allocUnsafeSlow(wanted);
    return readNow(fd, wanted, offset + from) === wanted ? shared.subarray(0, wanted) : null;
  },
});

/** -1 on an error: the file became unreadable, and all that is left is to close the connection. */
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
  readonly #flow: PushFlow;
  #reading = false;
  /** What the meter knows of. */
  #noted = 0;
  #isSlow = false;
  #head: (() => void) | null = null;

  constructor(exchange: Exchange, body: FileBody, flow: PushFlow) {
    this.#exchange = exchange;
    this.#body = body;
    this.#flow = flow;
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

  /** Hands over what was read. What the socket does not take is read again, from the page cache by then. */
  #push(bytes: Uint8Array): void {
    const { response } = this.#exchange;
    this.#head?.();
    this.#head = null;
    const [ok, done] = tryEnd(this.#exchange, bytes, this.#body.length);
    this.#note(done ? this.#body.length : response.getWriteOffset());
    if (done) this.#exchange.finish();
    else if (ok) this.#read(response.getWriteOffset());
    else this.#waitForSocket();
  }

  #note(sent: number): void {
    this.#flow.meter.sentBytes += sent - this.#noted;
    this.#noted = sent;
  }

  #waitForSocket(): void {
    if (this.#isSlow) return;
    this.#isSlow = true;
    const { response } = this.#exchange;
    response.onWritable(() => {
      if (!this.#exchange.isEnded && !this.#reading) this.#read(response.getWriteOffset());
      return true;
    });
    // Holds no bytes: they are read again when the socket takes more.
    const reader = { bytes: null, taken: () => response.getWriteOffset(), close: () => this.#exchange.break() };
    const { readers } = this.#flow;
    this.#exchange.onFinish(() => readers.remove(reader));
    readers.add(reader);
  }
}
