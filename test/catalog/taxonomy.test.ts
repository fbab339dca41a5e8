// Genres and tags: a series has those of its books, whatever happens to the books, unless a user locked its list.
import { renameSync } from 'node:fs';
import { join } from 'node:path';
import { writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { comicInfo, namesOf, withShelf } from './told-shelf.js';

const unions = (check: Check): void => {
  check('a series has the genres and tags of its books; it loses one with the last book that has it', () =>
    withShelf(async (shelf) => {
      const series = await shelf.seriesId('Alpha');
      const genres = async (): Promise<string[]> => namesOf(await shelf.api('GET', `/series/${series}/genres`));
      await shelf.analyse('A1.cbz', { genres: ['Action', 'Drama'], tags: ['space'] });
      await shelf.analyse('A2.cbz', { genres: [' action ', 'Horror'] });
      assert.equal(await genres(), ['Action', 'Drama', 'Horror']);
      assert.equal(namesOf(await shelf.api('GET', `/series/${series}/tags`)), ['space']);
      await shelf.analyse('A1.cbz', { genres: ['Drama'] });
      assert.equal(await genres(), ['Action', 'Drama', 'Horror']);
      await shelf.analyse('A2.cbz', {});
      assert.equal(await genres(), ['Drama']);
      assert.equal(namesOf(await shelf.api('GET', `/series/${series}/tags`)), []);
    }),
  );
  check(
    'names from files are cleaned: no half characters, no control characters, no overlong names, no duplicates',
    () =>
      withShelf(async (shelf) => {
        const hostile = ['\ud800', 'a\0b', '', '  ', 'A B', 'x'.repeat(300), '"); DROP TABLE tag; --', 'ｘ'];
        await shelf.analyse('A1.cbz', { tags: hostile, year: 1e300, ageRating: 1.5 });
        const names = namesOf(await shelf.api('GET', `/books/${await shelf.bookId('A1.cbz')}/tags`));
        assert.equal(names, ['"); DROP TABLE tag; --', 'a b', 'ｘ', 'x'.repeat(200), '\ufffd']);
        const { year, ageRating } = await shelf.api('GET', `/series/${await shelf.seriesId('Alpha')}/metadata`);
        assert.equal([year, ageRating], [null, null]);
      }),
  );
  check('a locked list of a series or a book stays; an unlocked one of a series follows its books at once', () =>
    withShelf(async (shelf) => {
      const series = await shelf.seriesId('Alpha');
      const book = await shelf.bookId('A2.cbz');
      const of = async (path: string): Promise<string[]> => namesOf(await shelf.api('GET', `${path}/genres`));
      await shelf.analyse('A1.cbz', { genres: ['Action'] });
      await shelf.api('PUT', `/series/${series}/genres`, { genres: ['Mine'] });
      await shelf.api('POST', `/books/${book}/genres`, { name: 'Also mine' });
      await shelf.analyse('A1.cbz', { genres: ['Horror'] });
      await shelf.analyse('A2.cbz', { genres: ['Horror'] });
      assert.equal([await of(`/series/${series}`), await of(`/books/${book}`)], [['Mine'], ['Also mine']]);
      await shelf.api('PUT', `/series/${series}/metadata/locks`, { genres: false });
      assert.equal(await of(`/series/${series}`), ['Also mine', 'Horror']);
    }),
  );
  check('a book that is removed, returns or moves takes its genres along', () =>
    withShelf(async (shelf) => {
      const genres = async (name: string): Promise<string[]> =>
        namesOf(await shelf.api('GET', `/series/${await shelf.seriesId(name)}/genres`));
      await shelf.analyse('A1.cbz', { genres: ['Action'] });
      writeBook(shelf.path('Alpha', 'A2.cbz'), 1, 'a2', comicInfo({ Title: 'Second', Genre: 'Horror' }));
      renameSync(shelf.path('Alpha', 'A1.cbz'), join(shelf.temp.folder, 'aside.cbz'));
      await shelf.scan();
      assert.equal(await genres('Alpha'), ['Horror']);
      renameSync(join(shelf.temp.folder, 'aside.cbz'), shelf.path('Alpha', 'A1.cbz'));
      await shelf.scan();
      assert.equal(await genres('Alpha'), ['Action', 'Horror']);
      renameSync(shelf.path('Alpha', 'A2.cbz'), shelf.path('Beta', 'A2.cbz'));
      await shelf.scan();
      assert.equal([await genres('Alpha'), await genres('Beta')], [['Action'], ['Horror']]);
    }),
  );
  check('a deleted term is gone everywhere, and cleaning deletes only unused terms', () =>
    withShelf(async (shelf) => {
      await shelf.analyse('A1.cbz', { tags: ['kept', 'dropped'] });
      await shelf.analyse('A1.cbz', { tags: ['kept'] });
      assert.equal(await shelf.api('POST', '/tags/cleanup'), { deletedCount: 1, deletedNames: ['dropped'] });
      const { data } = await shelf.api('GET', '/tags');
      assert.equal([data.length, data[0].name, data[0].seriesCount], [1, 'kept', 1]);
      await shelf.api('DELETE', `/tags/${data[0].id}`);
      assert.equal(namesOf(await shelf.api('GET', `/series/${await shelf.seriesId('Alpha')}/tags`)), []);
    }),
  );
};

block('genres and tags', unions);
