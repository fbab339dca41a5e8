// Results of queries for ids, cached as sets for conditions. A list whose filter was used before needs only the query for its rows. After a
// change, the changed rows of a set are corrected.
import type { RowKind } from '../../model/row-kind.js';
import type { Db } from '../../store/db.js';
import type { Sets } from '../conditions/sets.js';
import { changedFor, type IdQuery, keysFrom, recheckOf } from '../sql/predicates.js';
import { queryOf } from '../sql/set-queries.js';
import { ALL_KEYS, bitsOf, bothKeys, eitherKeys, type KeySet, NO_KEYS, notKeys, patched } from './key-set.js';
import { OrderCache } from './order-cache.js';

const BUDGET_BYTES = 32 * 1024 * 1024;
/** What a set costs besides its bits: filters nobody repeats leave many small ones. */
const ENTRY_BYTES = 1024;

interface CachedSet {
  stamp: number;
  readonly keys: Promise<Uint32Array>;
  /** The resolved set, once it is read. */
  bits: Uint32Array | undefined;
  bytes: number;
}

export class SetCache {
  readonly #db: Db;
  readonly orders: OrderCache;
  /** Least recently used first. */
  readonly #cached = new Map<string, CachedSet>();
  #bytes = 0;

  constructor(db: Db) {
    this.#db = db;
    this.orders = new OrderCache(db);
  }

  bits(rows: RowKind, query: IdQuery): Promise<Uint32Array> {
    const name = nameOf(query);
    const cached = this.#cached.get(name);
    const changed = cached === undefined ? undefined : changedFor(query, this.#db.feed, rows, cached.stamp);
    const stamp = this.#db.feed.sequence;
    if (cached !== undefined) this.#drop(name, cached);
    if (cached !== undefined && changed?.length === 0) {
      cached.stamp = stamp;
      this.#cached.set(name, cached);
      this.#bytes += cached.bytes;
      return cached.keys;
    }
    const keys =
      cached !== undefined && changed !== undefined
        ? this.#correct(cached.keys, changed, query)
        : keysFrom(this.#db, query).then(bitsOf);
    const fresh: CachedSet = { stamp, keys, bits: undefined, bytes: 0 };
    this.#cached.set(name, fresh);
    this.#weigh(name, fresh);
    return keys;
  }

  /** Without a promise; undefined when the set is not cached, or a later change may affect it. */
  now(rows: RowKind, query: IdQuery): Uint32Array | undefined {
    const cached = this.#cached.get(nameOf(query));
    if (cached?.bits === undefined) return undefined;
    const stamp = this.#db.feed.sequence;
    if (changedFor(query, this.#db.feed, rows, cached.stamp)?.length !== 0) return undefined;
    cached.stamp = stamp;
    return cached.bits;
  }

  async evaluate(rows: RowKind, sets: Sets): Promise<KeySet> {
    if ('set' in sets) return { bits: await this.bits(rows, queryOf(rows, sets.set)), inverted: false };
    if ('not' in sets) return notKeys(await this.evaluate(rows, sets.not));
    const found = 'all' in sets ? sets.all : sets.any;
    const parts = await Promise.all(found.map((part) => this.evaluate(rows, part)));
    return 'all' in sets ? parts.reduce(bothKeys, ALL_KEYS) : parts.reduce(eitherKeys, NO_KEYS);
  }

  forget(): void {
    this.#cached.clear();
    this.#bytes = 0;
    this.orders.forget();
  }

  /** A set with some rows tested again. */
  async #correct(keys: Promise<Uint32Array>, changed: Uint32Array, query: IdQuery): Promise<Uint32Array> {
    const [bits, present] = await Promise.all([keys, keysFrom(this.#db, recheckOf(query, [...changed]))]);
    return patched(bits, changed, present);
  }

  /** The size of a result is known once it is read. A failed query is run again. */
  #weigh(name: string, cached: CachedSet): void {
    cached.keys.then(
      (bits) => {
        if (this.#cached.get(name) !== cached) return;
        cached.bits = bits;
        cached.bytes = bits.byteLength + ENTRY_BYTES;
        this.#bytes += cached.bytes;
        for (const [oldest, one] of this.#cached) {
          if (this.#bytes <= BUDGET_BYTES) break;
          this.#drop(oldest, one);
        }
      },
      () => {
        if (this.#cached.get(name) === cached) this.#cached.delete(name);
      },
    );
  }

  #drop(name: string, cached: CachedSet): void {
    this.#cached.delete(name);
    this.#bytes -= cached.bytes;
  }
}

const nameOf = ({ sql, binds }: IdQuery): string => `${sql}\n${JSON.stringify(binds)}`;
