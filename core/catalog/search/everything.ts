// One search over all that has a name: series, books, people, collections and read lists.
import type { PageOf } from '../../model/paging.js';
import { searchKey } from '../../model/search-key.js';
import { searchTerms } from '../../model/search-words.js';
import type { Viewer } from '../../model/viewer.js';
import type { Book } from '../books.js';
import type { List } from '../collections/lists.js';
import { listsNamed } from '../collections/named.js';
import { listBooks } from '../list-books.js';
import { listSeries } from '../list-series.js';
import { listPeople, type Person } from '../people.js';
import type { CountParts } from '../places.js';
import type { ListParts } from '../query/page.js';
import type { Series } from '../series.js';

/** The first of each that are found, and how many there are. */
export interface FoundByName {
  readonly series: PageOf<Series>;
  readonly books: PageOf<Book>;
  readonly people: PageOf<Person>;
  readonly collections: PageOf<List>;
  readonly readLists: PageOf<List>;
}

/** `limit`: how many of each are returned. */
export const searchEverything = async (
  parts: ListParts & CountParts,
  viewer: Viewer,
  text: string,
  limit: number,
): Promise<FoundByName> => {
  const window = { page: 1, pageSize: limit };
  const none = { ...window, items: [], total: 0 };
  // A list without a search returns everything.
  if (searchTerms(text).length === 0)
    return { series: none, books: none, people: none, collections: none, readLists: none };
  const ask = { fullTextSearch: text, order: { sort: 'relevance', descending: false }, window } as const;
  const [series, books, people, collections, readLists] = await Promise.all([
    listSeries(parts, viewer, ask),
    listBooks(parts, viewer, ask),
    searchKey(text) === '' ? none : listPeople(parts, viewer, { search: text }, window),
    listsNamed(parts, 'collection', viewer, { text, window }),
    listsNamed(parts, 'read_list', viewer, { text, window }),
  ]);
  return { series, books, people, collections, readLists };
};
