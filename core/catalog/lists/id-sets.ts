// Answers of queries for ids, kept as sets for conditions. A list whose filter was asked before costs no query but that of its rows. After a
// change a set is corrected in the rows that changed.
import type { Db } from '../../store/db.js';
import { againOf, type Formula, type IdQuery } from '../conditions/formula.js';
import { ALL_KEYS, bitsOf, bothKeys, eitherKeys, type KeySet, NO_KEYS, notKeys, patched } from './bits.js';
import type { Changes, RowKind } from './changes.js';
import { Freshness, type Stamp } from './freshness.js';
import { Orders } from './orders.js';
import { keysFrom } from './read-keys.js';

const BUDGET_BYTES = 32 * 1024 * 1024;
/** What a set weighs beside its bits: filters nobody repeats leave many small ones. */
const ENTRY_BYTES = 1024;

interface Kept {
  stamp: Stamp;
  readonly keys: Promise<Uint32Array>;
  bytes: number;
}

export class IdSets {
  readonly #db: Db;
  readonly #freshness: Freshness;
  readonly orders: Orders;
  /** Least recently used first. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  /** Without word of which rows change, every change makes every answer old. */
  constructor(db: Db, changes?: Changes) {
    this.#db = db;
    this.#freshness = new Freshness(db, changes);
    this.orders = new Orders(db, this.#freshness);
  }

  bits(rows: RowKind, query: IdQuery): Promise<Uint32Array> {
    const name = nameOf(query);
    const kept = this.#kept.get(name);
    const changed = kept === undefined ? undefined : this.#freshness.changed(kept.stamp, rows, query);
    const stamp = this.#freshness.stamp(query);
    if (kept !== undefined) this.#drop(name, kept);
    if (kept !== undefined && changed?.length === 0) {
      kept.stamp = stamp;
      this.#kept.set(name, kept);
      this.#bytes += kept.bytes;
      return kept.keys;
    }
    const keys =
      kept !== undefined && changed !== undefined
        ? this.#correct(kept.keys, changed, query)
        : keysFrom(this.#db, query).then(bitsOf);
    const fresh = { stamp, keys, bytes: 0 };
    this.#kept.set(name, fresh);
    this.#weigh(name, fresh);
    return keys;
  }

  /** The formula is about rows of one kind. */
  async evaluate(rows: RowKind, formula: Formula): Promise<KeySet> {
    if ('ids' in formula) return { bits: await this.bits(rows, formula.ids), inverted: false };
    if ('not' in formula) return notKeys(await this.evaluate(rows, formula.not));
    const found = 'all' in formula ? formula.all : formula.any;
    const parts = await Promise.all(found.map((part) => this.evaluate(rows, part)));
    return 'all' in formula ? parts.reduce(bothKeys, ALL_KEYS) : parts.reduce(eitherKeys, NO_KEYS);
  }

  forget(): void {
    this.#kept.clear();
    this.#bytes = 0;
    this.orders.forget();
  }

  /** A set with some rows tested again. */
  async #correct(keys: Promise<Uint32Array>, changed: Uint32Array, query: IdQuery): Promise<Uint32Array> {
    const [bits, present] = await Promise.all([keys, keysFrom(this.#db, againOf(query, [...changed]))]);
    return patched(bits, changed, present);
  }

  /** What an answer weighs is known when it is there. A failed one is asked again. */
  #weigh(name: string, kept: Kept): void {
    kept.keys.then(
      ({ byteLength }) => {
        if (this.#kept.get(name) !== kept) return;
        kept.bytes = byteLength + ENTRY_BYTES;
        this.#bytes += kept.bytes;
        for (const [oldest, one] of this.#kept) {
          if (this.#bytes <= BUDGET_BYTES) break;
          this.#drop(oldest, one);
        }
      },
      () => {
        if (this.#kept.get(name) === kept) this.#kept.delete(name);
      },
    );
  }

  #drop(name: string, kept: Kept): void {
    this.#kept.delete(name);
    this.#bytes -= kept.bytes;
  }
}

const nameOf = ({ sql, binds }: IdQuery): string => `${sql}\n${JSON.stringify(binds)}`;
