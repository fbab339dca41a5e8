// The rules for progress made on another device, for where a book opens, and for sheets of small pages.

import { keptPlaceIn, type OpeningState, openingAnchor } from '../../../http/web/client/reader/rules/kept-place.js';
import {
  furtherOnOtherDevice,
  isFurther,
  progressIn,
  withSpread,
} from '../../../http/web/client/reader/rules/other-devices.js';
import { cellOf, sheetStyle } from '../../../http/web/client/reader/rules/sheets.js';
import { assert, block } from '../../kit.js';

const at = (currentPage: number, minute: number, pageOffset: number | null = null) => ({
  currentPage,
  pageOffset,
  updatedAt: `2026-01-01T00:0${minute}:00Z`,
});
/** All of the twelfth page was on the screen. */
const HERE = { page: 11, share: 1 };
const start = (page: number) => ({ page, share: 0 });

block('progress on other devices', (check) => {
  check('is news if it is further than anything of this visit', () => {
    assert.equal(furtherOnOtherDevice(at(40, 1), null, HERE), start(39));
    assert.equal(furtherOnOtherDevice(at(40, 1), at(12, 0), HERE), start(39));
  });
  check('is none if it is not further, whoever told it', () => {
    assert.is(furtherOnOtherDevice(at(12, 1), null, HERE), null);
    assert.is(furtherOnOtherDevice(at(3, 1), at(40, 0), HERE), null);
    assert.is(furtherOnOtherDevice(null, at(40, 0), HERE), null);
    assert.is(furtherOnOtherDevice(progressIn(undefined), null, start(0)), null);
  });
  check('is none if it is the second page of the spread on the screen', () => {
    const here = withSpread({ page: 5, share: 1 }, [5, 6]);
    assert.is(furtherOnOtherDevice(at(7, 1), null, here), null);
    assert.equal(furtherOnOtherDevice(at(8, 1), null, here), start(7));
    assert.equal([withSpread(HERE, null), withSpread(HERE, [5, 6])], [HERE, HERE]);
  });
  check('is told once, and again when it is another', () => {
    assert.is(furtherOnOtherDevice(at(40, 1), at(40, 1), HERE), null);
    assert.equal(furtherOnOtherDevice(at(40, 2), at(40, 1), HERE), start(39));
    assert.equal(furtherOnOtherDevice(at(41, 1), at(40, 1), HERE), start(40));
    assert.is(furtherOnOtherDevice(at(40, 1, 0.5), at(40, 1, 0.5), HERE), null);
  });
  check('within the same page, is news only beyond what was on the screen', () => {
    const here = { page: 2, share: 0.3 };
    assert.equal(furtherOnOtherDevice(at(3, 1, 0.48), at(3, 0, 0.1), here), { page: 2, share: 0.48 });
    assert.equal(furtherOnOtherDevice(at(3, 1, 0.48), at(3, 1, 0.1), here), { page: 2, share: 0.48 });
    assert.is(furtherOnOtherDevice(at(3, 1, 0.3), null, here), null);
    assert.is(furtherOnOtherDevice(at(3, 1), null, here), null);
    assert.is(furtherOnOtherDevice(at(3, 1, 0.9), null, { page: 2, share: 1 }), null, 'where pages are turned');
    assert.is(furtherOnOtherDevice(at(2, 1, 0.9), null, here), null);
    assert.equal(furtherOnOtherDevice(at(4, 1, 0.2), null, here), { page: 3, share: 0.2 });
  });
  check('the order of places is that of pages, then of what comes before inside them', () => {
    assert.ok(isFurther({ page: 1, share: 0 }, { page: 0, share: 1 }));
    assert.ok(isFurther({ page: 1, share: 0.2 }, { page: 1, share: 0.1 }));
    assert.not(isFurther({ page: 1, share: 0.1 }, { page: 1, share: 0.1 }));
    assert.not(isFurther({ page: 0, share: 1 }, { page: 1, share: 0 }));
  });
});

block("progress in the server's answer", (check) => {
  check('is a page, the place inside it and a time', () => {
    assert.equal(progressIn({ ...at(3, 1), completed: false }), at(3, 1));
    assert.equal(progressIn({ ...at(3, 1, 0.25), bookId: 'x' }), at(3, 1, 0.25));
    assert.equal(progressIn({ currentPage: 3, updatedAt: at(3, 1).updatedAt }), at(3, 1));
    assert.equal(progressIn({ ...at(3, 1), pageOffset: 'half' }), at(3, 1));
  });
  check('is null for an unread book, and without a valid page', () => {
    for (const answer of [
      undefined,
      null,
      '',
      {},
      { ...at(1, 1), currentPage: undefined },
      { ...at(1, 1), currentPage: null, updatedAt: null },
      at(Number.NaN, 1),
      at(0, 1),
    ])
      assert.is(progressIn(answer), null);
  });
});

block('where a book opens', (check) => {
  const place = (page: number, share: number, read: number | null = page) => ({ anchor: { page, share }, read });
  const none = {
    read: null,
    offset: null,
    isCompleted: false,
    wanted: null,
    left: undefined,
    saved: undefined,
    pageCount: 10,
  };
  const begin = (given: Partial<OpeningState>) => {
    const { page, share } = openingAnchor({ ...none, ...given });
    return [page, share];
  };
  check('at the start of the last page read, unless more is known', () => {
    assert.equal(begin({}), [0, 0]);
    assert.equal(begin({ read: 4 }), [4, 0]);
    assert.equal(begin({ read: 40 }), [9, 0]);
  });
  check('at the saved position within the page, if that is still the page', () => {
    assert.equal(begin({ read: 4, saved: place(4, 0.3) }), [4, 0.3]);
    assert.equal(begin({ read: 5, saved: place(4, 0.3) }), [5, 0]);
    assert.equal(begin({ read: 4, saved: place(4, 0.3), left: place(4, 0.6) }), [4, 0.6]);
  });
  check('at the place within the page that another device reported, unless this one has shown exactly that', () => {
    const opened = openingAnchor({ ...none, read: 4, offset: 0.48, saved: place(4, 0.3) });
    assert.equal(opened, { page: 4, share: 0, above: 0.48 });
    assert.equal(begin({ read: 4, offset: 0.48, saved: { ...place(4, 0.5), offset: 0.48 } }), [4, 0.5]);
    assert.equal(begin({ read: 4, offset: null, saved: { ...place(4, 0.5), offset: 0.48 } }), [4, 0]);
    assert.equal(begin({ read: 9, offset: 0.48, isCompleted: true }), [0, 0]);
  });
  check('on a last page that does not count as read yet, because its end was not seen', () => {
    assert.equal(begin({ read: 8, saved: place(9, 0.5, 8) }), [9, 0.5]);
    assert.equal(begin({ pageCount: 1, saved: place(0, 0.5, null) }), [0, 0.5]);
  });
  check('from the start if it was read to the end, except on a reload', () => {
    assert.equal(begin({ read: 9, isCompleted: true, saved: place(9, 0.9) }), [0, 0]);
    assert.equal(begin({ read: 9, isCompleted: true, left: place(9, 0.9) }), [9, 0.9]);
  });
  check('at the page in the address, until the reader has read on from there', () => {
    assert.equal(begin({ read: 4, wanted: '3', saved: place(4, 0.3) }), [2, 0]);
    assert.equal(begin({ read: 4, wanted: 'last' }), [9, 1]);
    assert.equal(begin({ read: 4, wanted: '3', left: place(4, 0.3) }), [4, 0.3]);
    assert.equal(begin({ read: 4, wanted: 'x' }), [4, 0]);
  });
  check('malformed stored positions are ignored', () => {
    assert.equal(keptPlaceIn(place(4, 0.5)), place(4, 0.5));
    const exact = { anchor: { page: 4, share: 0, above: 0.2 }, read: 4, offset: 0.2 };
    assert.equal(keptPlaceIn(exact), exact);
    assert.equal(keptPlaceIn({ ...place(4, 0.5), offset: 7 }), place(4, 0.5));
    for (const stored of [null, 3, {}, place(-1, 0), place(1, 2), place(1, Number.NaN), { anchor: {}, read: 1 }])
      assert.is(keptPlaceIn(stored), undefined);
  });
});

block('sheets of small pages', (check) => {
  check('a page has its cell on its sheet', () => {
    assert.equal(cellOf(0), { sheet: 1, column: 0, row: 0 });
    assert.equal(cellOf(23), { sheet: 1, column: 5, row: 3 });
    assert.equal(cellOf(24), { sheet: 2, column: 0, row: 0 });
    assert.equal(cellOf(37), { sheet: 2, column: 1, row: 2 });
  });
  check('the sheet is moved so that the cell fills its box', () =>
    assert.equal(sheetStyle(cellOf(37)), { width: '600%', height: '400%', left: '-100%', top: '-200%' }),
  );
});
