// All feeds of a catalogue.
import type { FeedRows } from '../dialect.js';
import { BOOK_LIST_FEEDS } from './book-lists.js';
import { LIST_FEEDS } from './lists.js';
import { NAME_FEEDS } from './names.js';
import { ONE_SERIES_FEED } from './one-series.js';
import { ROOT_FEED } from './root.js';
import { SEARCH_FEEDS } from './search.js';
import { SERIES_LIST_FEEDS } from './series-lists.js';

export const FEEDS: readonly FeedRows[] = [
  ROOT_FEED,
  ...BOOK_LIST_FEEDS,
  ...SERIES_LIST_FEEDS,
  ONE_SERIES_FEED,
  ...NAME_FEEDS,
  ...LIST_FEEDS,
  ...SEARCH_FEEDS,
];
