// Numbers of the books of a series, and titles made of them: by file order, by what files say, and with locks.
import { type NumberedBook, numberSeries } from '../../core/catalog/numbering.js';
import { type LibraryRules, PLAIN_RULES } from '../../core/model/strategies.js';
import { assert, block } from '../kit.js';

const bookOf = (id: number, fileName: string, rest: Partial<NumberedBook> = {}): NumberedBook => ({
  id,
  folder: '',
  fileName,
  title: fileName,
  number: null,
  volume: null,
  isNumberLocked: false,
  isTitleLocked: false,
  said: null,
  ...rest,
});

const numbered = (books: readonly NumberedBook[], rules: Partial<LibraryRules> = {}): unknown[] =>
  numberSeries(books, { ...PLAIN_RULES, ...rules }, 'Tales').map(({ id, number }) => [id, number]);

block('numbers of a series', (check) => {
  check('in file order a number follows from the siblings, folder by folder, and only changes are returned', () => {
    const books = [bookOf(1, '10.cbz'), bookOf(2, '2.cbz', { number: 1 }), bookOf(3, '1.cbz', { folder: 'Z' })];
    assert.equal(numbered(books), [
      [1, 2],
      [3, 3],
    ]);
  });
  check('a locked number stays and still counts as a position', () => {
    assert.equal(numbered([bookOf(1, '1.cbz', { number: 7, isNumberLocked: true }), bookOf(2, '2.cbz')]), [[2, 2]]);
  });
  check('a number in a file counts where the strategy uses it, and is stored as an integer', () => {
    const books = [bookOf(1, 'a.cbz', { said: '12.5' }), bookOf(2, 'b.cbz')];
    assert.equal(numbered(books, { numberStrategy: 'metadata' }), [[1, 12]]);
    assert.equal(numbered(books, { numberStrategy: 'smart' }), [
      [1, 12],
      [2, 2],
    ]);
  });
  check('a title made of the position follows it, unless it is locked', () => {
    const books = [bookOf(1, 'a.cbz'), bookOf(2, 'b.cbz', { isTitleLocked: true })];
    const titles = numberSeries(books, { ...PLAIN_RULES, bookStrategy: 'series_name' }, 'Tales');
    assert.equal(titles, [
      { id: 1, number: 1, title: 'Tales v.01', isRenamed: true },
      { id: 2, number: 2, title: 'b.cbz', isRenamed: false },
    ]);
  });
});
