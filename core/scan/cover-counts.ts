// How many covers of a library are still due, for whoever asks again and again while they are made: one number per library, counted anew when
// something has changed, but not more often than it is worth.
import { boundedByCount } from '../model/bounded-map.js';
import type { Db } from '../store/db.js';
import { coversDue } from './due-covers.js';

const LIBRARIES_MAX = 1000;
/** A number may be this old for each cover it counts: about a hundred times as long as counting takes. A million are counted every two seconds. */
const AGE_MS = 0.002;

interface Counted {
  readonly left: number;
  readonly atMs: number;
  /** Of the last change before it was counted. */
  readonly sequence: number;
}

interface Counting {
  readonly sequence: number;
  readonly work: Promise<number>;
}

export class CoverCounts {
  readonly #db: Pick<Db, 'all' | 'feed'>;
  readonly #now: () => number;
  readonly #counted = boundedByCount<number, Counted>(LIBRARIES_MAX);
  readonly #counting = new Map<number, Counting>();

  constructor(db: Pick<Db, 'all' | 'feed'>, now = (): number => performance.now()) {
    this.#db = db;
    this.#now = now;
  }

  async left(libraryKey: number): Promise<number> {
    const known = this.#counted.get(libraryKey);
    if (known !== undefined && this.#holds(known)) return known.left;
    const counting = this.#counting.get(libraryKey);
    if (counting !== undefined && this.#isNow(counting)) return counting.work;
    const begun = { sequence: this.#db.feed.sequence, work: this.#count(libraryKey) };
    this.#counting.set(libraryKey, begun);
    try {
      return await begun.work;
    } finally {
      if (this.#counting.get(libraryKey) === begun) this.#counting.delete(libraryKey);
    }
  }

  #isNow({ sequence }: { readonly sequence: number }): boolean {
    const { feed } = this.#db;
    return sequence === feed.sequence && !feed.isPending;
  }

  #holds(counted: Counted): boolean {
    return this.#isNow(counted) || this.#now() - counted.atMs < counted.left * AGE_MS;
  }

  async #count(libraryKey: number): Promise<number> {
    const { sequence } = this.#db.feed;
    const left = await coversDue.left(this.#db, libraryKey);
    this.#counted.set(libraryKey, { left, atMs: this.#now(), sequence });
    return left;
  }
}
