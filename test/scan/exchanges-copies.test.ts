// A book whose path another one takes may be in the library a second time: what people did to it is not lost.
import { renameSync, utimesSync } from 'node:fs';
import { writeZip } from '../../bench/zip-writer.js';
import { assert, block } from '../kit.js';
import { type BookRow, type ChangingShelf, comicInfo, paged, withChangingShelf } from './changing-shelf.js';

const PAGES = 8;
const work = (name: string, tag: string, pages = PAGES): Buffer => writeZip([...paged(name, pages), comicInfo(tag)]);

interface Books {
  /** Its path is taken. */
  readonly taken: string;
  /** It takes that path. */
  readonly mover: string;
}

/** `Saga/A.cbz` is read to page 5, and `Saga/C.cbz` to page 3; both have titles of a user. `copies` have the content of A. */
const withBooks = (
  copies: readonly string[],
  use: (shelf: ChangingShelf, books: Books) => Promise<void>,
  pages = PAGES,
): Promise<void> =>
  withChangingShelf(async (shelf) => {
    for (let n = 1; n <= 9; n += 1) shelf.write(`Others/Other ${n}.cbz`, paged(`other ${n}`, 5));
    for (const name of ['A.cbz', ...copies]) shelf.put(`Saga/${name}`, work('one', 'first', pages));
    shelf.put('Saga/C.cbz', work('three', 'third'));
    utimesSync(shelf.path('Saga/C.cbz'), 3, 3);
    await shelf.scan();
    const [taken, mover] = [(await shelf.book('A.cbz')).id, (await shelf.book('C.cbz')).id];
    await shelf.read(taken, Math.min(5, pages - 1));
    await shelf.read(mover, 3);
    for (const [id, title] of [
      [taken, 'Mine A'],
      [mover, 'Mine C'],
    ])
      assert.is((await shelf.api('PATCH', `/books/${id}/metadata`, { title })).status, 200);
    await use(shelf, { taken, mover });
  });

/** Books of the series, and those that were removed from it. */
const withDeleted = async (shelf: ChangingShelf): Promise<readonly BookRow[]> => {
  const { seriesId } = await shelf.book('A.cbz');
  const { json } = await shelf.api('GET', `/series/${seriesId}/books?includeDeleted=true`);
  return json.data ?? json;
};

const take = (shelf: ChangingShelf): void => renameSync(shelf.path('Saga/C.cbz'), shelf.path('Saga/A.cbz'));

const hasMoved = async (shelf: ChangingShelf, { mover }: Books): Promise<void> => {
  const book = await shelf.book('A.cbz');
  assert.equal([book.id, book.title], [mover, 'Mine C']);
  assert.is((await shelf.progress(mover))?.currentPage, 3);
};

const hasHistory = async (shelf: ChangingShelf, name: string, page: number): Promise<void> => {
  const book = await shelf.book(name);
  assert.is(book.title, 'Mine A');
  assert.is((await shelf.progress(book.id))?.currentPage, page);
};

/** Nothing was exchanged: the row is at its path with all that it had. */
const hasStayed = async (shelf: ChangingShelf, { taken }: Books): Promise<void> => {
  assert.is((await shelf.book('A.cbz')).id, taken);
  await hasHistory(shelf, 'A.cbz', 5);
};

block('a book whose path another takes, and its copies', (check) => {
  check('an unchanged copy gets its history', () =>
    withBooks(['D.cbz'], async (shelf, books) => {
      take(shelf);
      await shelf.scan();
      await hasMoved(shelf, books);
      await hasHistory(shelf, 'D.cbz', 5);
      const all = await withDeleted(shelf);
      assert.not.ok(all.some(({ id }) => id === books.taken));
    }),
  );
  check('so does a copy that was retagged in the same scan', () =>
    withBooks(['D.cbz'], async (shelf, books) => {
      take(shelf);
      shelf.put('Saga/D.cbz', work('one', 'another tag of it'));
      await shelf.scan();
      await hasMoved(shelf, books);
      await hasHistory(shelf, 'D.cbz', 5);
    }),
  );
  check('so does a copy without checksums of pages', () =>
    withBooks(
      ['D.cbz'],
      async (shelf, books) => {
        take(shelf);
        await shelf.scan();
        await hasMoved(shelf, books);
        await hasHistory(shelf, 'D.cbz', 1);
      },
      2,
    ),
  );
  check('of two places of a reader, the further one stays', () =>
    withBooks(['D.cbz'], async (shelf, books) => {
      await shelf.read((await shelf.book('D.cbz')).id, 7);
      take(shelf);
      await shelf.scan();
      await hasMoved(shelf, books);
      await hasHistory(shelf, 'D.cbz', 7);
    }),
  );
  check('with two unchanged copies, nothing is exchanged', () =>
    withBooks(['D.cbz', 'E.cbz'], async (shelf, books) => {
      take(shelf);
      await shelf.scan();
      await hasStayed(shelf, books);
    }),
  );
  check('with its content in two new files, nothing is exchanged', () =>
    withBooks([], async (shelf, books) => {
      take(shelf);
      shelf.put('Saga/X.cbz', work('one', 'one of two'));
      shelf.put('Saga/Y.cbz', work('one', 'the other of two'));
      await shelf.scan();
      await hasStayed(shelf, books);
    }),
  );
  check('with its content at the paths of two others, nothing is exchanged, nor what follows from it', () =>
    withBooks([], async (shelf, books) => {
      for (const name of ['F.cbz', 'G.cbz', 'H.cbz']) shelf.put(`Saga/${name}`, work(name, name));
      await shelf.scan();
      const ids = [await shelf.book('F.cbz'), await shelf.book('G.cbz')].map(({ id }) => id);
      take(shelf);
      for (const name of ['F.cbz', 'G.cbz']) shelf.put(`Saga/${name}`, work('one', `at ${name}, now`));
      await shelf.scan();
      await hasStayed(shelf, books);
      assert.equal([(await shelf.book('F.cbz')).id, (await shelf.book('G.cbz')).id], ids);
    }),
  );
  check('while a changed file of its size cannot be read, nothing is exchanged', () =>
    withBooks(['D.cbz'], async (shelf, books) => {
      take(shelf);
      shelf.put('Saga/D.cbz', Buffer.alloc(work('one', 'first').length + 1));
      await shelf.scan();
      await hasStayed(shelf, books);
    }),
  );
  check('if its content is nowhere, it is removed, and back with its file', () =>
    withBooks([], async (shelf, books) => {
      take(shelf);
      await shelf.scan();
      await hasMoved(shelf, books);
      assert.not.ok((await shelf.books()).some(({ id }) => id === books.taken));
      const all = await withDeleted(shelf);
      assert.is(all.find(({ id }) => id === books.taken)?.path, shelf.path('Saga/A.cbz'), 'where it was last');
      shelf.put('Saga/Back.cbz', work('one', 'retagged'));
      await shelf.scan();
      assert.is((await shelf.book('Back.cbz')).id, books.taken);
      await hasHistory(shelf, 'Back.cbz', 5);
    }),
  );
});
