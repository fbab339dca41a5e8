// Requests over uWebSockets.js up to dispatch: ambiguous ones are refused; bodies are admitted, counted and collected.
import { AppError } from '../../core/model/errors.js';
import type { Admission, ListenOptions, Reply } from './adapter.js';
import { type ByteCount, bodiesFull, lengthOf, repeatedHeader, tooLarge } from './framing.js';
import type { Exchange } from './uws-exchange.js';
import { refuse } from './uws-reply.js';

export interface Intake {
  readonly options: ListenOptions;
  /** Bytes of all bodies that are arriving. */
  readonly bodies: ByteCount;
  /** The same of files that are uploaded. */
  readonly uploads: ByteCount;
  /** Called with the whole request. */
  readonly answer: (exchange: Exchange) => void;
}

/** A length is required: this engine misreads chunk sizes (`2;a` as 0x2ba, `g` as 16), so it and a proxy could see different requests. */
const lengthRequired = (): AppError =>
  new AppError('LengthRequired', 'Request bodies need a Content-Length; chunked bodies are not supported.');

const refuseAs = (exchange: Exchange, { options }: Intake, thrown: unknown): void =>
  refuse(exchange, options.refuse(thrown, exchange.path));

export const take = (exchange: Exchange, intake: Intake): void => {
  if (exchange.repeated !== null) refuseAs(exchange, intake, repeatedHeader(exchange.repeated));
  else if (exchange.has('transfer-encoding')) refuseAs(exchange, intake, lengthRequired());
  else if (exchange.has('content-length')) takeBody(exchange, intake);
  else intake.answer(exchange);
};

const takeBody = (exchange: Exchange, intake: Intake): void => {
  try {
    const length = lengthOf(exchange.header('content-length'));
    if (length === 0) intake.answer(exchange);
    else new BodyCollector(exchange, intake, length).start();
  } catch (thrown) {
    refuseAs(exchange, intake, thrown);
  }
};

/** Chunks are invalid after their callback, so each is copied. Chunks that arrive while the caller is looked up count too. */
class BodyCollector {
  readonly #exchange: Exchange;
  readonly #intake: Intake;
  readonly #length: number;
  #chunks: Buffer[] = [];
  /** Where its bytes are counted. */
  #count: ByteCount;
  #size = 0;
  #isWhole = false;
  #isAdmitted = false;
  #isGuest = false;

  constructor(exchange: Exchange, intake: Intake, length: number) {
    this.#exchange = exchange;
    this.#intake = intake;
    this.#length = length;
    this.#count = intake.bodies;
  }

  start(): void {
    const exchange = this.#exchange;
    const { options } = this.#intake;
    if (this.#length > options.bodyBytes) {
      refuseAs(exchange, this.#intake, tooLarge(options.bodyBytes));
      return;
    }
    exchange.watch();
    const admission = options.admit(exchange);
    if (!(admission instanceof Promise)) this.#admit(admission);
    else {
      admission.then(
        (found) => this.#admit(found),
        (thrown: unknown) => {
          options.onFault(thrown);
          refuseAs(exchange, this.#intake, thrown);
        },
      );
    }
    if (exchange.isRefused) return;
    exchange.onFinish(() => this.#drop());
    exchange.response.onData((chunk, isLast) => this.#take(chunk, isLast));
  }

  #admit(admission: Admission): void {
    if (this.#exchange.isEnded) return;
    if ('refusal' in admission) this.#end(admission.refusal);
    else if (this.#length > admission.bodyBytes) this.#refuse(tooLarge(admission.bodyBytes));
    else {
      this.#isAdmitted = true;
      this.#isGuest = admission.isGuest === true;
      if (admission.isUpload === true && !this.#moveTo(this.#intake.uploads)) return;
    }
    this.#answerWhole();
  }

  #take(chunk: ArrayBuffer, isLast: boolean): void {
    if (this.#exchange.isEnded || this.#exchange.isRefused) return;
    if (!this.#count.take(chunk.byteLength, this.#isGuest)) {
      this.#refuseFull();
      return;
    }
    this.#size += chunk.byteLength;
    this.#chunks.push(Buffer.from(new Uint8Array(chunk)));
    this.#isWhole = isLast;
    this.#answerWhole();
  }

  #answerWhole(): void {
    const exchange = this.#exchange;
    if (!this.#isWhole || !this.#isAdmitted || exchange.isEnded) return;
    exchange.body = Buffer.concat(this.#chunks);
    this.#drop();
    exchange.response.cork(() => this.#intake.answer(exchange));
  }

  /** What arrived before the caller was known is counted there as well. */
  #moveTo(count: ByteCount): boolean {
    const fits = count.take(this.#size);
    if (fits) {
      this.#count.give(this.#size);
      this.#count = count;
    } else this.#refuseFull();
    return fits;
  }

  #refuseFull(): void {
    const error = bodiesFull();
    this.#intake.options.onFault(error, this.#exchange.path);
    this.#refuse(error);
  }

  #refuse(error: AppError): void {
    this.#end(this.#intake.options.refuse(error, this.#exchange.path));
  }

  #end(refusal: Reply): void {
    this.#drop();
    refuse(this.#exchange, refusal);
  }

  #drop(): void {
    this.#count.give(this.#size);
    this.#chunks = [];
    this.#size = 0;
  }
}
