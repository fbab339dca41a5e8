// The visible series of each scope, in memory, for paths that must not query the database: pages of books. Users with equal restrictions
// share a set. The total size is bounded, and after changes only the changed rows of a set are corrected.
import { EVERYTHING, type Scope } from '../model/viewer.js';
import type { Db } from '../store/db.js';
import { hasKey } from './query/key-set.js';
import { SetCache } from './query/set-cache.js';
import type { IdQuery } from './sql/predicates.js';
import { visibleSeries } from './visibility.js';

export class VisibleSeries {
  readonly #sets: SetCache;
  /** The query of each scope: building its text takes longer than a look-up in the set. */
  readonly #queries = new WeakMap<Scope, IdQuery>();

  constructor(db: Db) {
    this.#sets = new SetCache(db);
  }

  /** Immediate if the set is cached and nothing changed; undefined: the answer must be awaited. */
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
