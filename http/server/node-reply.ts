// Replies over node:http: status, headers and body of any kind, slice by slice as the socket takes them.
import { readSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../../core/model/errors.js';
import { LENT_BYTES } from '../../core/store/lent.js';
import { type Body, type FileBody, NOSNIFF, type Reply, type StreamBody, safeHeaderValue } from './adapter.js';
import type { Flow } from './flow.js';
import { pathOf } from './node-request.js';
import type { Readers } from './slow-readers.js';
import { Streaming } from './streams.js';

/** What has been handed over cannot be taken back, so pieces are small while many readers are slow. */
const SLICE_BYTES = 256 * 1024;
const SMALL_SLICE_BYTES = 32 * 1024;
const SPARE_SLICES = 64;
/** Slice size for bytes that stay in memory anyway; at 4 kB/s a slice takes half a minute. */
const PIECE_BYTES = 128 * 1024;

const writeHead = (response: ServerResponse, reply: Reply, length: number | undefined): void => {
  response.statusCode = reply.status;
  for (const [name, value] of reply.headers) response.appendHeader(name, safeHeaderValue(value));
  response.setHeader(...NOSNIFF);
  if (length !== undefined) response.setHeader('Content-Length', length);
};

/** Bytes that are in the page cache anyway are read without going through the thread pool. */
const readAt = ({ fd, hot, readPart }: FileBody, buffer: Buffer, length: number, position: number): Promise<number> =>
  new Promise((resolve, reject) => {
    if (hot) resolve(readSync(fd, buffer, 0, length, position));
    else readPart(buffer, length, position, (error, bytes) => (error === null ? resolve(bytes) : reject(error)));
  });

/** Buffers for slices, reused: a new one for each would keep the garbage collector busy. */
class Slices {
  readonly #spare: Buffer[] = [];

  take(): Buffer {
    return this.#spare.pop() ?? Buffer.allocUnsafeSlow(SMALL_SLICE_BYTES);
  }

  give(buffer: Buffer): void {
    if (this.#spare.length < SPARE_SLICES) this.#spare.push(buffer);
  }
}

const slices = new Slices();

/** True while the socket takes no more. Checked now, not by the result of `write`: it may have drained since. */
const isWaited = (response: ServerResponse): boolean => response.destroyed || response.writableNeedDrain;

/** Resolves when the socket takes more; rejects when it closes, or has already closed. */
const drained = (message: IncomingMessage, response: ServerResponse): Promise<void> =>
  new Promise((resolve, reject) => {
    const { socket } = message;
    if (response.destroyed || socket.destroyed) {
      reject(new AppError('Cancelled'));
      return;
    }
    const done = (act: () => void) => (): void => {
      response.off('drain', onDrain);
      socket.off('close', onClose);
      act();
    };
    const onDrain = done(resolve);
    const onClose = done(() => reject(new AppError('Cancelled')));
    response.on('drain', onDrain);
    socket.on('close', onClose);
  });

/** Counts a reader as slow from the first piece that its socket did not take at once until the reply is over. */
class Outflow {
  readonly #response: ServerResponse;
  readonly #readers: Readers;
  readonly #held: Uint8Array | null;
  #written = 0;
  #isWatched = false;

  constructor(response: ServerResponse, readers: Readers, held: Uint8Array | null) {
    this.#response = response;
    this.#readers = readers;
    this.#held = held;
  }

  /** `taken` is called when the system has the whole piece; never if the connection ends first. */
  write(piece: Uint8Array, taken?: () => void): void {
    if (this.#response.destroyed) return; // it would report the write as an error
    this.#response.write(piece, (error) => {
      if (!error) taken?.();
    });
    this.#note(piece.byteLength);
  }

  end(piece: Uint8Array): void {
    this.#response.end(piece);
    this.#note(piece.byteLength);
  }

  #note(bytes: number): void {
    this.#written += bytes;
    const response = this.#response;
    if (this.#isWatched || response.writableLength === 0) return;
    this.#isWatched = true;
    const reader = {
      bytes: this.#held,
      taken: () => this.#written - response.writableLength,
      close: () => void response.destroy(),
    };
    response.once('close', () => this.#readers.remove(reader));
    this.#readers.add(reader);
  }
}

/** A file that ends early closes the connection: the promised length cannot be kept. */
const sendFile = async (
  message: IncomingMessage,
  response: ServerResponse,
  body: FileBody,
  { readers, queue }: Flow,
): Promise<void> => {
  const peer = message.socket.remoteAddress ?? '';
  const outflow = new Outflow(response, readers, null);
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
    await queue.run(peer, () => outflow.write(piece, taken));
    if (isWaited(response)) await drained(message, response);
  }
  response.end();
};

/** All readers of the same bytes share them. */
const sendBytes = async (
  message: IncomingMessage,
  response: ServerResponse,
  bytes: Uint8Array,
  { readers, queue }: Flow,
): Promise<void> => {
  const peer = message.socket.remoteAddress ?? '';
  const outflow = new Outflow(response, readers, bytes);
  let sent = 0;
  while (bytes.byteLength - sent > PIECE_BYTES) {
    if (response.destroyed) return;
    const piece = bytes.subarray(sent, sent + PIECE_BYTES);
    await queue.run(peer, () => outflow.write(piece));
    sent += PIECE_BYTES;
    // `write` asks to wait after every piece above its high-water mark, even when the system took all of it.
    if (isWaited(response) && response.writableLength > 0) await drained(message, response);
  }
  outflow.end(bytes.subarray(sent));
};

const endHead = (response: ServerResponse, reply: Reply): void => {
  writeHead(response, reply, undefined);
  response.end();
};

/** Chunked over HTTP/1.1. Over HTTP/1.0 the end of the connection is the end of the body. */
const sendStream = (
  message: IncomingMessage,
  response: ServerResponse,
  reply: Reply,
  body: StreamBody,
  flow: Flow,
): void => {
  if (response.destroyed) return;
  const { socket } = message;
  const path = pathOf(message);
  const streaming = new Streaming(
    body,
    {
      peer: socket.remoteAddress ?? '',
      path,
      head: () => writeHead(response, reply, undefined),
      write: (piece) => response.write(piece),
      // Checked now: it may have drained since the write.
      whenWritable: (resume) => (response.writableNeedDrain ? response.once('drain', resume) : resume()),
      end: () => response.end(),
      // Otherwise a client of HTTP/1.0 would take what it has for the whole.
      cut: () => (message.httpVersion === '1.0' ? socket.resetAndDestroy() : response.destroy()),
      refuse: (thrown) => void send(message, response, flow.refuse(thrown, path), flow),
    },
    flow,
  );
  response.once('close', () => streaming.left());
  streaming.start();
};

/** Bytes that may be kept. Undefined when they are gone. */
const bytesOf = (body: Exclude<Body, FileBody | StreamBody>): Uint8Array | string | undefined => {
  if (body.kind === 'none') return '';
  if (body.kind === 'bytes') return body.bytes;
  const lent = body.read();
  return lent !== undefined && lent.byteLength <= LENT_BYTES ? Buffer.from(lent) : lent;
};

export const send = async (
  message: IncomingMessage,
  response: ServerResponse,
  reply: Reply,
  flow: Flow,
): Promise<void> => {
  const { body } = reply;
  const isHead = message.method === 'HEAD';
  if (body.kind === 'file') {
    try {
      writeHead(response, reply, body.length);
      if (isHead || response.destroyed) response.end();
      else await sendFile(message, response, body, flow);
    } finally {
      body.release();
    }
    return;
  }
  if (body.kind === 'stream') {
    if (isHead) endHead(response, reply);
    else sendStream(message, response, reply, body, flow);
    return;
  }
  const bytes = bytesOf(body);
  if (bytes === undefined) {
    response.destroy();
    return;
  }
  const isBare = reply.status === 204 || reply.status === 304;
  writeHead(response, reply, isBare ? undefined : Buffer.byteLength(bytes));
  if (isHead || isBare) response.end();
  else if (bytes.length <= PIECE_BYTES && typeof bytes === 'string') response.end(bytes);
  else await sendBytes(message, response, typeof bytes === 'string' ? Buffer.from(bytes) : bytes, flow);
};

export const releaseUnsent = (reply: Reply): void => {
  if (reply.body.kind === 'file') reply.body.release();
};
