// All schema steps in order. Append only: a released step is never edited. A step made of statements writes at most an eighth of the
// database; one that writes more is split into batches.

import type { Step } from '../schema-step.js';
import { FIRST } from './0001-first.js';
import { METADATA } from './0002-metadata.js';
import { STRATEGIES } from './0003-strategies.js';
import { ERRORS } from './0004-errors.js';
import { READING } from './0005-reading.js';
import { SEARCH } from './0006-search.js';
import { LISTS } from './0007-lists.js';
import { TITLES } from './0008-titles.js';
import { ENDS } from './0009-ends.js';
import { CLEARED } from './0010-cleared.js';
import { REMOVAL } from './0011-removal.js';
import { RULES } from './0012-rules.js';
import { LINKS } from './0013-links.js';
import { FORMAT_CHECK } from './0014-formats.js';
import { FEED } from './0015-feed.js';
import { VISIBILITY } from './0016-visibility.js';
import { TASKS } from './0017-tasks.js';
import { SOURCES } from './0018-sources.js';
import { RULE_TASKS } from './0019-rules.js';
import { DUE_SERIES } from './0020-due-series.js';
import { MEASURED } from './0021-measured.js';
import { UNSWEPT } from './0022-unswept.js';
import { DUE_COVERS } from './0023-due-covers.js';
import { VERSIONS } from './0024-versions.js';
import { ACCESS } from './0025-access.js';
import { SETTINGS } from './0026-settings.js';
import { COVERS } from './0027-covers.js';
import { TASK_LISTS } from './0028-tasks.js';
import { DUE_HASHES } from './0029-hashes.js';
import { METRICS } from './0030-metrics.js';
import { DUPLICATES } from './0031-duplicates.js';
import { EPUB_KINDS } from './0032-epub-kinds.js';
import { PEOPLE } from './0033-people.js';
import { SYNC } from './0034-sync.js';
import { DISMISSED_MEMBERS } from './0035-dismissed-members.js';
import { OFFERED_NAMES } from './0036-offered-names.js';
import { TOLD_NUMBERS } from './0037-told-numbers.js';
import { PEOPLE_BY_CASE } from './0038-people-by-case.js';
import { READY_LISTS } from './0039-ready-lists.js';
import { BOOK_PUBLISHERS } from './0040-book-publishers.js';
import { PAGE_HASHES } from './0041-page-hashes.js';
import { EXACT_NUMBERS } from './0042-exact-numbers.js';
import { JUDGED } from './0043-judged.js';
import { APP_ORDERS } from './0044-app-orders.js';
import { FIRST_RELEASES } from './0045-first-releases.js';
import { PAGE_OFFSETS } from './0046-page-offsets.js';
import { SEARCH_GENRES } from './0047-search-genres.js';
import { FILE_TIMES } from './0048-file-times.js';
import { SEARCH_VOCABULARY } from './0049-search-vocabulary.js';
import { VOLUME_COUNTS } from './0050-volume-counts.js';
import { NEVER_READABLE } from './0051-never-readable.js';
import { SCAN_CHANGES } from './0052-scan-changes.js';

/** The index plus one is the schema version the step leads to. */
export const MIGRATIONS: readonly Step[] = [
  FIRST,
  METADATA,
  STRATEGIES,
  ERRORS,
  READING,
  SEARCH,
  LISTS,
  TITLES,
  ENDS,
  CLEARED,
  REMOVAL,
  RULES,
  LINKS,
  FORMAT_CHECK,
  FEED,
  VISIBILITY,
  TASKS,
  SOURCES,
  RULE_TASKS,
  DUE_SERIES,
  MEASURED,
  UNSWEPT,
  DUE_COVERS,
  VERSIONS,
  ACCESS,
  SETTINGS,
  COVERS,
  TASK_LISTS,
  DUE_HASHES,
  METRICS,
  DUPLICATES,
  EPUB_KINDS,
  PEOPLE,
  SYNC,
  DISMISSED_MEMBERS,
  OFFERED_NAMES,
  TOLD_NUMBERS,
  PEOPLE_BY_CASE,
  READY_LISTS,
  BOOK_PUBLISHERS,
  PAGE_HASHES,
  EXACT_NUMBERS,
  JUDGED,
  APP_ORDERS,
  FIRST_RELEASES,
  PAGE_OFFSETS,
  SEARCH_GENRES,
  FILE_TIMES,
  SEARCH_VOCABULARY,
  VOLUME_COUNTS,
  NEVER_READABLE,
  SCAN_CHANGES,
];
