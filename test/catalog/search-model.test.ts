// Searches of many kinds in titles of eight scripts, against the slow model of what they find.

import fc from 'fast-check';
import { keysOfBooks } from '../../core/catalog/list-books.js';
import { EVERYTHING, unrestricted, type Viewer } from '../../core/model/viewer.js';
import { assert, block, IS_FULL } from '../kit.js';
import { bookTexts } from './list-oracle.js';
import { type BookModel, fill, modelOf, type Shelved, withCatalog } from './random-shelf.js';
import { findsIn, partsOf } from './search-oracle.js';
import { BOOK, ORDER, SERIES } from './searched.js';

const [TITLES, SEARCHES] = IS_FULL ? [5000, 200] : [600, 150];
const SEED = 7;

/** Letters that words are made of: few, so that words are near each other. */
const SCRIPTS = [
  'abdeéikmnorstuxz',
  'абвгдежийклмнорст',
  'αβγδεζηθικλςσάέ',
  'ابتدرسشعمنوي',
  'אבגדהוזלמנרשת',
  '進撃巨人東京物語空海',
  'がぎガギあいうアイウー',
  '나혼자만레벨업신의탑',
];

const wordArb = (letters: string): fc.Arbitrary<string> =>
  fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength: 9, size: 'max' }).map((all) => all.join(''));
const numberArb = fc.oneof(
  fc.integer({ min: 0, max: 130 }).map(String),
  fc.integer({ min: 0, max: 130 }).map((value) => String(value).padStart(3, '0')),
  fc.tuple(fc.integer({ min: 0, max: 20 }), fc.constantFrom('.5', '.25', '.1.2', ',5')).map((pair) => pair.join('')),
);
const joinArb = fc.oneof(
  { weight: 6, arbitrary: fc.constant(' ') },
  { weight: 3, arbitrary: fc.constantFrom('-', "'", '’', '.', '·', '&', '★', '/') },
  { weight: 1, arbitrary: fc.constantFrom('_', ', ', ' - ', ' (', '', ' 😀 ', '#') },
);
const titleArb = fc.constantFrom(...SCRIPTS).chain((letters) =>
  fc
    .array(
      fc.tuple(joinArb, fc.oneof({ weight: 5, arbitrary: wordArb(letters) }, { weight: 1, arbitrary: numberArb })),
      {
        minLength: 1,
        maxLength: 4,
        size: 'max',
      },
    )
    .map((pairs) => pairs.flat().slice(1).join('')),
);

/** What a person makes of a title, given any three numbers. */
const CHANGES: readonly ((title: string, a: number, b: number, other: string) => string)[] = [
  (title) => title,
  (title, a) => title.slice(0, 1 + a),
  (title, a, b) => title.slice(a, a + 3 + (b % 5)),
  (title) => title.replace(/[-'’.·&★/ ]/gu, ''),
  (title) => title.replace(/[-'’.·&★/]/gu, ' '),
  (title) => title.replaceAll(' ', '-'),
  (title, a) => `${title.slice(0, a)} ${title.slice(a)}`,
  (title, a) => title.slice(0, a) + title.slice(a + 1),
  (title, a, _, other) => title.slice(0, a) + other + title.slice(a + 1),
  (title, a, _, other) => title.slice(0, a) + other + title.slice(a),
  (title, a) => title.slice(0, a) + (title[a + 1] ?? '') + (title[a] ?? '') + title.slice(a + 2),
  (title, a) =>
    title
      .split(' ')
      .slice(a % 3)
      .join(' '),
  (title) => title.split(' ').reverse().join(' '),
  (title) => title.replace(/0+(?=[0-9])/g, ''),
  (title) => title.replace(/[0-9]+/g, (digits) => `0${digits}`),
  (title) => title.toUpperCase(),
  (title) => title.normalize('NFD'),
  (_, a) => String(a),
  () => '😀',
];

const searchArb = (titles: readonly string[]): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.constantFrom(...titles),
      fc.constantFrom(...CHANGES),
      fc.nat({ max: 12 }),
      fc.nat({ max: 12 }),
      fc.constantFrom(...SCRIPTS.join('')),
    )
    .map(([title, change, a, b, other]) => change(title, a, b, other));

const OF_ONE: Viewer = { ...unrestricted(2), scope: { ...EVERYTHING, libraries: [1] } };

interface Known {
  readonly book: BookModel;
  readonly parts: readonly string[][];
}

const compare = async (shelf: Shelved, known: readonly Known[], query: string): Promise<void> => {
  const expected = known.filter(({ parts }) => query.trim() === '' || findsIn(query, parts)).map(({ book }) => book);
  for (const [viewer, seen] of [
    [unrestricted(1), expected],
    [OF_ONE, expected.filter(({ series }) => series.library === 1)],
  ] as const) {
    const keys = await keysOfBooks(shelf, viewer, { fullTextSearch: query, order: ORDER });
    const titled = (list: readonly number[]): string[] => list.map((key) => known[key - 1]?.book.title ?? '').sort();
    assert.equal(titled(keys), titled(seen.map(({ key }) => key)), JSON.stringify(query));
  }
};

const indexed = async ({ db }: Shelved): Promise<void> => {
  for (let isDue = true; isDue; ) {
    const [row] = await db.all<{ n: number }>('SELECT count(*) AS n FROM search_due', []);
    isDue = (row?.n ?? 0) > 0;
  }
};

block('search: against the model', (check) => {
  check(`searches find what the model finds, in ${TITLES} titles of eight scripts`, () =>
    withCatalog(async (shelf) => {
      const titles = fc.sample(titleArb, { numRuns: TITLES, seed: SEED });
      const series = [SERIES, { ...SERIES, library: 2, name: 'Other' }];
      const model = modelOf({ series, books: titles.map((title, series) => ({ ...BOOK, title, series })) });
      await fill(shelf.db, model);
      await indexed(shelf);
      const known = model.books.map((book) => ({ book, parts: bookTexts(book).flatMap(partsOf) }));
      await fc.assert(
        fc.asyncProperty(searchArb(titles), (query) => compare(shelf, known, query)),
        { numRuns: SEARCHES },
      );
    }),
  );
});
