// How a request is framed, and what is refused because servers and proxies could read it in two ways (request smuggling).
import { AppError } from '../core/model/errors.js';

/** Headers that a request may carry once: of two, one server believes the first and another the last. */
const SINGLE: ReadonlySet<string> = new Set(['host', 'authorization', 'content-length', 'transfer-encoding']);

export const isSingle = (name: string): boolean => SINGLE.has(name);

export const repeatedHeader = (name: string): AppError =>
  new AppError('BadRequest', `The header ${name} may appear only once.`);

const LENGTH = /^\d{1,15}$/;

/** Bytes of the body by a Content-Length header as it came. */
export const lengthOf = (header: string): number => {
  if (!LENGTH.test(header)) throw new AppError('BadRequest', 'Content-Length must be a single number.');
  return Number(header);
};

export const tooLarge = (max: number): AppError =>
  new AppError('PayloadTooLarge', `The request body has more than ${max} bytes.`);

export const bodiesFull = (): AppError =>
  new AppError('Overloaded', 'Too many request bodies are arriving at the same time. Try again in a moment.');

/** A count of bytes with a ceiling; taken before memory is held, given back when it is let go. */
export class ByteCount {
  readonly #max: number;
  #held = 0;

  constructor(max: number) {
    this.#max = max;
  }

  take(bytes: number): boolean {
    if (this.#held + bytes > this.#max) return false;
    this.#held += bytes;
    return true;
  }

  give(bytes: number): void {
    this.#held -= bytes;
  }
}
