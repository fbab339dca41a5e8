// The layout of a continuous strip: exact pages, anchors that survive another window.
import fc from 'fast-check';
import { pageTyped } from '../../../http/web/client/parts/page-typed.js';
import type { Size } from '../../../http/web/client/reader/rules/pages.js';
import { sizesOf } from '../../../http/web/client/reader/rules/pages.js';
import { looksLikeStrip } from '../../../http/web/client/reader/rules/strip-detection.js';
import {
  anchorAt,
  isEndSeen,
  lineAt,
  pageAt,
  pagesWithin,
  positionOfSpot,
  type StripOptions,
  scrollOfAnchor,
  scrollOfPage,
  spotAt,
  stripLayout,
} from '../../../http/web/client/reader/rules/strip-layout.js';
import { assert, block } from '../../kit.js';

const OPTIONS: StripOptions = { isAcross: false, fit: 'fill', padding: 0, most: 0, gap: 0, tail: 0, zoom: 1 };
const PHONE = { width: 400, height: 800, density: 2 };
const lying = { width: 800, height: 400, density: 2 };
const pages = (count: number, size: Size): readonly Size[] => Array.from({ length: count }, () => size);
const PANEL: Size = { width: 800, height: 2000 };

const anySizes = fc.array(
  fc.record({ width: fc.integer({ min: 100, max: 3000 }), height: fc.integer({ min: 50, max: 20_000 }) }),
  { minLength: 1, maxLength: 60 },
);

const maxScroll = (length: number, view: number): number => Math.max(0, length - view);

block('strip layout', (check) => {
  check('a strip without pages has no length', () => {
    const layout = stripLayout([], PHONE, OPTIONS);
    assert.is(layout.length, 0);
    assert.equal(anchorAt(layout, 0), { page: 0, share: 0 });
    assert.is(scrollOfPage(layout, 4), 0);
  });
  check('pages fill the window, with gaps between them and none after the last', () => {
    const layout = stripLayout(pages(3, PANEL), PHONE, { ...OPTIONS, gap: 10, tail: 300 });
    assert.equal([...layout.starts], [0, 1010, 2020, 3020]);
    assert.is(layout.length, 3320);
    assert.equal(layout.boxes[0], { width: 400, height: 1000 });
  });
  check('padding, a largest width, and the other fits', () => {
    const box = (options: Partial<StripOptions>, screen = PHONE) =>
      stripLayout([PANEL], screen, { ...OPTIONS, ...options }).boxes[0];
    assert.equal(box({ padding: 0.1 }), { width: 320, height: 800 });
    assert.equal(box({ most: 200 }), { width: 200, height: 500 });
    assert.equal(box({ fit: 'screen' }), { width: 320, height: 800 });
    assert.equal(box({ zoom: 2 }), { width: 800, height: 2000 });
    assert.equal(box({ zoom: 2, fit: 'original' }), { width: 800, height: 2000 });
    assert.equal(box({ fit: 'original' }), { width: 400, height: 1000 });
    assert.equal(box({ fit: 'shrink' }, { ...PHONE, width: 1000 }), { width: 400, height: 1000 });
    assert.equal(box({ fit: 'shrink' }, { ...PHONE, width: 200 }), { width: 200, height: 500 });
  });
  check('a strip that lies is measured along its width', () => {
    const layout = stripLayout(pages(2, { width: 1000, height: 2000 }), lying, { ...OPTIONS, isAcross: true });
    assert.equal([...layout.starts], [0, 200, 400]);
    assert.is(layout.view, 800);
  });
  check('a page is found by its first pixel and by its last', () => {
    const layout = stripLayout(pages(300, PANEL), PHONE, OPTIONS);
    assert.equal(
      [0, 999, 1000, 1001, 299_999, 400_000].map((at) => pageAt(layout, at)),
      [0, 0, 1, 1, 299, 299],
    );
    assert.equal(pagesWithin(layout, 1500, 3500), [1, 3]);
  });
  check('the beginning is the first page, the end is the last, however short the pages', () => {
    fc.assert(
      fc.property(anySizes, (sizes) => {
        const layout = stripLayout(sizes, PHONE, OPTIONS);
        const last = maxScroll(layout.length, layout.view);
        if (last > 0) assert.is(anchorAt(layout, 0).page, 0);
        assert.is(anchorAt(layout, last).page, sizes.length - 1);
      }),
    );
  });
  check('whoever scrolls on never reads an earlier page', () => {
    fc.assert(
      fc.property(anySizes, (sizes) => {
        const layout = stripLayout(sizes, PHONE, { ...OPTIONS, gap: 7, tail: 500 });
        const last = maxScroll(layout.length, layout.view);
        const read = Array.from({ length: 101 }, (_, at) => anchorAt(layout, (last * at) / 100).page);
        assert.equal(
          read,
          [...read].sort((a, b) => a - b),
        );
      }),
    );
  });
  check('a jump to a page makes it the page being read', () => {
    fc.assert(
      fc.property(anySizes, fc.nat(59), (sizes, wanted) => {
        const layout = stripLayout(
          sizes.map(({ width }) => ({ width, height: width * 2 })),
          PHONE,
          OPTIONS,
        );
        const page = wanted % sizes.length;
        if (layout.length <= layout.view) return;
        const scroll = scrollOfPage(layout, page);
        assert.ok(scroll >= 0 && scroll <= maxScroll(layout.length, layout.view) + 1);
        assert.is(anchorAt(layout, scroll).page, page);
      }),
    );
  });
  check('a jump brings a tall page to the top', () => {
    const layout = stripLayout(pages(300, PANEL), PHONE, OPTIONS);
    assert.is(scrollOfPage(layout, 90), 90_000);
  });
  check('another window keeps the place', () => {
    fc.assert(
      fc.property(anySizes, fc.double({ min: 0, max: 1, noNaN: true }), (sizes, share) => {
        const [before, after] = [stripLayout(sizes, PHONE, OPTIONS), stripLayout(sizes, lying, { ...OPTIONS, gap: 3 })];
        const scroll = maxScroll(before.length, before.view) * share;
        if (scroll === 0 || maxScroll(after.length, after.view) === 0) return;
        const anchor = anchorAt(before, scroll);
        const back = anchorAt(after, scrollOfAnchor(after, anchor));
        assert.ok(Math.abs(back.page + back.share - anchor.page - anchor.share) < 1e-6);
      }),
    );
  });
  check('what lies under the fingers stays there when they zoom', () => {
    const [before, after] = [
      stripLayout(pages(9, PANEL), PHONE, OPTIONS),
      stripLayout(pages(9, PANEL), PHONE, { ...OPTIONS, zoom: 3 }),
    ];
    assert.is(positionOfSpot(after, spotAt(before, 4250)), 12_750);
  });
  check('the end is seen when the end of the last page is', () => {
    const layout = stripLayout(pages(2, PANEL), PHONE, { ...OPTIONS, tail: 800 });
    assert.not(isEndSeen(layout, 1100));
    assert.ok(isEndSeen(layout, 1200));
  });
  check('what follows the last page is not read as a page', () => {
    const layout = stripLayout(pages(2, PANEL), PHONE, { ...OPTIONS, tail: 800 });
    assert.is(lineAt(layout, 1200), 2000);
    assert.is(lineAt(layout, 2000), 2000);
    assert.is(anchorAt(layout, 2000).page, 1);
  });
});

const listed = (sizes: readonly (readonly [number, number])[]) => sizes.map(([width, height]) => ({ width, height }));
const unknown = { width: null, height: null };

block('sizes', (check) => {
  check('a page of unknown size is like most others; a book of unknown sizes like a comic', () => {
    assert.equal(sizesOf([...listed([[800, 1200]]), unknown]), [
      { width: 800, height: 1200 },
      { width: 800, height: 1200 },
    ]);
    assert.equal(sizesOf([unknown]), [{ width: 1000, height: 1500 }]);
  });
  check('a typed number is a page if the book has it', () => {
    assert.equal(
      ['1', ' 30 ', '31', '0', '', '-2', '2.5', '1e1', 'x'].map((text) => pageTyped(text, 30)),
      [0, 29, ...Array.from({ length: 7 }, () => null)],
    );
  });
  check('tall pages are a strip, also after a cover that is not tall', () => {
    assert.ok(
      looksLikeStrip(
        listed([
          [800, 1100],
          [800, 5000],
          [800, 7000],
          [800, 900],
          [800, 6000],
        ]),
      ),
    );
  });
  check('slices of a strip are one, though none of them is tall', () => {
    assert.ok(
      looksLikeStrip(
        listed([
          [720, 1000],
          [720, 1280],
          [720, 700],
          [720, 1280],
          [720, 1000],
          [720, 640],
          [720, 1200],
        ]),
      ),
    );
  });
  check('a printed comic is none, with wide pages or without', () => {
    assert.not(
      looksLikeStrip(
        listed([
          [1000, 1500],
          [1000, 1520],
          [2000, 1500],
          [1000, 1490],
          [990, 1500],
        ]),
      ),
    );
    assert.not(looksLikeStrip(listed(Array.from({ length: 30 }, () => [1200, 1800] as const))));
  });
  check('one or two very tall pages are a strip, also if the size of another is unknown', () => {
    const tall = listed([[800, 9000]]);
    for (const pages of [
      listed([[800, 2400]]),
      tall,
      [...tall, ...tall],
      [...tall, unknown],
      [...tall, ...tall, unknown],
    ])
      assert.ok(looksLikeStrip(pages), JSON.stringify(pages));
  });
  check('one or two less tall pages are not a strip, nor is a tall one beside an ordinary one', () => {
    const usual = [1000, 1500] as const;
    const [doubled, fourPanels, spread] = [[1000, 2000] as const, [700, 1960] as const, [2000, 1500] as const];
    for (const side of [usual, doubled, fourPanels, spread]) {
      assert.not(looksLikeStrip(listed([side])), side.join(' × '));
      assert.not(looksLikeStrip(listed([side, side])), side.join(' × '));
      assert.not(looksLikeStrip(listed([side, [800, 9000]])), side.join(' × '));
    }
  });
  check('too few known sizes say nothing', () => {
    assert.not(looksLikeStrip([]));
    assert.not(looksLikeStrip([unknown]));
    assert.not(looksLikeStrip([unknown, unknown, unknown, unknown, ...listed([[800, 9000]])]));
  });
});
