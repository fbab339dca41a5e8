// The query of each set of rows. Queries walk indexes: the cost of a set is its size.
import { listNameKey } from '../../model/name-key.js';
import type { RowKind } from '../../model/row-kind.js';
import { caseKey, termKey } from '../../model/search-key.js';
import { firstOfKey } from '../../model/sort-key.js';
import type { MembersPlace } from '../conditions/fields.js';
import type { RowSet } from '../conditions/sets.js';
import type { Test, TextTest } from '../conditions/tree.js';
import { visibleRows } from '../visibility.js';
import { markedRows } from './marked-rows.js';
import { byAuthor } from './people-queries.js';
import {
  booksBy,
  booksOfSeries,
  columnPredicate,
  type IdQuery,
  idsOf,
  type Predicate,
  textPredicate,
  uuidPredicate,
} from './predicates.js';
import { titleQuery } from './title-queries.js';

type In<K extends RowSet['in']> = Extract<RowSet, { in: K }>;

const KEYS = {
  book: { alias: 'b', key: 'b.id' },
  series: { alias: 's', key: 's.id' },
  book_text: { alias: 'x', key: 'x.book_id AS id' },
  book_summary: { alias: 'x', key: 'x.book_id AS id' },
  series_text: { alias: 'x', key: 'x.series_id AS id' },
} as const;

const inColumn = ({ table, column, as, or, test }: In<'column'>): IdQuery => {
  if (table === 'book_text' && column === 'title') return titleQuery(test);
  const { alias, key } = KEYS[table];
  const name = `${alias}.${column}`;
  const isPresent = test.kind === 'present';
  const { sql, binds } = columnPredicate(
    or === undefined || isPresent ? name : `coalesce(${name}, ${alias}.${or})`,
    test,
    as,
  );
  const select = `SELECT ${key} FROM ${table} ${alias} WHERE`;
  // Live books have an index on each sorted column; deleted books are few and have one index of their own.
  if (table === 'book' && (as === 'number' || as === 'date' || as === 'year'))
    return idsOf(`${select} b.deleted = 0 AND ${sql} UNION ALL ${select} b.deleted = 1 AND ${sql}`, [
      ...binds,
      ...binds,
    ]);
  // These indexes hold only rows with a value.
  if (table === 'book_text' && !isPresent) return idsOf(`${select} ${name} IS NOT NULL AND ${sql}`, binds);
  return idsOf(`${select} ${sql}`, binds);
};

const MEMBERS: Readonly<Record<MembersPlace['table'], IdQuery>> = {
  read_list_book: idsOf('SELECT o.book_id AS id FROM read_list_book o'),
  collection_series: idsOf('SELECT o.series_id AS id FROM collection_series o'),
};

const ownRows = (rows: RowKind, { ids }: In<'own'>): IdQuery => {
  const { sql, binds } = uuidPredicate('o.uuid', { kind: 'ids', values: ids });
  return idsOf(`SELECT o.id FROM ${rows} o WHERE ${sql}`, binds);
};

/** Members of some lists. */
const listedIn = ({ table, ids }: In<'listed'>): IdQuery => {
  const [list, member] = table === 'read_list_book' ? ['read_list', 'book'] : ['collection', 'series'];
  const { sql, binds } = uuidPredicate('l.uuid', { kind: 'ids', values: ids });
  return idsOf(
    `SELECT m.${member}_id AS id FROM ${list} l CROSS JOIN ${table} m ON m.${list}_id = l.id WHERE ${sql}`,
    binds,
  );
};

const underParent = (rows: RowKind, { parent, test }: In<'parent'>): IdQuery => {
  if (parent === 'series') {
    const { sql, binds } = uuidPredicate('s.uuid', test);
    return booksOfSeries(sql, binds);
  }
  const { sql, binds } = uuidPredicate('l.uuid', test);
  if (rows === 'series')
    return idsOf(`SELECT s.id FROM series s WHERE s.library_id IN (SELECT l.id FROM library l WHERE ${sql})`, binds);
  return booksBy(
    'library l CROSS JOIN series s ON s.library_id = l.id CROSS JOIN book b ON b.series_id = s.id',
    'CROSS JOIN series s ON s.id = b.series_id CROSS JOIN library l ON l.id = s.library_id',
    sql,
    binds,
  );
};

const underKey = (rows: RowKind, { of, key }: In<'key'>): IdQuery => {
  if (rows === 'series') return idsOf('SELECT s.id FROM series s WHERE s.library_id = ?', [key]);
  if (of === 'series') return idsOf('SELECT b.id FROM book b WHERE b.series_id = ?', [key]);
  return booksOfSeries('s.library_id = ?', [key]);
};

/** Goes from terms to books by way of their series; a recheck looks at each book. */
const booksWithAnyTerm = (kind: 'genre' | 'tag'): IdQuery => {
  const carried = `EXISTS (SELECT 1 FROM series_${kind} o WHERE o.series_id = s.id)`;
  const from = 'FROM series s CROSS JOIN book b ON b.series_id = s.id WHERE';
  const own = `EXISTS (SELECT 1 FROM book_${kind} o WHERE o.book_id = b.id)`;
  const all = `SELECT b.id ${from} ${carried} UNION ALL SELECT b.id ${from} NOT ${carried} AND ${own}`;
  return idsOf(all, [], 'catalog', (keys) => ({
    sql: `SELECT b.id FROM json_each(?) j CROSS JOIN book b ON b.id = j.value CROSS JOIN series s ON s.id = b.series_id WHERE ${carried} OR ${own}`,
    binds: [JSON.stringify(keys)],
  }));
};

/** The book's own terms and those of its series. */
const booksWithTerm = (kind: 'genre' | 'tag', test: Test): IdQuery => {
  const { sql, binds } = textPredicate('t.name_key', test, termKey);
  return idsOf(
    `SELECT o.book_id AS id FROM ${kind} t CROSS JOIN book_${kind} o ON o.${kind}_id = t.id WHERE ${sql}
     UNION ALL
     SELECT b.id FROM ${kind} t CROSS JOIN series_${kind} o ON o.${kind}_id = t.id CROSS JOIN book b ON b.series_id = o.series_id WHERE ${sql}`,
    [...binds, ...binds],
    'catalog',
    (keys) => ({
      sql: `SELECT b.id FROM json_each(?) j CROSS JOIN book b ON b.id = j.value
        WHERE EXISTS (SELECT 1 FROM book_${kind} o CROSS JOIN ${kind} t ON t.id = o.${kind}_id WHERE o.book_id = b.id AND ${sql})
          OR EXISTS (SELECT 1 FROM series_${kind} o CROSS JOIN ${kind} t ON t.id = o.${kind}_id WHERE o.series_id = b.series_id AND ${sql})`,
      binds: [JSON.stringify(keys), ...binds, ...binds],
    }),
  );
};

const withTerm = (rows: RowKind, { kind, test, isOwn }: In<'terms'>): IdQuery => {
  if (rows === 'book' && isOwn !== true)
    return test.kind === 'present' ? booksWithAnyTerm(kind) : booksWithTerm(kind, test);
  const { sql, binds } = textPredicate('t.name_key', test, termKey);
  return idsOf(
    `SELECT o.${rows}_id AS id FROM ${kind} t CROSS JOIN ${rows}_${kind} o ON o.${kind}_id = t.id WHERE ${sql}`,
    binds,
  );
};

/** Its own value, or that of its series. */
const inherited = ({ column, test }: In<'inherited'>): IdQuery => {
  const [own, ofSeries, shown] = [`x.${column}`, `t.${column}`, `coalesce(x.${column}, t.${column})`].map((name) =>
    textPredicate(name, test, caseKey),
  ) as [Predicate, Predicate, Predicate];
  return idsOf(
    `SELECT x.book_id AS id FROM book_text x WHERE x.${column} IS NOT NULL AND ${own.sql}
     UNION ALL
     SELECT b.id FROM series_text t CROSS JOIN book b ON b.series_id = t.series_id CROSS JOIN book_text x ON x.book_id = b.id
     WHERE x.${column} IS NULL AND ${ofSeries.sql}`,
    [...own.binds, ...ofSeries.binds],
    'catalog',
    (keys) => ({
      sql: `SELECT b.id FROM json_each(?) j CROSS JOIN book b ON b.id = j.value CROSS JOIN book_text x ON x.book_id = b.id
        LEFT JOIN series_text t ON t.series_id = b.series_id WHERE ${shown.sql}`,
      binds: [JSON.stringify(keys), ...shown.binds],
    }),
  );
};

/** From counted credits; for books, only the facts of those in credited series are read. */
const creditedTo = (rows: RowKind, { name, roles }: In<'credits'>): IdQuery => {
  const binds = [...(name === null ? [] : [name]), ...(roles === null ? [] : [JSON.stringify(roles)])];
  const ofName = name === null ? 'true' : 'p.name = ?';
  const ofRole = roles === null ? '' : ' AND c.role IN (SELECT value FROM json_each(?))';
  const credits = `person p CROSS JOIN credit c ON c.person_id = p.id`;
  if (rows === 'series') return idsOf(`SELECT c.series_id AS id FROM ${credits} WHERE ${ofName}${ofRole}`, binds);
  return idsOf(
    `SELECT b.id FROM ${credits} CROSS JOIN book b ON b.series_id = c.series_id CROSS JOIN book_metadata m ON m.book_id = b.id
     WHERE ${ofName}${ofRole} AND EXISTS (SELECT 1 FROM json_each(m.facts, '$.authors') a
       WHERE a.value ->> 'name' = p.name AND coalesce(a.value ->> 'role', 'contributor') = c.role)`,
    binds,
  );
};

const bySharingTag = (test: Test): IdQuery => {
  const { sql, binds } = textPredicate('t.name_key', test, listNameKey);
  return idsOf(
    `SELECT o.series_id AS id FROM sharing_tag t CROSS JOIN series_sharing_tag o ON o.sharing_tag_id = t.id WHERE ${sql}`,
    binds,
  );
};

/** A series with no declared number of volumes is neither complete nor incomplete. */
const byCompletion = (test: Test): IdQuery => {
  const total = 'SELECT s.id FROM series s WHERE s.total_volume_count IS NOT NULL';
  if (test.kind !== 'flag') return idsOf(total);
  return idsOf(`${total} AND s.book_count ${test.on ? '>=' : '<'} s.total_volume_count`);
};

/** An index holds the days of each series. */
const byFirstRelease = (test: Test): IdQuery => {
  const { sql, binds } = columnPredicate(
    '(SELECT min(b.released) FROM book b WHERE b.series_id = s.id AND b.deleted = 0)',
    test,
    'number',
  );
  return idsOf(`SELECT s.id FROM series s WHERE ${sql}`, binds);
};

const ALL_READ = 'r.completed_count >= r.book_count';

const PROGRESS: Readonly<Record<RowKind, Readonly<Record<In<'progress'>['word'], string>>>> = {
  book: {
    read: ' AND p.completed = 1',
    in_progress: ' AND p.completed = 0 AND p.current_page >= 1',
    begun: ' AND (p.completed = 1 OR p.current_page >= 1)',
    any: '',
  },
  // From the counters of each series in which the user has read something; deleted books do not count.
  series: { read: ` AND ${ALL_READ}`, in_progress: ` AND NOT ${ALL_READ}`, begun: ' AND true', any: '' },
};

const withProgress = (rows: RowKind, { word, user }: In<'progress'>): IdQuery => {
  const where = PROGRESS[rows][word];
  if (rows === 'series')
    return idsOf(`SELECT r.series_id AS id FROM series_reading r WHERE r.user_id = ?${where}`, [user], 'reading');
  return idsOf(`SELECT p.book_id AS id FROM read_progress p WHERE p.user_id = ?${where}`, [user], 'reading');
};

const FOLDER = `l.root || '/' || CASE f.path WHEN '' THEN '' ELSE f.path || '/' END`;

const exact = (text: string): string => text;

/** Avoids building a million paths: folders are tested once each, files by name. */
const atPath = (folder: TextTest, file: TextTest | null): IdQuery => {
  const outer = textPredicate(`(${FOLDER})`, folder, exact);
  const inner = file === null ? { sql: 'TRUE', binds: [] } : textPredicate('b.file_name', file, exact);
  return booksBy(
    'library l CROSS JOIN folder f ON f.library_id = l.id CROSS JOIN book b ON b.folder_id = f.id',
    'CROSS JOIN folder f ON f.id = b.folder_id CROSS JOIN library l ON l.id = f.library_id',
    `${outer.sql} AND ${inner.sql}`,
    [...outer.binds, ...inner.binds],
  );
};

/** What any of these expressions finds. */
const matching = (rows: RowKind, anyOf: readonly string[]): IdQuery => {
  const table = `${rows}_words`;
  const each = (more: string): string =>
    anyOf.map(() => `SELECT rowid AS id FROM ${table} WHERE ${table} MATCH ?${more}`).join(' UNION ALL ');
  return idsOf(each(''), anyOf, 'catalog', (keys) => ({
    // One pass over the matches between the lowest and highest key: a query per row would repeat the match each time.
    sql: each(' AND rowid BETWEEN ? AND ? AND +rowid IN (SELECT value FROM json_each(?))'),
    binds: anyOf.flatMap((match) => [match, Math.min(...keys), Math.max(...keys), JSON.stringify(keys)]),
  }));
};

const LETTER = firstOfKey('s.name_sort');

/** As letters are counted, by the same index. */
const byLetter = (letter: string): IdQuery =>
  idsOf(`SELECT s.id FROM series s WHERE s.book_count > 0 AND ${LETTER} = ?`, [letter]);

const WITH_PAGES = idsOf('SELECT s.id FROM series s WHERE s.book_count > 0 AND s.page_count > 0');

export const queryOf = (rows: RowKind, set: RowSet): IdQuery => {
  switch (set.in) {
    case 'column':
      return inColumn(set);
    case 'members':
      return MEMBERS[set.table];
    case 'marked':
      return markedRows(rows, set.mark);
    case 'own':
      return ownRows(rows, set);
    case 'listed':
      return listedIn(set);
    case 'credits':
      return creditedTo(rows, set);
    case 'parent':
      return underParent(rows, set);
    case 'key':
      return underKey(rows, set);
    case 'terms':
      return withTerm(rows, set);
    case 'authors':
      return byAuthor(rows, set);
    case 'inherited':
      return inherited(set);
    case 'sharingTags':
      return bySharingTag(set.test);
    case 'completion':
      return byCompletion(set.test);
    case 'firstRelease':
      return byFirstRelease(set.test);
    case 'progress':
      return withProgress(rows, set);
    case 'path':
      return atPath(set.folder, set.file);
    case 'scope':
      return visibleRows(set.scope, rows);
    case 'words':
      return matching(rows, set.anyOf);
    case 'pages':
      return WITH_PAGES;
    case 'letter':
      return byLetter(set.letter);
  }
};
