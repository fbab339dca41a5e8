// The back-end over node:http: works wherever Node does. Knows requests and replies, but no routes.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError, KINDS } from '../../core/model/errors.js';
import { type HttpAdapter, type Listening, type ListenOptions, NOSNIFF, type Reply, type Request } from './adapter.js';
import { Connections } from './connections.js';
import { createFlow, type Flow } from './flow.js';
import { ByteCount, tooLarge } from './framing.js';
import { releaseUnsent, send } from './node-reply.js';
import { collect, declaredLength, frameFault, hasBody, pathOf, requestOf } from './node-request.js';
import type { Stand } from './uws-gate.js';

const HEADER_BYTES = 16 * 1024;
const HEADERS_MS = 10_000;
const IDLE_MS = 10_000;
const UPLOAD_MS = 120_000;
/** How often connections are checked for headers and bodies that took too long to arrive. */
const LOOK_EVERY_MS = 2000;
/** Requests that a connection may send without waiting for an answer. */
const PIPELINED_MAX = 32;

/** The reply, or Timeout when it does not come in time; a late one is released and dropped. */
const withDeadline = async (
  answer: Promise<Reply>,
  { handlerMs, refuse, onFault }: ListenOptions,
  path: string,
  gone: AbortController,
): Promise<Reply> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), handlerMs);
  });
  const first = await Promise.race([answer, late]);
  clearTimeout(timer);
  if (first !== 'late') return first;
  answer.then(releaseUnsent, () => undefined);
  const error = new AppError('Timeout', 'The server took too long to answer.');
  if (!gone.signal.aborted) onFault(error, path);
  gone.abort(); // the work for it may stop
  return refuse(error, path);
};

/** Shared by two servers while one takes over from the other. */
export interface Shared extends Flow {
  readonly bodies: ByteCount;
}

export const sharedBy = (options: ListenOptions): Shared => ({
  ...createFlow(options),
  bodies: new ByteCount(options.bounds.bodiesBytes),
});

class NodeServer {
  readonly connections: Connections;
  readonly #options: ListenOptions;
  readonly #shared: Shared;
  /** Connections that end with a refusal: what still arrives on them is not parsed as a request. */
  readonly #refused = new WeakSet<Socket>();
  /** Requests that each connection brought in this turn of the event loop. */
  readonly #inTurn = new Map<Socket, number>();
  readonly #server: Server;
  #isStopping = false;

  constructor(options: ListenOptions, shared: Shared = sharedBy(options)) {
    this.#options = options;
    this.#shared = shared;
    this.connections = new Connections(options.bounds.connections, options.onCrowded);
    this.#server = createServer({
      maxHeaderSize: HEADER_BYTES,
      headersTimeout: HEADERS_MS,
      requestTimeout: UPLOAD_MS,
      keepAliveTimeout: IDLE_MS,
      requireHostHeader: false, // it would answer and read on; we answer and close
      connectionsCheckingInterval: LOOK_EVERY_MS,
    });
    this.#server.on('connection', (socket) => this.connections.add(socket));
    this.#server.on('request', (message, response) => this.#take(message, response, false));
    this.#server.on('checkContinue', (message, response) => this.#take(message, response, true));
    // An unknown expectation is ignored; node:http would answer it with a body of unknown length.
    this.#server.on('checkExpectation', (message, response) => this.#take(message, response, false));
    this.#server.on('clientError', (error: NodeJS.ErrnoException, socket) =>
      this.#refuseMalformed(error, socket as Socket),
    );
  }

  listen(): Promise<Listening> {
    const { host, port } = this.#options;
    const server = this.#server;
    return new Promise<Listening>((resolve, reject) => {
      server.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, this.#options)));
      server.listen(port, host, () => {
        const address = server.address();
        const bound = typeof address === 'object' && address !== null ? address.port : port;
        resolve({ port: bound, stop: (graceMs) => this.#stop(graceMs) });
      });
    });
  }

  /** Accepts no more connections; open ones continue, and `gone` is called when there are none left. */
  leave(gone: () => void): void {
    this.#server.close(gone);
  }

  /** Connections end with the replies they carry. */
  #stop(graceMs: number): Promise<void> {
    this.#isStopping = true;
    this.#shared.live.stop();
    return stop(this.#server, graceMs);
  }

  #take(message: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void {
    if (this.#refused.has(message.socket)) return;
    if (this.#isFlooding(message.socket)) {
      this.#refused.add(message.socket);
      message.socket.destroy();
      return;
    }
    this.#exchange(message, response, expectsContinue).catch((thrown: unknown) => {
      if (!(thrown instanceof AppError && thrown.kind === 'Cancelled') && !response.destroyed)
        this.#options.onFault(thrown);
      if (response.headersSent) response.destroy();
      else void send(message, response, this.#options.refuse(thrown, pathOf(message)), this.#shared);
    });
  }

  /** The parser delivers all requests of one read at once; a connection with too many of them would keep everyone else waiting. */
  #isFlooding(socket: Socket): boolean {
    if (this.#inTurn.size === 0) setImmediate(() => this.#inTurn.clear());
    const count = (this.#inTurn.get(socket) ?? 0) + 1;
    this.#inTurn.set(socket, count);
    return count > PIPELINED_MAX;
  }

  async #exchange(message: IncomingMessage, response: ServerResponse, expectsContinue: boolean): Promise<void> {
    const { dispatch } = this.#options;
    const { socket } = message;
    const gone = new AbortController();
    response.on('close', () => {
      this.connections.rest(socket);
      if (this.#isStopping) socket.destroySoon();
      if (!response.writableFinished) gone.abort();
    });
    const fault = frameFault(message);
    if (fault !== undefined) return this.#refuse(message, response, this.#options.refuse(fault, pathOf(message)));
    if (message.headers.upgrade !== undefined) this.#endWith(message, response); // the parser stops after it
    const request = requestOf(message, gone);
    const body = hasBody(message) ? await this.#bodyOf(message, response, request, expectsContinue) : request.body;
    if (!(body instanceof Uint8Array)) return this.#refuse(message, response, body);
    this.connections.begin(socket);
    const { answer } = await this.#shared.queue.run(request.remoteAddress, () => {
      if (response.destroyed) throw new AppError('Cancelled');
      return { answer: dispatch(body === request.body ? request : { ...request, body }) };
    });
    const reply = answer instanceof Promise ? await withDeadline(answer, this.#options, request.path, gone) : answer;
    return send(message, response, reply, this.#shared);
  }

  /** The body, or the reply that refuses it. */
  async #bodyOf(
    message: IncomingMessage,
    response: ServerResponse,
    request: Request,
    expectsContinue: boolean,
  ): Promise<Uint8Array | Reply> {
    const { admit, refuse } = this.#options;
    const admission = await admit(request);
    if ('refusal' in admission) return admission.refusal;
    if (declaredLength(message) > admission.bodyBytes) return refuse(tooLarge(admission.bodyBytes), request.path);
    if (expectsContinue) response.writeContinue();
    return collect(message, admission, this.#shared.bodies).catch((thrown: unknown) => {
      if (!(thrown instanceof AppError) || thrown.kind === 'Cancelled') throw thrown;
      if (KINDS[thrown.kind].blame !== 'client') this.#options.onFault(thrown, request.path);
      return refuse(thrown, request.path);
    });
  }

  /** Answers and closes: anything that still arrives is neither parsed as a request nor answered. */
  #refuse(message: IncomingMessage, response: ServerResponse, reply: Reply): Promise<void> {
    this.#endWith(message, response);
    message.resume();
    return send(message, response, reply, this.#shared);
  }

  #endWith(message: IncomingMessage, response: ServerResponse): void {
    this.#refused.add(message.socket);
    response.setHeader('Connection', 'close');
  }

  /** In the middle of another answer nothing can be sent: it would be taken for part of that answer. */
  #refuseMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
    const isSilent = error.code === 'ECONNRESET' || this.connections.isBusy(socket) || this.#refused.has(socket);
    if (!socket.writable || isSilent) socket.destroy();
    else socket.end(parserReply(error.code));
    this.#refused.add(socket);
  }
}

const MALFORMED = ['400 Bad Request', 'BadRequest', 'The request is not valid HTTP.'] as const;
const BY_CODE: Readonly<Record<string, readonly [status: string, word: string, message: string]>> = {
  HPE_HEADER_OVERFLOW: ['431 Request Header Fields Too Large', 'BadRequest', 'The request has too many headers.'],
  ERR_HTTP_REQUEST_TIMEOUT: ['408 Request Timeout', 'RequestTimeout', 'The request took too long to arrive.'],
};

/** The address is not known, so it is in the shape of the API, whatever the surface. */
const parserReply = (code = ''): string => {
  const [status, word, message] = BY_CODE[code] ?? MALFORMED;
  const body = JSON.stringify({ error: word, message, details: null });
  const head = [
    `HTTP/1.1 ${status}`,
    'Content-Type: application/json; charset=utf-8',
    NOSNIFF.join(': '),
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
};

const stop = (server: Server, graceMs: number): Promise<void> =>
  new Promise((resolve) => {
    if (!server.listening) {
      server.closeAllConnections();
      resolve();
      return;
    }
    const timer = setTimeout(() => server.closeAllConnections(), graceMs);
    server.close(() => {
      clearTimeout(timer);
      resolve();
    });
    server.closeIdleConnections();
  });

export const nodeAdapter: HttpAdapter = {
  name: 'node',
  listen: (options) => new NodeServer(options).listen(),
};

/** Takes over new connections on another server's port. */
export const standIn = async (options: ListenOptions, shared: Shared): Promise<Stand> => {
  const server = new NodeServer({ ...options, onCrowded: () => undefined }, shared);
  const { stop } = await server.listen();
  const { connections } = server;
  return {
    stop,
    count: () => connections.size,
    bound: (max) => {
      connections.max = max;
    },
    leave: (gone) => server.leave(gone),
  };
};

export const listenError = (
  error: NodeJS.ErrnoException,
  { host, port }: Pick<ListenOptions, 'host' | 'port'>,
): AppError => {
  if (error.code === 'EADDRINUSE')
    return new AppError('BadRequest', `Port ${port} on ${host} is already in use; choose another one with --port.`);
  if (error.code === 'EACCES')
    return new AppError(
      'BadRequest',
      `The system does not allow listening on port ${port}; ports below 1024 need extra privileges.`,
    );
  return new AppError('BadRequest', `Cannot listen on ${host}:${port}: ${error.message}`);
};
