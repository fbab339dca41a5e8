// Values from a query: texts become what the schema says, lists are repeated names or, where a row says so, commas.
import Type from 'typebox';
import { coerce, listOf } from '../../http/surface/schemas.js';
import { checkOf } from '../../http/surface/validate.js';
import { assert, block } from '../kit.js';

const QUERY = Type.Object({
  status: Type.Optional(listOf(Type.Enum(['READ', 'UNREAD']), { commas: true })),
  sort: Type.Optional(listOf(Type.String(), { commas: false })),
  genre: Type.Optional(listOf(Type.String({ maxLength: 12 }), { commas: true, whole: true })),
  year: Type.Optional(listOf(Type.Integer(), { commas: true })),
  page: Type.Optional(Type.Integer()),
});

const valuesOf = (query: string): unknown => coerce(QUERY, new URLSearchParams(query));
const checked = (query: string): unknown => checkOf(QUERY, 'query')(valuesOf(query));

block('query values', (check) => {
  check('an entry that does not fit is named with its place', () => {
    assert.throws(() => checked('status=READ&status=BROKEN'), /status\[1\]/);
    assert.throws(() => checked('year=1999,next'), /year\[1\]/);
  });
  check('more entries than any client sends are refused', () =>
    assert.throws(() => checked(`year=${'1,'.repeat(1001)}`), /year/),
  );
  check('a name may be repeated, and hold several values where commas separate them', () =>
    assert.equal(valuesOf('status=READ,UNREAD&year=1&year=2,3&sort=title,asc&sort=date,desc'), {
      status: ['READ', 'UNREAD'],
      year: [1, 2, 3],
      sort: ['title,asc', 'date,desc'],
    }),
  );
  check('a list of names may be one name with commas, unless it is too long for one', () => {
    assert.equal(valuesOf('genre=Noir, Black&genre=Comedy'), { genre: ['Noir', 'Black', 'Noir, Black', 'Comedy'] });
    assert.equal(checked('genre=Adventure,Comedy'), { genre: ['Adventure', 'Comedy'] });
  });
  check('empty entries are none', () =>
    assert.equal(valuesOf('status=,READ,&sort=&year=,'), { status: ['READ'], year: [] }),
  );
  check('the last of any other repeated name counts', () => assert.equal(valuesOf('page=1&page=2'), { page: 2 }));
});
