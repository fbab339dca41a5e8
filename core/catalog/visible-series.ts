// Which series each scope has, in memory, for what must not ask the database: pages of books. All who have equal restrictions share a set;
// together the sets are bounded, and one is corrected in the rows that changed.
import { EVERYTHING, type Scope } from '../model/viewer.js';
import type { Db } from '../store/db.js';
import { hasKey } from './query/key-set.js';
import { SetCache } from './query/set-cache.js';
import type { IdQuery } from './sql/predicates.js';
import { visibleSeries } from './visibility.js';

export class VisibleSeries {
  readonly #sets: SetCache;
  /** The query of each scope: making its text takes longer than asking the set. */
  readonly #queries = new WeakMap<Scope, IdQuery>();

  constructor(db: Db) {
    this.#sets = new SetCache(db);
  }

  /** At once where the set is at hand and nothing changed; undefined: it has to be awaited. */
  now(scope: Scope, seriesKey: number): boolean | undefined {
    if (scope === EVERYTHING) return true;
    const bits = this.#sets.now('series', this.#queryOf(scope));
    return bits === undefined ? undefined : hasKey(bits, seriesKey);
  }

  async has(scope: Scope, seriesKey: number): Promise<boolean> {
    return scope === EVERYTHING || hasKey(await this.#sets.bits('series', this.#queryOf(scope)), seriesKey);
  }

  forget(): void {
    this.#sets.forget();
  }

  #queryOf(scope: Scope): IdQuery {
    const known = this.#queries.get(scope);
    if (known !== undefined) return known;
    const query = visibleSeries(scope);
    this.#queries.set(scope, query);
    return query;
  }
}
