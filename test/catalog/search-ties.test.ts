// Books and series that match a search equally well are sorted by title, whichever was added first.
import { writeBook } from '../app.js';
import { assert, block } from '../kit.js';
import { withShelf } from './told-shelf.js';

block('search: equal matches', (check) => {
  check('equal matches among books and series are sorted by title, numbers by value', () =>
    withShelf(async (shelf) => {
      const given = { One: 'Gulls 10', Three: 'Gulls 2', Two: 'Gulls 1' };
      for (const name of Object.keys(given)) writeBook(shelf.path(name, `${name}.cbz`), 1, name);
      await shelf.scan();
      for (const [name, title] of Object.entries(given)) {
        await shelf.api('PATCH', `/books/${await shelf.bookId(`${name}.cbz`)}/metadata`, { title });
        await shelf.api('PATCH', `/series/${await shelf.seriesId(name)}/metadata`, { title });
      }
      for (const rows of ['books', 'series']) {
        const { data } = await shelf.api('POST', `/${rows}/list`, { fullTextSearch: 'gulls' });
        const titles = data.map(({ title }: { title: string }) => title);
        assert.equal(titles, ['Gulls 1', 'Gulls 2', 'Gulls 10'], rows);
      }
    }),
  );
});
