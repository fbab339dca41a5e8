// Rate limit for requests that need no login: one token bucket per peer. Bounded memory.
import type { Clock } from '../engine/clock.js';
import { boundedByCount } from '../model/bounded-map.js';
import { peerOf } from './peers.js';

export interface RateOptions {
  readonly perSecond: number;
  readonly burst: number;
}

/** The state after a request, for the headers of its answer. */
export interface Allowance {
  readonly limit: number;
  readonly remaining: number;
  /** Seconds until the bucket is full again. */
  readonly resetS: number;
  /** Seconds until the next token; null when this request is allowed. */
  readonly retryS: number | null;
}

interface Bucket {
  tokens: number;
  filledMs: number;
}

const PEERS_MAX = 10_000;

export class RequestRate {
  readonly #clock: Clock;
  readonly #options: RateOptions;
  /** The longest idle one is dropped, which gives its peer a full bucket. */
  readonly #buckets = boundedByCount<string, Bucket>(PEERS_MAX);

  constructor(clock: Clock, options: RateOptions) {
    this.#clock = clock;
    this.#options = options;
  }

  take(address: string): Allowance {
    return this.takeOf(peerOf(address).home);
  }

  /** The same of anything else that is limited. */
  takeOf(key: string): Allowance {
    const { perSecond, burst } = this.#options;
    const bucket = this.#filled(key);
    const isAllowed = bucket.tokens >= 1;
    if (isAllowed) bucket.tokens -= 1;
    return {
      limit: burst,
      remaining: Math.floor(bucket.tokens),
      resetS: Math.ceil((burst - bucket.tokens) / perSecond),
      retryS: isAllowed ? null : Math.ceil((1 - bucket.tokens) / perSecond),
    };
  }

  #filled(key: string): Bucket {
    const { perSecond, burst } = this.#options;
    const now = this.#clock.now();
    const known = this.#buckets.get(key);
    const bucket = known ?? { tokens: burst, filledMs: now };
    if (known === undefined) this.#buckets.set(key, bucket);
    const elapsed = Math.max(0, now - bucket.filledMs); // the system clock may be set back
    bucket.tokens = Math.min(burst, bucket.tokens + (elapsed / 1000) * perSecond);
    bucket.filledMs = now;
    return bucket;
  }
}
