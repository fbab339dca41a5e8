// Which names a search of names finds, without an index.
import { named, nameTest } from '../../core/model/search-names.js';
import { assert, block } from '../kit.js';

const FOUND: readonly (readonly [name: string, query: string])[] = [
  ['Harbour House', 'house'],
  ['Harbour House', 'house harb'],
  ['Harbour House', 'arbou'],
  ['Éditions du Chêne', 'EDITIONS chene'],
  ['Spider-Man', 'spiderman'],
  ['Spider-Man', 'spider man'],
  ['Spiderman', 'spider-man'],
  ['Spider Man', 'spiderman'],
  ['Sci-Fi', 'scifi'],
  ['Scifi', 'sci-fi'],
  ['Xmen', 'x-men'],
  ['X Men', 'xmen'],
  ['O’Reilly', 'oreilly'],
  ["Kids' Books", 'kids books'],
  ['AT&T', 'att'],
  ['講談社', '談社'],
  ['Кот-баюн', 'котбаюн'],
  ['2001', '01'],
  ['2011', '201'],
  ['Studio 007', '7'],
  ['Studio 7', '007'],
  ['No. 12.5', '12.5'],
  ['Cats 😀', '😀'],
  ['Anything', ''],
  ['Anything', ' ?! '],
];

const MISSED: readonly (readonly [name: string, query: string])[] = [
  ['Titan North', 'ann'],
  ['Harbour House', 'house sea'],
  ['Studio 70', '07'],
  ['1999', '01'],
  ['Cats 😀', '😁'],
  ['Man of the Spider', 'spider-man'],
];

block('search: names', (check) => {
  const isFound = ([name, query]: readonly [string, string]): boolean => nameTest(query)?.(name) ?? true;
  check('words, their insides, and what a sign joins or separates', () => {
    for (const pair of FOUND) assert.ok(isFound(pair), pair.join(': '));
  });
  check('what only looks similar is not found', () => {
    for (const pair of MISSED) assert.not.ok(isFound(pair), pair.join(': '));
  });
  check('the order of the list stays, and a text without words finds all', () => {
    const list = ['Sci-Fi', 'Noir', 'Fiction'];
    assert.equal(
      ['fi', '', '-', undefined].map((text) => named(list, text, String)),
      [['Sci-Fi', 'Fiction'], list, list, list],
    );
  });
});
