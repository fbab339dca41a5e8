// Answers of queries for ids, kept until something changes: sets for conditions, sequences for orders. A list whose filter was asked
// before costs no query but that of its rows.
import type { Db } from '../../store/db.js';
import type { Formula, IdQuery, Scope } from '../conditions/formula.js';
import { ALL_KEYS, bitsOf, bothKeys, eitherKeys, type KeySet, keysOf, NO_KEYS, notKeys } from './bits.js';

const BUDGET_BYTES = 64 * 1024 * 1024;

/** Tables no list looks at; a change of any other makes answers old. */
const ELSEWHERE = ['session', 'scan', 'book_pages', 'book_outline', 'book_error', 'user', 'search_due'];
/** What people do, as opposed to what there is. */
const READING = ['read_progress', 'read_completion', 'read_position', 'series_reading', 'want_to_read'];
const UNLESS: Readonly<Record<Scope, ReadonlySet<string>>> = {
  catalog: new Set([...ELSEWHERE, ...READING]),
  reading: new Set(ELSEWHERE),
};

interface Kept {
  readonly generation: number;
  readonly keys: Promise<Uint32Array>;
  bytes: number;
}

type Form = 'set' | 'order';

export class IdSets {
  readonly #db: Db;
  /** Least recently used first. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  constructor(db: Db) {
    this.#db = db;
  }

  /** Row keys in the order of the query. */
  order(query: IdQuery): Promise<Uint32Array> {
    return this.#get('order', query);
  }

  /** Whether that order is at hand and still holds. */
  hasOrder(query: IdQuery): boolean {
    return this.#kept.get(nameOf('order', query))?.generation === this.#generation(query);
  }

  bits(query: IdQuery): Promise<Uint32Array> {
    return this.#get('set', query);
  }

  async evaluate(formula: Formula): Promise<KeySet> {
    if ('ids' in formula) return { bits: await this.bits(formula.ids), inverted: false };
    if ('not' in formula) return notKeys(await this.evaluate(formula.not));
    const parts = await Promise.all(('all' in formula ? formula.all : formula.any).map((part) => this.evaluate(part)));
    return 'all' in formula ? parts.reduce(bothKeys, ALL_KEYS) : parts.reduce(eitherKeys, NO_KEYS);
  }

  forget(): void {
    this.#kept.clear();
    this.#bytes = 0;
  }

  #generation({ scope }: IdQuery): number {
    return this.#db.generation(UNLESS[scope]);
  }

  #get(form: Form, query: IdQuery): Promise<Uint32Array> {
    const name = nameOf(form, query);
    const generation = this.#generation(query);
    const kept = this.#kept.get(name);
    if (kept !== undefined) this.#drop(name, kept);
    const fresh = kept?.generation === generation ? kept : { generation, keys: this.#read(form, query), bytes: 0 };
    this.#kept.set(name, fresh);
    this.#bytes += fresh.bytes;
    if (fresh !== kept) this.#weigh(name, fresh);
    return fresh.keys;
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

  /** As digits in one value: a row object for each of a million keys would take ten times as long. */
  async #read(form: Form, { sql, binds }: IdQuery): Promise<Uint32Array> {
    const [row] = await this.#db.all<{ digits: Uint8Array | null }>(
      `SELECT CAST(group_concat(id) AS BLOB) AS digits FROM (${sql})`,
      binds,
    );
    const keys = keysOf(row?.digits ?? new Uint8Array(0));
    return form === 'order' ? keys : bitsOf(keys);
  }
}

const nameOf = (form: Form, { sql, binds }: IdQuery): string => `${form}\n${sql}\n${JSON.stringify(binds)}`;
