// Answers of queries for ids, kept: sets for conditions, sequences for orders. A list whose filter was asked before costs no query
// but that of its rows. After a change a set is corrected in the rows that changed, an order is asked for again.
import type { Db } from '../../store/db.js';
import { againOf, type Formula, type IdQuery, type Predicate, type Scope } from '../conditions/formula.js';
import { ALL_KEYS, bitsOf, bothKeys, eitherKeys, type KeySet, keysOf, NO_KEYS, notKeys, patched } from './bits.js';
import { type Changes, type RowKind, WATCHED } from './changes.js';

const BUDGET_BYTES = 64 * 1024 * 1024;

/** Tables no list looks at; a change of any other makes answers old. */
const ELSEWHERE = ['session', 'scan', 'book_pages', 'book_outline', 'book_error', 'user', 'search_due'];
/** What people do, as opposed to what there is. */
const READING = ['read_progress', 'read_completion', 'read_position', 'series_reading', 'want_to_read'];
/** What of that no condition and no order looks at. */
const READING_ASIDE = ['read_completion', 'read_position', 'want_to_read'];

const WITHOUT_ROWS: Readonly<Record<Scope, ReadonlySet<string>>> = {
  catalog: new Set([...ELSEWHERE, ...READING]),
  reading: new Set(ELSEWHERE),
};
/** Where changes are known row by row, only other tables make a whole answer old. */
const BY_ROWS: Readonly<Record<Scope, ReadonlySet<string>>> = {
  catalog: new Set([...ELSEWHERE, ...READING, ...WATCHED]),
  reading: new Set([...ELSEWHERE, ...READING_ASIDE, ...WATCHED]),
};

interface Kept {
  readonly generation: number;
  /** Up to where changes of rows are in it. */
  position: number;
  readonly keys: Promise<Uint32Array>;
  bytes: number;
}

type Form = 'set' | 'order';

const NONE = new Uint32Array(0);

export class IdSets {
  readonly #db: Db;
  readonly #changes: Changes | undefined;
  /** Least recently used first. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  /** Without word of which rows change, every change makes every answer old. */
  constructor(db: Db, changes?: Changes) {
    this.#db = db;
    this.#changes = changes;
  }

  /** Row keys in the order of the query. */
  order(rows: RowKind, query: IdQuery): Promise<Uint32Array> {
    return this.#get('order', rows, query);
  }

  /** Whether that order is at hand and still holds. */
  hasOrder(rows: RowKind, query: IdQuery): boolean {
    const kept = this.#kept.get(nameOf('order', query));
    return kept !== undefined && this.#changed(kept, rows, query)?.length === 0;
  }

  bits(rows: RowKind, query: IdQuery): Promise<Uint32Array> {
    return this.#get('set', rows, query);
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
  }

  #generation({ scope }: IdQuery): number {
    return this.#db.generation((this.#changes === undefined ? WITHOUT_ROWS : BY_ROWS)[scope]);
  }

  /** Rows an answer may be wrong about; undefined: any. */
  #changed(kept: Kept, rows: RowKind, query: IdQuery): Uint32Array | undefined {
    if (kept.generation !== this.#generation(query)) return undefined;
    if (this.#changes === undefined) return NONE;
    return this.#changes.since(kept.position, query.scope === 'catalog' ? [rows] : [rows, `${rows} read`]);
  }

  #get(form: Form, rows: RowKind, query: IdQuery): Promise<Uint32Array> {
    const name = nameOf(form, query);
    const kept = this.#kept.get(name);
    const changed = kept === undefined ? undefined : this.#changed(kept, rows, query);
    const [generation, position] = [this.#generation(query), this.#changes?.position ?? 0];
    if (kept !== undefined) this.#drop(name, kept);
    if (kept !== undefined && changed?.length === 0) {
      kept.position = position;
      this.#kept.set(name, kept);
      this.#bytes += kept.bytes;
      return kept.keys;
    }
    const keys =
      kept !== undefined && changed !== undefined && form === 'set'
        ? this.#correct(kept.keys, changed, query)
        : this.#read(form, query);
    const fresh = { generation, position, keys, bytes: 0 };
    this.#kept.set(name, fresh);
    this.#weigh(name, fresh);
    return keys;
  }

  /** A set with some rows tested again. */
  async #correct(keys: Promise<Uint32Array>, changed: Uint32Array, query: IdQuery): Promise<Uint32Array> {
    const [bits, present] = await Promise.all([keys, this.#keys(againOf(query, [...changed]))]);
    return patched(bits, changed, present);
  }

  /** What an answer weighs is known when it is there. A failed one is asked again. */
  #weigh(name: string, kept: Kept): void {
    kept.keys.then(
      ({ byteLength }) => {
        if (this.#kept.get(name) !== kept) return;
        kept.bytes = byteLength + name.length;
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

  async #read(form: Form, query: IdQuery): Promise<Uint32Array> {
    const keys = await this.#keys(query);
    return form === 'order' ? keys : bitsOf(keys);
  }

  /** As digits in one value: a row object for each of a million keys would take ten times as long. */
  async #keys({ sql, binds }: Predicate): Promise<Uint32Array> {
    const [row] = await this.#db.all<{ digits: Uint8Array | null }>(
      `SELECT CAST(group_concat(id) AS BLOB) AS digits FROM (${sql})`,
      binds,
    );
    return keysOf(row?.digits ?? NONE_DIGITS);
  }
}

const NONE_DIGITS = new Uint8Array(0);

const nameOf = (form: Form, { sql, binds }: IdQuery): string => `${form}\n${sql}\n${JSON.stringify(binds)}`;
