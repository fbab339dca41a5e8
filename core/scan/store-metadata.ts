// Writes what a batch of analysed books says about itself: facts beside locked ones, genres and tags, and what their series lacks.
import {
  type BookLock,
  mergeFacts,
  packFacts,
  parseFacts,
  parseLocks,
  type StoredFacts,
} from '../catalog/book-facts.js';
import { type BookTerms, linkBooks, listName, TERM_KINDS } from '../catalog/taxonomy-links.js';
import type { Analysis } from '../model/jobs.js';
import type { Tx } from '../store/db.js';
import type { DueBook } from './context.js';
import { fillSeries } from './fill-series.js';

export interface Analysed {
  readonly book: DueBook;
  readonly analysis: Analysis;
}

/** One book of the batch with what is to be stored for it; `facts` is null when it has no metadata (any more). */
export interface Merged extends Analysed {
  readonly facts: StoredFacts | null;
  readonly locks: ReadonlySet<BookLock>;
  /** True when a row exists already. Only such a book can have genres or tags from before. */
  readonly known: boolean;
}

interface Row {
  readonly key: number;
  readonly facts: string;
  readonly locks: string;
}

const mergeOne = (one: Analysed, row: Row | undefined): Merged => {
  const stored = parseFacts(row?.facts ?? null);
  const locks = parseLocks<BookLock>(row?.locks ?? null);
  const found = one.analysis.metadata?.book ?? null;
  const empty = found === null && locks.size === 0 && stored.customMetadata === null;
  return { ...one, locks, known: row !== undefined, facts: empty ? null : mergeFacts(found, stored, locks) };
};

export const mergeMetadata = async (tx: Tx, batch: readonly Analysed[]): Promise<readonly Merged[]> => {
  if (batch.length === 0) return [];
  const rows = await tx.all<Row>(
    'SELECT book_id AS key, facts, locks FROM book_metadata WHERE book_id IN (SELECT value FROM json_each(?))',
    [JSON.stringify(batch.map(({ book }) => book.key))],
  );
  const byBook = new Map(rows.map((row) => [row.key, row]));
  return batch.map((one) => mergeOne(one, byBook.get(one.book.key)));
};

const storeFacts = async (tx: Tx, merged: readonly Merged[], nowMs: number): Promise<void> => {
  const rows = merged.flatMap(({ book, facts }) => (facts === null ? [] : [[book.key, packFacts(facts)] as const]));
  if (rows.length > 0) {
    await tx.run(
      `INSERT INTO book_metadata (book_id, uuid, facts, created_at, updated_at)
       SELECT b.id, b.uuid, value ->> 1, ?1, ?1 FROM json_each(?2) CROSS JOIN book b ON b.id = value ->> 0 WHERE true
       ON CONFLICT (book_id) DO UPDATE SET facts = excluded.facts, updated_at = excluded.updated_at WHERE facts <> excluded.facts`,
      [nowMs, JSON.stringify(rows)],
    );
  }
  const gone = merged.filter(({ known, facts }) => known && facts === null).map(({ book }) => book.key);
  if (gone.length > 0)
    await tx.run('DELETE FROM book_metadata WHERE book_id IN (SELECT value FROM json_each(?))', [JSON.stringify(gone)]);
};

const storeTerms = async (tx: Tx, merged: readonly Merged[], nowMs: number): Promise<void> => {
  for (const kind of TERM_KINDS) {
    const list = listName(kind);
    const books = merged
      .filter(({ locks }) => !locks.has(list))
      .map(({ book, analysis, known }): BookTerms & { readonly known: boolean } => ({
        key: book.key,
        seriesKey: book.seriesKey,
        names: analysis.metadata?.series[list] ?? [],
        known,
      }))
      .filter(({ names, known }) => known || names.length > 0);
    await linkBooks(tx, kind, books, nowMs);
  }
};

export const storeMetadata = async (tx: Tx, merged: readonly Merged[], nowMs: number): Promise<void> => {
  await storeFacts(tx, merged, nowMs);
  await storeTerms(tx, merged, nowMs);
  const said = merged.flatMap(({ book, analysis }) =>
    analysis.metadata === null ? [] : [{ seriesKey: book.seriesKey, facts: analysis.metadata.series }],
  );
  await fillSeries(tx, said, nowMs);
};
