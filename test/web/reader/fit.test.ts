// How large pages are shown and asked for, how far ahead they are loaded, and what is decided by the book and the window.
import { boxesOf, boxOf, type Screen, widthToAsk, withinMargins } from '../../../http/web/client/reader/rules/fit.js';
import { type BookShape, pageLayoutOf } from '../../../http/web/client/reader/rules/page-layout.js';
import {
  aheadOf,
  type Pace,
  planAhead,
  START,
  turned,
  turnMs,
} from '../../../http/web/client/reader/rules/read-ahead.js';
import { DEFAULTS } from '../../../http/web/client/reader/rules/settings.js';
import { assert, block } from '../../kit.js';

const PAGE = { width: 1000, height: 1500 };
const DESK: Screen = { width: 1440, height: 900, density: 1 };

block('fit', (check) => {
  check('each way to fit a page', () => {
    assert.equal(boxOf(PAGE, DESK, 'screen'), { width: 600, height: 900 });
    assert.equal(boxOf(PAGE, DESK, 'width'), { width: 1440, height: 2160 });
    assert.equal(boxOf(PAGE, DESK, 'height'), { width: 600, height: 900 });
    assert.equal(boxOf(PAGE, DESK, 'original'), PAGE);
    assert.equal(boxOf(PAGE, DESK, 'stretch'), { width: 1440, height: 900 });
    assert.equal(boxOf(PAGE, DESK, 'shrink'), { width: 600, height: 900 });
  });
  check('a small page is enlarged to fit, but not to shrink only', () => {
    const small = { width: 100, height: 150 };
    assert.equal(boxOf(small, DESK, 'screen'), { width: 600, height: 900 });
    assert.equal(boxOf(small, DESK, 'shrink'), small);
  });
  check('original is a pixel of the device for each pixel of the image', () => {
    assert.equal(boxOf(PAGE, { ...DESK, density: 2 }, 'original'), { width: 500, height: 750 });
  });
  check('pages beside each other are equally tall and together fit the window', () => {
    const [left, right] = boxesOf([PAGE, { width: 500, height: 750 }], DESK, 'screen');
    assert.equal(left, { width: 600, height: 900 });
    assert.equal(right, { width: 600, height: 900 });
    const narrow = boxesOf([PAGE, PAGE], { width: 800, height: 900, density: 1 }, 'screen');
    assert.equal(narrow, [
      { width: 400, height: 600 },
      { width: 400, height: 600 },
    ]);
  });
  check('margins on either side leave less of the window for the page', () => {
    const between = withinMargins(DESK, 25);
    assert.equal(boxOf(PAGE, between, 'width'), { width: 720, height: 1080 });
    assert.equal(boxOf(PAGE, between, 'screen'), { width: 600, height: 900 }, 'there is enough room');
    assert.is(withinMargins(DESK, 40).width, 288);
    assert.equal(withinMargins(DESK, 0), DESK);
  });
  check('an image is asked for in the next of a few widths', () => {
    assert.is(widthToAsk(390, 3, 4000), 1440);
    assert.is(widthToAsk(320, 1, 4000), 320);
    assert.is(widthToAsk(321, 1, 4000), 480);
    assert.is(widthToAsk(390, 3, null), 1440);
  });
  check('an original that is little larger is sent as it is', () => {
    assert.is(widthToAsk(390, 3, 1600), undefined);
    assert.is(widthToAsk(5000, 1, 9000), undefined, 'wider than all of them');
  });
});

const pace = (gapMs: number, turns = 5, heading: 1 | -1 = 1): Pace =>
  Array.from({ length: turns }, (_, turn) => turn * gapMs).reduce((sum, at) => turned(sum, heading, at), START);

const sizes = Array.from({ length: 20 }, () => PAGE);
const options = { first: 5, last: 5, pace: START, sizes, pixels: 1e9 };

block('reading ahead', (check) => {
  check('the pace is the median of the latest turns', () => {
    assert.is(turnMs(START), undefined);
    assert.is(turnMs(pace(3000)), 3000);
    const slowOnce = [0, 1000, 31_000, 32_000, 33_000].reduce((sum, at) => turned(sum, 1, at), START);
    assert.is(turnMs(slowOnce), 1000);
  });
  check('a long pause, or turning round, begins a new pace', () => {
    assert.is(turnMs(turned(pace(1000), 1, 100_000)), undefined);
    assert.is(turnMs(turned(pace(1000), -1, 5000)), undefined);
  });
  check('whoever reads fast gets more pages, within limits', () => {
    assert.is(aheadOf(START), 3);
    assert.is(aheadOf(pace(20_000)), 2);
    assert.is(aheadOf(pace(1000)), 6);
    assert.is(aheadOf(pace(50)), 12);
  });
  check('the screen comes first, then the next page, the one before, and those further on', () => {
    assert.equal(planAhead(options).pages, [5, 6, 4, 7, 8]);
    assert.equal(planAhead({ ...options, last: 6 }).pages, [5, 6, 7, 4, 8, 9]);
    assert.equal(planAhead({ ...options, pace: { ...START, heading: -1 } }).pages, [5, 4, 6, 3, 2]);
  });
  check('nothing is loaded beyond the book', () => {
    assert.equal(planAhead({ ...options, first: 0, last: 0 }).pages, [0, 1, 2, 3]);
    assert.equal(planAhead({ ...options, first: 19, last: 19 }).pages, [19, 18]);
  });
  check('memory is bounded, but the screen is always loaded', () => {
    assert.equal(planAhead({ ...options, pixels: 3.1e6 }).pages, [5, 6, 4]);
    assert.equal(planAhead({ ...options, pixels: 0 }).pages, [5]);
  });
  check('the next book is wanted near the end, and not on the way back', () => {
    assert.not(planAhead(options).wantsNextBook);
    assert.ok(planAhead({ ...options, first: 16, last: 16 }).wantsNextBook);
    assert.not(planAhead({ ...options, first: 18, last: 18, pace: { ...START, heading: -1 } }).wantsNextBook);
  });
});

const printed: BookShape = { direction: 'ltr', isStrip: false };

block('what a book and a window decide', (check) => {
  const PHONE = { width: 390, height: 844 };
  check('the mode follows what the book says, then the sizes of its pages', () => {
    const mode = (book: BookShape) => pageLayoutOf(DEFAULTS, book, PHONE).mode;
    assert.is(mode(printed), 'paged');
    assert.is(mode({ ...printed, direction: 'ttb' }), 'paged-down');
    assert.is(mode({ ...printed, direction: 'webtoon' }), 'strip');
    assert.is(mode({ ...printed, isStrip: true }), 'strip');
  });
  check('what the person set comes before the book', () => {
    assert.is(
      pageLayoutOf({ ...DEFAULTS, mode: 'paged' }, { direction: 'webtoon', isStrip: true }, PHONE).mode,
      'paged',
    );
    assert.ok(pageLayoutOf({ ...DEFAULTS, direction: 'rtl' }, printed, PHONE).isRtl);
    assert.not(pageLayoutOf({ ...DEFAULTS, direction: 'ltr' }, { ...printed, direction: 'rtl' }, PHONE).isRtl);
    assert.ok(pageLayoutOf(DEFAULTS, { ...printed, direction: 'rtl' }, PHONE).isRtl);
  });
  check('a phone held sideways shows one page at a time, unless two are asked for', () => {
    const sideways = { width: PHONE.height, height: PHONE.width };
    assert.not(pageLayoutOf(DEFAULTS, printed, sideways).isDouble);
    assert.ok(pageLayoutOf(DEFAULTS, printed, { width: 844, height: 500 }).isDouble);
    assert.ok(pageLayoutOf({ ...DEFAULTS, pairs: 'double' }, printed, sideways).isDouble);
  });
  check('two pages at a time need a window that is wider than tall, unless they are asked for', () => {
    assert.not(pageLayoutOf(DEFAULTS, printed, PHONE).isDouble);
    assert.ok(pageLayoutOf(DEFAULTS, printed, DESK).isDouble);
    assert.ok(pageLayoutOf({ ...DEFAULTS, pairs: 'double' }, printed, PHONE).isDouble);
    assert.not(pageLayoutOf({ ...DEFAULTS, pairs: 'single' }, printed, DESK).isDouble);
    assert.not(pageLayoutOf({ ...DEFAULTS, mode: 'strip', pairs: 'double' }, printed, DESK).isDouble);
  });
});
