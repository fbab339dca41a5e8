// Passes on what signed-in pages measured to the collector of the configuration, and to no other address. A few requests at a time, each with
// a deadline; of the page's request only the body goes on.
import { RequestRate } from '../access/request-rate.js';
import type { Clock } from '../engine/clock.js';
import { Semaphore } from '../engine/semaphore.js';
import { AppError } from '../model/errors.js';
import { signalAddress, type TracingOptions } from './options.js';
import { isExportRequest, type Signal } from './otlp-message.js';

const DEADLINE_MS = 5000;
const AT_ONCE_MAX = 4;
const QUEUE_LENGTH = 32;
/** A page sends its batches every few seconds. */
const RATE = { perSecond: 2, burst: 20 };

export const PROTOBUF = 'application/x-protobuf';
export const RELAYED_MAX_BYTES = 1024 * 1024;

export interface Relayed {
  readonly signal: Signal;
  readonly contentType: string;
  readonly contentEncoding: string;
  readonly body: Uint8Array;
  /** Key of the user who sends it. */
  readonly user: number;
}

const failed = (why: string, cause?: unknown): AppError =>
  new AppError('CollectorFailed', `The collector of traces and metrics ${why}.`, null, cause);

const refuseForeign = ({ signal, contentType, contentEncoding, body }: Relayed): void => {
  const type = contentType.split(';')[0]?.trim().toLowerCase();
  if (type !== PROTOBUF) throw new AppError('BadRequest', `The body must be ${PROTOBUF}.`);
  if (contentEncoding !== '' && contentEncoding.toLowerCase() !== 'identity')
    throw new AppError('BadRequest', 'The body must not be compressed.');
  if (body.byteLength > RELAYED_MAX_BYTES)
    throw new AppError('PayloadTooLarge', `At most ${RELAYED_MAX_BYTES} bytes are forwarded in one request.`);
  if (!isExportRequest(body, signal))
    throw new AppError('BadRequest', `The body is not an OTLP export request with ${signal}.`);
};

export class Relay {
  readonly #options: TracingOptions;
  readonly #rate: RequestRate;
  readonly #slots = new Semaphore(AT_ONCE_MAX, QUEUE_LENGTH, DEADLINE_MS);
  readonly #stop = new AbortController();

  constructor(options: TracingOptions, clock: Clock) {
    this.#options = options;
    this.#rate = new RequestRate(clock, RATE);
  }

  get isOn(): boolean {
    return this.#options.endpoint !== null && this.#options.browser.isOn;
  }

  /** For pages: how much they send, and as what. */
  get offered(): { readonly isOn: boolean; readonly sampleRatio: number; readonly serviceName: string } {
    const { browser, serviceName } = this.#options;
    return { isOn: this.isOn, sampleRatio: browser.sampleRatio, serviceName };
  }

  async pass(relayed: Relayed): Promise<void> {
    const { endpoint, headers } = this.#options;
    if (endpoint === null || !this.isOn)
      throw new AppError(
        'NotConfigured',
        'This server does not accept traces or metrics from pages (tracing.browser).',
      );
    const { retryS } = this.#rate.takeOf(String(relayed.user));
    if (retryS !== null) throw new AppError('TooManyRequests', undefined, { retry_after: retryS });
    refuseForeign(relayed);
    await this.#slots.with(1, () => this.#send(signalAddress(endpoint, relayed.signal), headers, relayed.body), {
      user: relayed.user,
    });
  }

  /** Ends what is under way: nobody waits for it any more. */
  stop(): void {
    this.#stop.abort();
  }

  async #send(address: string, headers: TracingOptions['headers'], body: Uint8Array): Promise<void> {
    const signal = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(DEADLINE_MS)]);
    const answer = await fetch(address, {
      method: 'POST',
      headers: { ...headers, 'content-type': PROTOBUF },
      body: new Uint8Array(body),
      redirect: 'manual', // it would lead away from the configured address
      signal,
    }).catch((thrown: unknown) => {
      throw failed(signal.aborted ? 'did not answer in time' : 'cannot be reached', thrown);
    });
    await answer.body?.cancel().catch(() => undefined); // nothing in it is passed on
    if (!answer.ok) throw failed(`answered ${answer.status}`);
  }
}
