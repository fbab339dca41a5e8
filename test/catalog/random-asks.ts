// Random list queries: condition trees, searches, sorts, pages.
import fc from 'fast-check';
import type { Tree } from './list-oracle.js';
import { TERMS, WORDS } from './random-shelf.js';

const PIECES = [
  'e',
  'É',
  '進',
  '撃の',
  'ガ',
  '%',
  '_',
  ' ',
  '',
  'EPE',
  'the',
  'a_b',
  'SS',
  "'",
  '"',
  'v1',
  '/',
  '.cb',
  'root1/f',
];
const text = fc.oneof(
  fc.constantFrom(...WORDS, ...PIECES),
  fc.tuple(fc.constantFrom(...WORDS), fc.constantFrom(...WORDS)).map((pair) => pair.join(' ')),
);

const TEXT_OPERATORS = ['is', 'isNot', 'contains', 'doesNotContain', 'beginsWith', 'endsWith'];
const unary = fc.constantFrom('isNull', 'isNotNull').map((operator) => ({ operator }));

const textClause = (value: fc.Arbitrary<string>) =>
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ operator: fc.constantFrom(...TEXT_OPERATORS), value }) },
    { weight: 1, arbitrary: unary },
  );

const piece = (value: fc.Arbitrary<string>) =>
  fc.record({ operator: fc.constantFrom('contains', 'beginsWith'), value });
const few = fc.integer({ min: -1, max: 5 });
const numberClause = fc.oneof(
  fc.record({ operator: fc.constantFrom('is', 'isNot', 'eq', 'ne', 'gt', 'gte', 'lt', 'lte'), value: few }),
  piece(fc.constantFrom('', '1', '-')),
  fc.record({ operator: fc.constant('between'), min: few, max: few }, { requiredKeys: ['operator'] }),
  unary,
);
const instant = few.map((ms) => new Date(Math.max(0, ms)).toISOString());
const dateClause = fc.oneof(
  fc.record({ operator: fc.constantFrom('is', 'isNot', 'after', 'before', 'onOrAfter', 'onOrBefore'), value: instant }),
  piece(fc.constantFrom('', '1970', '1970-01-01t00', '.002', 'x')),
  fc.record({ operator: fc.constant('between'), start: instant, end: instant }, { requiredKeys: ['operator'] }),
  unary,
);
const flagClause = fc.oneof(
  unary,
  piece(fc.constantFrom('', 't', 'e', 'True', 'false', 'x')),
  fc.constantFrom('isTrue', 'isFalse').map((operator) => ({ operator })),
  fc.record({ operator: fc.constantFrom('is', 'isNot'), value: fc.boolean() }),
);
const statusClause = fc.oneof(
  unary,
  piece(fc.constantFrom('', 'READ', 'un', 'r', 'x')),
  fc.record({
    operator: fc.constantFrom('is', 'isNot'),
    value: fc.constantFrom('read', 'Unread', 'in_progress', 'nonsense'),
  }),
);
const idClause = (ids: readonly string[]) => {
  const id = fc.constantFrom(...ids, '00000000-0000-0000-0000-000000000000');
  return fc.oneof(
    unary,
    piece(
      fc.oneof(
        id,
        fc.constantFrom('', '-7', '0', 'x'),
        fc.constantFrom(...ids.map((one) => one.slice(0, 36).toUpperCase())),
      ),
    ),
    fc.record({ operator: fc.constantFrom('is', 'isNot'), value: id }),
    fc.record({ operator: fc.constantFrom('in', 'notIn'), values: fc.array(id, { maxLength: 3 }) }),
  );
};

type Clauses = Readonly<Record<string, fc.Arbitrary<unknown>>>;

const term = textClause(fc.constantFrom(...TERMS, 'action', 'COMÉDIE', '%', 'x', '冒'));

const personClause = textClause(fc.constantFrom('ann ö', 'B', '鬼'));
const publisherClause = textClause(fc.constantFrom('édition', 'É', 'b'));
const languageClause = textClause(fc.constantFrom('EN', 'ja'));

export const bookClauses = (libraries: readonly string[], series: readonly string[]): Clauses => ({
  libraryId: idClause(libraries),
  seriesId: idClause(series),
  genre: term,
  tag: term,
  title: textClause(text),
  summary: textClause(text),
  readStatus: statusClause,
  hasError: flagClause,
  inReadList: flagClause,
  author: personClause,
  writer: personClause,
  inker: personClause,
  publisher: publisherClause,
  language: languageClause,
  year: numberClause,
  bookType: textClause(fc.constantFrom('manga', 'Manga', 'man')),
  format: textClause(fc.constantFrom('CBZ', 'cb', 'epub')),
  path: textClause(text),
  pageCount: numberClause,
  dateAdded: dateClause,
});

export const seriesClauses = (libraries: readonly string[]): Clauses => ({
  libraryId: idClause(libraries),
  name: textClause(text),
  title: textClause(text),
  titleSort: fc.record({ operator: fc.constantFrom(...TEXT_OPERATORS), value: text }),
  summary: textClause(text),
  publisher: publisherClause,
  language: languageClause,
  status: textClause(fc.constantFrom('ongoing', 'ENDED', 'end')),
  genre: term,
  tag: term,
  sharingTag: term,
  author: personClause,
  writer: personClause,
  inker: personClause,
  readStatus: statusClause,
  path: textClause(fc.constantFrom('f1', 'F', '2')),
  year: numberClause,
  completion: flagClause,
  isTracked: flagClause,
  inCollection: flagClause,
  dateAdded: dateClause,
});

/** Trees of a few levels over these clauses. */
export const treeOf = (clauses: Clauses): fc.Arbitrary<Tree> =>
  fc.letrec((tie) => ({
    clause: fc.oneof(...Object.entries(clauses).map(([field, clause]) => clause.map((one) => ({ [field]: one })))),
    group: fc.oneof(
      fc.array(tie('tree'), { maxLength: 3 }).map((allOf) => ({ allOf })),
      fc.array(tie('tree'), { maxLength: 3 }).map((anyOf) => ({ anyOf })),
      fc.array(tie('tree'), { maxLength: 3 }).map((noneOf) => ({ noneOf })),
    ),
    tree: fc.oneof({ depthSize: 'small', maxDepth: 3 }, tie('clause'), tie('group')),
  })).tree;

export const searchText = fc.oneof(
  { weight: 9, arbitrary: fc.constant(undefined) },
  { weight: 2, arbitrary: text },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 12 }) },
);

export const windowArb = fc.record({ page: fc.integer({ min: 1, max: 4 }), pageSize: fc.integer({ min: 1, max: 25 }) });
