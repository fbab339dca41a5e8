// How a title is shown on a narrow card: always with its number.
import { partsOf } from '../../http/web/client/parts/title-parts.js';
import { assert, block } from '../kit.js';

block('titles on cards', (check) => {
  check('a title that starts with the name of its series is shown without it, and read out in full', () => {
    for (const [title, series, before, shown] of [
      ['Vesper Street 05', 'Vesper Street', 'Vesper Street ', '05'],
      ['vesper street #5', 'Vesper Street', 'vesper street ', '#5'],
      ['Vesper Street 05', 'Vesper Street (2018)', 'Vesper Street ', '05'],
      ['Vesper Street (2018) 05', 'Vesper Street (2018)', 'Vesper Street (2018) ', '05'],
      ['Vesper Street - The Long Way 2', 'Vesper Street', 'Vesper Street - ', 'The Long Way 2'],
    ] as const)
      assert.equal(partsOf(title, series), { before, shown, end: '' }, title);
  });
  check('otherwise, the number at its end is never truncated', () => {
    for (const [title, shown, end] of [
      ['The Cartographer 12', 'The Cartographer', '12'],
      ['Harbour v03', 'Harbour', 'v03'],
      ['The Old Pier (2019)', 'The Old Pier', '(2019)'],
    ] as const)
      assert.equal(partsOf(title), { before: '', shown, end }, title);
  });
  check('a title without a number, or with nothing else, is one piece', () => {
    for (const [title, series] of [
      ['Harbour', 'Harbour'],
      ['Harbourmaster', 'Harbour'],
      ['The Cartographer', ''],
      ['1984', ''],
      ['Harbour 1234567890123', ''],
      ['Harbour -', 'Harbour'],
    ] as const)
      assert.equal(partsOf(title, series), { before: '', shown: title, end: '' }, title);
  });
});
