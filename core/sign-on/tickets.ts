// One-time secrets with a limited lifetime. Only their hashes are kept, in memory and up to a maximum number: beyond that, the oldest is
// forgotten.
import { createHash, randomBytes } from 'node:crypto';
import type { Clock } from '../engine/clock.js';
import { boundedByCount } from '../model/bounded-map.js';

const BYTES = 32;

export const newSecret = (): string => randomBytes(BYTES).toString('base64url');

export const hashOf = (text: string): Buffer => createHash('sha256').update(text).digest();

interface Limits {
  readonly max: number;
  readonly lifetimeMs: number;
}

export class Tickets<T extends object> {
  readonly #clock: Clock;
  readonly #lifetimeMs: number;
  readonly #given;

  constructor(clock: Clock, { max, lifetimeMs }: Limits) {
    this.#clock = clock;
    this.#lifetimeMs = lifetimeMs;
    this.#given = boundedByCount<string, { readonly value: T; readonly untilMs: number }>(max);
  }

  give(text: string, value: T): void {
    this.#given.set(hashOf(text).toString('base64'), { value, untilMs: this.#clock.elapsed() + this.#lifetimeMs });
  }

  /** The value stored for the secret, once and before it expires. */
  take(text: string): T | undefined {
    const key = hashOf(text).toString('base64');
    const found = this.#given.get(key);
    this.#given.delete(key);
    return found === undefined || found.untilMs <= this.#clock.elapsed() ? undefined : found.value;
  }
}
