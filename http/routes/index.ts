// All rows of the routing table.
import type { Route } from '../route.js';
import { AUTH_ROUTES } from './auth.js';
import { BOOK_METADATA_ROUTES } from './book-metadata.js';
import { BOOK_ROUTES } from './books.js';
import { HEALTH_ROUTES } from './health.js';
import { LIBRARY_ROUTES } from './libraries.js';
import { LIST_ROUTES } from './lists.js';
import { PROGRESS_ROUTES } from './progress.js';
import { SERIES_ROUTES } from './series.js';
import { SERIES_METADATA_ROUTES } from './series-metadata.js';
import { TAXONOMY_ROUTES } from './taxonomy.js';

export const ROUTES: readonly Route[] = [
  ...AUTH_ROUTES,
  ...LIBRARY_ROUTES,
  ...LIST_ROUTES,
  ...SERIES_ROUTES,
  ...SERIES_METADATA_ROUTES,
  ...BOOK_ROUTES,
  ...BOOK_METADATA_ROUTES,
  ...TAXONOMY_ROUTES,
  ...PROGRESS_ROUTES,
  ...HEALTH_ROUTES,
];
