// A cache of recently authenticated callers, by credential: a warm request costs one look-up in a map. Bounded, and short-lived, since
// another process may change the database. Any change of an account drops its callers at once.
import type { Clock } from '../engine/clock.js';
import { boundedByCount } from '../model/bounded-map.js';
import type { Feed, Kind, Report } from '../store/feed.js';
import { type Caller, endOf } from './caller.js';

interface Known {
  readonly caller: Caller;
  /** By the time that never jumps. */
  readonly untilMs: number;
  /** The end of the credential itself. */
  readonly endsMs: number;
}

const KNOWN_MS = 30_000;
const KNOWN_MAX = 4096;

/** Kinds of changes after which somebody may be worth less; their keys are user keys. */
export const CONCERNED: ReadonlySet<Kind> = new Set<Kind>(['user', 'session', 'api_key', 'everything']);

export class KnownCallers {
  readonly #clock: Clock;
  readonly #onUse: (caller: Caller, nowMs: number) => void;
  readonly #known = boundedByCount<string, Known>(KNOWN_MAX);
  /** Look-ups under way: requests that come together share one. */
  readonly #sought = new Map<string, Promise<Caller>>();
  /** Incremented whenever entries are dropped: a look-up that began before may be outdated. */
  #dropped = 0;

  constructor(feed: Feed, clock: Clock, onUse: (caller: Caller, nowMs: number) => void) {
    this.#clock = clock;
    this.#onUse = onUse;
    feed.listen({
      onBatch: ({ reports }) => {
        for (const report of reports) if (CONCERNED.has(report.kind)) this.#drop(report);
      },
      forget: () => this.#drop({ keys: 'all' }),
    });
  }

  /** Synchronous for a caller who is known. `key` stands for the credential and for its kind. */
  of(key: string, find: () => Promise<Caller>): Caller | Promise<Caller> {
    const now = this.#clock.now();
    const known = this.#known.get(key);
    if (known === undefined || known.untilMs <= this.#clock.elapsed() || known.endsMs <= now)
      return this.#sought.get(key) ?? this.#seek(key, find);
    this.#onUse(known.caller, now);
    return known.caller;
  }

  #seek(key: string, find: () => Promise<Caller>): Promise<Caller> {
    const sought = this.#find(key, find).finally(() => {
      if (this.#sought.get(key) === sought) this.#sought.delete(key);
    });
    this.#sought.set(key, sought);
    return sought;
  }

  async #find(key: string, find: () => Promise<Caller>): Promise<Caller> {
    const dropped = this.#dropped;
    const caller = await find();
    const now = this.#clock.now();
    this.#onUse(caller, now);
    if (dropped === this.#dropped)
      this.#known.set(key, { caller, untilMs: this.#clock.elapsed() + KNOWN_MS, endsMs: endOf(caller.via) });
    return caller;
  }

  #drop({ keys }: Pick<Report, 'keys'>): void {
    this.#dropped += 1;
    // Who asks from now on must not be given the result of a look-up that began before.
    this.#sought.clear();
    for (const [key, { caller }] of [...this.#known.entries()])
      if (keys === 'all' || keys.includes(caller.user.key)) this.#known.delete(key);
  }
}
