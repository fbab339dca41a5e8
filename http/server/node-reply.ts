// Replies over node:http: status, headers and body of any kind.
import type { ServerResponse } from 'node:http';
import { AppError } from '../../core/model/errors.js';
import { LENT_BYTES } from '../../core/store/lent.js';
import { type Body, type FileBody, type Reply, type StreamBody, safeHeaderValue } from './adapter.js';
import type { Flow } from './flow.js';
import { sendFile } from './node-file.js';
import { drained, isWaited, Outflow } from './node-outflow.js';
import type { NodeExchange } from './node-request.js';
import { FOR_DATA } from './security-headers.js';
import { Streaming } from './streams.js';

/** Slice size for bytes that stay in memory anyway; at 4 kB/s a slice takes half a minute. */
const PIECE_BYTES = 128 * 1024;

/** All at once: setting header by header takes several times as long. */
const writeHead = (response: ServerResponse, reply: Reply, length: number | undefined): void => {
  const headers = (reply.security ?? FOR_DATA).flat.slice();
  for (const [name, value] of reply.headers) headers.push(name, safeHeaderValue(value));
  if (length !== undefined) headers.push('Content-Length', String(length));
  response.writeHead(reply.status, headers);
};

/** All readers of the same bytes share them. */
const sendBytes = async (exchange: NodeExchange, bytes: Uint8Array, flow: Flow): Promise<void> => {
  const { response, remoteAddress } = exchange;
  const { queue } = flow;
  const outflow = new Outflow(response, flow, bytes);
  let sent = 0;
  while (bytes.byteLength - sent > PIECE_BYTES) {
    if (response.destroyed) return;
    const piece = bytes.subarray(sent, sent + PIECE_BYTES);
    await queue.run(remoteAddress, 'rest', () => outflow.write(piece));
    sent += PIECE_BYTES;
    // `write` asks to wait after every piece above its high-water mark, even when the system took all of it.
    if (isWaited(response) && response.writableLength > 0) await drained(exchange);
  }
  outflow.end(bytes.subarray(sent));
};

/** Chunked over HTTP/1.1. Over HTTP/1.0 the end of the connection is the end of the body. */
const sendStream = (exchange: NodeExchange, reply: Reply, body: StreamBody, flow: Flow): void => {
  const { message, response, path } = exchange;
  const { socket } = message;
  const outlet = {
    peer: exchange.remoteAddress,
    path,
    head: () => writeHead(response, reply, undefined),
    write: (piece: Uint8Array) => response.write(piece),
    // Checked now: it may have drained since the write.
    whenWritable: (resume: () => void) => (response.writableNeedDrain ? response.once('drain', resume) : resume()),
    end: () => response.end(),
    // Otherwise a client of HTTP/1.0 would take what it has for the whole.
    cut: () => (message.httpVersion === '1.0' ? socket.resetAndDestroy() : response.destroy()),
    refuse: (thrown: unknown) => send(exchange, flow.refuse(thrown, path), flow),
  };
  const streaming = new Streaming(body, outlet, flow);
  // A response that waits behind another one is not told that its connection closed.
  const left = (): void => {
    socket.off('close', left);
    streaming.left();
  };
  socket.once('close', left);
  response.once('close', left);
  streaming.start();
};

/** Bytes that may be kept. Undefined when they are gone. */
const bytesOf = (body: Exclude<Body, FileBody | StreamBody>): Uint8Array | string | undefined => {
  if (body.kind === 'none') return '';
  if (body.kind === 'bytes') return body.bytes;
  const lent = body.read();
  return lent !== undefined && lent.byteLength <= LENT_BYTES ? Buffer.from(lent) : lent;
};

/** Without a body, but with the length it would have where that is known. */
const endBare = (response: ServerResponse, reply: Reply): void => {
  const { body, status } = reply;
  const isBodiless = status === 204 || status === 304 || body.kind === 'stream';
  const bytes = isBodiless || body.kind === 'file' ? undefined : bytesOf(body);
  const length = body.kind === 'file' ? body.length : bytes === undefined ? undefined : Buffer.byteLength(bytes);
  writeHead(response, reply, isBodiless ? undefined : length);
  response.end();
  releaseUnsent(reply);
};

const sendBody = (exchange: NodeExchange, reply: Reply, flow: Flow): void => {
  const { response } = exchange;
  const { body } = reply;
  const failed = (thrown: unknown): void => fail(exchange, thrown, flow);
  if (body.kind === 'stream') {
    sendStream(exchange, reply, body, flow);
    return;
  }
  if (body.kind === 'file') {
    try {
      writeHead(response, reply, body.length);
    } catch (thrown) {
      body.release();
      throw thrown;
    }
    sendFile(exchange, body, flow, failed);
    return;
  }
  const bytes = bytesOf(body);
  if (bytes === undefined) {
    response.destroy();
    return;
  }
  writeHead(response, reply, Buffer.byteLength(bytes));
  if (typeof bytes === 'string' && bytes.length <= PIECE_BYTES) {
    response.end(bytes);
    flow.meter.sentBytes += Buffer.byteLength(bytes);
    return;
  }
  const held = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  if (held.byteLength <= PIECE_BYTES) new Outflow(response, flow, held).end(held);
  else sendBytes(exchange, held, flow).catch(failed);
};

/** Synchronous as far as it can be. What fails later is reported and ends the connection. */
export const send = (exchange: NodeExchange, reply: Reply, flow: Flow): void => {
  const { response, method } = exchange;
  if (response.destroyed) releaseUnsent(reply);
  else if (method === 'HEAD' || reply.status === 204 || reply.status === 304) endBare(response, reply);
  else sendBody(exchange, reply, flow);
};

export const releaseUnsent = (reply: Reply): void => {
  if (reply.body.kind === 'file') reply.body.release();
};

/** Answers with what was thrown, if nothing was sent yet; a client that has left is no fault. */
export const fail = (exchange: NodeExchange, thrown: unknown, flow: Flow): void => {
  const { response, path } = exchange;
  if (!(thrown instanceof AppError && thrown.kind === 'Cancelled') && !response.destroyed) flow.onFault(thrown);
  try {
    if (response.headersSent) response.destroy();
    else send(exchange, flow.refuse(thrown, path), flow);
  } catch {
    response.destroy(); // not even that
  }
};
