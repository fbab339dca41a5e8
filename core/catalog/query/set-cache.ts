// Results of queries for ids, cached as sets for conditions. A list whose filter was used before needs only the query for its rows. After a
// change, the changed rows of a set are corrected; removed rows leave it without a query.
import { SingleFlight } from '../../engine/single-flight.js';
import { boundedByBytes } from '../../model/bounded-map.js';
import type { RowKind } from '../../model/row-kind.js';
import type { Asker, Db, ListLane, Reads } from '../../store/db.js';
import type { Changed } from '../../store/feed.js';
import { isScan } from '../conditions/scans.js';
import type { Sets } from '../conditions/sets.js';
import { changedFor, type IdQuery, keysFrom, recheckOf } from '../sql/predicates.js';
import { queryOf } from '../sql/set-queries.js';
import { BookSeries } from './book-series.js';
import { KeptCounts, KeptResults } from './kept-counts.js';
import { ALL_KEYS, bitsOf, bothKeys, eitherKeys, type KeySet, NO_KEYS, notKeys, patched, without } from './key-set.js';
import { entryBytes, OrderCache } from './order-cache.js';

const BUDGET_BYTES = 32 * 1024 * 1024;

interface CachedSet {
  readonly name: string;
  stamp: number;
  /** The key under which its callers share the read that fills it. */
  readonly flight: string;
  /** The set, once it is read. */
  bits: Uint32Array | undefined;
}

const bytesOf = ({ name, bits }: CachedSet): number => entryBytes(name) + (bits?.byteLength ?? 0);

const NONE = new Uint32Array(0);

/** Corrects a set if that takes no query; callers of earlier answers keep their copy. */
const correctInPlace = (set: CachedSet, { altered, gone }: Changed): boolean => {
  if (altered.length > 0) return false;
  if (gone.length === 0) return true;
  if (set.bits === undefined) return false; // still being read
  set.bits = patched(set.bits, gone, NONE);
  return true;
};

type ReadBits = (signal: AbortSignal) => Promise<Uint32Array>;

export class SetCache {
  readonly #db: Db;
  readonly orders: OrderCache;
  readonly counts: KeptCounts;
  /** Words of the catalog that are near those of a search. */
  readonly nearWords: KeptResults<readonly string[]>;
  readonly #bookSeries: BookSeries;
  readonly #cached = boundedByBytes<string, CachedSet>(BUDGET_BYTES, bytesOf);
  readonly #flights = new SingleFlight();
  #flown = 0;

  constructor(db: Db) {
    this.#db = db;
    this.orders = new OrderCache(db);
    this.counts = new KeptCounts(db.feed);
    this.nearWords = new KeptResults(db.feed);
    this.#bookSeries = new BookSeries(db);
  }

  /** Callers share a read, which is cancelled when the last of them is gone. Without an asker, it counts as a look-up. */
  bits(rows: RowKind, query: IdQuery, asker?: Asker, lane: ListLane = 'list'): Promise<Uint32Array> {
    const name = nameOf(query);
    const cached = this.#cached.get(name);
    const changed = cached === undefined ? undefined : changedFor(query, this.#db.feed, rows, cached.stamp);
    const stamp = this.#db.feed.sequence;
    const readsFor = (signal: AbortSignal): Reads =>
      asker === undefined ? this.#db : this.#db.readsFor({ user: asker.user, signal }, lane);
    const { ofSeries, except } = query;
    const readAll: ReadBits = async (signal) => {
      if (ofSeries === undefined) return bitsOf(await keysFrom(readsFor(signal), query));
      const same = asker && { user: asker.user, signal };
      const books = await this.#bookSeries.booksOf(await this.bits('series', ofSeries, same, lane), same);
      return except === undefined ? books : without(books, await this.bits('book', except, same, lane));
    };
    if (cached !== undefined && changed !== undefined && correctInPlace(cached, changed)) {
      cached.stamp = stamp;
      return this.#filled(cached, asker?.signal, readAll);
    }
    this.#flown += 1;
    const fresh: CachedSet = { name, stamp, flight: String(this.#flown), bits: undefined };
    this.#cached.set(name, fresh);
    if (cached === undefined || changed === undefined) return this.#filled(fresh, asker?.signal, readAll);
    // The cached set, with the changed rows tested again.
    return this.#filled(fresh, asker?.signal, async (signal) => {
      const bits = await this.#filled(cached, signal, readAll);
      const { altered, gone } = changed;
      const present = altered.length === 0 ? NONE : await keysFrom(readsFor(signal), recheckOf(query, [...altered]));
      return patched(patched(bits, gone, NONE), altered, present);
    });
  }

  /** Without a promise; undefined when the set is not cached, or a later change may affect it. */
  now(rows: RowKind, query: IdQuery): Uint32Array | undefined {
    const cached = this.#cached.get(nameOf(query));
    if (cached?.bits === undefined) return undefined;
    const changed = changedFor(query, this.#db.feed, rows, cached.stamp);
    if (changed === undefined || !correctInPlace(cached, changed)) return undefined;
    cached.stamp = this.#db.feed.sequence;
    return cached.bits;
  }

  /** One set after the other, so that a condition of many clauses occupies one reader. */
  async evaluate(rows: RowKind, sets: Sets, asker?: Asker): Promise<KeySet> {
    if ('set' in sets) {
      const lane = isScan(sets.set) ? 'scan' : 'list';
      return { bits: await this.bits(rows, queryOf(rows, sets.set), asker, lane), inverted: false };
    }
    if ('not' in sets) return notKeys(await this.evaluate(rows, sets.not, asker));
    const parts: KeySet[] = [];
    for (const part of 'all' in sets ? sets.all : sets.any) parts.push(await this.evaluate(rows, part, asker));
    return 'all' in sets ? parts.reduce(bothKeys, ALL_KEYS) : parts.reduce(eitherKeys, NO_KEYS);
  }

  forget(): void {
    this.#cached.clear();
    this.orders.forget();
    this.counts.forget();
    this.nearWords.forget();
    this.#bookSeries.forget();
  }

  #filled(set: CachedSet, signal: AbortSignal | undefined, read: ReadBits): Promise<Uint32Array> {
    if (set.bits !== undefined) return Promise.resolve(set.bits);
    return this.#flights.join(set.flight, signal, async (cancelled) => {
      try {
        set.bits = await read(cancelled);
      } catch (thrown) {
        if (this.#isCached(set)) this.#cached.delete(set.name); // a failed query is run again
        throw thrown;
      }
      if (this.#isCached(set)) {
        this.#cached.delete(set.name); // weighed anew
        this.#cached.set(set.name, set);
      }
      return set.bits;
    });
  }

  /** It may have been dropped while it was being read. */
  #isCached(set: CachedSet): boolean {
    return this.#cached.peek(set.name) === set;
  }
}

const nameOf = ({ sql, binds }: IdQuery): string => `${sql}\n${JSON.stringify(binds)}`;
