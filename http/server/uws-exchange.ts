// One request and its response over uWebSockets.js: what was copied from the request, and who may still touch the response.
import { type FileBody, plainAddress, type Request } from './adapter.js';
import { isSingle } from './framing.js';
import type { UwsRequest, UwsResponse } from './uws-binary.js';

const NO_BODY = new Uint8Array(0);

/** One request and its response. Owns the file of its reply until `release`. */
export class Exchange implements Request {
  readonly method: string;
  readonly path: string;
  readonly query: string;
  body: Uint8Array = NO_BODY;
  /** A header that may appear only once and was repeated. */
  readonly repeated: string | null;
  /** Its refusal is being sent: anything else that arrives for it is ignored. */
  isRefused = false;
  readonly response: UwsResponse;
  readonly #headers: Map<string, string>;
  readonly #done: () => void;
  #file: FileBody | null = null;
  #onFinish: (() => void) | null = null;
  #onClosed: (() => void) | null = null;
  #reads = 0;
  #ended = false;
  #address: string | null = null;
  #watching = false;
  #abort: AbortController | null = null;

  constructor(response: UwsResponse, request: UwsRequest, done: () => void) {
    this.response = response;
    this.method = request.getMethod().toUpperCase();
    this.path = request.getUrl();
    this.query = request.getQuery() ?? '';
    const headers = new Map<string, string>();
    let repeated: string | null = null;
    request.forEach((name, value) => {
      const before = headers.get(name);
      if (before !== undefined && isSingle(name)) repeated = name;
      headers.set(name, before === undefined ? value : `${before}, ${value}`);
    });
    this.repeated = repeated;
    this.#headers = headers;
    this.#done = done;
  }

  /** Few callers need it, so it is read on demand. */
  get remoteAddress(): string {
    if (this.#address === null)
      this.#address = this.#ended
        ? ''
        : plainAddress(Buffer.from(this.response.getRemoteAddressAsText()).toString('latin1'));
    return this.#address;
  }

  header(name: string): string {
    return this.#headers.get(name) ?? '';
  }

  has(name: string): boolean {
    return this.#headers.has(name);
  }

  get signal(): AbortSignal {
    this.#abort ??= new AbortController();
    if (this.#ended) this.#abort.abort();
    return this.#abort.signal;
  }

  get isHead(): boolean {
    return this.method === 'HEAD';
  }

  /** The engine closes the connection after the answer. */
  get isLast(): boolean {
    return this.header('connection').toLowerCase() === 'close';
  }

  get isEnded(): boolean {
    return this.#ended;
  }

  /** Must be called before anything is awaited. */
  watch(): void {
    if (this.#watching) return;
    this.#watching = true;
    this.response.onAborted(() => {
      this.#onClosed?.();
      if (this.#ended) return;
      this.finish();
      this.#abort?.abort();
    });
  }

  hold(file: FileBody): void {
    this.#file = file;
  }

  /** Called once, when the response is over. */
  onFinish(act: () => void): void {
    this.#onFinish = act;
  }

  /** Called when the connection closes before the engine knows of the end of the response. */
  onClosed(act: () => void): void {
    this.#onClosed = act;
  }

  /** The response is over, one way or the other: nothing may touch it from here on. */
  finish(): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#onFinish?.();
    this.#releaseFile();
    this.#done();
  }

  /** While a read is in progress the file stays open, even if the client is gone: its descriptor could by then be another file's. */
  beginRead(): void {
    this.#reads += 1;
  }

  endRead(): void {
    this.#reads -= 1;
    if (this.#ended) this.#releaseFile();
  }

  #releaseFile(): void {
    if (this.#reads > 0) return;
    this.#file?.release();
    this.#file = null;
  }

  /** No one waits for the work any more; an answer may still be sent. */
  giveUp(): void {
    this.#abort?.abort();
  }

  /** Ends the connection when an honest answer is no longer possible. */
  break(): void {
    if (this.#ended) return;
    this.finish();
    this.response.close();
  }
}
