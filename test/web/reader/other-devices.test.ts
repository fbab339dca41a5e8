// Progress made on another device, and sheets of small pages: the rules of both.
import { furtherOnOtherDevice } from '../../../http/web/client/reader/rules/other-devices.js';
import { cellOf, sheetStyle } from '../../../http/web/client/reader/rules/sheets.js';
import { assert, block } from '../../kit.js';

const at = (currentPage: number, minute: number) => ({ currentPage, updatedAt: `2026-01-01T00:0${minute}:00Z` });

block('progress on other devices', (check) => {
  check('is news if it is further than anything of this visit', () => {
    assert.is(furtherOnOtherDevice(at(40, 1), null, 11), 39);
    assert.is(furtherOnOtherDevice(at(40, 1), at(12, 0), 11), 39);
  });
  check('is none if it is not further, whoever told it', () => {
    assert.is(furtherOnOtherDevice(at(12, 1), null, 11), null);
    assert.is(furtherOnOtherDevice(at(3, 1), at(40, 0), 11), null);
    assert.is(furtherOnOtherDevice(null, at(40, 0), 11), null);
    assert.is(furtherOnOtherDevice(undefined, null, 0), null);
  });
  check('is told once, and again when it is another', () => {
    assert.is(furtherOnOtherDevice(at(40, 1), at(40, 1), 11), null);
    assert.is(furtherOnOtherDevice(at(40, 2), at(40, 1), 11), 39);
    assert.is(furtherOnOtherDevice(at(41, 1), at(40, 1), 11), 40);
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
