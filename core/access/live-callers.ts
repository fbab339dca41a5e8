// Callers with long-lived responses, such as event streams. If their credential is revoked meanwhile, the stream has to end.
import type { Clock } from '../engine/clock.js';
import { AppError, type ErrorKind } from '../model/errors.js';
import type { Db } from '../store/db.js';
import type { Report } from '../store/feed.js';
import type { Caller } from './caller.js';
import { CONCERNED } from './known-callers.js';
import { callerNow } from './still-signed-in.js';

/** These mean that access has ended; any other error may be temporary, so the check is repeated. */
const ENDED: ReadonlySet<ErrorKind> = new Set<ErrorKind>(['Unauthorized', 'Forbidden']);

interface Live {
  readonly caller: Caller;
  /** Throws unless the caller as they are now may still have the answer. */
  readonly permit: (now: Caller) => void;
  readonly end: () => void;
  isChecking: boolean;
  isStale: boolean;
}

export class LiveCallers {
  readonly #db: Db;
  readonly #clock: Clock;
  readonly #live = new Set<Live>();

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
    const live: Live = { caller, permit, end, isChecking: false, isStale: false };
    this.#live.add(live);
    void this.#checkOne(live); // something may have changed since the caller was recognised
    return () => this.#live.delete(live);
  }

  /** For what nobody reports: something expires, or the command line changes the database from another process. */
  async checkAll(): Promise<void> {
    await Promise.all([...this.#live].map((live) => this.#checkOne(live)));
  }

  get size(): number {
    return this.#live.size;
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

  async #isLetIn(live: Live): Promise<boolean> {
    try {
      live.permit(await callerNow(this.#db, live.caller, this.#clock.now()));
      return true;
    } catch (thrown) {
      return !(thrown instanceof AppError && ENDED.has(thrown.kind));
    }
  }
}
