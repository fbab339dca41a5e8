// Replies over uWebSockets.js: status, headers and bodies of any kind; refusals that end the connection.
import { STATUS_CODES } from 'node:http';
import { type FileBody, type Reply, type StreamBody, safeHeaderValue } from './adapter.js';
import type { Flow } from './flow.js';
import { FOR_DATA } from './security-headers.js';
import { Streaming } from './streams.js';
import type { UwsResponse } from './uws-binary.js';
import { sendBytes, sendLent } from './uws-bytes.js';
import type { Exchange } from './uws-exchange.js';
import { sendRange } from './uws-file.js';
import { streamTo } from './uws-stream.js';

const STATUS_LINES = new Map(Object.entries(STATUS_CODES).map(([code, words]) => [Number(code), `${code} ${words}`]));

const writeHead = (response: UwsResponse, reply: Reply): void => {
  response.writeStatus(STATUS_LINES.get(reply.status) ?? String(reply.status));
  // Each call into the library costs as much as all of these lines, so it is told of one header whose value holds the others.
  const { first, others } = reply.security ?? FOR_DATA;
  let lines = others;
  for (const [name, value] of reply.headers) lines += `\r\n${name}: ${safeHeaderValue(value)}`;
  response.writeHeader(first, lines);
};

/**
 * Without a body, but with the length it would have. The library's `endWithoutBody(length)` hangs or aborts; setting the header does not.
 */
const endBare = (exchange: Exchange, reply: Reply, length: number | null): void => {
  const { response } = exchange;
  writeHead(response, reply);
  if (length !== null) response.writeHeader('Content-Length', String(length));
  response.endWithoutBody();
  exchange.finish();
};

const sendFile = (exchange: Exchange, reply: Reply, body: FileBody, flow: Flow): void => {
  exchange.hold(body);
  if (exchange.isHead || body.length === 0) {
    endBare(exchange, reply, body.length);
    return;
  }
  exchange.watch();
  sendRange(exchange, body, flow, () => writeHead(exchange.response, reply));
};

/** Nothing is opened for HEAD, and its length is not known. */
const sendStream = (exchange: Exchange, reply: Reply, body: StreamBody, flow: Flow): void => {
  if (exchange.isHead) {
    endBare(exchange, reply, null);
    return;
  }
  const outlet = streamTo(exchange, {
    head: () => writeHead(exchange.response, reply),
    refuse: (thrown) => respondLater(exchange, flow.refuse(thrown, exchange.path), flow),
  });
  const streaming = new Streaming(body, outlet, flow);
  exchange.onFinish(() => streaming.left());
  streaming.start();
};

export const respond = (exchange: Exchange, reply: Reply, flow: Flow): void => {
  const { body } = reply;
  if (body.kind === 'file') {
    sendFile(exchange, reply, body, flow);
    return;
  }
  if (body.kind === 'lent') {
    if (exchange.isHead) endBare(exchange, reply, body.read()?.byteLength ?? null);
    else sendLent(exchange, body, flow, () => writeHead(exchange.response, reply));
    return;
  }
  if (body.kind === 'stream') {
    sendStream(exchange, reply, body, flow);
    return;
  }
  const bytes = body.kind === 'none' ? '' : body.bytes;
  if (reply.status === 204 || reply.status === 304) endBare(exchange, reply, null);
  else if (exchange.isHead) endBare(exchange, reply, Buffer.byteLength(bytes));
  else sendBytes(exchange, bytes, flow, () => writeHead(exchange.response, reply));
};

export const releaseUnsent = (reply: Reply): void => {
  if (reply.body.kind === 'file') reply.body.release();
};

/** After an await: the client may be gone by now. */
export const respondLater = (exchange: Exchange, reply: Reply, flow: Flow): void => {
  if (exchange.isEnded) releaseUnsent(reply);
  else exchange.response.cork(() => respond(exchange, reply, flow));
};

/**
 * Refuses and closes. The answer waits for the end of this turn: a pipelined request in the same segment then finds an answer
 * pending, and the engine closes the connection and delivers nothing. After an immediate answer it would be parsed as a new request.
 */
export const refuse = (exchange: Exchange, reply: Reply): void => {
  if (exchange.isEnded || exchange.isRefused) return;
  exchange.isRefused = true;
  exchange.watch();
  setImmediate(() => {
    if (exchange.isEnded) return;
    exchange.response.cork(() => {
      writeHead(exchange.response, reply);
      exchange.response.end(reply.body.kind === 'bytes' ? reply.body.bytes : '', true);
    });
    exchange.finish();
  });
};
