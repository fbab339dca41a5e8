// Conditions as clients write them: what is refused, which path the fault names, and what the words mean.

import { SERIES_FIELDS } from '../../core/catalog/conditions/fields.js';
import { parseCondition, STORED } from '../../core/catalog/conditions/parse.js';
import { parseBookCondition } from '../../core/catalog/list-books.js';
import { AppError } from '../../core/model/errors.js';
import { assert, block, thrownBy } from '../kit.js';

const ID = '018f0000-0000-7000-8000-000000000001';

const faultsOf = async (
  condition: unknown,
  parse: (value: unknown) => unknown = parseBookCondition,
): Promise<string[]> => {
  const thrown = await thrownBy(() => parse(condition));
  assert.ok(thrown instanceof AppError && thrown.kind === 'BadRequest', String(thrown));
  return (thrown.details as { path: string; message: string }[]).map(({ path, message }) => `${path} ${message}`);
};

const nested = (levels: number): unknown =>
  Array.from({ length: levels - 1 }).reduce((inner) => ({ allOf: [inner] }), { hasError: { operator: 'isTrue' } });

type Bad = readonly [what: string, condition: unknown, fault: RegExp];

const BAD: readonly Bad[] = [
  ['text', 'title', /^condition must be an object/],
  ['a list', [], /^condition must be an object/],
  ['a number', 7, /^condition must be an object/],
  ['an empty object', {}, /^condition must have allOf, anyOf, noneOf or one field/],
  ['a group that is not a list', { allOf: {} }, /^condition\.allOf must be a list/],
  ['a negated group that is not a list', { noneOf: {} }, /^condition\.noneOf must be a list/],
  ['a part that is not a condition', { anyOf: [null] }, /^condition\.anyOf\[0\] must be an object/],
  ['an unknown field', { colour: { operator: 'is', value: 'x' } }, /^condition\.colour is not a field/],
  [
    'a field of the prototype',
    { constructor: { operator: 'is', value: 'x' } },
    /^condition\.constructor is not a field/,
  ],
  ['two fields', { title: { operator: 'isNull' }, tag: { operator: 'isNull' } }, /has 2: title, tag/],
  ['a group and a field', { allOf: [], title: { operator: 'isNull' } }, /has 2: allOf, title/],
  ['a clause that is text', { title: 'x' }, /^condition\.title must be an object/],
  ['no operator', { title: { value: 'x' } }, /^condition\.title\.operator must be one of is, isNot/],
  ['an unknown operator', { title: { operator: 'like', value: 'x' } }, /^condition\.title\.operator must be one of/],
  ['an operator of the prototype', { title: { operator: 'toString', value: 'x' } }, /\.operator must be one of/],
  [
    'an operator of another family',
    { pageCount: { operator: 'endsWith', value: '1' } },
    /must be one of is, isNot, eq, ne/,
  ],
  [
    'another operator on a status',
    { readStatus: { operator: 'in', values: ['read'] } },
    /must be one of is, isNot, contains/,
  ],
  ['a missing value', { title: { operator: 'is' } }, /^condition\.title\.value is required/],
  ['a value of another type', { title: { operator: 'is', value: 7 } }, /^condition\.title\.value must be text/],
  ['a null value', { title: { operator: 'is', value: null } }, /^condition\.title\.value must be text/],
  ['a text too long', { title: { operator: 'is', value: 'x'.repeat(1001) } }, /must be text of at most 1000/],
  ['no uuid', { libraryId: { operator: 'is', value: 'x' } }, /^condition\.libraryId\.value must be a uuid/],
  [
    'a list with an invalid uuid',
    { libraryId: { operator: 'in', values: [ID, 'x'] } },
    /values must be a list of at most/,
  ],
  ['a list too long', { libraryId: { operator: 'in', values: Array(1001).fill(ID) } }, /at most 1000/],
  ['a number as text', { pageCount: { operator: 'eq', value: '7' } }, /^condition\.pageCount\.value must be a number/],
  ['a bound that is text', { pageCount: { operator: 'between', min: '7' } }, /^condition\.pageCount\.min must be/],
  [
    'a date that is not one',
    { dateAdded: { operator: 'after', value: '2024-13-01' } },
    /dateAdded\.value must be a date-time/,
  ],
  ['a date as a number', { dateAdded: { operator: 'after', value: 5 } }, /dateAdded\.value must be a date-time/],
  [
    'is without a boolean',
    { hasError: { operator: 'is', value: 'true' } },
    /^condition\.hasError\.value must be true or/,
  ],
  ['a field of series', { completion: { operator: 'isTrue' } }, /^condition\.completion is not a field/],
  ['17 levels', nested(17), /nested deeper than 16 levels/],
  ['501 clauses', { anyOf: Array(501).fill({ hasError: { operator: 'isTrue' } }) }, /more than 500 clauses/],
  ...(
    [
      ['summary', 'contains'],
      ['summary', 'is'],
      ['titleSort', 'doesNotContain'],
      ['path', 'is'],
      ['tag', 'beginsWith'],
      ['libraryId', 'contains'],
      ['pageCount', 'contains'],
    ] as const
  ).map(
    ([field, operator]): Bad => [
      `21 clauses that scan ${field}`,
      { anyOf: Array.from({ length: 21 }, (_, n) => ({ [field]: { operator, value: `${n}` } })) },
      /^condition\.anyOf\[20\]\.\w+ is one too many: .* at most 20 clauses that search text/,
    ],
  ),
];

block('conditions: what is refused', (check) => {
  for (const [what, condition, fault] of BAD)
    check(what, async () => assert.match((await faultsOf(condition))[0] ?? '', fault));
  check('a fault deep in the tree is named by its path, and all faults are reported', async () => {
    const condition = {
      allOf: [
        { hasError: { operator: 'isTrue' } },
        { anyOf: [{ genre: { operator: 'near', value: 'x' } }, { tag: {} }] },
      ],
    };
    const faults = await faultsOf(condition);
    assert.is(faults.length, 2);
    assert.match(faults[0] ?? '', /^condition\.allOf\[1\]\.anyOf\[0\]\.genre\.operator must be one of/);
    assert.match(faults[1] ?? '', /^condition\.allOf\[1\]\.anyOf\[1\]\.tag\.operator/);
  });
  check('at most 20 faults are reported', async () =>
    assert.is((await faultsOf({ anyOf: Array(100).fill({}) })).length, 20),
  );
});

block('conditions: what is understood', (check) => {
  check('an absent condition matches everything; 16 levels and 500 clauses are fine', () => {
    for (const nothing of [undefined, null]) assert.equal(parseBookCondition(nothing), { allOf: [] });
    parseBookCondition(nested(16));
    parseBookCondition({ anyOf: Array(500).fill({ hasError: { operator: 'isTrue' } }) });
    parseBookCondition({
      anyOf: Array.from({ length: 500 }, (_, n) => ({ title: { operator: 'is', value: `${n}` } })),
    });
    const contains = { summary: { operator: 'contains', value: 'x' } };
    parseBookCondition({ anyOf: Array(20).fill(contains) });
    parseCondition({ anyOf: Array(400).fill(contains) }, SERIES_FIELDS, STORED);
  });
  check('noneOf: none of its parts may be met, and a group in it may not be met as a whole', () => {
    const [broken, listed, untitled] = [
      { hasError: { operator: 'isTrue' } },
      { inReadList: { operator: 'isTrue' } },
      { titleSort: { operator: 'isNull' } },
    ];
    const flag = (field: string, negated: boolean) => ({ field, test: { kind: 'flag', on: true }, negated });
    assert.equal(parseBookCondition({ noneOf: [broken, { allOf: [listed, untitled] }] }), {
      allOf: [
        flag('hasError', true),
        {
          anyOf: [flag('inReadList', true), { field: 'titleSort', test: { kind: 'present' }, negated: false }],
        },
      ],
    });
    assert.equal(parseBookCondition({ noneOf: [{ noneOf: [broken] }] }), {
      allOf: [{ anyOf: [flag('hasError', false)] }],
    });
    assert.equal(parseBookCondition({ noneOf: [] }), { allOf: [] });
  });
  check('a flag in both spellings', () => {
    const testOf = (clause: unknown): unknown => parseBookCondition({ hasError: clause });
    assert.equal(testOf({ operator: 'is', value: false }), testOf({ operator: 'isFalse' }));
    assert.equal(testOf({ operator: 'isNot', value: false }), testOf({ operator: 'isTrue' }));
  });
  check('fields of future features are accepted', () => {
    for (const field of ['isTracked', 'hasExternalSourceId', 'hasUserRating'])
      parseCondition({ [field]: { operator: 'isTrue' } }, SERIES_FIELDS);
    for (const field of ['userRating', 'communityRating'])
      parseCondition({ [field]: { operator: 'gte', value: 50 } }, SERIES_FIELDS);
  });
  check('being in a list is a flag of series and of books, each for its own kind of list', async () => {
    const clause = { operator: 'isTrue' };
    const ofSeries = (condition: unknown): unknown => parseCondition(condition, SERIES_FIELDS);
    assert.match((await faultsOf({ inCollection: clause }))[0] ?? '', /^condition\.inCollection is not a field/);
    assert.match((await faultsOf({ inReadList: clause }, ofSeries))[0] ?? '', /^condition\.inReadList is not a field/);
    for (const operator of ['isTrue', 'isFalse']) {
      ofSeries({ inCollection: { operator } });
      parseBookCondition({ inReadList: { operator } });
    }
  });
  check('title and name of a series are one field', () => {
    const clause = { operator: 'is', value: 'x' };
    assert.equal(parseCondition({ title: clause }, SERIES_FIELDS), parseCondition({ name: clause }, SERIES_FIELDS));
  });
});
