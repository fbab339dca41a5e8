// What a search finds, of every kind, in one answer.
import { type Book, type Series, searchEverything } from './api.js';
import type { RequestOptions } from './lists.js';
import { type NamedList, ofCollection, ofReadList } from './named-lists.js';

const FOUND_SIZE = 24;

export interface Found {
  readonly series: readonly Series[];
  readonly books: readonly Book[];
  readonly people: readonly { readonly name: string; readonly seriesCount: number }[];
  readonly lists: readonly NamedList[];
}

export const NOTHING_FOUND: Found = { series: [], books: [], people: [], lists: [] };

export const found = async (text: string, opts: RequestOptions): Promise<Found> => {
  const { series, books, people, collections, readLists } = await searchEverything(
    { q: text, limit: FOUND_SIZE },
    opts,
  );
  return {
    series: series.items,
    books: books.items,
    people: people.items,
    lists: [...collections.items.map(ofCollection), ...readLists.items.map(ofReadList)],
  };
};
