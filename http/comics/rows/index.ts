// Every row of the comic-server API.
import type { Route } from '../../surface/route.js';
import { BOOK_LIST_ROWS } from './book-lists.js';
import { BOOK_ROWS } from './books.js';
import { LIBRARY_ROWS } from './libraries.js';
import { READIUM_ROWS } from './readium.js';
import { SERIES_ROWS } from './series.js';
import { SERIES_LIST_ROWS } from './series-lists.js';

export const ROWS: readonly Route[] = [
  ...LIBRARY_ROWS,
  ...SERIES_LIST_ROWS,
  ...SERIES_ROWS,
  ...BOOK_LIST_ROWS,
  ...BOOK_ROWS,
  ...READIUM_ROWS,
];
