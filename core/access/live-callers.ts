// Callers with long-lived responses, such as event streams. If their credential expires or is revoked meanwhile, the stream has
// to end.
import type { Clock } from '../engine/clock.js';
import { AppError, type ErrorKind } from '../model/errors.js';
import type { Db } from '../store/db.js';
import type { Report } from '../store/feed.js';
import { type Caller, endOf } from './caller.js';
import { CONCERNED } from './known-callers.js';
import { callerNow } from './still-signed-in.js';

/** These mean that access has ended; any other error may be temporary, so the check is repeated. */
const ENDED: ReadonlySet<ErrorKind> = new Set<ErrorKind>(['Unauthorized', 'Forbidden']);

const hasEnded = (thrown: unknown): boolean => thrown instanceof AppError && ENDED.has(thrown.kind);

/** After suspend, or a change of the clock, streams end late by no more than this. */
const LONGEST_MS = 60_000;

interface Live {
  readonly caller: Caller;
  /** Throws unless the caller as they are now may still have the answer. */
  readonly permit: (now: Caller) => void;
  readonly end: () => void;
  isChecking: boolean;
  isStale: boolean;
  /** When their credential ends by itself, as far as is known: the end of an API key can be changed. */
  untilMs: number;
}

export class LiveCallers {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #live = new Set<Live>();
  /** One for all: it fires when the first of their credentials expires. */
  #timer: NodeJS.Timeout | undefined;
  #timerMs = Number.POSITIVE_INFINITY;

  constructor(db: Db, clock: Clock) {
    this.#db = db;
    this.#clock = clock;
    db.feed.listen({
      onBatch: ({ reports }) => {
        for (const report of reports) if (CONCERNED.has(report.kind)) this.#check(report);
      },
      forget: () => this.#check({ keys: 'all' }),
    });
  }

  /** Calls `end` once when the caller no longer has access. The function returned releases this; call it when the response has ended. */
  hold(caller: Caller, permit: Live['permit'], end: () => void): () => void {
    const live: Live = { caller, permit, end, isChecking: false, isStale: false, untilMs: endOf(caller.via) };
    this.#live.add(live);
    this.#wakeAt(live.untilMs);
    void this.#checkOne(live); // something may have changed since the caller was recognised
    return () => this.#live.delete(live);
  }

  /** For what nobody reports: the command line changes the database from another process. Also repeats what failed. */
  async checkAll(): Promise<void> {
    await Promise.all([...this.#live].map((live) => this.#checkOne(live)));
  }

  get size(): number {
    return this.#live.size;
  }

  stop(): void {
    clearTimeout(this.#timer);
    this.#timerMs = Number.NEGATIVE_INFINITY; // none is set any more
  }

  /** Sets the timer for this moment, if it is set for none before it. */
  #wakeAt(untilMs: number): void {
    if (untilMs >= this.#timerMs) return;
    clearTimeout(this.#timer);
    this.#timerMs = untilMs;
    const inMs = Math.max(1, untilMs - this.#clock.now());
    this.#timer = setTimeout(() => this.#wake(), Math.min(inMs, LONGEST_MS)).unref();
  }

  #wake(): void {
    this.#timerMs = Number.POSITIVE_INFINITY;
    const now = this.#clock.now();
    for (const live of this.#live) {
      if (live.untilMs > now) this.#wakeAt(live.untilMs);
      else {
        live.untilMs = Number.POSITIVE_INFINITY; // until the check finds another
        void this.#checkOne(live);
      }
    }
  }

  #check({ keys }: Pick<Report, 'keys'>): void {
    for (const live of this.#live) if (keys === 'all' || keys.includes(live.caller.user.key)) void this.#checkOne(live);
  }

  /** One look at a time for each; what changes during one is looked at after it. */
  async #checkOne(live: Live): Promise<void> {
    live.isStale = true;
    if (live.isChecking) return;
    live.isChecking = true;
    while (live.isStale && this.#live.has(live)) {
      live.isStale = false;
      if (await this.#isLetIn(live)) continue;
      this.#live.delete(live);
      live.end();
    }
    live.isChecking = false;
  }

  /** Whether a caller would still get the answer. */
  async isLetIn(caller: Caller, permit: Live['permit']): Promise<boolean> {
    try {
      permit(await callerNow(this.#db, caller, this.#clock.now()));
      return true;
    } catch (thrown) {
      return !hasEnded(thrown);
    }
  }

  async #isLetIn(live: Live): Promise<boolean> {
    try {
      const now = await callerNow(this.#db, live.caller, this.#clock.now());
      live.permit(now);
      live.untilMs = endOf(now.via);
      this.#wakeAt(live.untilMs);
      return true;
    } catch (thrown) {
      return !hasEnded(thrown);
    }
  }
}
