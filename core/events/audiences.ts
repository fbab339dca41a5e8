// All audiences, by what they see. An audience without members is kept for a while.
import { isLimited, type Scope } from '../model/viewer.js';
import type { Reads } from '../store/db.js';
import type { Report } from '../store/feed.js';
import { Audience, nameOf } from './audience.js';
import { isToldToSome } from './changes.js';
import { seenIn } from './rows.js';
import type { Subscription } from './subscription.js';

const EMPTY_MS = 5 * 60_000;
const EMPTY_MAX = 16;
/** Streams that one user may follow at a time: those of many pages and apps, but not all connections that the server has. */
export const OF_ONE_USER_MAX = 50;

export class Audiences {
  readonly #startedAt: number;
  readonly #byName = new Map<string, Audience>();
  #sweeping: NodeJS.Timeout | null = null;

  constructor(startedAt: number) {
    this.#startedAt = startedAt;
  }

  get all(): readonly Audience[] {
    return [...this.#byName.values()];
  }

  get size(): number {
    return this.#byName.size;
  }

  get clients(): number {
    let sum = 0;
    for (const { members } of this.#byName.values()) sum += members.size;
    return sum;
  }

  /**
   * The streams of a user that are too many, the oldest first: it is the most likely one to be nobody's any more. Refusing the newest would
   * leave a page without events for good, since a browser does not connect again after a refusal.
   */
  beyondLimit(userKey: number): readonly Subscription[] {
    const own = this.members.filter((one) => one.userKey === userKey);
    return own.sort((a, b) => a.openedAt - b.openedAt).slice(0, Math.max(0, own.length - OF_ONE_USER_MAX));
  }

  get members(): readonly Subscription[] {
    return this.all.flatMap(({ members }) => [...members]);
  }

  /** Whether somebody may be told of what only some are told: of lists the apps, of what somebody read the clients of that user. */
  mayBeTold(report: Report, waiting: readonly Pick<Subscription, 'stream' | 'userKey'>[]): boolean {
    if (!isToldToSome(report)) return false;
    return [...this.members, ...waiting].some(({ stream, userKey }) =>
      report.userKey === undefined ? stream === 'apps' : userKey === report.userKey,
    );
  }

  /** Reads the scope in this snapshot, up to which all events have been sent. */
  async of(from: Reads, scope: Scope): Promise<Audience> {
    const name = nameOf(scope);
    const known = this.#byName.get(name);
    if (known !== undefined) {
      known.emptySince = null;
      return known;
    }
    const audience = new Audience(scope, null, this.#startedAt);
    if (isLimited(audience.scope)) audience.seen = await seenIn(from, audience.scope);
    this.#byName.set(name, audience);
    return audience;
  }

  /** Somebody left an audience; they may have been the last. */
  left(name: string): void {
    const audience = this.#byName.get(name);
    if (audience === undefined || audience.members.size > 0) return;
    audience.emptySince = performance.now();
    this.#sweepLater();
  }

  #sweepLater(): void {
    this.#sweeping ??= setTimeout(() => {
      this.#sweeping = null;
      this.dropOld();
      if (this.all.some(({ members }) => members.size === 0)) this.#sweepLater();
    }, EMPTY_MS).unref();
  }

  /** Returns whether no audience is left. */
  dropOld(): boolean {
    const before = performance.now() - EMPTY_MS;
    const empty = this.all.filter(({ members }) => members.size === 0);
    const newest = empty.sort((a, b) => (b.emptySince ?? before) - (a.emptySince ?? before));
    for (const [place, { name, emptySince }] of newest.entries())
      if (place >= EMPTY_MAX || (emptySince ?? before) <= before) this.#byName.delete(name);
    return this.#byName.size === 0;
  }

  stop(): void {
    if (this.#sweeping !== null) clearTimeout(this.#sweeping);
    for (const { members } of this.all) for (const member of [...members]) member.end();
  }
}
