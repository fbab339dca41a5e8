// The mails that wait to be sent: one at a time, outside of requests and their transactions. What a request starts for an address is looked
// up here as well, so that its answer takes as long for an address that nobody has. Kept in memory only: people can ask for another mail.
import type { Clock } from '../engine/clock.js';
import { type Deliver, type DeliveryOptions, deliveryFault, deliveryOf } from './mail-delivery.js';
import type { Letter } from './mail-texts.js';

export interface MailOptions extends DeliveryOptions {
  /** What links begin with; null when it is not configured. */
  readonly linkBase: string | null;
}

export interface MailParts {
  readonly clock: Clock;
  readonly onWarning: (sentence: string) => void;
  readonly onNote: (sentence: string) => void;
  readonly onFault: (thrown: unknown) => void;
}

/** Finds out what has to be sent; null for nothing. */
export type Draft = () => Promise<Letter | null>;

export const QUEUE_MAX = 200;
/** How long the end of the program waits for what is being written. */
const STOP_MS = 2000;

const SET_SMTP = 'To have mails sent, set email.smtp_host and the other email.smtp_ settings.';
const SET_BASE =
  'A mail was sent with a link that lacks the address of this server. Set application.base_url or email.verification_url_base.';

export class Mails {
  readonly linkBase: string | null;
  readonly #options: MailOptions;
  readonly #parts: MailParts;
  readonly #deliver: Deliver;
  readonly #waiting: Draft[] = [];
  readonly #ended = new AbortController();
  #running: Promise<void> | null = null;
  #hasToldFolder = false;
  #hasToldBase = false;
  #isOverfull = false;

  constructor(options: MailOptions, parts: MailParts) {
    this.linkBase = options.linkBase;
    this.#options = options;
    this.#parts = parts;
    this.#deliver = deliveryOf(options);
  }

  /** Whether they reach people, not only a folder of the server. */
  get isSending(): boolean {
    return this.#options.smtp !== null;
  }

  /** Never waits and never throws: either could reveal whether an account exists. */
  post(draft: Draft): void {
    if (this.#ended.signal.aborted) return;
    if (this.#waiting.length >= QUEUE_MAX) {
      if (!this.#isOverfull)
        this.#parts.onWarning(`More than ${QUEUE_MAX} mails wait to be sent; further ones are dropped.`);
      this.#isOverfull = true;
      return;
    }
    this.#waiting.push(draft);
    this.#running ??= this.#run();
  }

  /** Resolves once nothing waits. */
  async idle(): Promise<void> {
    while (this.#running !== null) await this.#running;
  }

  async stop(): Promise<void> {
    this.#ended.abort();
    const left = this.#waiting.length;
    this.#waiting.length = 0;
    if (left > 0) this.#parts.onWarning(`${left} mails were not sent, because the server stopped.`);
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, STOP_MS);
    });
    await Promise.race([this.idle(), late]).finally(() => clearTimeout(timer));
  }

  async #run(): Promise<void> {
    for (let draft = this.#waiting.shift(); draft !== undefined; draft = this.#waiting.shift()) await this.#send(draft);
    this.#running = null;
    this.#isOverfull = false;
  }

  async #send(draft: Draft): Promise<void> {
    let letter: Letter | null;
    try {
      letter = await draft();
    } catch (thrown) {
      this.#parts.onFault(thrown);
      return;
    }
    if (letter === null) return;
    const { clock, onWarning } = this.#parts;
    try {
      const file = await this.#deliver(letter, clock.now(), this.#ended.signal);
      if (file !== null) this.#toldFile(file);
    } catch (thrown) {
      onWarning(`A mail ("${letter.subject}") could not be ${this.#aim()}: ${deliveryFault(thrown)}.`);
    }
    if (this.linkBase !== null || this.#hasToldBase) return;
    this.#hasToldBase = true;
    onWarning(SET_BASE);
  }

  #aim(): string {
    const { smtp, folder } = this.#options;
    return smtp === null
      ? `written to ${folder}`
      : `sent through ${smtp.host}:${smtp.port}; check the email.smtp_ settings`;
  }

  #toldFile(file: string): void {
    this.#parts.onNote(`a mail was written to ${file}`);
    if (this.#hasToldFolder) return;
    this.#hasToldFolder = true;
    this.#parts.onWarning(`Mails are not sent but written to ${this.#options.folder}. ${SET_SMTP}`);
  }
}
