// Request framing: refuses requests that servers and proxies could parse differently (request smuggling).
import { AppError } from '../../core/model/errors.js';

/** Headers that may appear only once: given two, one server uses the first and another the last. */
const SINGLE: ReadonlySet<string> = new Set(['host', 'authorization', 'content-length', 'transfer-encoding']);

export const isSingle = (name: string): boolean => SINGLE.has(name);

export const repeatedHeader = (name: string): AppError =>
  new AppError('BadRequest', `The header ${name} may appear only once.`);

const LENGTH = /^\d{1,15}$/;

/** The body length from a raw Content-Length header. */
export const lengthOf = (header: string): number => {
  if (!LENGTH.test(header)) throw new AppError('BadRequest', 'Content-Length must be a single number.');
  return Number(header);
};

export const tooLarge = (max: number): AppError =>
  new AppError('PayloadTooLarge', `The request body has more than ${max} bytes.`);

export const bodiesFull = (): AppError =>
  new AppError('Overloaded', 'Too many request bodies are arriving at the same time. Try again in a moment.');

/** What guests may use of a budget: beyond this nothing more is accepted from them. */
const GUEST_SHARE = 0.5;

/** A byte budget: acquired before memory is allocated, released with it. */
export class ByteCount {
  readonly #max: number;
  #held = 0;

  constructor(max: number) {
    this.#max = max;
  }

  take(bytes: number, isGuest = false): boolean {
    if (this.#held + bytes > this.#max * (isGuest ? GUEST_SHARE : 1)) return false;
    this.#held += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#held -= bytes;
  }
}
