// The back-end over uWebSockets.js. Knows requests and replies, nothing of routes. Its rules: a request is copied before its callback
// returns; onAborted stands before anything is awaited; a response is never touched after an abort; answers after an await are corked.
import { STATUS_CODES } from 'node:http';
import { AppError } from '../core/model/errors.js';
import {
  type FileBody,
  type HttpAdapter,
  type Listening,
  type ListenOptions,
  type Reply,
  safeHeaderValue,
} from './adapter.js';
import { errorReply } from './errors.js';
import { type ListenSocket, loadUwsBinary, type Uws, type UwsApp, type UwsResponse } from './uws-binary.js';
import { Exchange } from './uws-exchange.js';
import { sendRange } from './uws-file.js';

const STATUS_LINES = new Map(Object.entries(STATUS_CODES).map(([code, words]) => [Number(code), `${code} ${words}`]));

const writeHead = (response: UwsResponse, reply: Reply): void => {
  response.writeStatus(STATUS_LINES.get(reply.status) ?? String(reply.status));
  for (const [name, value] of reply.headers) response.writeHeader(name, safeHeaderValue(value));
};

/** Without a body, but with the length it would have. `endWithoutBody(length)` of the library hangs or aborts; the header does not. */
const endBare = (response: UwsResponse, length: number | null): void => {
  if (length !== null) response.writeHeader('Content-Length', String(length));
  response.endWithoutBody();
};

const respond = (exchange: Exchange, reply: Reply): void => {
  const { response } = exchange;
  const { body } = reply;
  if (body.kind === 'file') {
    exchange.hold(body);
    sendFile(exchange, reply, body);
    return;
  }
  writeHead(response, reply);
  const bytes = body.kind === 'none' ? '' : body.bytes;
  if (reply.status === 204 || reply.status === 304) endBare(response, null);
  else if (exchange.isHead) endBare(response, Buffer.byteLength(bytes));
  else response.end(bytes);
  exchange.finish();
};

const sendFile = (exchange: Exchange, reply: Reply, body: FileBody): void => {
  const { response } = exchange;
  if (exchange.isHead || body.length === 0) {
    writeHead(response, reply);
    endBare(response, body.length);
    exchange.finish();
    return;
  }
  exchange.watch();
  sendRange(exchange, body, () => writeHead(response, reply));
};

const releaseUnsent = (reply: Reply): void => {
  if (reply.body.kind === 'file') reply.body.release();
};

/** After an await: the client may be gone by now. */
const respondLater = (exchange: Exchange, reply: Reply): void => {
  if (exchange.isEnded) releaseUnsent(reply);
  else exchange.response.cork(() => respond(exchange, reply));
};

const answer = (exchange: Exchange, { dispatch, handlerMs, onFault }: ListenOptions): void => {
  const reply = dispatch(exchange);
  if (!(reply instanceof Promise)) {
    respond(exchange, reply);
    return;
  }
  exchange.watch();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    exchange.giveUp();
    const error = new AppError('Timeout', 'The server took too long to answer.');
    if (!exchange.isEnded) onFault(error, exchange.path);
    respondLater(exchange, errorReply(error));
  }, handlerMs);
  reply
    .then(
      (found) => (isLate ? releaseUnsent(found) : respondLater(exchange, found)),
      (thrown: unknown) => {
        onFault(thrown);
        if (!isLate) respondLater(exchange, errorReply(thrown));
      },
    )
    .catch((thrown: unknown) => {
      onFault(thrown);
      exchange.break();
    })
    .finally(() => clearTimeout(timer));
};

/** Refuses and closes: what the client still sends is not read. */
const refuse = (exchange: Exchange, error: AppError): void => {
  if (exchange.isEnded) return;
  const reply = errorReply(error);
  exchange.response.cork(() => {
    writeHead(exchange.response, reply);
    exchange.response.end(reply.body.kind === 'bytes' ? reply.body.bytes : '', true);
  });
  exchange.finish();
};

/** Chunks die with their callback, so each is copied. */
const collectBody = (exchange: Exchange, options: ListenOptions): void => {
  const chunks: Buffer[] = [];
  let size = 0;
  exchange.watch();
  exchange.response.onData((chunk, isLast) => {
    if (exchange.isEnded) return;
    size += chunk.byteLength;
    if (size > options.bodyBytes) {
      refuse(exchange, new AppError('PayloadTooLarge', `The request body has more than ${options.bodyBytes} bytes.`));
      return;
    }
    chunks.push(Buffer.from(new Uint8Array(chunk)));
    if (!isLast) return;
    exchange.body = Buffer.concat(chunks);
    exchange.response.cork(() => answer(exchange, options));
  });
};

const LENGTH = /^\d{1,15}$/;

const take = (exchange: Exchange, options: ListenOptions): void => {
  const length = exchange.header('content-length');
  if (length === '' && exchange.header('transfer-encoding') === '') {
    answer(exchange, options);
    return;
  }
  exchange.watch();
  // A repeated header arrives joined by a comma, which is no number: the library itself would silently take the first.
  if (length !== '' && !LENGTH.test(length))
    refuse(exchange, new AppError('BadRequest', 'Content-Length is not one number.'));
  else if (Number(length) > options.bodyBytes)
    refuse(exchange, new AppError('PayloadTooLarge', `The request body has more than ${options.bodyBytes} bytes.`));
  else if (length === '0') answer(exchange, options);
  else collectBody(exchange, options);
};

const LOOK_EVERY_MS = 20;

class UwsServer {
  readonly #uws: Uws;
  readonly #app: UwsApp;
  #running = 0;

  constructor(uws: Uws, options: ListenOptions) {
    this.#uws = uws;
    const finished = (): void => {
      this.#running -= 1;
    };
    this.#app = uws.App().any('/*', (response, request) => {
      this.#running += 1;
      const exchange = new Exchange(response, request, finished);
      try {
        take(exchange, options);
      } catch (thrown) {
        // An exception that leaves this callback would end the process.
        options.onFault(thrown);
        exchange.break();
      }
    });
  }

  listen({ host, port }: ListenOptions): Promise<Listening> {
    return new Promise((resolve, reject) => {
      this.#app.listen(host, port, (socket) => {
        if (socket === false)
          reject(
            new AppError(
              'BadRequest',
              `Cannot listen on ${host}:${port}; is the port in use already? Choose another one with --port.`,
            ),
          );
        else resolve({ port: this.#uws.us_socket_local_port(socket), stop: (graceMs) => this.#stop(socket, graceMs) });
      });
    });
  }

  async #stop(socket: ListenSocket, graceMs: number): Promise<void> {
    this.#uws.us_listen_socket_close(socket);
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
  return { name: 'uws', listen: (options) => new UwsServer(uws, options).listen(options) };
};
