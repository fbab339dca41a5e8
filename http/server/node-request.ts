// Requests over node:http up to dispatch: ambiguous ones are detected; bodies are counted and collected.
import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError } from '../../core/model/errors.js';
import { type Admitted, plainAddress, type Request } from './adapter.js';
import { type ByteCount, bodiesFull, isSingle, repeatedHeader, tooLarge } from './framing.js';

const NO_BODY = Buffer.alloc(0);

export const pathOf = ({ url = '/' }: IncomingMessage): string => url.split('?', 1)[0] ?? '/';

/** One request and its response. What few callers need is made on demand: a page asks for two headers and nothing else. */
export class NodeExchange implements Request {
  readonly message: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  body: Uint8Array = NO_BODY;
  #abort: AbortController | null = null;
  #isGivenUp = false;

  constructor(message: IncomingMessage, response: ServerResponse) {
    this.message = message;
    this.response = response;
    this.method = message.method ?? 'GET';
    const { url = '/' } = message;
    const mark = url.indexOf('?');
    this.path = mark < 0 ? url : url.slice(0, mark);
    this.query = mark < 0 ? '' : url.slice(mark + 1);
  }

  header(name: string): string {
    const value = this.message.headers[name];
    return value === undefined ? '' : Array.isArray(value) ? value.join(', ') : value;
  }

  has(name: string): boolean {
    return this.message.headers[name] !== undefined;
  }

  get remoteAddress(): string {
    return plainAddress(this.message.socket.remoteAddress ?? '');
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#isGivenUp) this.#abort.abort();
    return this.#abort.signal;
  }

  /** No one waits for the work any more; an answer may still be sent. */
  giveUp(): void {
    this.#isGivenUp = true;
    this.#abort?.abort();
  }
}

export const hasBody = (message: IncomingMessage): boolean =>
  message.headers['transfer-encoding'] !== undefined || Number(message.headers['content-length'] ?? 0) > 0;

export const declaredLength = (message: IncomingMessage): number => Number(message.headers['content-length'] ?? 0);

/** The name if it may appear only once. Most names differ from all of these in their length, so they are not changed to lower case. */
const singleName = (name: string): string | undefined => {
  if (name.length !== 4 && (name.length < 13 || name.length > 17)) return undefined;
  const lower = name.toLowerCase();
  return isSingle(lower) ? lower : undefined;
};

/** node:http joins or drops repeated headers; the raw list shows them. */
const repeated = ({ rawHeaders }: IncomingMessage): string | undefined => {
  const seen: string[] = [];
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = singleName(rawHeaders[index] ?? '');
    if (name === undefined) continue;
    if (seen.includes(name)) return name;
    seen.push(name);
  }
  return undefined;
};

/** What is wrong with the framing of a request that the parser accepted; undefined when nothing is. */
export const frameFault = (message: IncomingMessage): AppError | undefined => {
  const name = repeated(message);
  if (name !== undefined) return repeatedHeader(name);
  if (message.httpVersion !== '1.1' && message.httpVersion !== '1.0')
    return new AppError('BadRequest', 'Only HTTP/1.1 and HTTP/1.0 are supported.');
  if (message.httpVersion === '1.1' && message.headers.host === undefined)
    return new AppError('BadRequest', 'The Host header is missing.');
  const coding = message.headers['transfer-encoding'];
  if (coding !== undefined && (coding.toLowerCase() !== 'chunked' || message.httpVersion !== '1.1'))
    return new AppError('BadRequest', 'The only supported Transfer-Encoding is chunked, over HTTP/1.1.');
  if (message.url?.startsWith('/') !== true)
    return new AppError('BadRequest', 'The request target must begin with a slash.');
  return undefined;
};

/** The whole body. Fails when it is larger than allowed, when all bodies together are, or when the client goes away. */
export const collect = (
  message: IncomingMessage,
  { bodyBytes: maxBytes, isGuest }: Admitted,
  bodies: ByteCount,
): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const settle = (act: () => void): void => {
      message.off('data', onData).off('end', onEnd).off('close', onClose).off('error', onClose);
      message.on('error', () => undefined).resume(); // anything that still arrives is discarded
      bodies.give(size);
      act();
    };
    const onData = (chunk: Buffer): void => {
      const fits = bodies.take(chunk.length, isGuest);
      if (fits) size += chunk.length;
      if (!fits) settle(() => reject(bodiesFull()));
      else if (size > maxBytes) settle(() => reject(tooLarge(maxBytes)));
      else chunks.push(chunk);
    };
    const onEnd = (): void => settle(() => resolve(Buffer.concat(chunks)));
    const onClose = (): void => settle(() => reject(new AppError('Cancelled')));
    message.on('data', onData).on('end', onEnd).on('close', onClose).on('error', onClose);
  });
