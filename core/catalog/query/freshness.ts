// How old an answer is: when it was asked, and which rows it may be wrong about since then.
import type { Db } from '../../store/db.js';
import type { DependsOn, IdQuery } from '../conditions/formula.js';
import { type Changes, type RowKind, WATCHED } from './changes.js';

/** Tables no list looks at; a change of any other makes answers old. */
const ELSEWHERE = [
  'session',
  'scan',
  'book_pages',
  'book_outline',
  'book_error',
  'user',
  'search_due',
  'read_cleared',
  'stored_rule',
  'task',
];
/** What people do, as opposed to what there is. */
const READING = ['read_progress', 'read_completion', 'read_position', 'series_reading', 'want_to_read'];
/** What of that no condition and no order looks at. */
const READING_ASIDE = ['read_completion', 'read_position', 'want_to_read'];

const WITHOUT_ROWS: Readonly<Record<DependsOn, ReadonlySet<string>>> = {
  catalog: new Set([...ELSEWHERE, ...READING]),
  reading: new Set(ELSEWHERE),
};
/** Where changes are known row by row, only other tables make a whole answer old. */
const BY_ROWS: Readonly<Record<DependsOn, ReadonlySet<string>>> = {
  catalog: new Set([...ELSEWHERE, ...READING, ...WATCHED]),
  reading: new Set([...ELSEWHERE, ...READING_ASIDE, ...WATCHED]),
};

export interface Stamp {
  readonly generation: number;
  /** Up to where changes of rows are in the answer. */
  readonly position: number;
}

const NONE = new Uint32Array(0);

export class Freshness {
  readonly #db: Db;
  readonly #changes: Changes | undefined;

  constructor(db: Db, changes: Changes | undefined) {
    this.#db = db;
    this.#changes = changes;
  }

  /** Of an answer that is about to be read. */
  stamp({ dependsOn: scope }: IdQuery): Stamp {
    const generation = this.#db.generation((this.#changes === undefined ? WITHOUT_ROWS : BY_ROWS)[scope]);
    return { generation, position: this.#changes?.position ?? 0 };
  }

  /** Rows an answer may be wrong about; undefined: any. */
  changed(then: Stamp, rows: RowKind, query: IdQuery): Uint32Array | undefined {
    if (then.generation !== this.stamp(query).generation) return undefined;
    if (this.#changes === undefined) return NONE;
    return this.#changes.since(then.position, query.dependsOn === 'catalog' ? [rows] : [rows, `${rows} read`]);
  }

  /** Whether every transaction that readers may already see is told of. */
  get isSettled(): boolean {
    return this.#changes?.isSettled ?? true;
  }
}
