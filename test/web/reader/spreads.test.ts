// Pairs of pages, and where they lie.
import type { Size } from '../../../http/web/client/reader/rules/pages.js';
import {
  firstPageOf,
  lastPageOf,
  onScreen,
  type SpreadOptions,
  spreadOfPage,
  spreadsOf,
} from '../../../http/web/client/reader/rules/spreads.js';
import { assert, block } from '../../kit.js';

const UPRIGHT: Size = { width: 1000, height: 1500 };
const WIDE: Size = { width: 2000, height: 1500 };
const DOUBLE: SpreadOptions = { isDouble: true, isCoverAlone: true, isOffset: false, wide: 'whole', isRtl: false };
const SINGLE: SpreadOptions = { ...DOUBLE, isDouble: false };

/** `w` is a wide page. */
const book = (letters: string): readonly Size[] => [...letters].map((one) => (one === 'w' ? WIDE : UPRIGHT));

/** Pages from 1, pairs joined by a hyphen. */
const shown = (letters: string, options: Partial<SpreadOptions> = {}): string =>
  spreadsOf(book(letters), { ...DOUBLE, ...options })
    .map((spread) => spread.map(({ page }) => page + 1).join('-'))
    .join(' ');

block('spreads', (check) => {
  check('a book without pages has none', () => {
    assert.equal(spreadsOf([], DOUBLE), []);
    assert.is(spreadOfPage([], 3), 0);
  });
  check('the cover is alone, then come pairs', () => {
    assert.is(shown('uuuuu'), '1 2-3 4-5');
    assert.is(shown('uuuu'), '1 2-3 4');
  });
  check('the cover can be part of the first pair', () => {
    assert.is(shown('uuuuu', { isCoverAlone: false }), '1-2 3-4 5');
  });
  check('a wide page is alone, and pairs begin anew after it', () => {
    assert.is(shown('uuuwuuu'), '1 2-3 4 5-6 7');
    assert.is(shown('wuu'), '1 2-3');
  });
  check('pages before the first wide one are whole pairs: what is left over comes first', () => {
    assert.is(shown('uuuuwuu'), '1 2 3-4 5 6-7');
    assert.is(shown('uwuu', { isCoverAlone: false }), '1 2 3-4');
    assert.is(shown('uuuwuu', { isCoverAlone: false }), '1 2-3 4 5-6');
  });
  check('pairs can be moved by one page, also from where they were found', () => {
    assert.is(shown('uuuuu', { isOffset: true }), '1 2 3-4 5');
    assert.is(shown('uuuuwuu', { isOffset: true }), '1 2-3 4 5 6-7');
    assert.is(shown('uuuu', { isOffset: true, isCoverAlone: false }), '1 2-3 4');
  });
  check('one at a time, a wide page is whole, split in reading order, or rotated to either side', () => {
    const parts = (options: Partial<SpreadOptions>): string =>
      spreadsOf(book('uw'), { ...SINGLE, ...options })
        .flat()
        .map(({ page, part, turn, size }) => `${page + 1}${part[0]}${turn === 'none' ? '' : turn}${size.width}`)
        .join(' ');
    assert.is(parts({}), '1w1000 2w2000');
    assert.is(parts({ wide: 'split' }), '1w1000 2l1000 2r1000');
    assert.is(parts({ wide: 'split', isRtl: true }), '1w1000 2r1000 2l1000');
    assert.is(parts({ wide: 'split-swapped' }), '1w1000 2r1000 2l1000');
    assert.is(parts({ wide: 'turned' }), '1w1000 2wright1500');
    assert.is(parts({ wide: 'turned-left' }), '1w1000 2wleft1500');
  });
  check('two at a time, a wide page stays whole', () => {
    assert.is(shown('uuuw', { wide: 'split' }), '1 2-3 4');
  });
  check('from right to left the first page of a pair lies on the right', () => {
    const [, pair = []] = spreadsOf(book('uuu'), DOUBLE);
    assert.equal(
      onScreen(pair, false).map(({ page }) => page),
      [1, 2],
    );
    assert.equal(
      onScreen(pair, true).map(({ page }) => page),
      [2, 1],
    );
    assert.equal(
      pair.map(({ page }) => page),
      [1, 2],
      'the spread itself is left alone',
    );
  });
  check('a page is found in its spread, and one beyond the book in the last', () => {
    const spreads = spreadsOf(book('uuuuu'), DOUBLE);
    assert.equal(
      [0, 1, 2, 3, 4, 9].map((page) => spreadOfPage(spreads, page)),
      [0, 1, 1, 2, 2, 2],
    );
    assert.equal(
      spreads.map((spread) => [firstPageOf(spread), lastPageOf(spread)]),
      [
        [0, 0],
        [1, 2],
        [3, 4],
      ],
    );
  });
  check('each page of any book is shown once, in order', () => {
    for (let bits = 0; bits < 256; bits++) {
      const letters = Array.from({ length: 8 }, (_, at) => ((bits >> at) & 1 ? 'w' : 'u')).join('');
      for (const isOffset of [false, true])
        for (const isCoverAlone of [false, true]) {
          const spreads = spreadsOf(book(letters), { ...DOUBLE, isOffset, isCoverAlone });
          assert.equal(
            spreads.flat().map(({ page }) => page),
            [0, 1, 2, 3, 4, 5, 6, 7],
            letters,
          );
          assert.ok(spreads.every((spread) => spread.length === 1 || spread.length === 2));
        }
    }
  });
});
