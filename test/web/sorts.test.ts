// Sort orders of walls, kept when switching between series and books.
import { SORTS, sortFor, sortIn, sortText } from '../../http/web/client/state/sorts.js';
import { assert, block } from '../kit.js';

block('orders of walls', (check) => {
  check('switching keeps an order that both walls know, by whatever name', () => {
    assert.equal(
      SORTS.series.map((sort) => sortFor('books', sort)),
      ['series,asc', 'date_added,desc', 'series,asc', 'last_read,desc', 'release_date,desc', 'series,asc'],
    );
    assert.equal(
      SORTS.books.map((sort) => sortFor('series', sort)),
      ['name,asc', 'name,asc', 'date_added,desc', 'date_read,desc', 'release_date,desc', 'name,asc'],
    );
  });
  check('the default order is not in the address, and replaces any that does not exist', () => {
    assert.is(sortText('books', 'series,asc'), '');
    assert.is(sortText('series', 'date_added,desc'), 'date_added,desc');
    assert.is(sortIn('series', 'page_count,desc'), 'name,asc');
    assert.is(sortIn('books', null), 'series,asc');
  });
});
