// Whole orders of rows, kept: which row comes after which. After a change the rows that changed are put to their new places.
import type { Db } from '../../store/db.js';
import type { IdQuery } from '../conditions/formula.js';
import { bitsOf, hasKey } from './bits.js';
import type { RowKind } from './changes.js';
import type { Freshness, Stamp } from './freshness.js';
import { keysFrom } from './read-keys.js';

const BUDGET_BYTES = 32 * 1024 * 1024;
/** What an order weighs beside its keys: searches nobody repeats leave many short ones. */
const ENTRY_BYTES = 1024;
/** Beyond so many rows to be placed reading the order anew is as quick. */
const PLACES_MAX = 4000;

interface Read {
  readonly stamp: Stamp;
  readonly keys: Promise<Uint32Array>;
}

interface Kept {
  readonly name: string;
  /** An order that is exactly that of its stamp: only such a one is corrected. */
  sound: { readonly stamp: Stamp; readonly keys: Uint32Array } | undefined;
  reading: Read | undefined;
  bytes: number;
}

/** What getting an order costs: nothing, as much as the rows that changed, or as much as all rows. */
export type OrderCost = 'kept' | 'corrected' | 'read';

const isSame = (a: Stamp, b: Stamp): boolean => a.generation === b.generation && a.position === b.position;

/** A key and the one right before it; null: it is the first. */
export type Place = readonly [key: number, before: number | null];

/**
 * An order in which these keys stand where they are said to, those of `changed` that are not said to stand anywhere not at all; undefined
 * when a key is to stand behind one that is not there.
 */
export const placed = (order: Uint32Array, changed: Uint32Array, places: readonly Place[]): Uint32Array | undefined => {
  const moved = bitsOf(changed);
  const followers = new Map(places.map(([key, before]) => [before ?? 0, key]));
  const leaders = bitsOf(Uint32Array.from(followers.keys()));
  const result = new Uint32Array(order.length + places.length);
  let [length, put] = [0, 0];
  const putBehind = (key: number): void => {
    for (let next = followers.get(key); next !== undefined; next = followers.get(next)) {
      result[length++] = next;
      if (++put > places.length) return;
    }
  };
  putBehind(0);
  for (let at = 0; at < order.length && put <= places.length; at += 1) {
    const key = order[at] ?? 0;
    if (hasKey(moved, key)) continue;
    result[length++] = key;
    if (hasKey(leaders, key)) putBehind(key);
  }
  return put === places.length ? result.subarray(0, length) : undefined;
};

export class Orders {
  readonly #db: Db;
  readonly #freshness: Freshness;
  /** Least recently used first. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  constructor(db: Db, freshness: Freshness) {
    this.#db = db;
    this.#freshness = freshness;
  }

  cost(rows: RowKind, query: IdQuery): OrderCost {
    const changed = this.#changed(this.#kept.get(nameOf(query)), rows, query);
    if (changed === undefined) return 'read';
    return changed.length === 0 ? 'kept' : 'corrected';
  }

  /** Row keys in the order of the query. */
  get(rows: RowKind, query: IdQuery): Promise<Uint32Array> {
    const kept = this.#use(query);
    const changed = this.#changed(kept, rows, query);
    if (kept.sound !== undefined && changed?.length === 0) return Promise.resolve(kept.sound.keys);
    const stamp = this.#freshness.stamp(query);
    if (kept.reading !== undefined && isSame(kept.reading.stamp, stamp)) return kept.reading.keys;
    const keys =
      kept.sound === undefined || changed === undefined
        ? this.#read(kept, stamp, query)
        : this.#correct(kept, kept.sound.keys, changed, stamp, query);
    kept.reading = { stamp, keys };
    const over = (): void => {
      if (kept.reading?.keys === keys) kept.reading = undefined;
    };
    keys.then(over, over);
    return keys;
  }

  forget(): void {
    this.#kept.clear();
    this.#bytes = 0;
  }

  /** Rows to be placed; undefined when the order has to be read. */
  #changed(kept: Kept | undefined, rows: RowKind, query: IdQuery): Uint32Array | undefined {
    if (kept?.sound === undefined) return undefined;
    const changed = this.#freshness.changed(kept.sound.stamp, rows, query);
    const isFew = changed !== undefined && changed.length <= (query.places === undefined ? 0 : PLACES_MAX);
    return isFew ? changed : undefined;
  }

  async #read(kept: Kept, stamp: Stamp, query: IdQuery): Promise<Uint32Array> {
    const keys = await keysFrom(this.#db, query);
    this.#keep(kept, stamp, keys);
    return keys;
  }

  /**
   * A transaction that readers see before it is told of may have moved the row another one was placed behind. That does for an answer, but
   * not for an order that is corrected again later.
   */
  async #correct(
    kept: Kept,
    keys: Uint32Array,
    changed: Uint32Array,
    stamp: Stamp,
    query: IdQuery,
  ): Promise<Uint32Array> {
    const { isTold } = this.#freshness;
    const corrected = placed(keys, changed, await this.#places(query, changed));
    if (corrected === undefined) return this.#read(kept, stamp, query);
    if (isTold && this.#freshness.isTold && isSame(this.#freshness.stamp(query), stamp))
      this.#keep(kept, stamp, corrected);
    return corrected;
  }

  async #places({ places }: IdQuery, changed: Uint32Array): Promise<readonly Place[]> {
    if (places === undefined) return [];
    const { sql, binds } = places([...changed]);
    return this.#db.json<Place[]>(`SELECT json_group_array(json_array(id, before)) FROM (${sql})`, binds);
  }

  #keep(kept: Kept, stamp: Stamp, keys: Uint32Array): void {
    if (kept.sound === undefined || kept.sound.stamp.position <= stamp.position) kept.sound = { stamp, keys };
    if (this.#isKept(kept)) this.#weigh(kept, kept.sound.keys.byteLength + ENTRY_BYTES);
  }

  /** Makes it the one used last. */
  #use(query: IdQuery): Kept {
    const name = nameOf(query);
    const kept = this.#kept.get(name) ?? { name, sound: undefined, reading: undefined, bytes: 0 };
    this.#kept.delete(name);
    this.#kept.set(name, kept);
    if (kept.bytes === 0) this.#weigh(kept, ENTRY_BYTES);
    return kept;
  }

  /** It may have been dropped while it was read. */
  #isKept(kept: Kept): boolean {
    return this.#kept.get(kept.name) === kept;
  }

  #weigh(kept: Kept, bytes: number): void {
    this.#bytes += bytes - kept.bytes;
    kept.bytes = bytes;
    for (const [name, oldest] of this.#kept) {
      if (this.#bytes <= BUDGET_BYTES) break;
      this.#kept.delete(name);
      this.#bytes -= oldest.bytes;
    }
  }
}

const nameOf = ({ sql, binds }: IdQuery): string => `${sql}\n${JSON.stringify(binds)}`;
