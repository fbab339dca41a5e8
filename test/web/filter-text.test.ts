// Filters of walls as they stand in addresses: what is written is read again, and what is no filter of ours is passed over.
import fc from 'fast-check';
import {
  clauseOf,
  conditionOf,
  type FieldName,
  fieldsOf,
  filterFor,
  filterIn,
  type Group,
  isGroup,
  kindOf,
  MATCHES,
  NO_FILTER,
  OPERATORS,
  type Part,
  takesValue,
  textOf,
  type WallOf,
  WORDS,
} from '../../http/web/client/state/filters.js';
import { assert, block } from '../kit.js';

const ID = '0199aa00-0000-7000-8000-000000000000';

const valueFor = (field: FieldName): fc.Arbitrary<string> => {
  const kind = kindOf(field);
  if (kind === 'library') return fc.constant(ID);
  if (kind === 'word') return fc.constantFrom(...(WORDS[field as keyof typeof WORDS] as readonly string[]));
  if (kind === 'number') return fc.nat({ max: 9999 }).map(String);
  if (kind === 'date') return fc.constantFrom('2024-02-29', '1999-12-31', '2026-06-01');
  return fc.string({ minLength: 1 }).filter((text) => text.trim() === text && text !== '');
};

const clauseFor = (of: WallOf): fc.Arbitrary<Part> =>
  fc
    .constantFrom(...fieldsOf(of))
    .chain((field) =>
      fc
        .constantFrom(...(OPERATORS[kindOf(field)] as readonly string[]))
        .chain((operator) =>
          (takesValue(operator) ? valueFor(field) : fc.constant('')).map((value) => ({ field, operator, value })),
        ),
    );

const groupOf = (part: fc.Arbitrary<Part>): fc.Arbitrary<Group> =>
  fc.record(
    { match: fc.constantFrom(...MATCHES), parts: fc.array(part, { minLength: 1, maxLength: 3 }) },
    { noNullPrototype: true },
  );

const anyFilter = (of: WallOf): fc.Arbitrary<Group> => {
  const clause = clauseFor(of);
  return groupOf(fc.oneof(clause, groupOf(fc.oneof(clause, groupOf(clause)))));
};

block('filters in addresses', (check) => {
  check('what is written into an address is read again', () => {
    for (const of of ['series', 'books'] as const)
      fc.assert(
        fc.property(anyFilter(of), (group) => {
          assert.equal(filterIn(of, textOf(group)), group);
        }),
      );
  });
  check('it is the condition that the API takes', () => {
    const group: Group = {
      match: 'all',
      parts: [
        { field: 'genre', operator: 'isNot', value: ' Mystery ' },
        { match: 'none', parts: [{ field: 'coverArtist', operator: 'is', value: 'Ann' }] },
        {
          match: 'any',
          parts: [
            { field: 'year', operator: 'gte', value: '2000' },
            { field: 'publisher', operator: 'isNull', value: '' },
          ],
        },
      ],
    };
    assert.equal(conditionOf(group), {
      allOf: [
        { genre: { operator: 'isNot', value: 'Mystery' } },
        { noneOf: [{ coverArtist: { operator: 'is', value: 'Ann' } }] },
        { anyOf: [{ year: { operator: 'gte', value: 2000 } }, { publisher: { operator: 'isNull' } }] },
      ],
    });
  });
  check('what says nothing yet filters nothing', () => {
    for (const field of fieldsOf('books').filter((one) => kindOf(one) !== 'flag'))
      assert.is(textOf({ match: 'all', parts: [clauseOf(field), NO_FILTER] }), '', field);
    assert.is(textOf({ match: 'all', parts: [{ field: 'year', operator: 'is', value: 'x' }] }), '');
  });
  check('what is no filter of the wall is passed over', () => {
    for (const text of ['', 'x', '7', '[]', '{}', 'null', '{"author":7}', '{"genre":{"operator":"drop","value":"x"}}'])
      assert.equal(filterIn('series', text).parts, [], text);
    assert.equal(filterIn('books', '{"ageRating":{"operator":"is","value":12}}').parts, []);
    const [kept, ...others] = filterIn(
      'series',
      '{"anyOf":[{"nothing":{}},{"tag":{"operator":"is","value":"x"}}]}',
    ).parts;
    assert.equal([kept, others], [{ field: 'tag', operator: 'is', value: 'x' }, []]);
  });
  check('the other wall keeps what it has fields for, also in groups, and nothing is lost on the way back', () => {
    const genre: Part = { field: 'genre', operator: 'is', value: 'Mystery' };
    const rating: Part = { field: 'ageRating', operator: 'is', value: '12' };
    const pages: Part = { field: 'pageCount', operator: 'gte', value: '9' };
    const series: Group = {
      match: 'any',
      parts: [genre, rating, { match: 'none', parts: [rating, genre] }, { match: 'all', parts: [rating] }],
    };
    const books = filterFor('books', series);
    assert.equal(books, { match: 'any', parts: [genre, { match: 'none', parts: [genre] }] });
    assert.equal(filterFor('series', { ...books, parts: [...books.parts, pages] }), books);
    assert.equal(filterFor('books', { match: 'all', parts: [rating] }), NO_FILTER);
    for (const of of ['series', 'books'] as const)
      fc.assert(
        fc.property(anyFilter(of), (group) => {
          assert.equal(filterFor(of, group), group);
          const common = filterFor('books', filterFor('series', group));
          assert.equal(filterFor('books', filterFor('series', common)), common);
          assert.equal(filterIn('books', textOf(common)).parts, common.parts);
          assert.equal(filterIn('series', textOf(common)).parts, common.parts);
        }),
      );
  });
  check('groups end at a depth, however deep the address goes', () => {
    const depthOf = (part: Part): number => (isGroup(part) ? 1 + Math.max(0, ...part.parts.map(depthOf)) : 0);
    const deep = `${'{"allOf":['.repeat(60)}{"tag":{"operator":"is","value":"x"}}${']}'.repeat(60)}`;
    assert.ok(depthOf(filterIn('series', deep)) < 10);
  });
});
