// What a search over everything answers.
import { record } from '../../surface/wire.js';
import { Book } from './book.js';
import { CollectionItems, ReadListItems } from './collections.js';
import { itemsOf } from './paging.js';
import { Person } from './people.js';
import { Series } from './series.js';

export const SearchResults = record('SearchResults', {
  series: itemsOf('FoundSeries', Series),
  books: itemsOf('FoundBooks', Book),
  people: itemsOf('FoundPeople', Person),
  collections: CollectionItems,
  readLists: ReadListItems,
});
