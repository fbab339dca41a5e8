// All rows of the routing table.
import type { Route } from '../../surface/route.js';
import { ACCESS_GROUP_ROUTES } from './access-groups.js';
import { ALTERNATE_TITLE_ROUTES } from './alternate-titles.js';
import { API_KEY_ROUTES } from './api-keys.js';
import { APP_ADDRESS_ROUTES } from './app-addresses.js';
import { AUDIT_ROUTES } from './audit.js';
import { AUTH_ROUTES } from './auth.js';
import { BACKUP_ROUTES } from './backups.js';
import { BOOK_ERROR_ROUTES } from './book-errors.js';
import { BOOK_METADATA_ROUTES } from './book-metadata.js';
import { BOOK_ROUTES } from './books.js';
import { LIST_ROUTES } from './browse.js';
import { BULK_READING_ROUTES } from './bulk-reading.js';
import { COLLECTION_ROUTES } from './collections.js';
import { COVER_ROUTES } from './covers.js';
import { DUPLICATE_ROUTES } from './duplicates.js';
import { EVENT_ROUTES } from './events.js';
import { FILESYSTEM_ROUTES } from './filesystem.js';
import { HEALTH_ROUTES } from './health.js';
import { READING_LIST_ROUTES } from './home-lists.js';
import { LIBRARY_ROUTES } from './libraries.js';
import { LIBRARY_WORK_ROUTES } from './library-work.js';
import { LOG_ROUTES } from './logs.js';
import { METRIC_ROUTES } from './metrics.js';
import { OBSERVABILITY_ROUTES } from './observability.js';
import { ORPHAN_ROUTES } from './orphans.js';
import { PDF_CACHE_ROUTES } from './pdf-cache.js';
import { PEOPLE_ROUTES } from './people.js';
import { PREFERENCE_ROUTES } from './preferences.js';
import { PREVIEW_ROUTES } from './preview-scan.js';
import { PROGRESS_ROUTES } from './progress.js';
import { READ_HISTORY_ROUTES } from './read-history.js';
import { READ_LIST_ROUTES } from './read-lists.js';
import { READER_PROFILE_ROUTES } from './reader-profiles.js';
import { READIUM_ROUTES } from './readium.js';
import { REGISTRATION_ROUTES } from './registration.js';
import { SCAN_ROUTES } from './scans.js';
import { SEARCH_ROUTES } from './search.js';
import { SERIES_ROUTES } from './series.js';
import { SERIES_METADATA_ROUTES } from './series-metadata.js';
import { SESSION_ROUTES } from './sessions.js';
import { SETTING_ROUTES } from './settings.js';
import { SHARING_TAG_ROUTES } from './sharing-tags.js';
import { SIGN_ON_ROUTES } from './sign-on.js';
import { SYNC_SECRET_ROUTES } from './sync-secret.js';
import { TASK_ROUTES } from './tasks.js';
import { TAXONOMY_ROUTES } from './taxonomy.js';
import { USER_GRANT_ROUTES } from './user-grants.js';
import { USER_ROUTES } from './users.js';
import { WANT_TO_READ_ROUTES } from './want-to-read.js';

export const ROUTES: readonly Route[] = [
  ...AUTH_ROUTES,
  ...SESSION_ROUTES,
  ...API_KEY_ROUTES,
  ...SYNC_SECRET_ROUTES,
  ...APP_ADDRESS_ROUTES,
  ...REGISTRATION_ROUTES,
  ...SIGN_ON_ROUTES,
  ...USER_ROUTES,
  ...USER_GRANT_ROUTES,
  ...SHARING_TAG_ROUTES,
  ...ACCESS_GROUP_ROUTES,
  ...AUDIT_ROUTES,
  ...LIBRARY_ROUTES,
  ...SCAN_ROUTES,
  ...PREVIEW_ROUTES,
  ...LIBRARY_WORK_ROUTES,
  ...TASK_ROUTES,
  ...DUPLICATE_ROUTES,
  ...LIST_ROUTES,
  ...SERIES_ROUTES,
  ...SERIES_METADATA_ROUTES,
  ...ALTERNATE_TITLE_ROUTES,
  ...BOOK_ROUTES,
  ...READIUM_ROUTES,
  ...BOOK_ERROR_ROUTES,
  ...BOOK_METADATA_ROUTES,
  ...TAXONOMY_ROUTES,
  ...PEOPLE_ROUTES,
  ...SEARCH_ROUTES,
  ...COLLECTION_ROUTES,
  ...READ_LIST_ROUTES,
  ...COVER_ROUTES,
  ...PROGRESS_ROUTES,
  ...BULK_READING_ROUTES,
  ...READING_LIST_ROUTES,
  ...READ_HISTORY_ROUTES,
  ...WANT_TO_READ_ROUTES,
  ...SETTING_ROUTES,
  ...FILESYSTEM_ROUTES,
  ...PREFERENCE_ROUTES,
  ...READER_PROFILE_ROUTES,
  ...LOG_ROUTES,
  ...BACKUP_ROUTES,
  ...ORPHAN_ROUTES,
  ...PDF_CACHE_ROUTES,
  ...EVENT_ROUTES,
  ...OBSERVABILITY_ROUTES,
  ...METRIC_ROUTES,
  ...HEALTH_ROUTES,
];
