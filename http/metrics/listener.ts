// The measurements at an address of their own, without a login: for a scraper on the same machine or in a private network. Plain node:http:
// a scraper asks every few seconds, and must still be answered when the network engine is at its limit.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { AppError } from '../../core/model/errors.js';
import { type Scrape, textFormatFor } from '../surface/exposition.js';

export interface MetricsListenOptions {
  readonly host: string;
  /** 0 takes any free one. */
  readonly port: number;
  readonly scrape: Scrape;
  readonly onFault: (thrown: unknown) => void;
}

export interface MetricsListening {
  readonly port: number;
  stop(): Promise<void>;
}

const PATH = '/metrics';
const CONNECTIONS = 16;
const HEADER_BYTES = 8 * 1024;
const RECEIVE_MS = 5000;
const IDLE_MS = 65_000;
const ANSWER_MS = 10_000;
const GRACE_MS = 1000;
const PLAIN = { 'Content-Type': 'text/plain; charset=utf-8', 'Cache-Control': 'no-store' } as const;

const say = (
  response: ServerResponse,
  status: number,
  sentence: string,
  headers: Record<string, string> = {},
): void => {
  response.writeHead(status, { ...PLAIN, ...headers, Connection: 'close' });
  response.end(`${sentence}\n`);
};

const within = <T>(work: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new AppError('Timeout', 'Collecting the metrics took too long.')), ANSWER_MS);
  });
  return Promise.race([work, late]).finally(() => clearTimeout(timer));
};

const answer = async (
  { method, url = '', headers }: IncomingMessage,
  response: ServerResponse,
  { scrape, onFault }: MetricsListenOptions,
): Promise<void> => {
  if (url.split('?')[0] !== PATH) return say(response, 404, `There is only ${PATH} here.`);
  if (method !== 'GET' && method !== 'HEAD') return say(response, 405, 'Use GET.', { Allow: 'GET, HEAD' });
  try {
    const { type, text } = await within(scrape(textFormatFor(headers.accept ?? '') ?? 'prometheus'));
    const bytes = Buffer.from(text);
    response.writeHead(200, { ...PLAIN, 'Content-Type': type, 'Content-Length': bytes.byteLength });
    response.end(method === 'HEAD' ? undefined : bytes);
  } catch (thrown) {
    onFault(thrown);
    say(response, 503, 'The metrics cannot be collected now; the log says why.');
  }
};

const listenFault = (error: NodeJS.ErrnoException, { host, port }: MetricsListenOptions): AppError => {
  const why =
    error.code === 'EADDRINUSE'
      ? 'the port is already in use'
      : error.code === 'EACCES'
        ? 'the system does not allow it; ports below 1024 need extra privileges'
        : error.message;
  return new AppError('BadRequest', `Cannot serve metrics on ${host}:${port} (metrics.host, metrics.port): ${why}.`);
};

export const listenForScrapes = (options: MetricsListenOptions): Promise<MetricsListening> => {
  const server = createServer({
    maxHeaderSize: HEADER_BYTES,
    headersTimeout: RECEIVE_MS,
    requestTimeout: RECEIVE_MS,
    keepAliveTimeout: IDLE_MS,
    connectionsCheckingInterval: RECEIVE_MS,
  });
  server.maxConnections = CONNECTIONS;
  server.on('request', (message, response) => {
    message.resume(); // a body is not read
    response.setTimeout(ANSWER_MS + GRACE_MS, () => response.destroy()); // later than the answer that it took too long
    void answer(message, response, options).catch(options.onFault);
  });
  server.on('clientError', (_error, socket) => socket.destroy());
  const stop = (): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(() => server.closeAllConnections(), GRACE_MS);
      server.close(() => {
        clearTimeout(timer);
        resolve();
      });
      server.closeIdleConnections();
    });
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenFault(error, options)));
    server.listen({ host: options.host, port: options.port, exclusive: true }, () => {
      server.on('error', options.onFault);
      const address = server.address();
      resolve({ port: typeof address === 'object' && address !== null ? address.port : options.port, stop });
    });
  });
};
