// Counts failures per key and computes its wait: some are free, then each further one doubles the wait. Bounded memory.
// Waiting keys are stored apart from the others, so that a flood of new keys evicts only other new keys.
import type { Clock } from '../engine/clock.js';
import { type BoundedMap, boundedByCount } from '../model/bounded-map.js';

export interface FailureRules {
  readonly firstWaitMs: number;
  readonly longestWaitMs: number;
  /** A key expires this long after its last wait. Much longer than a wait, so that pausing gains nothing. */
  readonly forgetMs: number;
  readonly keysMax: number;
}

interface Count {
  failures: number;
  /** Attempts in progress. */
  running: number;
  /** The end of the wait; without a wait, the time of the last failure. */
  untilMs: number;
}

export interface Attempt {
  readonly key: string;
  /** Failures before the first wait; also the limit on concurrent attempts. */
  readonly free: number;
}

/** Retry time for an attempt refused only because others of its key are running. */
const BUSY_MS = 1000;

export class Failures {
  readonly #clock: Clock;
  readonly #rules: FailureRules;
  /** Both drop the key whose last failure is the longest ago: asking is no use, so it keeps nothing in memory. */
  readonly #free: BoundedMap<string, Count>;
  readonly #waiting: BoundedMap<string, Count>;

  constructor(clock: Clock, rules: FailureRules) {
    this.#clock = clock;
    this.#rules = rules;
    this.#free = boundedByCount(rules.keysMax);
    this.#waiting = boundedByCount(rules.keysMax);
  }

  /** How long until the key may try (again); 0 means now. */
  waitMs({ key, free }: Attempt): number {
    const count = this.#find(key);
    if (count === undefined || count.failures + count.running < free) return 0;
    const wait = count.untilMs - this.#clock.elapsed();
    if (wait > 0) return wait;
    return count.running === 0 ? 0 : BUSY_MS;
  }

  count(key: string): number {
    return this.#find(key)?.failures ?? 0;
  }

  begin(key: string): void {
    const count = this.#find(key);
    if (count === undefined) this.#free.set(key, { failures: 0, running: 1, untilMs: this.#clock.elapsed() });
    else count.running += 1;
  }

  failed({ key, free }: Attempt): void {
    const count = this.#find(key) ?? { failures: 0, running: 1, untilMs: 0 };
    count.running = Math.max(0, count.running - 1);
    count.failures += 1;
    const { firstWaitMs, longestWaitMs } = this.#rules;
    const beyond = count.failures - free;
    const wait = beyond < 0 ? 0 : Math.min(longestWaitMs, firstWaitMs * 2 ** Math.min(beyond, 30));
    count.untilMs = this.#clock.elapsed() + wait;
    this.#free.delete(key);
    this.#waiting.delete(key);
    (beyond < 0 ? this.#free : this.#waiting).set(key, count);
  }

  /** The attempt ended without a verdict on the key. */
  withdrawn(key: string): void {
    const count = this.#find(key);
    if (count === undefined) return;
    count.running = Math.max(0, count.running - 1);
    if (count.running === 0 && count.failures === 0) this.#free.delete(key);
  }

  /** The attempt succeeded; earlier failures are cleared. */
  cleared(key: string): void {
    const count = this.#find(key);
    if (count === undefined) return;
    count.failures = 0;
    count.untilMs = this.#clock.elapsed();
    this.#waiting.delete(key);
    this.#free.set(key, count);
    this.withdrawn(key);
  }

  #find(key: string): Count | undefined {
    const count = this.#waiting.peek(key) ?? this.#free.peek(key);
    if (count === undefined || !this.#isForgotten(count)) return count;
    this.#waiting.delete(key);
    this.#free.delete(key);
    return undefined;
  }

  #isForgotten({ running, untilMs }: Count): boolean {
    return running === 0 && untilMs + this.#rules.forgetMs <= this.#clock.elapsed();
  }
}
