// The back-end over uWebSockets.js. Knows requests and replies, but no routes. Its rules: a request is copied before its callback
// returns; onAborted is set before anything is awaited; a response is never touched after an abort; answers after an await are corked.
import { createServer } from 'node:net';
import { AppError } from '../../core/model/errors.js';
import type { Dispatch, HttpAdapter, Listening, ListenOptions, NetworkLoad } from './adapter.js';
import type { Flow } from './flow.js';
import { listenError, type Shared, sharedBy, standIn } from './node.js';
import { type ListenSocket, loadUwsBinary, type Uws, type UwsApp } from './uws-binary.js';
import { Exchange } from './uws-exchange.js';
import { Gate } from './uws-gate.js';
import { releaseUnsent, respond, respondLater } from './uws-reply.js';
import { type Intake, take } from './uws-request.js';

const answer = (exchange: Exchange, { dispatch, refuse, handlerMs, onFault }: ListenOptions, flow: Flow): void => {
  let reply: ReturnType<Dispatch>;
  try {
    reply = dispatch(exchange);
  } catch (thrown) {
    onFault(thrown, exchange.path);
    respond(exchange, refuse(thrown, exchange.path), flow);
    return;
  }
  if (!(reply instanceof Promise)) {
    respond(exchange, reply, flow);
    return;
  }
  exchange.watch();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    exchange.giveUp();
    const error = new AppError('Timeout', 'The server took too long to answer.');
    if (!exchange.isEnded) onFault(error, exchange.path);
    respondLater(exchange, refuse(error, exchange.path), flow);
  }, handlerMs);
  reply
    .then(
      (found) => (isLate ? releaseUnsent(found) : respondLater(exchange, found, flow)),
      (thrown: unknown) => {
        onFault(thrown, exchange.path);
        if (!isLate) respondLater(exchange, refuse(thrown, exchange.path), flow);
      },
    )
    .catch((thrown: unknown) => {
      onFault(thrown);
      exchange.break();
    })
    .finally(() => clearTimeout(timer));
};

const LOOK_EVERY_MS = 20;

/** Answered in its turn. The engine closes a connection whose next request arrives before that; pipelining clients experience this. */
const answerLater = (exchange: Exchange, options: ListenOptions, flow: Flow): void => {
  exchange.watch();
  flow.queue.later(exchange.remoteAddress, 'start', () => {
    if (exchange.isEnded) return;
    try {
      exchange.response.cork(() => answer(exchange, options, flow));
    } catch (thrown) {
      options.onFault(thrown);
      exchange.break();
    }
  });
};

class UwsServer {
  readonly #uws: Uws;
  readonly #app: UwsApp;
  readonly #options: ListenOptions;
  readonly #shared: Shared;
  #running = 0;

  constructor(uws: Uws, options: ListenOptions) {
    this.#uws = uws;
    this.#options = options;
    const finished = (): void => {
      this.#running -= 1;
    };
    this.#shared = sharedBy(options);
    const flow = this.#shared;
    const intake: Intake = {
      options,
      bodies: flow.bodies,
      uploads: flow.uploads,
      answer: (exchange) => (flow.queue.isFree() ? answer : answerLater)(exchange, options, flow),
    };
    this.#app = uws.App().any('/*', (response, request) => {
      this.#running += 1;
      const exchange = new Exchange(response, request, finished);
      try {
        take(exchange, intake);
      } catch (thrown) {
        // An exception that leaves this callback would end the process.
        options.onFault(thrown);
        exchange.break();
      }
    });
  }

  listen(): Listening {
    const port = this.#options.port === 0 ? this.#freePort() : this.#options.port;
    const socket = this.#open(port);
    if (socket === undefined) throw this.#taken(port);
    const { bounds, onCrowded, onFault } = this.#options;
    const leave = (one: ListenSocket) => () => this.#uws.us_listen_socket_close(one);
    const gate = new Gate(
      {
        connections: bounds.connections,
        open: () => {
          const again = this.#open(port);
          return again === undefined ? undefined : leave(again);
        },
        standIn: (connections) => standIn({ ...this.#options, port, bounds: { ...bounds, connections } }, this.#shared),
        onCrowded,
        onFault,
      },
      leave(socket),
    );
    const load = (): NetworkLoad => {
      const { live, meter } = this.#shared;
      return { connections: gate.connections(), liveStreams: live.count, sentBytes: meter.sentBytes };
    };
    return { port, load, stop: (graceMs) => this.#stop(gate, graceMs) };
  }

  /** The library calls back before it returns. */
  #open(port: number): ListenSocket | undefined {
    let opened: ListenSocket | undefined;
    this.#app.listen(this.#options.host, port, (socket) => {
      if (socket !== false) opened = socket;
    });
    return opened;
  }

  /** The library allows a second listener, while its own connections are open, only on a port given by number. */
  #freePort(): number {
    const socket = this.#open(0);
    if (socket === undefined) throw this.#taken(0);
    const port = this.#uws.us_socket_local_port(socket);
    this.#uws.us_listen_socket_close(socket);
    return port;
  }

  #taken(port: number): AppError {
    return new AppError(
      'BadRequest',
      `Cannot listen on ${this.#options.host}:${port}; is the port already in use? Choose another one with --port.`,
    );
  }

  async #stop(gate: Gate, graceMs: number): Promise<void> {
    this.#shared.live.stop();
    const stopped = gate.stop(graceMs);
    const until = performance.now() + graceMs;
    while (this.#running > 0 && performance.now() < until)
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    this.#app.close?.();
    await stopped;
  }
}

/** The library shares a port with other programs that allow it, such as a second Longbox; a plain socket cannot take a port in use. */
const refuseTaken = ({ host, port }: ListenOptions): Promise<void> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, { host, port })));
    probe.listen({ host, port, exclusive: true }, () => probe.close(() => resolve()));
  });

/** The back-end, or a message that says why it does not load here. */
export const loadUws = (): HttpAdapter | { readonly reason: string } => {
  const uws = loadUwsBinary();
  if (typeof uws === 'string') return { reason: uws };
  return {
    name: 'uws',
    listen: async (options) => {
      await refuseTaken(options);
      return new UwsServer(uws, options).listen();
    },
  };
};
