// What queries found, kept as long as no book and no series has changed: what would be counted or looked up for each page of a list anew.
import { boundedByCount } from '../../model/bounded-map.js';
import type { Bind, Reads } from '../../store/db.js';
import { ASPECTS, type Feed } from '../../store/feed.js';

interface Result<T> {
  /** The feed when it was read. */
  readonly stamp: number;
  readonly value: T;
}

const RESULTS_MAX = 256;

/** Everything but what somebody has read, and pictures. */
const COUNTED = ASPECTS.list | ASPECTS.text | ASPECTS.members | ASPECTS.content | ASPECTS.details;

/** The query has one column, `n`. */
export const countOf = async (reads: Reads, sql: string, binds: readonly Bind[]): Promise<number> =>
  (await reads.all<{ n: number }>(sql, binds))[0]?.n ?? 0;

/** Counts anew each time. */
export const counting =
  (reads: Reads) =>
  (sql: string, binds: readonly Bind[]): Promise<number> =>
    countOf(reads, sql, binds);

/** For results that depend on books and series alone. */
export class KeptResults<T> {
  readonly #feed: Feed;
  readonly #kept = boundedByCount<string, Result<T>>(RESULTS_MAX);

  constructor(feed: Feed) {
    this.#feed = feed;
  }

  async of(key: string, read: () => Promise<T>): Promise<T> {
    const known = this.#kept.get(key);
    const stamp = this.#feed.sequence;
    if (known !== undefined && this.#isCurrent(known.stamp)) {
      this.#kept.set(key, { ...known, stamp });
      return known.value;
    }
    const value = await read();
    this.#kept.set(key, { stamp, value });
    return value;
  }

  forget(): void {
    this.#kept.clear();
  }

  #isCurrent(stamp: number): boolean {
    return (['book', 'series'] as const).every((rows) => {
      const changed = this.#feed.changedSince(stamp, rows, COUNTED);
      return changed !== undefined && changed.altered.length === 0 && changed.gone.length === 0;
    });
  }
}

export class KeptCounts {
  readonly #kept: KeptResults<number>;

  constructor(feed: Feed) {
    this.#kept = new KeptResults(feed);
  }

  of(reads: Reads, sql: string, binds: readonly Bind[]): Promise<number> {
    return this.#kept.of(`${sql}\n${JSON.stringify(binds)}`, () => countOf(reads, sql, binds));
  }

  forget(): void {
    this.#kept.forget();
  }
}
