// How old an answer is: when it was asked, and which rows it may be wrong about since then.
import type { Db } from '../../store/db.js';
import { ASPECTS, concerns, type Feed, KEYS_MAX } from '../../store/feed.js';
import type { DependsOn, IdQuery } from '../sql/predicates.js';
import type { RowKind } from './plan.js';

const CATALOG = ASPECTS.list | ASPECTS.text | ASPECTS.members;
const LOOKED_AT: Readonly<Record<DependsOn, number>> = { catalog: CATALOG, reading: CATALOG | ASPECTS.reading };

export class Freshness {
  readonly #feed: Feed;

  constructor({ feed }: Pick<Db, 'feed'>) {
    this.#feed = feed;
  }

  /** Of an answer that is about to be read. */
  stamp(): number {
    return this.#feed.sequence;
  }

  /** Rows that an answer may be wrong about; undefined: any. */
  changed(then: number, rows: RowKind, { dependsOn }: IdQuery): Uint32Array | undefined {
    const batches = this.#feed.since(then);
    if (batches === undefined) return undefined;
    const keys = new Set<number>();
    for (const { reports } of batches)
      for (const report of reports) {
        if (!concerns(report, rows, LOOKED_AT[dependsOn])) continue;
        if (report.keys === 'all') return undefined;
        for (const key of report.keys) keys.add(key);
        if (keys.size > KEYS_MAX) return undefined;
      }
    return Uint32Array.from(keys);
  }

  /** Whether readers may already see a transaction that was not told of yet. */
  get isPending(): boolean {
    return this.#feed.isPending;
  }
}
