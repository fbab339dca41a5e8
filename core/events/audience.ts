// Users who see the same. They all get the same events, which are kept per stream for a while after the last client has left, so that one
// that reconnects gets what it missed.
import { hasKey } from '../catalog/query/key-set.js';
import { isLimited, type Scope } from '../model/viewer.js';
import { Log } from './log.js';
import { STREAMS, type StreamName } from './news.js';
import { Pace } from './pace.js';
import type { Subscription } from './subscription.js';

/** Series that somebody sees; null for all. */
export type Seen = Uint32Array | null;

export const sees = (seen: Seen, seriesKey: number): boolean => seen === null || hasKey(seen, seriesKey);

/** Libraries being removed are hidden from everybody; events leave them out separately. */
export const ownScope = (scope: Scope): Scope => (scope.removing.length === 0 ? scope : { ...scope, removing: [] });

export const nameOf = (scope: Scope): string => JSON.stringify(ownScope(scope));

export class Audience {
  readonly name: string;
  readonly scope: Scope;
  readonly pace = new Pace();
  readonly logs: Readonly<Record<StreamName, Log>>;
  readonly members = new Set<Subscription>();
  /** Streams that somebody follows, or followed. */
  readonly followed = new Set<StreamName>();
  /** The series that they know of. */
  seen: Seen;
  /** When the last of them left. */
  emptySince: number | null = null;

  constructor(scope: Scope, seen: Seen, startedAt: number) {
    this.name = nameOf(scope);
    this.scope = ownScope(scope);
    this.seen = seen;
    const logs = STREAMS.map((stream) => [stream, new Log(startedAt)]);
    this.logs = Object.fromEntries(logs) as Record<StreamName, Log>;
  }

  get isLimited(): boolean {
    return isLimited(this.scope);
  }

  /** Whether they may not see everything in a library that they see. */
  get countsLess(): boolean {
    return isLimited({ ...this.scope, libraries: null });
  }

  /** Whether they see a series. */
  sees(seriesKey: number): boolean {
    return sees(this.seen, seriesKey);
  }

  seesLibrary(key: number): boolean {
    return this.scope.libraries === null || this.scope.libraries.includes(key);
  }

  wake(stream: StreamName): void {
    for (const member of this.members) if (member.stream === stream) member.wake();
  }
}
