// Requests to a provider: a few at a time, with a deadline and a limit on the size of answers. Any failure becomes a ProviderFailed.
import { Semaphore } from '../engine/semaphore.js';
import { AppError } from '../model/errors.js';

const DEADLINE_MS = 5000;
const ANSWER_MAX_BYTES = 1024 * 1024;
const AT_ONCE_MAX = 16;
const QUEUE_LENGTH = 64;
/** An answer with one of these has no body. */
const BODILESS = new Set([204, 205, 304]);
/** The only headers of an answer that are kept. */
const HEADERS = ['content-type', 'www-authenticate', 'dpop-nonce'];

const stopping = (): Error => new Error('the server is stopping');

const bounded = async (response: Response): Promise<Uint8Array> => {
  const pieces: Uint8Array[] = [];
  let size = 0;
  for await (const piece of response.body ?? []) {
    size += piece.length;
    if (size > ANSWER_MAX_BYTES) throw new Error(`the answer is larger than ${ANSWER_MAX_BYTES} bytes`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
};

export class ProviderRequests {
  readonly #name: string;
  readonly #slots = new Semaphore(AT_ONCE_MAX, QUEUE_LENGTH, DEADLINE_MS);
  readonly #open = new Set<AbortController>();
  #isStopped = false;

  /** `name`: the provider's, for messages. */
  constructor(name: string) {
    this.#name = name;
  }

  /** Redirects are not followed: no endpoint of a provider has any. */
  readonly fetch = (address: string, options: RequestInit = {}): Promise<Response> =>
    this.#slots.with(1, async () => {
      if (this.#isStopped) throw this.failed(stopping());
      const end = new AbortController();
      const timer = setTimeout(() => end.abort(new Error(`it took longer than ${DEADLINE_MS} ms`)), DEADLINE_MS);
      this.#open.add(end);
      try {
        const response = await fetch(address, { ...options, redirect: 'manual', signal: end.signal });
        const { status, headers } = response;
        const body = await bounded(response);
        if (status >= 500) throw new Error(`it answered ${status}`);
        const kept = HEADERS.flatMap((name): [string, string][] => {
          const value = headers.get(name);
          return value === null ? [] : [[name, value]];
        });
        return new Response(BODILESS.has(status) ? null : body, { status, headers: kept });
      } catch (thrown) {
        throw this.failed(thrown);
      } finally {
        clearTimeout(timer);
        this.#open.delete(end);
      }
    });

  /** A JSON document at an address. */
  async json(address: string): Promise<unknown> {
    const response = await this.fetch(address, { headers: { accept: 'application/json' } });
    if (response.status !== 200) throw this.failed(new Error(`${address} answered ${response.status}`));
    return response.json().catch((thrown: unknown) => {
      throw this.failed(thrown);
    });
  }

  failed(cause: unknown): AppError {
    const message = `The sign-on provider "${this.#name}" cannot be reached or gave an invalid response.`;
    return new AppError('ProviderFailed', message, null, cause);
  }

  /** Aborts requests in progress; those that wait, or come later, fail. */
  stop(): void {
    this.#isStopped = true;
    for (const end of this.#open) end.abort(stopping());
  }
}
