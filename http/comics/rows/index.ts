// Every row of the comic-server API.
import type { Route } from '../../surface/route.js';
import { ACCOUNT_ROWS } from './account.js';
import { BOOK_LIST_ROWS } from './book-lists.js';
import { BOOK_ROWS } from './books.js';
import { COVER_ROWS } from './covers.js';
import { EVENT_ROWS } from './events.js';
import { FOLDER_ROWS } from './folders.js';
import { LIBRARY_ROWS } from './libraries.js';
import { LIST_ROWS } from './lists.js';
import { METADATA_ROWS } from './metadata.js';
import { PAGE_ROWS } from './pages.js';
import { PROGRESS_ROWS } from './progress.js';
import { READIUM_ROWS } from './readium.js';
import { SERIES_ROWS } from './series.js';
import { SERIES_LIST_ROWS } from './series-lists.js';
import { SERVER_ROWS } from './server.js';
import { SIGN_IN_ROWS } from './sign-ins.js';
import { USER_ROWS } from './users.js';
import { VALUE_ROWS } from './values.js';

export const ROWS: readonly Route[] = [
  ...ACCOUNT_ROWS,
  ...LIBRARY_ROWS,
  ...SERIES_LIST_ROWS,
  ...SERIES_ROWS,
  ...BOOK_LIST_ROWS,
  ...BOOK_ROWS,
  ...READIUM_ROWS,
  ...PROGRESS_ROWS,
  ...LIST_ROWS,
  ...VALUE_ROWS,
  ...PAGE_ROWS,
  ...SERVER_ROWS,
  ...EVENT_ROWS,
  ...METADATA_ROWS,
  ...COVER_ROWS,
  ...FOLDER_ROWS,
  ...SIGN_IN_ROWS,
  ...USER_ROWS,
];
