// Places as e-readers name them, and what they mean for a book.
import type { BookFormat } from '../../core/model/formats.js';
import { spineOf } from '../../core/reading/places.js';
import { changeOf, itemIn, pageIn, progressAt } from '../../core/sync/places.js';
import { assert, block, type Check } from '../kit.js';

const item = (positions: number) => ({
  href: `${positions}.xhtml`,
  mediaType: 'application/xhtml+xml',
  positions,
  linear: true,
});
/** Of 10, 30, 50 and 10 positions. */
const SPINE = spineOf([10, 30, 50, 10].map(item));
const ONE = spineOf([item(1)]);

const shareOf = (progress: string, share: number, spine = SPINE): number | undefined =>
  changeOf({ progress, share }, 'epub', spine).percentage;

const texts = (check: Check): void => {
  for (const [progress, page] of [
    ['12', 12],
    ['012', 12],
    ['0', undefined],
    ['-3', undefined],
    ['1.5', undefined],
    ['999999999999', 2 ** 31 - 1],
    ['9'.repeat(400), undefined],
    ['', undefined],
    ['0x10', undefined],
    ['/body/DocFragment[2].0', undefined],
  ] as const)
    check(`${progress.slice(0, 20)} is the page ${page}`, () => assert.is(pageIn(progress), page));
  for (const [progress, index] of [
    ['/body/DocFragment[11]/body/div/p[7]/text().123', 10],
    ['/body/DocFragment[1].0', 0],
    ['/body/DocFragment[0].0', undefined],
    ['/body/DocFragment[-1].0', undefined],
    ['/body/DocFragment[99999999999].0', undefined],
    ['#_doc_fragment_0_ chapter', 0],
    ['_doc_fragment_44_', 44],
    ['/body/div/p[3]', undefined],
    ['12', undefined],
    ['x/body/DocFragment[3].0', undefined],
  ] as const)
    check(`${progress} leads into the item ${index}`, () => assert.is(itemIn(progress), index));
};

const meanings = (check: Check): void => {
  const table: readonly (readonly [string, BookFormat, string, number, object])[] = [
    ['a page of a comic', 'cbz', '3', 0.6, { currentPage: 3, percentage: 0.6, isCompleted: undefined }],
    [
      'no page: the share decides',
      'pdf',
      'x',
      0.6,
      { currentPage: undefined, percentage: 0.6, isCompleted: undefined },
    ],
    ['the share 1 completes, whatever the page', 'cbr', '9', 1, { currentPage: 9, percentage: 1, isCompleted: true }],
    ['a share beyond 1 is 1', 'cbz', '5', 7, { currentPage: 5, percentage: 1, isCompleted: true }],
    ['a negative share is 0', 'cbz', 'x', -3, { currentPage: undefined, percentage: 0, isCompleted: undefined }],
    ['an EPUB without a spine', 'epub', '/body/DocFragment[2].0', 0.5, { percentage: 0.5, isCompleted: false }],
    ['an EPUB read to 0.98', 'epub', '/body/DocFragment[2].0', 0.98, { percentage: 0.98, isCompleted: true }],
    ['an EPUB read to 0.9799', 'epub', 'x', 0.9799, { percentage: 0.9799, isCompleted: false }],
  ];
  for (const [what, format, progress, share, change] of table)
    check(what, () => assert.equal(changeOf({ progress, share }, format, null), change));
  check('within its item the share of the device counts', () => assert.is(shareOf('/body/DocFragment[3].0', 0.6), 0.6));
  check('the item holds where the device counts otherwise', () => {
    for (const [progress, share, index] of [
      ['/body/DocFragment[1].0', 0.5, 1],
      ['/body/DocFragment[2].0', 0.05, 2],
      ['/body/DocFragment[2].0', 0.9, 2],
      ['/body/DocFragment[4].0', 0, 4],
      ['#_doc_fragment_3_', 0.2, 4],
    ] as const)
      assert.is(progressAt(shareOf(progress, share) ?? 0, 1, SPINE), `/body/DocFragment[${index}].0`, progress);
  });
  check('an item that is not there changes nothing', () => assert.is(shareOf('/body/DocFragment[5].0', 0.3), 0.3));
  check('the beginning of the last item does not complete a book', () => {
    const spine = spineOf([item(99), item(1)]);
    const { percentage = 0, isCompleted } = changeOf({ progress: '/body/DocFragment[2].0', share: 0.5 }, 'epub', spine);
    assert.ok(percentage > 0.98 && percentage < 1);
    assert.is(isCompleted, false);
  });
  check('a book of one item keeps its share', () => assert.is(shareOf('/body/DocFragment[1].0', 0.3, ONE), 0.3));
};

const ways = (check: Check): void => {
  check('each share is in the item that it is given as', () => {
    for (let n = 0; n <= 1000; n += 1) {
      const share = n / 1000;
      const pointer = progressAt(share, 1, SPINE);
      const again = progressAt(shareOf(pointer, share) ?? -1, 1, SPINE);
      assert.is(again, share < 0.98 ? pointer : '/body/DocFragment[4].0');
    }
  });
  check('without a spine it is a page', () => assert.is(progressAt(0.5, 7, null), '7'));
  check('a spine without items is none', () => assert.is(progressAt(0.5, 7, spineOf([])), '7'));
};

block('places of e-readers', (check) => {
  texts(check);
  meanings(check);
  ways(check);
});
