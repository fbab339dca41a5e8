// API keys as clients send them: `svc_`, eight characters by which a key is looked up, `_`, and a secret. Only the SHA-256 of the secret is
// stored: it is long and random, so that a slow hash would add nothing.
import { createHash, randomInt } from 'node:crypto';

const MARK = 'svc_';
const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';
const PREFIX_LENGTH = 8;
const SECRET_LENGTH = 40;

export interface KeyText {
  readonly prefix: string;
  readonly secret: string;
}

const SHAPE = /^svc_([A-Za-z0-9]{8})_([\x21-\x7e]{1,200})$/;

/** Tokens never begin like this. */
export const isMarkedAsKey = (text: string): boolean => text.startsWith(MARK);

/** Undefined for a text that is no key. */
export const keyTextOf = (text: string): KeyText | undefined => {
  const [, prefix, secret] = SHAPE.exec(text) ?? [];
  return prefix === undefined || secret === undefined ? undefined : { prefix, secret };
};

const randomText = (length: number): string =>
  Array.from({ length }, () => LETTERS[randomInt(LETTERS.length)]).join('');

export const newKeyText = (): KeyText => ({ prefix: randomText(PREFIX_LENGTH), secret: randomText(SECRET_LENGTH) });

export const writtenKey = ({ prefix, secret }: KeyText): string => `${MARK}${prefix}_${secret}`;

export const hashOfSecret = (secret: string): Buffer => createHash('sha256').update(secret).digest();
