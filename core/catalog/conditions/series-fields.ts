// The fields series can be filtered by, and the query each test becomes.
import { caseKey, termKey } from '../../model/search-key.js';
import type { Bind } from '../../store/db.js';
import { type AbsentField, absentFormula, isAbsent } from './absent.js';
import {
  ALL,
  compile,
  type Formula,
  flagged,
  idsOf,
  type Predicate,
  rangePredicate,
  statusFormula,
  textPredicate,
  uuidPredicate,
} from './formula.js';
import type { Condition, Family, Fields, Test } from './tree.js';

type StoredField =
  | 'libraryId'
  | 'name'
  | 'titleSort'
  | 'summary'
  | 'publisher'
  | 'language'
  | 'status'
  | 'genre'
  | 'tag'
  | 'readStatus'
  | 'author'
  | 'path'
  | 'year'
  | 'completion'
  | 'inCollection'
  | 'dateAdded';

export type SeriesField = StoredField | AbsentField;

const FAMILIES: Readonly<Record<SeriesField, Family>> = {
  libraryId: 'uuid',
  name: 'text',
  titleSort: 'text',
  summary: 'text',
  publisher: 'text',
  language: 'text',
  status: 'text',
  genre: 'text',
  tag: 'text',
  sharingTag: 'text',
  readStatus: 'status',
  author: 'text',
  path: 'text',
  year: 'number',
  userRating: 'number',
  communityRating: 'number',
  hasUserRating: 'bool',
  isTracked: 'bool',
  inCollection: 'bool',
  hasExternalSourceId: 'bool',
  completion: 'bool',
  dateAdded: 'date',
};

export const SERIES_FIELDS: Fields<SeriesField> = {
  ...Object.fromEntries(
    (Object.entries(FAMILIES) as [SeriesField, Family][]).map(([field, family]) => [field, { field, family }]),
  ),
  title: { field: 'name', family: 'text' },
};

const ofSeries = ({ sql, binds }: Predicate): Formula => idsOf(`SELECT s.id FROM series s WHERE ${sql}`, binds);
const ofText = ({ sql, binds }: Predicate): Formula =>
  idsOf(`SELECT x.series_id AS id FROM series_text x WHERE ${sql}`, binds);

/** Equality finds its rows through the index on the column itself; folded text is in the other table. */
const inText = (column: string, test: Test): Formula => ofText(textPredicate(`x.${column}`, test, caseKey));

const titleSort = (test: Test): Formula => {
  if (test.kind === 'present') return inText('title_sort', test);
  return ofText(textPredicate('coalesce(x.title_sort, x.name)', test, caseKey));
};

const term = (kind: 'genre' | 'tag', test: Test): Formula => {
  const { sql, binds } = textPredicate('t.name_key', test, termKey);
  return idsOf(
    `SELECT o.series_id AS id FROM ${kind} t CROSS JOIN series_${kind} o ON o.${kind}_id = t.id WHERE ${sql}`,
    binds,
  );
};

const author = (test: Test): Formula => {
  const { sql, binds } = textPredicate('a.value', test, caseKey);
  return idsOf(
    `SELECT x.series_id AS id FROM series_text x JOIN json_each(x.authors) a WHERE x.authors IS NOT NULL AND ${sql}`,
    binds,
  );
};

/** Series of which the user read something, by the counters kept for each; what is gone is not counted. */
const touched = (where: string, userKey: number): Formula =>
  idsOf(
    `SELECT r.series_id AS id FROM series_reading r WHERE r.user_id = ? AND ${where}`,
    [userKey] satisfies Bind[],
    'reading',
  );

const ALL_READ = 'r.completed_count >= r.book_count';

const readStatus = (test: Test, userKey: number): Formula =>
  statusFormula(test, (word) => {
    if (word === 'read') return touched(ALL_READ, userKey);
    if (word === 'in_progress') return touched(`NOT ${ALL_READ}`, userKey);
    return { not: touched('true', userKey) };
  });

/** A series that does not say how many volumes it has is neither complete nor incomplete. */
const completion = (test: Test): Formula => {
  const told = 's.total_volume_count IS NOT NULL';
  if (test.kind !== 'flag') return ofSeries({ sql: told, binds: [] });
  const sign = test.value ? '>=' : '<';
  return ofSeries({ sql: `${told} AND s.book_count ${sign} s.total_volume_count`, binds: [] });
};

const inCollection = (test: Test): Formula => {
  return flagged(test, idsOf('SELECT o.series_id AS id FROM collection_series o'));
};

const library = (test: Test): Formula => {
  if (test.kind === 'present') return ALL;
  const { sql, binds } = uuidPredicate('l.uuid', test);
  return ofSeries({ sql: `s.library_id IN (SELECT l.id FROM library l WHERE ${sql})`, binds });
};

const COMPILE: Readonly<Record<StoredField, (test: Test, userKey: number) => Formula>> = {
  libraryId: library,
  name: (test) => (test.kind === 'present' ? ALL : inText('name', test)),
  titleSort,
  summary: (test) => inText('summary', test),
  publisher: (test) => inText('publisher', test),
  language: (test) => inText('language', test),
  status: (test) => ofSeries(textPredicate('s.status', test, (text) => text.toLowerCase())),
  genre: (test) => term('genre', test),
  tag: (test) => term('tag', test),
  readStatus,
  author,
  path: (test) => ofSeries(textPredicate('s.path', test, (text) => text)),
  year: (test) => ofSeries(rangePredicate('s.year', test)),
  completion,
  dateAdded: (test) => ofSeries(rangePredicate('s.created_at', test, 'date')),
  inCollection,
};

export const compileSeries = (condition: Condition<SeriesField>, userKey: number): Formula =>
  compile(condition, (field, test) =>
    isAbsent(field) ? absentFormula(test, FAMILIES[field]) : COMPILE[field](test, userKey),
  );
