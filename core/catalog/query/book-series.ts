// The series of every book, in memory, once a restricted user asked for books: which books somebody sees follows from the visible series
// without reading a million rows again. Four bytes a book. After a change, the changed books are read again.
import { SingleFlight } from '../../engine/single-flight.js';
import type { Asker, Db, Reads } from '../../store/db.js';
import { ASPECTS } from '../../store/feed.js';
import { type Pairs, seriesOfBooks } from '../sql/book-series.js';
import { hasKey } from './key-set.js';

interface Known {
  readonly stamp: number;
  /** By book key; 0: there is no such book. Never changed: who has it may be using it. */
  readonly series: Uint32Array;
}

const NONE: Pairs = { books: new Uint32Array(0), series: new Uint32Array(0) };

const put = ({ books, series }: Pairs, over: Uint32Array = new Uint32Array(0)): Uint32Array => {
  let highest = 0;
  for (let at = 0; at < books.length; at += 1) highest = Math.max(highest, books[at] ?? 0);
  const all = new Uint32Array(Math.max(over.length, highest + 1));
  all.set(over);
  for (let at = 0; at < books.length; at += 1) all[books[at] ?? 0] = series[at] ?? 0;
  return all;
};

/** The books of these series, as bits. */
const booksIn = (visible: Uint32Array, series: Uint32Array): Uint32Array => {
  const bits = new Uint32Array((series.length + 31) >>> 5);
  for (let book = 1; book < series.length; book += 1)
    if (hasKey(visible, series[book] ?? 0)) bits[book >>> 5] = (bits[book >>> 5] ?? 0) | (1 << (book & 31));
  return bits;
};

export class BookSeries {
  readonly #db: Db;
  readonly #flights = new SingleFlight();
  #known: Known | undefined;

  constructor(db: Db) {
    this.#db = db;
  }

  /** The books of `visible`, a set of series, as they are now or later. */
  async booksOf(visible: Uint32Array, asker: Asker | undefined): Promise<Uint32Array> {
    return booksIn(visible, await this.#current(asker));
  }

  forget(): void {
    this.#known = undefined;
  }

  /** Callers between two changes share a read. */
  #current(asker: Asker | undefined): Promise<Uint32Array> {
    const stamp = this.#db.feed.sequence;
    if (this.#known?.stamp === stamp) return Promise.resolve(this.#known.series);
    return this.#flights.join(String(stamp), asker?.signal, async (signal) => {
      const reads = asker === undefined ? this.#db : this.#db.readsFor({ user: asker.user, signal }, 'list');
      const series = await this.#read(reads, this.#known);
      if (this.#known === undefined || this.#known.stamp < stamp) this.#known = { stamp, series };
      return series;
    });
  }

  async #read(reads: Reads, known: Known | undefined): Promise<Uint32Array> {
    const changed = known === undefined ? undefined : this.#db.feed.changedSince(known.stamp, 'book', ASPECTS.list);
    if (known === undefined || changed === undefined) return put(await seriesOfBooks(reads));
    const { altered, gone } = changed;
    if (altered.length + gone.length === 0) return known.series;
    const series = put(altered.length === 0 ? NONE : await seriesOfBooks(reads, [...altered]), known.series);
    for (const book of gone) if (book < series.length) series[book] = 0;
    return series;
  }
}
