// Metadata from files and users: what a migration keeps, what a new analysis may change, and what a series takes from its books.
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BookLock, columnsOf, NO_FACTS } from '../../core/catalog/book-facts.js';
import { bytesOfUuid } from '../../core/model/ids.js';
import { withConnection } from '../../core/store/connection.js';
import { migrate } from '../../core/store/migrate.js';
import { FIRST } from '../../core/store/migrations/0001-first.js';
import { MIGRATIONS } from '../../core/store/migrations/index.js';
import { writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { comicInfo, withShelf } from './told-shelf.js';

const kept = (check: Check): void => {
  check('rows of the previous schema survive the migration with their ids', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'longbox-migrate-'));
    const path = join(folder, 'longbox.db');
    const id = bytesOfUuid('01890000-0000-7000-8000-00000000000a').toString('hex');
    try {
      await withConnection(path, (connection) =>
        connection.exec(`${FIRST};
          INSERT INTO library (id, uuid, name, name_sort, root, created_at, updated_at) VALUES (1, unhex('${id}'), 'L', 'l', '/l', 1, 1);
          INSERT INTO folder (id, library_id, path) VALUES (1, 1, 'S');
          INSERT INTO series (id, uuid, library_id, path, name, name_sort, created_at, updated_at) VALUES (1, unhex('${id}'), 1, 'S', 'S', 's', 1, 1);
          INSERT INTO book (id, uuid, library_id, series_id, folder_id, file_name, file_size, file_mtime, format, title, title_sort, created_at, updated_at)
            VALUES (1, unhex('${id}'), 1, 1, 1, 'b.cbz', 1, 1, 'cbz', 'T', 't', 1, 1);
          INSERT INTO book_metadata VALUES (1, unhex('${id}'), 'T', NULL, '1½', 3, 'He said "so".', 5, 6);
          PRAGMA user_version = 1;`),
      );
      const rest = MIGRATIONS.slice(1).map((_, index) => index + 2);
      assert.equal(await migrate(path, join(folder, 'backups')), rest);
      const rows = await withConnection(path, (connection) =>
        connection.all('SELECT lower(hex(uuid)) AS id, facts, locks, created_at, updated_at FROM book_metadata'),
      );
      const facts = JSON.stringify({ title: 'T', number: '1½', volume: 3, summary: 'He said "so".' });
      assert.equal(rows, [{ id, facts, locks: '[]', created_at: 5, updated_at: 6 }]);
      const series = await withConnection(path, (connection) => connection.all('SELECT name, locks FROM series'));
      assert.equal(series, [{ name: 'S', locks: '[]' }]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
  check('a value set by a user is shown, else that of the strategy; a non-numeric number moves nothing', () => {
    const by = { title: 'stem', volume: 2, chapter: 3.5, number: 7.5 };
    const none = new Set<BookLock>();
    const shown = columnsOf({ ...NO_FACTS, title: 'Embedded', titleSort: 'Sort', number: 'one' }, none, by);
    assert.equal(
      [shown.title, shown.titleSort, shown.number, shown.volume, shown.chapter, shown.toldNumber],
      ['stem', 'stem', null, 2, 3.5, 7.5],
    );
    for (const [number, whole] of [
      ['0.5', 0],
      ['1,5', 1],
      ['12A', 12],
    ] as const)
      assert.is(columnsOf({ ...NO_FACTS, number }, none, by).number, whole);
    const locked = new Set<BookLock>(['title', 'volume', 'chapter']);
    const odd = columnsOf(
      { ...NO_FACTS, title: 'Mine', titleSort: 'Sort', volume: Number.NaN, chapter: Number.POSITIVE_INFINITY },
      locked,
      by,
    );
    assert.equal([odd.title, odd.titleSort, odd.volume, odd.chapter], ['Mine', 'sort', null, null]);
  });
};

const books = (check: Check): void => {
  check('values set by a user survive a deep scan and a changed file; the rest follows the file', () =>
    withShelf(async (shelf) => {
      const id = await shelf.bookId('A1.cbz');
      assert.equal((await shelf.api('GET', `/books/${id}`)).metadata.summary, 'Old.');
      await shelf.api('PATCH', `/books/${id}/metadata`, { title: 'My title', writer: 'Ann, Bob', year: 2001 });
      writeBook(shelf.path('Alpha', 'A1.cbz'), 2, 'a1 new', comicInfo({ Title: 'Other', Summary: 'New.' }));
      for (const query of ['', '?mode=deep']) {
        await shelf.scan(query);
        const book = await shelf.api('GET', `/books/${id}`);
        const { title, summary, writers, year, number } = book.metadata;
        assert.equal(
          [book.title, book.summary, book.pageCount, title, summary, writers, year, number],
          ['My title', 'New.', 2, 'My title', 'New.', ['Ann', 'Bob'], 2001, null],
        );
      }
    }),
  );
  check('an unlocked field goes back to the file with the next analysis, a locked empty one stays empty', () =>
    withShelf(async (shelf) => {
      const id = await shelf.bookId('A1.cbz');
      await shelf.api('PATCH', `/books/${id}/metadata`, { title: 'Mine', summary: 'Mine.' });
      await shelf.api('PUT', `/books/${id}/metadata/locks`, { titleLock: false });
      await shelf.api('PATCH', `/books/${id}/metadata`, { summary: null });
      await shelf.scan('?mode=deep');
      const book = await shelf.api('GET', `/books/${id}`);
      assert.equal([book.title, book.summary], ['First', null]);
    }),
  );
  check(
    'a book whose file says nothing has an empty record, keeps values set by a user, and is empty again once they are unlocked',
    () =>
      withShelf(async (shelf) => {
        const id = await shelf.bookId('A3.cbz');
        const { metadata } = await shelf.api('GET', `/books/${id}`);
        assert.equal([metadata.bookId, metadata.title, metadata.authors, metadata.writers], [id, null, [], []]);
        await shelf.api('PATCH', `/books/${id}`, { title: 'Named' });
        await shelf.scan('?mode=deep');
        const named = (await shelf.api('GET', `/books/${id}`)).metadata;
        assert.equal([named.title, named.id], ['Named', metadata.id]);
        await shelf.api('PUT', `/books/${id}/metadata/locks`, { titleLock: false });
        await shelf.scan('?mode=deep');
        const book = await shelf.api('GET', `/books/${id}`);
        assert.equal([book.title, book.metadata], ['A3', metadata]);
      }),
  );
  check('a number set by a user stays when the series is renumbered', () =>
    withShelf(async (shelf) => {
      const id = await shelf.bookId('A2.cbz');
      await shelf.api('PATCH', `/books/${id}`, { number: 42.5 });
      writeBook(shelf.path('Alpha', 'A0.cbz'), 1, 'a0');
      await shelf.scan();
      const list = await shelf.api('GET', `/series/${await shelf.seriesId('Alpha')}/books`);
      assert.equal(
        list.map(({ title, number }: { title: string; number: number }) => [title, number]),
        [
          ['A0', 1],
          ['First', 2],
          ['A3', 4],
          ['Second', 42],
        ],
      );
    }),
  );
  check('a renamed file keeps its facts and its locks', () =>
    withShelf(async (shelf) => {
      const id = await shelf.bookId('A2.cbz');
      await shelf.api('PATCH', `/books/${id}/metadata`, { publisher: 'House' });
      renameSync(shelf.path('Alpha', 'A2.cbz'), shelf.path('Alpha', 'A9 v3.cbz'));
      await shelf.scan();
      const { title, volume, metadata } = await shelf.api('GET', `/books/${id}`);
      assert.equal([title, volume, metadata.publisher], ['Second', 7, 'House']);
    }),
  );
};

const series = (check: Check): void => {
  check('the first book with series facts fills what is empty and not locked', () =>
    withShelf(async (shelf) => {
      const id = await shelf.seriesId('Alpha');
      await shelf.api('PUT', `/series/${id}/metadata/locks`, { imprint: true });
      const link = { source: 'comicinfo', url: 'https://example.com/1' };
      const volume = { source: 'comicvine', url: 'https://comicvine.gamespot.com/volume/4050-18436/' };
      const issue = { source: 'comicvine', url: 'https://comicvine.gamespot.com/issue/4000-7/' };
      const links = [link, volume, issue];
      await shelf.analyse('A1.cbz', { publisher: 'First House', imprint: 'No', ageRating: 13, links });
      await shelf.analyse('A2.cbz', {
        publisher: 'Second House',
        year: 1984,
        status: 'ended',
        readingDirection: 'rtl',
      });
      const found = await shelf.api('GET', `/series/${id}/metadata`);
      assert.equal(
        [found.publisher, found.imprint, found.year, found.status, found.ageRating, found.readingDirection],
        ['First House', null, 1984, 'ended', 13, null],
      );
      assert.equal([found.externalLinks[0].sourceName, found.externalLinks[0].url], [link.source, link.url]);
      const ids = new Map<string, string | null>();
      for (const { url, externalId } of found.externalLinks) ids.set(url, externalId);
      assert.equal(
        [link, volume, issue].map(({ url }) => ids.get(url)),
        [null, '18436', null],
      );
      const listed = (await shelf.api('GET', '/series')).data.find((one: { id: string }) => one.id === id);
      assert.equal([listed.publisher, listed.year, listed.summary], ['First House', 1984, 'Old.']);
    }),
  );
  check('a series without metadata takes summary, publisher and year of one book, unless one of them is locked', () =>
    withShelf(async (shelf) => {
      const told = { Summary: 'One.', Year: '1990', Writer: 'Ann Ames', Penciller: 'Bo Bell' };
      for (const [name, number] of [
        ['Blank', 1],
        ['Blank', 2],
        ['Locked', 1],
      ] as const)
        writeBook(shelf.path(name, `${name}${number}.cbz`), 1, name, comicInfo(number === 1 ? told : { Year: '1999' }));
      await shelf.scan();
      const seen = async (name: string): Promise<unknown[]> => {
        const { summary, year, publisher } = await shelf.api('GET', `/series/${await shelf.seriesId(name)}`);
        return [summary, year, publisher];
      };
      assert.equal(await seen('Blank'), ['One.', 1990, null]);
      const byAuthor = { condition: { author: { operator: 'is', value: 'bo bell' } } };
      const titles = ({ data }: { data: { title: string }[] }): string[] => data.map(({ title }) => title);
      assert.equal(titles(await shelf.api('POST', '/series/list', byAuthor)), ['Blank', 'Locked']);
      assert.equal(titles(await shelf.api('POST', '/series/list', { fullTextSearch: 'ames' })), ['Blank', 'Locked']);
      const locked = `/series/${await shelf.seriesId('Locked')}/metadata`;
      await shelf.api('DELETE', locked);
      await shelf.api('PUT', `${locked}/locks`, { publisher: true, authorsJsonLock: true });
      await shelf.scan('?mode=deep');
      assert.equal(await seen('Locked'), [null, null, null]);
      // Its books still credit them.
      assert.equal(titles(await shelf.api('POST', '/series/list', byAuthor)), ['Blank', 'Locked']);
    }),
  );
  check('the author filter finds a series by the authors of its books, and /people counts the same series', () =>
    withShelf(async (shelf) => {
      for (const [name, number, writer] of [
        ['Alone', 1, 'Ann Ames'],
        ['Alone', 2, 'Éva Zu'],
        ['Other', 1, 'Éva Zu'],
      ] as const)
        writeBook(shelf.path(name, `${name}${number}.cbz`), 1, name, comicInfo({ Writer: writer }));
      await shelf.scan();
      const found = async (operator: string, value?: string): Promise<string[]> => {
        const { data } = await shelf.api('POST', '/series/list', { condition: { author: { operator, value } } });
        return data.map(({ title }: { title: string }) => title);
      };
      const counts = async (): Promise<unknown[]> =>
        (await shelf.api('GET', '/people')).data.map((one: { name: string; seriesCount: number }) => [
          one.name,
          one.seriesCount,
        ]);
      assert.equal(await found('is', 'éva zu'), ['Alone', 'Other']);
      assert.equal(await found('isNot', 'Éva Zu'), ['Alpha', 'Beta']);
      assert.equal(await found('contains', 'VA Z'), ['Alone', 'Other']);
      assert.equal(await found('isNotNull'), ['Alone', 'Other']);
      assert.equal(await counts(), [
        ['Ann Ames', 1],
        ['Éva Zu', 2],
      ]);
      const second = `/books/${await shelf.bookId('Alone2.cbz')}/metadata`;
      await shelf.api('PATCH', second, { writer: 'Cy Cole' });
      assert.equal(await found('is', 'Éva Zu'), ['Other']);
      assert.equal(await found('is', 'Cy Cole'), ['Alone']);
    }),
  );
  check(
    'unlocking the title of a series restores that of its folder, and unlocking its sort title makes it follow',
    () =>
      withShelf(async (shelf) => {
        writeBook(shelf.path('Folder', 'Folder1.cbz'), 1, 'Folder', comicInfo({}));
        await shelf.scan();
        const record = `/series/${await shelf.seriesId('Folder')}/metadata`;
        const given = { title: 'Mine', titleSort: 'Zzz', totalChapterCount: 7 };
        const set = await shelf.api('PATCH', record, given);
        assert.equal([set.title, set.titleSort, set.locks.title, set.locks.titleSort], ['Mine', 'Zzz', true, true]);
        await shelf.api('PUT', `${record}/locks`, { title: false });
        const titled = await shelf.api('GET', record);
        assert.equal([titled.title, titled.titleSort], ['Folder', 'Zzz']);
        await shelf.api('PUT', `${record}/locks`, { titleSort: false, totalChapterCount: false });
        const sorted = await shelf.api('GET', record);
        assert.equal([sorted.title, sorted.titleSort, sorted.totalChapterCount], ['Folder', 'Folder', 7]);
        const found = await shelf.api('POST', '/series/list', { fullTextSearch: 'mine' });
        assert.equal(found.data, []);
      }),
  );
  check('a reset discards values set by users; the books fill them again, and their genres appear at once', () =>
    withShelf(async (shelf) => {
      const id = await shelf.seriesId('Alpha');
      await shelf.analyse('A1.cbz', { genres: ['Action'], year: 1984 });
      await shelf.api('PATCH', `/series/${id}/metadata`, { title: 'Mine', year: 1, status: 'hiatus' });
      await shelf.api('PUT', `/series/${id}/genres`, { genres: [] });
      const { title, year, status, genres, locks } = await shelf.api('DELETE', `/series/${id}/metadata`);
      assert.equal([title, year, status, genres[0].name, locks.title], ['Alpha', null, null, 'Action', false]);
      await shelf.analyse('A1.cbz', { genres: ['Action'], year: 1984 });
      assert.is((await shelf.api('GET', `/series/${id}`)).year, 1984);
    }),
  );
  check('a title set by a user stays when the folder is renamed; any other follows the folder', () =>
    withShelf(async (shelf) => {
      const id = await shelf.seriesId('Alpha');
      const titleAfter = async (from: string, to: string): Promise<string> => {
        renameSync(shelf.path(from), shelf.path(to));
        await shelf.scan();
        return (await shelf.api('GET', `/series/${id}`)).title;
      };
      assert.is(await titleAfter('Alpha', 'Gamma'), 'Gamma');
      await shelf.api('PATCH', `/series/${id}`, { title: 'Mine' });
      assert.is(await titleAfter('Gamma', 'Delta'), 'Mine');
      assert.is((await shelf.api('PATCH', `/series/${id}`, { title: null })).title, 'Delta');
    }),
  );
};

block('metadata: persistence', kept);
block('metadata: books', books);
block('metadata: series', series);
