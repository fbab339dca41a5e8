// How many rows a query counts, kept as long as no book and no series has changed: what would be counted for each page of a list anew.
import { boundedByCount } from '../../model/bounded-map.js';
import type { Bind, Reads } from '../../store/db.js';
import { ASPECTS, type Feed } from '../../store/feed.js';

interface Kept {
  /** The feed when it was read. */
  readonly stamp: number;
  readonly count: number;
}

const COUNTS_MAX = 256;

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

export class KeptCounts {
  readonly #feed: Feed;
  readonly #kept = boundedByCount<string, Kept>(COUNTS_MAX);

  constructor(feed: Feed) {
    this.#feed = feed;
  }

  /** For queries that depend on books and series alone. */
  async of(reads: Reads, sql: string, binds: readonly Bind[]): Promise<number> {
    const key = `${sql}\n${JSON.stringify(binds)}`;
    const known = this.#kept.get(key);
    const stamp = this.#feed.sequence;
    if (known !== undefined && this.#isCurrent(known.stamp)) {
      this.#kept.set(key, { ...known, stamp });
      return known.count;
    }
    const count = await countOf(reads, sql, binds);
    this.#kept.set(key, { stamp, count });
    return count;
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
