// The back-end over node:http: works wherever Node does. Knows requests and replies, but no routes.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { AppError, KINDS } from '../../core/model/errors.js';
import type { HttpAdapter, Listening, ListenOptions, NetworkLoad, Reply } from './adapter.js';
import { Connections } from './connections.js';
import { createFlow, type Flow } from './flow.js';
import { ByteCount, tooLarge } from './framing.js';
import { parserReply } from './node-parser-reply.js';
import { fail, releaseUnsent, send } from './node-reply.js';
import { collect, declaredLength, frameFault, hasBody, NodeExchange } from './node-request.js';
import type { Stand } from './uws-gate.js';

const HEADER_BYTES = 16 * 1024;
const HEADERS_MS = 10_000;
const IDLE_MS = 10_000;
const UPLOAD_MS = 120_000;
/** How often connections are checked for headers and bodies that took too long to arrive. */
const LOOK_EVERY_MS = 2000;
/** Requests that a connection may send without waiting for an answer. */
const PIPELINED_MAX = 32;

/** Shared by two servers while one takes over from the other. */
export interface Shared extends Flow {
  readonly bodies: ByteCount;
  readonly uploads: ByteCount;
}

export const sharedBy = (options: ListenOptions): Shared => ({
  ...createFlow(options),
  bodies: new ByteCount(options.bounds.bodiesBytes),
  uploads: new ByteCount(options.bounds.uploadsBytes),
});

class NodeServer {
  readonly connections: Connections;
  readonly #options: ListenOptions;
  readonly #shared: Shared;
  /** Connections that end with a refusal: what still arrives on them is not parsed as a request. */
  readonly #refused = new WeakSet<Socket>();
  /** Connections on which a body arrives. */
  readonly #receiving = new WeakSet<Socket>();
  /** Requests that each connection brought in the latest turn of the event loop with any, and its number. */
  readonly #inTurn = new Map<Socket, number>();
  #turn = 0;
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
    this.#server.on('connection', (socket) => {
      socket.setMaxListeners(2 * PIPELINED_MAX); // each waiting answer may listen for its end
      this.connections.add(socket);
    });
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
        resolve({ port: bound, load: () => this.#load(), stop: (graceMs) => this.#stop(graceMs) });
      });
    });
  }

  #load(): NetworkLoad {
    const { live, meter } = this.#shared;
    return { connections: this.connections.size, liveStreams: live.count, sentBytes: meter.sentBytes };
  }

  /** Accepts no more connections; open ones continue, and `gone` is called when there are none left. */
  leave(gone: () => void): void {
    closeListener(this.#server, gone);
  }

  /** Connections end with the replies they carry. */
  #stop(graceMs: number): Promise<void> {
    const server = this.#server;
    this.#isStopping = true;
    this.#shared.live.stop();
    return new Promise((resolve) => {
      if (!server.listening) {
        server.closeAllConnections();
        resolve();
        return;
      }
      const timer = setTimeout(() => server.closeAllConnections(), graceMs);
      closeListener(server, () => {
        clearTimeout(timer);
        resolve();
      });
      this.connections.endResting((socket) => this.#receiving.has(socket));
    });
  }

  #take(message: IncomingMessage, response: ServerResponse, expectsContinue: boolean): void {
    if (this.#refused.has(message.socket)) return;
    if (this.#isFlooding(message.socket)) {
      this.#refused.add(message.socket);
      message.socket.destroy();
      return;
    }
    const exchange = new NodeExchange(message, response);
    response.on('close', () => this.#over(exchange));
    try {
      this.#begin(exchange, expectsContinue);
    } catch (thrown) {
      fail(exchange, thrown, this.#shared);
    }
  }

  #over(exchange: NodeExchange): void {
    const { message, response } = exchange;
    this.connections.rest(message.socket);
    if (this.#isStopping && !this.connections.isBusy(message.socket)) message.socket.destroySoon();
    if (!response.writableFinished) exchange.giveUp();
  }

  /** The parser delivers all requests of one read at once; a connection with too many of them would keep everyone else waiting. */
  #isFlooding(socket: Socket): boolean {
    const { turn } = this.#shared.queue;
    if (turn !== this.#turn) this.#inTurn.clear();
    this.#turn = turn;
    const count = (this.#inTurn.get(socket) ?? 0) + 1;
    this.#inTurn.set(socket, count);
    return count > PIPELINED_MAX;
  }

  #begin(exchange: NodeExchange, expectsContinue: boolean): void {
    const { message, path } = exchange;
    const fault = frameFault(message);
    if (fault !== undefined) {
      this.#refuse(exchange, this.#options.refuse(fault, path));
      return;
    }
    if (message.headers.upgrade !== undefined) this.#endWith(exchange); // the parser stops after it
    if (!hasBody(message)) {
      this.#answer(exchange);
      return;
    }
    this.#receiving.add(message.socket);
    this.#bodyOf(exchange, expectsContinue)
      .then((body) => {
        this.#receiving.delete(message.socket);
        if (!(body instanceof Uint8Array)) return this.#refuse(exchange, body);
        exchange.body = body;
        this.#answer(exchange);
      })
      .catch((thrown: unknown) => fail(exchange, thrown, this.#shared));
  }

  /** At once if the event loop is free for it: most requests are answered without a promise. */
  #answer(exchange: NodeExchange): void {
    const { queue } = this.#shared;
    this.connections.begin(exchange.message.socket);
    if (queue.isFree()) this.#dispatch(exchange);
    else queue.later(exchange.remoteAddress, 'start', () => this.#dispatch(exchange));
  }

  #dispatch(exchange: NodeExchange): void {
    if (exchange.response.destroyed) return;
    try {
      const reply = this.#options.dispatch(exchange);
      if (reply instanceof Promise) this.#answerLater(exchange, reply);
      else send(exchange, reply, this.#shared);
    } catch (thrown) {
      fail(exchange, thrown, this.#shared);
    }
  }

  /** With Timeout when the reply does not come in time; a late one is released and dropped. */
  #answerLater(exchange: NodeExchange, answer: Promise<Reply>): void {
    const { handlerMs, refuse, onFault } = this.#options;
    const { path, response } = exchange;
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      const error = new AppError('Timeout', 'The server took too long to answer.');
      if (!response.destroyed) onFault(error, path);
      exchange.giveUp(); // the work for it may stop
      send(exchange, refuse(error, path), this.#shared);
    }, handlerMs);
    answer
      .then((reply) => (isLate ? releaseUnsent(reply) : send(exchange, reply, this.#shared)))
      .catch((thrown: unknown) => (isLate ? undefined : fail(exchange, thrown, this.#shared)))
      .finally(() => clearTimeout(timer));
  }

  /** The body, or the reply that refuses it. */
  async #bodyOf(exchange: NodeExchange, expectsContinue: boolean): Promise<Uint8Array | Reply> {
    const { message, response, path } = exchange;
    const { admit, refuse } = this.#options;
    const admission = await admit(exchange);
    if ('refusal' in admission) return admission.refusal;
    if (declaredLength(message) > admission.bodyBytes) return refuse(tooLarge(admission.bodyBytes), path);
    if (expectsContinue) response.writeContinue();
    const { bodies, uploads } = this.#shared;
    return collect(message, admission, admission.isUpload === true ? uploads : bodies).catch((thrown: unknown) => {
      if (!(thrown instanceof AppError) || thrown.kind === 'Cancelled') throw thrown;
      if (KINDS[thrown.kind].blame !== 'client') this.#options.onFault(thrown, path);
      return refuse(thrown, path);
    });
  }

  /** Answers and closes: anything that still arrives is neither parsed as a request nor answered. */
  #refuse(exchange: NodeExchange, reply: Reply): void {
    this.#endWith(exchange);
    this.connections.begin(exchange.message.socket);
    exchange.message.resume();
    send(exchange, reply, this.#shared);
  }

  #endWith({ message, response }: NodeExchange): void {
    this.#refused.add(message.socket);
    response.shouldKeepAlive = false;
  }

  /** In the middle of another answer nothing can be sent: it would be taken for part of that answer. */
  #refuseMalformed(error: NodeJS.ErrnoException, socket: Socket): void {
    const isSilent = error.code === 'ECONNRESET' || this.connections.isBusy(socket) || this.#refused.has(socket);
    if (!socket.writable || isSilent) socket.destroy();
    else socket.end(parserReply(error.code));
    this.#refused.add(socket);
  }
}

/** `close` of node:http also destroys connections whose answer has ended but is not sent yet; its second call ends a timer. */
const closeListener = (server: Server, closed: () => void): void => {
  NetServer.prototype.close.call(server, () => {
    server.close();
    closed();
  });
};

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
