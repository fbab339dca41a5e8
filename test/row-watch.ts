// Temporary triggers on every table that note each changed row: what happened, beside what transactions report.

import { ALL_ASPECTS, ASPECTS, type Change, type Kind } from '../core/store/feed.js';

const { list, reading, text, members, content, cover, details } = ASPECTS;

let triggers = 0;
const trigger = (table: string, event: string, body: string, when = ''): string => {
  triggers += 1;
  return `CREATE TEMP TRIGGER watched_${triggers} AFTER ${event} ON main.${table} ${when} BEGIN ${body} END;`;
};

const INSERT = 'INSERT INTO changed_row (kind, key, change, aspects, library, series)';

/** The public id of a whole row, or where it was before it moved. */
const noteMore = (kind: Kind, row: 'new' | 'old', change: Change, parents: string, more: string): string =>
  `INSERT INTO changed_row (kind, key, change, aspects, library, series, hex, old_library, old_series)
   SELECT '${kind}', ${row}.id, '${change}', ${change === 'updated' ? list : ALL_ASPECTS}, ${parents}, ${more};`;

const note = (kind: Kind, key: string, aspects: number, change: Change = 'updated', parents = 'NULL, NULL'): string =>
  `${INSERT} SELECT '${kind}', ${key}, '${change}', ${aspects}, ${parents};`;

const noteBooks = (where: string, aspects: number): string =>
  `${INSERT} SELECT 'book', b.id, 'updated', ${aspects}, b.library_id, b.series_id FROM book b WHERE ${where};`;

const differs = (...columns: readonly string[]): string =>
  `WHEN ${columns.map((column) => `old.${column} IS NOT new.${column}`).join(' OR ')}`;

/** Rows of a table that is a kind of its own. */
const own = (
  kind: Kind,
  table: string,
  key = 'id',
  parents: (row: string) => string = () => 'NULL, NULL',
): string[] => [
  trigger(table, 'INSERT', note(kind, `new.${key}`, ALL_ASPECTS, 'created', parents('new'))),
  trigger(table, 'UPDATE', note(kind, `new.${key}`, details, 'updated', parents('new'))),
  trigger(table, 'DELETE', note(kind, `old.${key}`, ALL_ASPECTS, 'removed', parents('old'))),
];

/** Rows of a table that is a kind of its own, with an id for clients. */
const named = (kind: Kind, table: string, parents: (row: string) => string = () => 'NULL, NULL'): string[] => [
  trigger(table, 'INSERT', noteMore(kind, 'new', 'created', parents('new'), 'hex(new.uuid), NULL, NULL')),
  trigger(table, 'UPDATE', note(kind, 'new.id', details, 'updated', parents('new'))),
  trigger(table, 'DELETE', noteMore(kind, 'old', 'removed', parents('old'), 'hex(old.uuid), NULL, NULL')),
];

/** Rows that belong to one of another table. */
const part = (table: string, body: (row: 'new' | 'old') => string): string[] => [
  trigger(table, 'INSERT', body('new')),
  trigger(table, 'UPDATE', body('old') + body('new')),
  trigger(table, 'DELETE', body('old')),
];

const LISTED = [
  'uuid',
  'library_id',
  'series_id',
  'folder_id',
  'file_name',
  'file_size',
  'file_mtime',
  'format',
  'epub_kind',
  'title_sort',
  'number',
  'told_number',
  'page_count',
  'analysis_error',
  'deleted',
  'created_at',
];

const SERVED = [
  'library_id',
  'folder_id',
  'file_name',
  'title',
  'format',
  'file_size',
  'file_mtime',
  'revision',
  'deleted',
  'analyzed',
  'analysis_error',
  'analysis_kind',
];

const ofBook = (row: string): string => `${row}.library_id, ${row}.series_id`;
const updateOf = (columns: readonly string[]): string => `UPDATE OF ${columns.join(', ')}`;
const bookUpdate = (columns: readonly string[], aspects: number): string =>
  trigger('book', updateOf(columns), note('book', 'new.id', aspects, 'updated', ofBook('new')), differs(...columns));

/** Lists of series are filtered by names of these. */
const renamed = (table: string, more = ''): string => {
  const carriers = `series_${table} WHERE ${table}_id = new.id`;
  const body = `${INSERT} SELECT 'series', series_id, 'updated', ${list}, NULL, series_id FROM ${carriers};${more}`;
  return trigger(table, 'UPDATE OF name_key', body, differs('name_key'));
};

const carrying = (term: string): string => `b.id IN (SELECT book_id FROM book_${term} WHERE ${term}_id = new.id)
  OR b.series_id IN (SELECT series_id FROM series_${term} WHERE ${term}_id = new.id)`;

const TERMS = ['genre', 'tag'].flatMap((term) => [
  ...named(term as Kind, term),
  renamed(term, noteBooks(carrying(term), list)),
  ...part(`book_${term}`, (row) => note('book', `${row}.book_id`, list)),
  ...part(
    `series_${term}`,
    (row) => note('series', `${row}.series_id`, list) + noteBooks(`b.series_id = ${row}.series_id`, list),
  ),
]);

const BOOKS = [
  ...named('book', 'book', ofBook),
  trigger(
    'book',
    'UPDATE OF library_id, series_id',
    noteMore('book', 'new', 'updated', ofBook('new'), `NULL, ${ofBook('old')}`),
    differs('library_id', 'series_id'),
  ),
  bookUpdate(LISTED, list),
  bookUpdate(SERVED, content),
  bookUpdate(['released'], text),
  ...[
    'book_metadata',
    'book_source',
    'book_outline',
    'book_error',
    'read_completion',
    'read_position',
    'read_cleared',
  ].flatMap((table) => part(table, (row) => note('book', `${row}.book_id`, details))),
  // Series are found by the people credited in their books.
  trigger(
    'book_metadata',
    'UPDATE OF facts',
    `${INSERT} SELECT 'series', b.series_id, 'updated', ${list}, NULL, b.series_id FROM book b WHERE b.id = new.book_id;`,
    "WHEN old.facts -> '$.authors' IS NOT new.facts -> '$.authors'",
  ),
  trigger('book_pages', 'INSERT', note('book', 'new.book_id', content)),
  trigger('book_pages', 'UPDATE', note('book', 'new.book_id', content), differs('page_table', 'rule')),
  trigger('book_pages', 'DELETE', note('book', 'old.book_id', content)),
  ...part('read_progress', (row) => note('book', `${row}.book_id`, reading)),
  ...['INSERT', 'UPDATE OF user_id'].map((event) =>
    trigger(
      'read_progress',
      event,
      `INSERT INTO changed_row (kind, key, change, aspects, user) SELECT 'book', new.book_id, 'updated', ${reading}, new.user_id;`,
    ),
  ),
  ...part(
    'read_list_book',
    (row) => note('book', `${row}.book_id`, members) + note('read_list', `${row}.read_list_id`, members),
  ),
];

/** All columns but `due` and `departed_rating`, which only background work reads. */
const SHOWN = [
  ...['uuid', 'library_id', 'path', 'name', 'name_sort', 'book_count'],
  ...['file_size', 'page_count', 'created_at', 'updated_at'],
  ...['title_sort', 'summary', 'publisher', 'imprint', 'status', 'year', 'language', 'age_rating', 'reading_direction'],
  ...[
    'total_volume_count',
    'total_chapter_count',
    'authors',
    'custom',
    'links',
    'locks',
    'cleared',
    'unswept',
    'unjudged',
  ],
];

const SERIES = [
  ...named('series', 'series', (row) => `${row}.library_id, ${row}.id`),
  trigger(
    'series',
    'UPDATE OF library_id',
    noteMore('series', 'new', 'updated', 'new.library_id, new.id', 'NULL, old.library_id, old.id'),
    differs('library_id'),
  ),
  trigger('series', updateOf(SHOWN), note('series', 'new.id', list, 'updated', 'new.library_id, new.id')),
  // Books are found by the library, publisher and language of their series, sorted by its name, and hidden by its age rating and while it
  // is not swept or judged.
  trigger(
    'series',
    'UPDATE OF library_id, name_sort, age_rating, unswept, unjudged, publisher, language',
    noteBooks('b.series_id = new.id', list),
    differs('library_id', 'name_sort', 'age_rating', 'unswept', 'unjudged', 'publisher', 'language'),
  ),
  ...part(
    'series_sharing_tag',
    (row) => note('series', `${row}.series_id`, list) + noteBooks(`b.series_id = ${row}.series_id`, list),
  ),
  renamed('sharing_tag'),
  ...part('series_title', (row) => note('series', `${row}.series_id`, details)),
  ...part('series_reading', (row) => note('series', `${row}.series_id`, reading)),
  ...part(
    'collection_series',
    (row) => note('series', `${row}.series_id`, members) + note('collection', `${row}.collection_id`, members),
  ),
];

/** What signs somebody in, by the key of its user. When it was used last is told apart. */
const signsIn = (table: 'session' | 'api_key', used: string, columns: readonly string[]): string[] => [
  trigger(table, 'INSERT', note(table, 'new.user_id', details)),
  trigger(table, updateOf(columns), note(table, 'new.user_id', details), differs(...columns)),
  trigger(table, updateOf([used]), note('last_use', 'new.user_id', details), differs(used)),
  trigger(table, 'DELETE', note(table, 'old.user_id', details)),
];

const COVERS = ['book', 'series', 'collection', 'read_list'].flatMap((of) =>
  part(
    'cover',
    (row) => `${INSERT} SELECT '${of}', ${row}.${of}_id, 'updated', ${cover}, NULL, NULL WHERE ${row}.${of}_id;`,
  ),
);

export const ROW_WATCH = [
  `CREATE TEMP TABLE changed_row (kind TEXT NOT NULL, key INTEGER NOT NULL, change TEXT NOT NULL, aspects INTEGER NOT NULL, library INTEGER,
     series INTEGER, hex TEXT, old_library INTEGER, old_series INTEGER, user INTEGER);`,
  ...BOOKS,
  ...SERIES,
  ...TERMS,
  // What waits to be indexed is what words and folded texts change of.
  trigger(
    'search_due',
    'INSERT',
    `${INSERT} SELECT iif(new.kind = 0, 'book', 'series'), new.id, 'updated', ${text}, NULL, NULL;`,
  ),
  ...named('library', 'library'),
  trigger('library', 'UPDATE OF root', noteBooks('b.library_id = new.id', list | content), differs('root')),
  ...own('folder', 'folder', 'id', (row) => `${row}.library_id, NULL`),
  trigger('folder', 'UPDATE OF cover', note('folder', 'new.id', cover), differs('cover')),
  trigger('folder', 'UPDATE OF path, library_id', note('everything', '0', ALL_ASPECTS), differs('path', 'library_id')),
  ...named('collection', 'collection'),
  ...named('read_list', 'read_list'),
  ...named('user', 'user'),
  ...named('task', 'task'),
  ...[
    'sharing_tag',
    'user_grant',
    'access_group',
    'access_group_member',
    'access_group_grant',
    'access_group_mapping',
    'access_group_told',
    'user_restriction',
    'user_library',
  ].flatMap((table) => part(table, () => note('restriction', '0', details))),
  ...part('want_to_read', (row) => note('want_to_read', `${row}.user_id`, details)),
  ...['mail_link', 'identity', 'sync_secret'].flatMap((table) =>
    part(table, (row) => note('session', `${row}.user_id`, details)),
  ),
  ...signsIn('session', 'seen_at', ['uuid', 'user_id', 'created_at', 'expires_at', 'agent', 'address']),
  ...signsIn('api_key', 'last_used_at', ['name', 'prefix', 'secret_hash', 'permissions', 'active', 'expires_at']),
  // Those of a session that is removed are reported with it.
  ...part(
    'refresh_token',
    (row) =>
      `${INSERT} SELECT 'session', user_id, 'updated', ${details}, NULL, NULL FROM session WHERE id = ${row}.session_id;`,
  ),
  ...part('audit_entry', (row) => note('audit', `${row}.id`, details)),
  ...part('setting', (row) => note('setting', `${row}.id`, details)),
  ...part('setting_change', (row) => note('setting', `(SELECT id FROM setting WHERE key = ${row}.key)`, details)),
  ...part('sync_document', (row) => note('document', `${row}.user_id`, details)),
  // A trigger records what is due, and what is gone of a book that is removed is reported with it.
  trigger('book_name', 'INSERT', note('document', '0', details)),
  ...part('user_preference', (row) => note('preference', `${row}.user_id`, details)),
  ...part('reader_profile', (row) => note('reader_profile', `${row}.user_id`, details)),
  ...COVERS,
  trigger('gone_cover', 'DELETE', note('server', '0', details)),
  ...part('scan', (row) => note('scan', `${row}.library_id`, details)),
  ...part('task_metric', () => note('server', '0', details)),
  ...part('duplicate_group', () => note('duplicates', '0', details)),
  // Those of a book or series that is removed are reported with it; those of a group change with it.
  ...['duplicate_book', 'duplicate_series', 'book_look', 'series_key'].flatMap((table) =>
    ['INSERT', 'UPDATE'].map((event) => trigger(table, event, note('duplicates', '0', details))),
  ),
  ...part('stored_rule', () => note('server', '0', details)),
].join('\n');
