// Collections and read lists while files are added, removed and moved: names, places and counts stay right.

import { renameSync } from 'node:fs';
import { join } from 'node:path';
import type { ListKind } from '../../core/catalog/collections/kinds.js';
import { createList, listById } from '../../core/catalog/collections/lists.js';
import { addMembers, MEMBERS_MAX, orderMembers } from '../../core/catalog/collections/members.js';
import { AppError } from '../../core/model/errors.js';
import { newId, uuidOfHex } from '../../core/model/ids.js';
import { unrestricted } from '../../core/model/viewer.js';
import { SYSTEM } from '../../core/store/feed.js';
import { until } from '../app.js';
import { assert, block, type Check, thrownBy } from '../kit.js';
import { type Shelf, withShelf } from './told-shelf.js';

const NOBODY = 0;

const make = (shelf: Shelf, kind: ListKind, name: string) =>
  createList(shelf.temp.app.db, shelf.temp.app.clock, kind, unrestricted(NOBODY), { name, ordered: true });

const kindOf = async (body: () => unknown): Promise<string> => {
  const thrown = await thrownBy(body);
  return thrown instanceof AppError ? thrown.kind : String(thrown);
};

/** Titles of the books of a read list, as a client sees them. */
const titles = async (shelf: Shelf, id: string): Promise<string[]> =>
  (await shelf.api('GET', `/readlists/${id}/books`)).map((book: { title: string }) => book.title);

/** A read list of these files, in this order. */
const listOf = async (shelf: Shelf, fileNames: readonly string[]): Promise<string> => {
  const { id } = await shelf.api('POST', '/readlists', { name: 'Mine' });
  const bookIds = await Promise.all(fileNames.map(shelf.bookId));
  await shelf.api('POST', `/readlists/${id}/books`, { bookIds });
  return id;
};

/** A collection of these series, in this order. */
const collectionOf = async (shelf: Shelf, names: readonly string[]): Promise<string> => {
  const { id } = await shelf.api('POST', '/collections', { name: 'Mine', ordered: true });
  const seriesIds = await Promise.all(names.map(shelf.seriesId));
  await shelf.api('POST', `/collections/${id}/series`, { seriesIds });
  return id;
};

const badInput = (check: Check): void => {
  check('an empty name and one that is too long are refused', () =>
    withShelf(async (shelf) => {
      for (const name of ['', ' \t\n', '\0\u0007', 'x'.repeat(256), '\u{1f600}'.repeat(256)])
        assert.is(await kindOf(() => make(shelf, 'collection', name)), 'BadRequest', JSON.stringify(name).slice(0, 20));
      assert.is((await make(shelf, 'collection', ` ${'\u{1f600}'.repeat(255)} `)).name.length, 510);
    }),
  );
  check('names are unique in any case and spelling, among lists of one kind', () =>
    withShelf(async (shelf) => {
      assert.is((await make(shelf, 'collection', '  Große   Reise\0 ')).name, 'Große Reise');
      for (const name of ['große reise', 'GROSSE REISE', 'Gro\u00dfe Re\uff49se'])
        assert.is(await kindOf(() => make(shelf, 'collection', name)), 'Conflict', name);
      await make(shelf, 'read_list', 'Große Reise');
      await make(shelf, 'collection', "'); DROP TABLE collection; --");
      assert.is((await make(shelf, 'collection', '\ud800')).name, '\ufffd');
    }),
  );
  check(
    `a list has at most ${MEMBERS_MAX} members, hidden ones included, and is walked once although the statistics are stale`,
    () =>
      withShelf(async (shelf) => {
        const { db, clock } = shelf.temp.app;
        const ids = Array.from({ length: MEMBERS_MAX + 1 }, () => newId(clock.now()));
        await db.write(SYSTEM, 'interactive', (tx) =>
          tx.run(
            `INSERT INTO series (uuid, library_id, path, name, name_sort, book_count, created_at, updated_at)
           SELECT unhex(value), 1, '/' || key, key, key, 1, 0, 0 FROM json_each(?)`,
            [JSON.stringify(ids)],
          ),
        );
        const startedMs = performance.now();
        const { id, key } = await make(shelf, 'collection', 'Large');
        const named = ids.map((hex, at) => ({ id: uuidOfHex(hex), path: `seriesIds[${at}]` }));
        assert.is(
          await kindOf(() => addMembers(db, clock, 'collection', unrestricted(NOBODY), id, named)),
          'BadRequest',
        );
        assert.is((await listById(db, 'collection', unrestricted(NOBODY), id)).memberCount, 0);
        await addMembers(db, clock, 'collection', unrestricted(NOBODY), id, named.slice(1));
        await db.write(SYSTEM, 'interactive', (tx) => tx.run('UPDATE series SET book_count = 0 WHERE name_sort < 9'));
        assert.is(
          await kindOf(() => addMembers(db, clock, 'collection', unrestricted(NOBODY), id, named.slice(0, 1))),
          'BadRequest',
        );
        await orderMembers(db, clock, 'collection', unrestricted(NOBODY), id, named.slice(1).reverse());
        assert.is((await shelf.api('GET', `/collections/${id}/series`)).length, 500);
        assert.ok(performance.now() - startedMs < 10_000, 'no step looks at each series for each other');
        const [last] = await db.all<{ name: string }>(
          'SELECT s.name FROM collection_series m JOIN series s ON s.id = m.series_id WHERE m.collection_id = ? ORDER BY m.position DESC LIMIT 1',
          [key],
        );
        assert.is(last?.name, '1');
      }),
  );
};

const order = (check: Check): void => {
  check('the order is kept when a book is removed, added again, and when another is added', () =>
    withShelf(async (shelf) => {
      const id = await listOf(shelf, ['B1.cbz', 'A3.cbz', 'A1.cbz']);
      await shelf.api('DELETE', `/readlists/${id}/books/${await shelf.bookId('A3.cbz')}`);
      assert.equal(await titles(shelf, id), ['B1', 'First']);
      const bookIds = [await shelf.bookId('A2.cbz'), await shelf.bookId('A3.cbz'), await shelf.bookId('B1.cbz')];
      const list = await shelf.api('POST', `/readlists/${id}/books`, { bookIds });
      assert.equal([await titles(shelf, id), list.bookCount], [['B1', 'First', 'Second', 'A3'], 4]);
    }),
  );
  check('a new order puts the named ones first; the others, including hidden ones, keep their order', () =>
    withShelf(async (shelf) => {
      const id = await listOf(shelf, ['A1.cbz', 'A2.cbz', 'A3.cbz', 'B1.cbz']);
      renameSync(shelf.path('Alpha', 'A2.cbz'), join(shelf.temp.folder, 'aside.cbz'));
      await shelf.scan();
      const bookIds = [await shelf.bookId('B1.cbz'), await shelf.bookId('A3.cbz')];
      await shelf.api('PUT', `/readlists/${id}/books`, { bookIds });
      assert.equal(await titles(shelf, id), ['B1', 'A3', 'First']);
      renameSync(join(shelf.temp.folder, 'aside.cbz'), shelf.path('Alpha', 'A2.cbz'));
      await shelf.scan();
      assert.equal(await titles(shelf, id), ['B1', 'A3', 'First', 'Second']);
    }),
  );
};

const files = (check: Check): void => {
  check('a book whose file is gone is hidden and not counted, and returns to its place with the file', () =>
    withShelf(async (shelf) => {
      const id = await listOf(shelf, ['A1.cbz', 'A2.cbz', 'A3.cbz']);
      const gone = await shelf.bookId('A2.cbz');
      renameSync(shelf.path('Alpha', 'A2.cbz'), join(shelf.temp.folder, 'aside.cbz'));
      await shelf.scan();
      assert.equal(await titles(shelf, id), ['First', 'A3']);
      assert.is((await shelf.api('GET', `/readlists/${id}`)).bookCount, 2);
      assert.is((await shelf.api('GET', `/readlists/${id}/books?pageSize=1&page=3`)).length, 0);
      assert.equal(await shelf.api('GET', `/books/${gone}/readlists`), { items: [], total: 0 });
      renameSync(join(shelf.temp.folder, 'aside.cbz'), shelf.path('Alpha', 'A2.cbz'));
      await shelf.scan();
      assert.equal(await titles(shelf, id), ['First', 'Second', 'A3']);
      assert.equal((await shelf.api('GET', `/books/${gone}/readlists`)).items[0].bookCount, 3);
    }),
  );
  check('a series without files is hidden and not counted, and returns to its place with them', () =>
    withShelf(async (shelf) => {
      const id = await collectionOf(shelf, ['Beta', 'Alpha']);
      const seen = async (): Promise<unknown> => {
        const members = await shelf.api('GET', `/collections/${id}/series`);
        const { seriesCount } = await shelf.api('GET', `/collections/${id}`);
        return [seriesCount, ...members.map((series: { title: string }) => series.title)];
      };
      renameSync(shelf.path('Beta', 'B1.cbz'), join(shelf.temp.folder, 'aside.cbz'));
      await shelf.scan();
      assert.equal(await seen(), [1, 'Alpha']);
      renameSync(join(shelf.temp.folder, 'aside.cbz'), shelf.path('Beta', 'B1.cbz'));
      await shelf.scan();
      assert.equal(await seen(), [2, 'Beta', 'Alpha']);
    }),
  );
  check('renamed or moved books, and series whose folder is renamed, stay in their lists', () =>
    withShelf(async (shelf) => {
      const id = await listOf(shelf, ['B1.cbz', 'A3.cbz', 'A1.cbz']);
      const collection = await collectionOf(shelf, ['Beta', 'Alpha']);
      const ids = async (): Promise<string[]> =>
        (await shelf.api('GET', `/readlists/${id}/books`)).map((book: { id: string }) => book.id);
      const before = await ids();
      renameSync(shelf.path('Alpha', 'A3.cbz'), shelf.path('Beta', 'moved.cbz'));
      await shelf.scan();
      renameSync(shelf.path('Beta'), shelf.path('Gamma'));
      await shelf.scan();
      assert.equal(await ids(), before);
      assert.equal(await titles(shelf, id), ['B1', 'moved', 'First']);
      const members = await shelf.api('GET', `/collections/${collection}/series`);
      assert.equal(
        members.map((series: { title: string }) => series.title),
        ['Gamma', 'Alpha'],
      );
    }),
  );
  check('a removed library takes its series and books out of the lists; the lists remain', () =>
    withShelf(async (shelf) => {
      const id = await listOf(shelf, ['A1.cbz']);
      const collection = await collectionOf(shelf, ['Alpha']);
      const [library] = (await shelf.api('GET', '/libraries')).data;
      await shelf.api('DELETE', `/libraries/${library.id}`);
      assert.is((await shelf.api('GET', `/readlists/${id}`)).bookCount, 0);
      assert.is((await shelf.api('GET', `/collections/${collection}`)).seriesCount, 0);
      const links = 'SELECT 1 FROM read_list_book UNION ALL SELECT 1 FROM collection_series';
      await until('the members are gone', async () => (await shelf.temp.app.db.all(links)).length === 0);
    }),
  );
};

block('collections and read lists', (check) => {
  for (const part of [badInput, order, files]) part(check);
});
