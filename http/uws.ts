// The back-end over uWebSockets.js. Knows requests and replies, nothing of routes. Its rules: a request is copied before its callback
// returns; onAborted stands before anything is awaited; a response is never touched after an abort; answers after an await are corked.
import { AppError } from '../core/model/errors.js';
import type { HttpAdapter, Listening, ListenOptions } from './adapter.js';
import { errorReply } from './errors.js';
import { ByteCount } from './framing.js';
import { Readers } from './readers.js';
import { loadUwsBinary, type Uws, type UwsApp } from './uws-binary.js';
import { Exchange } from './uws-exchange.js';
import { Gate } from './uws-gate.js';
import { releaseUnsent, respond, respondLater } from './uws-reply.js';
import { type Intake, take } from './uws-request.js';

const answer = (exchange: Exchange, { dispatch, handlerMs, onFault }: ListenOptions, readers: Readers): void => {
  const reply = dispatch(exchange);
  if (!(reply instanceof Promise)) {
    respond(exchange, reply, readers);
    return;
  }
  exchange.watch();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    exchange.giveUp();
    respondLater(exchange, errorReply(new AppError('Timeout', 'The server took too long to answer.')), readers);
  }, handlerMs);
  reply
    .then(
      (found) => (isLate ? releaseUnsent(found) : respondLater(exchange, found, readers)),
      (thrown: unknown) => {
        onFault(thrown);
        if (!isLate) respondLater(exchange, errorReply(thrown), readers);
      },
    )
    .catch((thrown: unknown) => {
      onFault(thrown);
      exchange.break();
    })
    .finally(() => clearTimeout(timer));
};

const LOOK_EVERY_MS = 20;

class UwsServer {
  readonly #uws: Uws;
  readonly #app: UwsApp;
  readonly #options: ListenOptions;
  #running = 0;

  constructor(uws: Uws, options: ListenOptions) {
    this.#uws = uws;
    this.#options = options;
    const finished = (): void => {
      this.#running -= 1;
    };
    const readers = new Readers(options.bounds.answersBytes, options.bounds.slowMs);
    const intake: Intake = {
      options,
      bodies: new ByteCount(options.bounds.bodiesBytes),
      answer: (exchange) => answer(exchange, options, readers),
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

  listen(): Promise<Listening> {
    const { host, port } = this.#options;
    return new Promise((resolve, reject) => {
      this.#app.listen(host, port, (socket) => {
        if (socket === false) {
          reject(
            new AppError(
              'BadRequest',
              `Cannot listen on ${host}:${port}; is the port in use already? Choose another one with --port.`,
            ),
          );
          return;
        }
        const bound = this.#uws.us_socket_local_port(socket);
        const { bounds, onCrowded } = this.#options;
        const parts = { uws: this.#uws, app: this.#app, host, port: bound, connections: bounds.connections, onCrowded };
        const gate = new Gate(parts, socket);
        resolve({ port: bound, stop: (graceMs) => this.#stop(gate, graceMs) });
      });
    });
  }

  async #stop(gate: Gate, graceMs: number): Promise<void> {
    gate.close();
    const until = performance.now() + graceMs;
    while (this.#running > 0 && performance.now() < until)
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    this.#app.close?.();
  }
}

/** The back-end, or a sentence that says why it does not load here. */
export const loadUws = (): HttpAdapter | { readonly reason: string } => {
  const uws = loadUwsBinary();
  if (typeof uws === 'string') return { reason: uws };
  return { name: 'uws', listen: (options) => new UwsServer(uws, options).listen() };
};
