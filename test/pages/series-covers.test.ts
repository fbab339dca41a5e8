// The cover of a series that has no book with pages: the title of its first book, and never an error while there is a book.
import { assert, block } from '../kit.js';
import { type StockedShelf, stockedShelf } from '../shelf.js';

let shelf: StockedShelf;

block(
  'covers of series without pages',
  (check) => {
    check('a series whose books have no pages shows the title of its first book', async () => {
      const { id, pageCount } = await shelf.bookOf('text-only.cbz');
      assert.is(pageCount, 0);
      const { seriesId } = (await shelf.api('GET', `/books/${id}`)).json;
      const answer = await shelf.api('GET', `/series/${seriesId}/thumbnail`);
      assert.equal([answer.status, answer.header('content-type')], [200, 'image/jpeg']);
    });
  },
  {
    before: async () => {
      shelf = await stockedShelf(['text-only.cbz']);
    },
    after: () => shelf.temp.close(),
  },
);
