// The fields books can be filtered by, and the query each test becomes. Queries walk indexes: a test of a field costs what it finds.
import { BOOK_FORMATS } from '../../model/formats.js';
import { caseKey, termKey } from '../../model/search-key.js';
import {
  ALL,
  booksBy,
  compile,
  type Formula,
  flagged,
  idsOf,
  type Predicate,
  passes,
  rangePredicate,
  statusFormula,
  textPredicate,
  uuidPredicate,
} from './formula.js';
import { pathFormula } from './path.js';
import { titleFormula } from './title.js';
import type { Condition, Family, Fields, Test } from './tree.js';

export type BookField =
  | 'libraryId'
  | 'seriesId'
  | 'genre'
  | 'tag'
  | 'title'
  | 'titleSort'
  | 'summary'
  | 'readStatus'
  | 'hasError'
  | 'inReadList'
  | 'bookType'
  | 'format'
  | 'path'
  | 'pageCount'
  | 'dateAdded';

const FAMILIES: Readonly<Record<BookField, Family>> = {
  libraryId: 'uuid',
  seriesId: 'uuid',
  genre: 'text',
  tag: 'text',
  title: 'text',
  titleSort: 'text',
  summary: 'text',
  readStatus: 'status',
  hasError: 'bool',
  inReadList: 'bool',
  bookType: 'text',
  format: 'text',
  path: 'text',
  pageCount: 'number',
  dateAdded: 'date',
};

export const BOOK_FIELDS: Fields<BookField> = Object.fromEntries(
  (Object.entries(FAMILIES) as [BookField, Family][]).map(([field, family]) => [field, { field, family }]),
);

const library = (test: Test): Formula => {
  if (test.kind === 'present') return ALL;
  const { sql, binds } = uuidPredicate('l.uuid', test);
  return booksBy(
    'library l CROSS JOIN series s ON s.library_id = l.id CROSS JOIN book b ON b.series_id = s.id',
    'CROSS JOIN series s ON s.id = b.series_id CROSS JOIN library l ON l.id = s.library_id',
    sql,
    binds,
  );
};

const series = (test: Test): Formula => {
  if (test.kind === 'present') return ALL;
  const { sql, binds } = uuidPredicate('s.uuid', test);
  const of = 'CROSS JOIN series s ON s.id = b.series_id';
  return booksBy('series s CROSS JOIN book b ON b.series_id = s.id', of, sql, binds);
};

/** Books of series that carry a term; elsewhere each book is looked at. */
const hasTerm = (kind: 'genre' | 'tag'): Formula => {
  const carried = `EXISTS (SELECT 1 FROM series_${kind} o WHERE o.series_id = s.id)`;
  const from = 'FROM series s CROSS JOIN book b ON b.series_id = s.id WHERE';
  const own = `EXISTS (SELECT 1 FROM book_${kind} o WHERE o.book_id = b.id)`;
  const all = `SELECT b.id ${from} ${carried} UNION ALL SELECT b.id ${from} NOT ${carried} AND ${own}`;
  return idsOf(all, [], 'catalog', (keys) => ({
    sql: `SELECT b.id FROM json_each(?) j CROSS JOIN book b ON b.id = j.value CROSS JOIN series s ON s.id = b.series_id WHERE ${carried} OR ${own}`,
    binds: [JSON.stringify(keys)],
  }));
};

/** What the book says itself and what its series carries. */
const term = (kind: 'genre' | 'tag', test: Test): Formula => {
  if (test.kind === 'present') return hasTerm(kind);
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

/** A sort title somebody gave counts; where there is none the title does. */
const titleSort = (test: Test): Formula => {
  const { sql, binds } = textPredicate('x.sort', test, caseKey);
  const given = idsOf(`SELECT x.book_id AS id FROM book_text x WHERE x.sort IS NOT NULL AND ${sql}`, binds);
  if (test.kind === 'present') return given;
  const hasGiven = idsOf('SELECT x.book_id AS id FROM book_text x WHERE x.sort IS NOT NULL');
  return { any: [given, { all: [titleFormula(test), { not: hasGiven }] }] };
};

const bookType = (test: Test): Formula => {
  const { sql, binds } = textPredicate('x.type', test, (text) => text);
  return idsOf(`SELECT x.book_id AS id FROM book_text x WHERE x.type IS NOT NULL AND ${sql}`, binds);
};

const summary = (test: Test): Formula => {
  const { sql, binds } = textPredicate('x.summary', test, caseKey);
  return idsOf(`SELECT x.book_id AS id FROM book_summary x WHERE ${sql}`, binds);
};

const progress = (where: string, userKey: number): Formula =>
  idsOf(`SELECT p.book_id AS id FROM read_progress p WHERE p.user_id = ? AND ${where}`, [userKey], 'reading');

const readStatus = (test: Test, userKey: number): Formula =>
  statusFormula(test, (word) => {
    if (word === 'read') return progress('p.completed = 1', userKey);
    if (word === 'in_progress') return progress('p.completed = 0 AND p.current_page >= 1', userKey);
    return { not: progress('(p.completed = 1 OR p.current_page >= 1)', userKey) };
  });

const hasError = (test: Test): Formula => {
  return flagged(test, idsOf('SELECT b.id FROM book b WHERE b.analysis_error IS NOT NULL'));
};

const inReadList = (test: Test): Formula => {
  return flagged(test, idsOf('SELECT o.book_id AS id FROM read_list_book o'));
};

/** One of four words: the test is made on the words, the query asks for those that pass. */
const format = (test: Test): Formula => {
  const wanted =
    'value' in test && typeof test.value === 'string' ? { ...test, value: test.value.toLowerCase() } : test;
  const found = BOOK_FORMATS.filter((word) => passes(word, wanted as Test));
  const formulaOf = (words: readonly string[]): Formula => ({
    any: words.map((word) => idsOf('SELECT b.id FROM book b WHERE b.format = ?', [word])),
  });
  // Nearly all books of a library have one format: the few others are quicker to ask for.
  if (!found.includes('cbz')) return formulaOf(found);
  return { not: formulaOf(BOOK_FORMATS.filter((word) => !found.includes(word))) };
};

/** Live books have an index on each sorted column; the deleted ones are few and have one of their own. */
const ofLiveAndGone = ({ sql, binds }: Predicate): Formula =>
  idsOf(
    `SELECT b.id FROM book b WHERE b.deleted = 0 AND ${sql} UNION ALL SELECT b.id FROM book b WHERE b.deleted = 1 AND ${sql}`,
    [...binds, ...binds],
  );

const COMPILE: Readonly<Record<BookField, (test: Test, userKey: number) => Formula>> = {
  libraryId: library,
  seriesId: series,
  genre: (test) => term('genre', test),
  tag: (test) => term('tag', test),
  title: titleFormula,
  titleSort,
  summary,
  readStatus,
  hasError,
  inReadList,
  bookType,
  format,
  path: pathFormula,
  pageCount: (test) => (test.kind === 'present' ? ALL : ofLiveAndGone(rangePredicate('b.page_count', test))),
  dateAdded: (test) => (test.kind === 'present' ? ALL : ofLiveAndGone(rangePredicate('b.created_at', test, 'date'))),
};

export const compileBooks = (condition: Condition<BookField>, userKey: number): Formula =>
  compile(condition, (field, test) => COMPILE[field](test, userKey));
