// Whole orders of rows, cached: which row follows which. After a change, the changed rows are moved to their new places. Removed rows keep
// their place until the next such move, since taking them out would copy the order after each removal: whoever reads an order skips them.
import { boundedByBytes } from '../../model/bounded-map.js';
import type { RowKind } from '../../model/row-kind.js';
import type { Asker, Db, Reads } from '../../store/db.js';
import type { Changed } from '../../store/feed.js';
import { changedFor, type IdQuery, keysFrom } from '../sql/predicates.js';
import { bitsOf, eitherBits, hasKey, type KeySet, stretchOf, withoutKeys } from './key-set.js';
import type { OrderCost, Stretch } from './plan.js';

const BUDGET_BYTES = 32 * 1024 * 1024;
const ENTRY_BYTES = 1024;
/** With more rows than this to place, reading the whole order again is as fast. */
const PREDECESSORS_MAX = 4000;

const NONE = new Uint32Array(0);

/** Row keys, and those among them whose rows were removed since (as bits). */
interface Order {
  readonly keys: Uint32Array;
  readonly gone: Uint32Array;
}

interface Read {
  readonly stamp: number;
  readonly order: Promise<Order>;
}

interface CachedOrder {
  readonly name: string;
  /** An order that matches its stamp exactly: only such an order can be corrected. */
  valid: (Order & { readonly stamp: number }) | undefined;
  reading: Read | undefined;
}

/**
 * What a cached set or order costs besides its keys. Filters and searches nobody repeats leave many short ones, and a name holds all binds
 * of its query: a thousand ids are 41 kB.
 */
export const entryBytes = (name: string): number => ENTRY_BYTES + 2 * name.length;

const bytesOf = ({ name, valid }: CachedOrder): number =>
  entryBytes(name) + (valid === undefined ? 0 : valid.keys.byteLength + valid.gone.byteLength);

/** A key and the one right before it; null: it is the first. */
export type Predecessor = readonly [key: number, before: number | null];

/**
 * The order with each key right behind its predecessor; moved keys without a predecessor entry are dropped. Undefined when a key would
 * follow one that is not there.
 */
const reorder = (
  order: Uint32Array,
  moved: Uint32Array,
  predecessors: readonly Predecessor[],
): Uint32Array | undefined => {
  const followers = new Map(predecessors.map(([key, before]) => [before ?? 0, key]));
  const leaders = bitsOf(Uint32Array.from(followers.keys()));
  const result = new Uint32Array(order.length + predecessors.length);
  let [length, put] = [0, 0];
  const putBehind = (key: number): void => {
    for (let next = followers.get(key); next !== undefined; next = followers.get(next)) {
      result[length++] = next;
      if (++put > predecessors.length) return;
    }
  };
  putBehind(0);
  for (let at = 0; at < order.length && put <= predecessors.length; at += 1) {
    const key = order[at] ?? 0;
    if (hasKey(moved, key)) continue;
    result[length++] = key;
    if (hasKey(leaders, key)) putBehind(key);
  }
  return put === predecessors.length ? result.subarray(0, length) : undefined;
};

const withGone = ({ keys, gone }: Order, changed: Changed): Order => ({
  keys,
  gone: changed.gone.length === 0 ? gone : eitherBits(gone, bitsOf(changed.gone)),
});

const predecessorsOf = async (
  reads: Reads,
  { predecessors }: IdQuery,
  changed: Uint32Array,
): Promise<readonly Predecessor[]> => {
  if (predecessors === undefined) return [];
  const { sql, binds } = predecessors([...changed]);
  return reads.json<Predecessor[]>(`SELECT json_group_array(json_array(id, before)) FROM (${sql})`, binds);
};

export class OrderCache {
  readonly #db: Db;
  readonly #cached = boundedByBytes<string, CachedOrder>(BUDGET_BYTES, bytesOf);

  constructor(db: Db) {
    this.#db = db;
  }

  cost(rows: RowKind, query: IdQuery): OrderCost {
    const changed = this.#changed(this.#cached.peek(nameOf(query)), rows, query);
    if (changed === undefined) return 'read';
    return changed.altered.length === 0 ? 'cached' : 'corrected';
  }

  /** The keys of a set in the order of the query. A read that has begun is finished even if nobody waits for it: the next list uses it. */
  async stretch(rows: RowKind, query: IdQuery, asker: Asker, set: KeySet, stretch: Stretch): Promise<number[]> {
    const { keys, gone } = await this.#get(rows, query, asker);
    return stretchOf(keys, withoutKeys(set, gone), stretch);
  }

  #get(rows: RowKind, query: IdQuery, { user }: Asker): Promise<Order> {
    const reads = this.#db.readsFor({ user }, 'list');
    const cached = this.#use(query);
    const changed = this.#changed(cached, rows, query);
    const stamp = this.#db.feed.sequence;
    if (cached.valid !== undefined && changed?.altered.length === 0)
      return Promise.resolve(this.#keep(cached, stamp, withGone(cached.valid, changed)));
    if (cached.reading !== undefined && cached.reading.stamp === stamp) return cached.reading.order;
    const order =
      cached.valid === undefined || changed === undefined
        ? this.#read(cached, stamp, reads, query)
        : this.#correct(cached, withGone(cached.valid, changed), changed.altered, stamp, reads, query);
    cached.reading = { stamp, order };
    const over = (): void => {
      if (cached.reading?.order === order) cached.reading = undefined;
    };
    order.then(over, over);
    return order;
  }

  forget(): void {
    this.#cached.clear();
  }

  /** Undefined when the order has to be read. */
  #changed(cached: CachedOrder | undefined, rows: RowKind, query: IdQuery): Changed | undefined {
    if (cached?.valid === undefined) return undefined;
    const changed = changedFor(query, this.#db.feed, rows, cached.valid.stamp);
    const max = query.predecessors === undefined ? 0 : PREDECESSORS_MAX;
    return changed !== undefined && changed.altered.length <= max ? changed : undefined;
  }

  async #read(cached: CachedOrder, stamp: number, reads: Reads, query: IdQuery): Promise<Order> {
    return this.#keep(cached, stamp, { keys: await keysFrom(reads, query), gone: NONE });
  }

  /**
   * Readers see a transaction before it is reported, so it may have moved the row that another one was placed behind. The result is good
   * enough for an answer, but not for an order that will be corrected again.
   */
  async #correct(
    cached: CachedOrder,
    { keys, gone }: Order,
    altered: Uint32Array,
    stamp: number,
    reads: Reads,
    query: IdQuery,
  ): Promise<Order> {
    const { feed } = this.#db;
    const { isPending: wasPending } = feed;
    const predecessors = await predecessorsOf(reads, query, altered);
    const corrected = reorder(keys, eitherBits(bitsOf(altered), gone), predecessors);
    if (corrected === undefined) return this.#read(cached, stamp, reads, query);
    const order = { keys: corrected, gone: NONE };
    return !wasPending && !feed.isPending && feed.sequence === stamp ? this.#keep(cached, stamp, order) : order;
  }

  #keep(cached: CachedOrder, stamp: number, order: Order): Order {
    if (cached.valid === undefined || cached.valid.stamp <= stamp) cached.valid = { stamp, ...order };
    if (this.#isCached(cached)) {
      this.#cached.delete(cached.name); // weighed anew
      this.#cached.set(cached.name, cached);
    }
    return order;
  }

  /** Marks it as the most recently used. */
  #use(query: IdQuery): CachedOrder {
    const name = nameOf(query);
    const known = this.#cached.get(name);
    if (known !== undefined) return known;
    const made: CachedOrder = { name, valid: undefined, reading: undefined };
    this.#cached.set(name, made);
    return made;
  }

  /** It may have been dropped while it was being read. */
  #isCached(cached: CachedOrder): boolean {
    return this.#cached.peek(cached.name) === cached;
  }
}

const nameOf = ({ sql, binds }: IdQuery): string => `${sql}\n${JSON.stringify(binds)}`;
