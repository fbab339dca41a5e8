// Full records: rows of books and series with everything stored about them. Each part is one query for all the rows.

import { type AlternateTitle, titlesOfKeys } from '../catalog/alternate-titles.js';
import { type BookMetadata, metadataOfBooks } from '../catalog/book-metadata.js';
import type { Book } from '../catalog/books.js';
import type { Series } from '../catalog/series.js';
import { metadataOfSeries, type SeriesMetadata } from '../catalog/series-record.js';
import { type Term, termsOfKeys } from '../catalog/taxonomy.js';
import type { RowKind } from '../model/row-kind.js';
import type { Viewer } from '../model/viewer.js';
import type { Reads } from '../store/db.js';
import { type HistorySummary, NEVER_READ, summariesOf } from './history.js';

interface Beside {
  readonly genres: readonly Term[];
  readonly tags: readonly Term[];
  readonly history: HistorySummary;
}

export interface FullBook extends Beside {
  readonly book: Book;
  /** Null when nothing is known of the book and no user has changed anything. */
  readonly metadata: BookMetadata | null;
}

export interface FullSeries extends Beside {
  readonly series: Series;
  readonly metadata: SeriesMetadata;
  readonly titles: readonly AlternateTitle[];
}

const besideOf = async (
  db: Reads,
  viewer: Viewer,
  owner: RowKind,
  keys: readonly number[],
): Promise<(key: number) => Beside> => {
  const [genres, tags, histories] = await Promise.all([
    termsOfKeys(db, 'genre', owner, keys),
    termsOfKeys(db, 'tag', owner, keys),
    summariesOf(db, viewer, owner, keys),
  ]);
  return (key) => ({
    genres: genres.get(key) ?? [],
    tags: tags.get(key) ?? [],
    history: histories.get(key) ?? NEVER_READ,
  });
};

/** The full records of these books, in their order. */
export const fullBooks = async (db: Reads, viewer: Viewer, books: readonly Book[]): Promise<FullBook[]> => {
  const keys = books.map(({ key }) => key);
  const [beside, metadata] = await Promise.all([besideOf(db, viewer, 'book', keys), metadataOfBooks(db, keys)]);
  return books.map((book) => ({ book, metadata: metadata.get(book.key) ?? null, ...beside(book.key) }));
};

/** The full records of these series, in their order; a series that has vanished is left out. */
export const fullSeries = async (db: Reads, viewer: Viewer, rows: readonly Series[]): Promise<FullSeries[]> => {
  const keys = rows.map(({ key }) => key);
  const [beside, metadata, titles] = await Promise.all([
    besideOf(db, viewer, 'series', keys),
    metadataOfSeries(db, keys),
    titlesOfKeys(db, keys),
  ]);
  return rows.flatMap((series) => {
    const own = metadata.get(series.key);
    return own === undefined
      ? []
      : [{ series, metadata: own, titles: titles.get(series.key) ?? [], ...beside(series.key) }];
  });
};
