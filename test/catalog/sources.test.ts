// What is stored for each source of a book: its use in unlocking and clearing, and the state after migrating an older schema.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withConnection } from '../../core/store/connection.js';
import { ASPECTS, SYSTEM, updated } from '../../core/store/feed.js';
import { migrate } from '../../core/store/migrate.js';
import { MIGRATIONS } from '../../core/store/migrations/index.js';
import { writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { comicInfo, namesOf, withShelf } from './told-shelf.js';

const migrated = (check: Check): void => {
  check(
    'locked fields of an older schema become what the user says, the rest what the file says, which is incomplete',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'longbox-migrate-'));
      const path = join(folder, 'longbox.db');
      const writer = { name: 'Ann', role: 'author', sortName: null };
      const inker = { name: 'Bo', role: 'inker', sortName: null };
      const facts = {
        title: 'T"',
        year: 1999,
        blackAndWhite: true,
        subjects: ['a'],
        authors: [writer, inker],
        customMetadata: { shelf: [3] },
      };
      const rows: readonly (readonly [facts: object, locks: readonly string[]])[] = [
        [{ title: 'Plain' }, []],
        [facts, ['title', 'summary', 'writer', 'genres', 'cover']],
        [{ year: 1 }, ['tags']],
      ];
      const metadata = rows.map(([said, locks], index) => {
        const values = [JSON.stringify(said), JSON.stringify(locks)].map((text) => `'${text}'`);
        return `INSERT INTO book_metadata VALUES (${index + 1}, randomblob(16), ${values.join(', ')}, 1, 1);`;
      });
      try {
        await withConnection(path, (connection) =>
          connection.exec(
            `${MIGRATIONS.slice(0, 17).join(';')}; PRAGMA foreign_keys = OFF; ${metadata.join('')} PRAGMA user_version = 17;`,
          ),
        );
        await migrate(path, join(folder, 'backups'));
        const stored = await withConnection(path, (connection) =>
          connection.all(
            'SELECT json_array(book_id, source, json(facts), complete) AS row FROM book_source ORDER BY book_id, source',
          ),
        );
        assert.equal(
          (stored as { row: string }[]).map(({ row }) => JSON.parse(row)),
          [
            [1, 1, null, 0],
            [2, 0, { title: 'T"', summary: null, writer: [writer], customMetadata: { shelf: [3] } }, 1],
            [2, 1, { year: 1999, blackAndWhite: true, subjects: ['a'], authors: [inker] }, 0],
            [3, 1, { year: 1 }, 0],
          ],
        );
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  );
};

const books = (check: Check): void => {
  check('an unlocked field shows at once what the file says, without opening it; genres and numbers too', () =>
    withShelf(async (shelf) => {
      const id = await shelf.bookId('A2.cbz');
      await shelf.analyse('A2.cbz', { genres: ['Action'] });
      rmSync(shelf.path('Alpha', 'A2.cbz'));
      await shelf.api('PATCH', `/books/${id}/metadata`, { title: 'Mine', volume: 1, number: '9' });
      await shelf.api('PUT', `/books/${id}/genres`, { genres: ['Drama'] });
      const set = await shelf.api('GET', `/books/${id}`);
      assert.equal([set.title, set.volume, set.number], ['Mine', 1, 9]);
      const locks = { titleLock: false, volumeLock: false, numberLock: false, genresLock: false };
      await shelf.api('PUT', `/books/${id}/metadata/locks`, locks);
      const { title, volume, number, metadata } = await shelf.api('GET', `/books/${id}`);
      assert.equal([title, volume, number, metadata.title, metadata.volume], ['Second', 7, 2, 'Second', 7]);
      assert.equal(namesOf({ genres: (await shelf.api('GET', `/books/${id}/full`)).genres }), ['Action']);
    }),
  );
  check('a cleared field stays empty when the file is read again, until it says something new', () =>
    withShelf(async (shelf) => {
      const id = await shelf.bookId('A1.cbz');
      const summary = async (): Promise<unknown> => (await shelf.api('GET', `/books/${id}`)).summary;
      await shelf.api('PATCH', `/books/${id}/metadata`, { summary: null });
      await shelf.scan('?mode=deep');
      assert.is(await summary(), null);
      writeBook(shelf.path('Alpha', 'A1.cbz'), 2, 'a1 new', comicInfo({ Title: 'First', Summary: 'New.' }));
      await shelf.scan();
      assert.is(await summary(), 'New.');
    }),
  );
  check('a book of an older schema keeps what was unlocked and is read again', () =>
    withShelf(async (shelf) => {
      const id = await shelf.bookId('A1.cbz');
      await shelf.api('PUT', `/books/${id}/metadata/locks`, { summaryLock: true });
      await shelf.temp.app.db.write(SYSTEM, 'interactive', async (tx) => {
        tx.report(updated('book', 'all', ASPECTS.details));
        await tx.run("UPDATE book_source SET facts = '{}', complete = 0 WHERE source = 1");
      });
      await shelf.api('PUT', `/books/${id}/metadata/locks`, { summaryLock: false });
      assert.is((await shelf.api('GET', `/books/${id}`)).summary, 'Old.');
      const due = () => shelf.temp.app.db.all('SELECT file_name AS name FROM book WHERE due = 1');
      assert.equal(await due(), [{ name: 'A1.cbz' }]);
      await shelf.scan();
      assert.equal([await due(), (await shelf.api('GET', `/books/${id}`)).summary], [[], 'Old.']);
    }),
  );
  check('only facts that differ from the shown ones are stored twice', () =>
    withShelf(async (shelf) => {
      const rows = () =>
        shelf.temp.app.db.all(
          'SELECT source, facts FROM book_source JOIN book b ON b.id = book_id ORDER BY b.file_name, source',
        );
      const file = { source: 1, facts: null };
      assert.equal(await rows(), [file, file]);
      const id = await shelf.bookId('A2.cbz');
      await shelf.api('PATCH', `/books/${id}/metadata`, { title: 'Mine' });
      const facts = JSON.stringify({ title: 'Second', volume: 7 });
      assert.equal(await rows(), [file, { source: 0, facts: '{"title":"Mine"}' }, { source: 1, facts }]);
      await shelf.api('PUT', `/books/${id}/metadata/locks`, { titleLock: false });
      assert.equal(await rows(), [file, file]);
    }),
  );
};

block('sources of books: an older schema', migrated);
block('sources of books', books);
