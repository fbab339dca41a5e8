// Slows down password guessing. An address that fails on an account must wait for that account; one that fails across many accounts must
// wait for all of them. Failures from elsewhere never cause a wait, they only leave strangers fewer free tries, so no one can lock an owner
// out. A user who signed in from an address before waits there only for their own failures.
import { createHash } from 'node:crypto';
import type { Clock } from '../engine/clock.js';
import { boundedByCount } from '../model/bounded-map.js';
import { AppError } from '../model/errors.js';
import { userNameKey } from '../model/name-key.js';
import { type Attempt, Failures } from './failures.js';
import { peerOf } from './peers.js';

export interface ThrottleOptions {
  /** Failures on one account from one peer before it has to wait. */
  readonly attempts: number;
  readonly firstWaitMs: number;
}

const HOUR_MS = 3_600_000;
const FORGET_MS = 24 * HOUR_MS;
const KEYS_MAX = 10_000;
/** Free failures of a peer over all accounts, and of a /48, as multiples of those on one account. */
const PER_HOME = 5;
const PER_SITE = 50;
/** An account with this multiple of the free failures, from anywhere, counts as under attack; strangers then get only a few free tries. */
const PER_ACCOUNT = 10;
const FREE_UNDER_ATTACK = 3;

const shortened = (text: string): string => createHash('sha256').update(text).digest('base64').slice(0, 22);

/** An attempt to sign in. */
export interface SignInAttempt {
  /** As it was sent: such an account need not exist. */
  readonly name: string;
  readonly address: string;
  /** The surface that received it. */
  readonly surface: string;
}

export interface FailedAttempt extends SignInAttempt {
  readonly reason: string;
  /** How long the address has to wait now; 0 when it may try again at once. */
  readonly waitMs: number;
}

interface Gate extends Attempt {
  readonly failures: Failures;
}

export class Throttle {
  readonly #attempts: number;
  readonly #pairs: Failures;
  readonly #homes: Failures;
  readonly #sites: Failures;
  /** Failures on an account from anywhere. Never refuses. */
  readonly #accounts: Failures;
  /** Pairs of account and peer that signed in; those whose last time is the longest ago are dropped. */
  readonly #known = boundedByCount<string, true>(KEYS_MAX);
  /** Called with each wrong password, but not while an address has to wait. */
  announce: (failed: FailedAttempt) => void = () => undefined;

  constructor(clock: Clock, { attempts, firstWaitMs }: ThrottleOptions) {
    const longestWaitMs = Math.max(firstWaitMs, HOUR_MS);
    const table = (): Failures =>
      new Failures(clock, { firstWaitMs, longestWaitMs, forgetMs: FORGET_MS, keysMax: KEYS_MAX });
    this.#attempts = attempts;
    this.#pairs = table();
    this.#homes = table();
    this.#sites = table();
    this.#accounts = table();
  }

  /**
   * Runs a sign-in attempt: refuses it after too many failures, and counts it when it fails as Unauthorized. `counter` separates attempts on
   * different secrets of the same account.
   */
  async attempt<T>(tried: SignInAttempt, run: () => Promise<T>, counter = ''): Promise<T> {
    const account = shortened(counter + userNameKey(tried.name));
    const { home, site } = peerOf(tried.address);
    const pair = `${home} ${account}`;
    const gates = this.#gatesOf(account, pair, home, site);
    const wait = Math.max(...gates.map((gate) => gate.failures.waitMs(gate)));
    if (wait > 0) throw tooMany(wait);
    for (const { failures, key } of gates) failures.begin(key); // before the slow comparison, so that parallel guesses count
    try {
      const value = await run();
      this.#pairs.cleared(pair);
      for (const { failures, key } of gates) if (failures !== this.#pairs) failures.withdrawn(key);
      this.#known.set(pair, true);
      return value;
    } catch (thrown) {
      const isGuess = thrown instanceof AppError && thrown.kind === 'Unauthorized';
      if (isGuess) this.#accounts.failed({ key: account, free: Number.POSITIVE_INFINITY });
      for (const gate of gates) {
        if (isGuess) gate.failures.failed(gate);
        else gate.failures.withdrawn(gate.key);
      }
      if (isGuess)
        this.announce({
          ...tried,
          reason: thrown.message,
          waitMs: Math.max(...gates.map((gate) => gate.failures.waitMs(gate))),
        });
      throw thrown;
    }
  }

  #gatesOf(account: string, pair: string, home: string, site: string | null): readonly Gate[] {
    const own = { failures: this.#pairs, key: pair };
    if (this.#known.has(pair)) return [{ ...own, free: this.#attempts }];
    const isAttacked = this.#accounts.count(account) >= this.#attempts * PER_ACCOUNT;
    const gates: Gate[] = [
      { ...own, free: isAttacked ? Math.min(FREE_UNDER_ATTACK, this.#attempts) : this.#attempts },
      { failures: this.#homes, key: home, free: this.#attempts * PER_HOME },
    ];
    if (site !== null) gates.push({ failures: this.#sites, key: site, free: this.#attempts * PER_SITE });
    return gates;
  }
}

const tooMany = (waitMs: number): AppError => {
  const seconds = Math.ceil(waitMs / 1000);
  return new AppError('TooManyRequests', `Too many failed attempts; try again in ${seconds} s.`, {
    retry_after: seconds,
  });
};
