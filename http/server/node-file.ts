// Sends byte ranges of files over node:http: a page in one go, anything longer slice by slice as the socket takes it.
import { readSync } from 'node:fs';
import type { FileBody } from './adapter.js';
import type { Flow } from './flow.js';
import { drained, isWaited, Outflow } from './node-outflow.js';
import type { NodeExchange } from './node-request.js';

/** What has been handed over cannot be taken back, so pieces are small while many readers are slow. */
const SLICE_BYTES = 256 * 1024;
const SMALL_SLICE_BYTES = 32 * 1024;
/** Up to this size, bytes that are in the page cache anyway are read and handed over at once, unless many readers are slow. */
const WHOLE_BYTES = 1024 * 1024;

/** Buffers of one size, reused: a new one for each would keep the garbage collector busy. */
class Buffers {
  readonly #bytes: number;
  readonly #most: number;
  readonly #spare: Buffer[] = [];

  constructor(bytes: number, most: number) {
    this.#bytes = bytes;
    this.#most = most;
  }

  take(): Buffer {
    return this.#spare.pop() ?? Buffer.allocUnsafeSlow(this.#bytes);
  }

  give(buffer: Buffer): void {
    if (this.#spare.length < this.#most) this.#spare.push(buffer);
  }
}

const slices = new Buffers(SMALL_SLICE_BYTES, 64);
const wholes = new Buffers(WHOLE_BYTES, 16);

/** Bytes that are in the page cache anyway are read without going through the thread pool. */
const readAt = ({ fd, hot, readPart }: FileBody, buffer: Buffer, length: number, position: number): Promise<number> =>
  new Promise((resolve, reject) => {
    if (hot) resolve(readSync(fd, buffer, 0, length, position));
    else readPart(buffer, length, position, (error, bytes) => (error === null ? resolve(bytes) : reject(error)));
  });

/**
 * In one piece: node:http would join several that are written at once. Most are taken at once, and their buffer serves the next page while
 * the processor has it in its cache. False when the file is shorter than it was.
 */
const sendWhole = ({ response }: NodeExchange, body: FileBody, flow: Flow): boolean => {
  const { fd, offset, length } = body;
  const buffer = wholes.take();
  if (readSync(fd, buffer, 0, length, offset) !== length) return false;
  response.end(buffer.subarray(0, length));
  if (response.writableLength === 0) {
    wholes.give(buffer);
    flow.meter.sentBytes += length;
    return true;
  }
  response.once('finish', () => wholes.give(buffer));
  new Outflow(response, flow, null).note(length);
  return true;
};

const sendSlices = async (exchange: NodeExchange, body: FileBody, flow: Flow): Promise<void> => {
  const { response, remoteAddress } = exchange;
  const { readers, queue } = flow;
  const outflow = new Outflow(response, flow, null);
  let sent = 0;
  while (sent < body.length && !response.destroyed) {
    const isSmall = readers.isTight;
    const slice = isSmall ? slices.take() : Buffer.allocUnsafe(Math.min(SLICE_BYTES, body.length - sent));
    const bytes = await readAt(body, slice, Math.min(slice.length, body.length - sent), body.offset + sent);
    if (bytes === 0) {
      response.destroy();
      return;
    }
    sent += bytes;
    const piece = bytes === slice.length ? slice : slice.subarray(0, bytes);
    const taken = isSmall ? (): void => slices.give(slice) : undefined;
    await queue.run(remoteAddress, 'rest', () => outflow.write(piece, taken));
    if (isWaited(response)) await drained(exchange);
  }
  response.end();
};

/** A file that ends early closes the connection: the promised length cannot be kept. Releases the file, now or later. */
export const sendFile = (
  exchange: NodeExchange,
  body: FileBody,
  flow: Flow,
  failed: (thrown: unknown) => void,
): void => {
  if (!body.hot || body.length > WHOLE_BYTES || flow.readers.isTight) {
    sendSlices(exchange, body, flow).catch(failed).finally(body.release);
    return;
  }
  try {
    if (!sendWhole(exchange, body, flow)) exchange.response.destroy();
  } finally {
    body.release();
  }
};
