// The back-end over node:http: works wherever Node does. Knows requests and replies, nothing of routes.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError } from '../core/model/errors.js';
import {
  type FileBody,
  type HttpAdapter,
  type Listening,
  type ListenOptions,
  plainAddress,
  type Reply,
  type Request,
  safeHeaderValue,
} from './adapter.js';
import { errorReply } from './errors.js';

const HEADER_BYTES = 16 * 1024;
const HEADERS_MS = 10_000;
const IDLE_MS = 10_000;
const UPLOAD_MS = 120_000;
/** A client that takes nothing for this long is let go. */
const STALLED_MS = 30_000;
const SLICE_BYTES = 256 * 1024;

/** Undefined when the body is larger than allowed. */
const collect = async (message: IncomingMessage, max: number): Promise<Buffer | undefined> => {
  if (Number(message.headers['content-length'] ?? 0) > max) return undefined;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of message) {
    size += (chunk as Buffer).length;
    if (size > max) return undefined;
    chunks.push(chunk as Buffer);
  }
  return Buffer.concat(chunks);
};

const headerOf = (message: IncomingMessage, name: string): string => {
  const value = message.headers[name];
  return value === undefined ? '' : Array.isArray(value) ? value.join(', ') : value;
};

const requestOf = (message: IncomingMessage, body: Uint8Array, gone: AbortController): Request => {
  const address = message.url ?? '/';
  const mark = address.indexOf('?');
  return {
    method: message.method ?? 'GET',
    path: mark < 0 ? address : address.slice(0, mark),
    query: mark < 0 ? '' : address.slice(mark + 1),
    header: (name) => headerOf(message, name),
    remoteAddress: plainAddress(message.socket.remoteAddress ?? ''),
    body,
    signal: gone.signal,
  };
};

const hasBody = (message: IncomingMessage): boolean =>
  message.headers['transfer-encoding'] !== undefined || Number(message.headers['content-length'] ?? 0) > 0;

/** node:http joins duplicate Content-Length headers; the raw list shows them. */
const repeatsLength = (message: IncomingMessage): boolean =>
  message.rawHeaders.filter((text, index) => index % 2 === 0 && text.toLowerCase() === 'content-length').length > 1;

const writeHead = (response: ServerResponse, reply: Reply, length: number | undefined): void => {
  response.statusCode = reply.status;
  for (const [name, value] of reply.headers) response.appendHeader(name, safeHeaderValue(value));
  if (length !== undefined) response.setHeader('Content-Length', length);
};

const readAt = ({ readPart }: FileBody, buffer: Buffer, position: number): Promise<number> =>
  new Promise((resolve, reject) => {
    readPart(buffer, buffer.length, position, (error, bytes) => (error === null ? resolve(bytes) : reject(error)));
  });

/** Resolves when the socket takes more; rejects when it closes, also when it has closed already. */
const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve, reject) => {
    if (response.destroyed || response.socket?.destroyed !== false) {
      reject(new AppError('Cancelled'));
      return;
    }
    const done = (act: () => void) => (): void => {
      response.off('drain', onDrain);
      response.off('close', onClose);
      act();
    };
    const onDrain = done(resolve);
    const onClose = done(() => reject(new AppError('Cancelled')));
    response.on('drain', onDrain);
    response.on('close', onClose);
  });

/** One slice in memory a client. A file that ends early closes the connection: the promised length cannot be kept. */
const sendFile = async (response: ServerResponse, body: FileBody): Promise<void> => {
  let sent = 0;
  while (sent < body.length && !response.destroyed) {
    const slice = Buffer.allocUnsafe(Math.min(SLICE_BYTES, body.length - sent));
    const bytes = await readAt(body, slice, body.offset + sent);
    if (bytes === 0) {
      response.destroy();
      return;
    }
    sent += bytes;
    if (!response.write(bytes === slice.length ? slice : slice.subarray(0, bytes))) await drained(response);
  }
  response.end();
};

const send = async (message: IncomingMessage, response: ServerResponse, reply: Reply): Promise<void> => {
  const { body } = reply;
  const isHead = message.method === 'HEAD';
  if (body.kind === 'file') {
    try {
      writeHead(response, reply, body.length);
      if (isHead || response.destroyed) response.end();
      else await sendFile(response, body);
    } finally {
      body.release();
    }
    return;
  }
  const bytes = body.kind === 'none' ? '' : body.bytes;
  const isBare = reply.status === 204 || reply.status === 304;
  writeHead(response, reply, isBare ? undefined : Buffer.byteLength(bytes));
  response.end(isHead || isBare ? undefined : bytes);
};

const releaseLate = (reply: Reply): void => {
  if (reply.body.kind === 'file') reply.body.release();
};

/** The reply, or Timeout when it does not come in time; a late one is released and dropped. */
const withDeadline = async (answer: Promise<Reply>, ms: number, gone: AbortController): Promise<Reply> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), ms);
  });
  const first = await Promise.race([answer, late]);
  clearTimeout(timer);
  if (first !== 'late') return first;
  answer.then(releaseLate, () => undefined);
  gone.abort(); // the work for it may stop
  return errorReply(new AppError('Timeout', 'The server took too long to answer.'));
};

const exchange = async (message: IncomingMessage, response: ServerResponse, options: ListenOptions): Promise<void> => {
  const gone = new AbortController();
  response.on('close', () => {
    if (!response.writableFinished) gone.abort();
  });
  if (repeatsLength(message)) {
    response.setHeader('Connection', 'close');
    return send(message, response, errorReply(new AppError('BadRequest', 'Content-Length is given more than once.')));
  }
  const body = hasBody(message) ? await collect(message, options.bodyBytes) : Buffer.alloc(0);
  if (body === undefined) {
    response.setHeader('Connection', 'close');
    return send(
      message,
      response,
      errorReply(new AppError('PayloadTooLarge', `The request body has more than ${options.bodyBytes} bytes.`)),
    );
  }
  const answer = options.dispatch(requestOf(message, body, gone));
  const reply = answer instanceof Promise ? await withDeadline(answer, options.handlerMs, gone) : answer;
  return send(message, response, reply);
};

const refuseMalformed = (error: NodeJS.ErrnoException, socket: Socket): void => {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
  const body = JSON.stringify({ error: 'BadRequest', message: 'The request is not valid HTTP.', details: null });
  socket.end(
    `HTTP/1.1 ${status}\r\nContent-Type: application/json; charset=utf-8\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  );
};

const stop = (server: Server, graceMs: number): Promise<void> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });

export const nodeAdapter: HttpAdapter = {
  name: 'node',
  listen: (options) => {
    const server = createServer(
      { maxHeaderSize: HEADER_BYTES, headersTimeout: HEADERS_MS, requestTimeout: UPLOAD_MS, keepAliveTimeout: IDLE_MS },
      (message, response) => {
        exchange(message, response, options).catch((thrown: unknown) => {
          if (!(thrown instanceof AppError && thrown.kind === 'Cancelled') && !response.destroyed)
            options.onFault(thrown);
          if (response.headersSent) response.destroy();
          else void send(message, response, errorReply(thrown));
        });
      },
    );
    server.setTimeout(STALLED_MS);
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => refuseMalformed(error, socket as Socket));
    return new Promise<Listening>((resolve, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, options)));
      server.listen(options.port, options.host, () => {
        const address = server.address();
        const port = typeof address === 'object' && address !== null ? address.port : options.port;
        resolve({ port, stop: (graceMs) => stop(server, graceMs) });
      });
    });
  },
};

const listenError = (error: NodeJS.ErrnoException, { host, port }: ListenOptions): AppError => {
  if (error.code === 'EADDRINUSE')
    return new AppError('BadRequest', `Port ${port} on ${host} is in use already; choose another one with --port.`);
  if (error.code === 'EACCES')
    return new AppError(
      'BadRequest',
      `The system does not allow listening on port ${port}; ports below 1024 need rights of their own.`,
    );
  return new AppError('BadRequest', `Cannot listen on ${host}:${port}: ${error.message}`);
};
