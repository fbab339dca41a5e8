// What a scan does to the database when the folder changes: nothing is lost, ids stay, and if too much vanishes nothing is deleted.

import { renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { SYSTEM } from '../../core/store/feed.js';
import { BY_FILE_NAMES, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';

interface Shelf {
  readonly temp: TempApp;
  readonly token: string;
  readonly libraryId: string;
  path(...parts: readonly string[]): string;
}

/** Scans and returns the final status. */
const scan = async ({ temp, token, libraryId }: Shelf, query = '') => {
  const started = await temp.call('POST', `/api/v1/libraries/${libraryId}/scan${query}`, { token });
  assert.is(started.status, 200, started.json?.message);
  await until('the scan ends', () => temp.app.scans.active().length === 0);
  return (await temp.call('GET', `/api/v1/libraries/${libraryId}/scan-status`, { token })).json;
};

interface Row {
  readonly id: string;
  readonly title: string;
  readonly number: number | null;
  readonly seriesId: string;
  readonly seriesName: string;
  readonly pageCount: number;
  readonly analyzed: boolean;
  readonly analysisError: string | null;
  readonly fileFormat: string;
}

const books = async ({ temp, token }: Shelf): Promise<Row[]> =>
  (await temp.call('GET', '/api/v1/books?pageSize=500', { token })).json.data;

const titled = async (shelf: Shelf, title: string): Promise<Row> => {
  const found = (await books(shelf)).find((book) => book.title === title);
  if (found === undefined) throw new Error(`no book titled ${title}`);
  return found;
};

const withShelf = async (use: (shelf: Shelf) => Promise<void>): Promise<void> => {
  const temp = await tempApp();
  try {
    const token = await temp.tokenOf('admin');
    for (const n of [1, 2, 3, 10]) writeBook(join(temp.shelf, 'Alpha', `Alpha v${n}.cbz`), n, `alpha ${n}`);
    for (const n of [1, 2, 3]) writeBook(join(temp.shelf, 'Beta', `Beta ${n}.cbz`), 2, `beta ${n}`);
    writeBook(join(temp.shelf, 'Single.cbz'), 1, 'single');
    const body = { name: 'Shelf', path: temp.shelf, ...BY_FILE_NAMES };
    const made = await temp.call('POST', '/api/v1/libraries', { token, body });
    assert.is(made.status, 201, made.json?.message);
    const shelf: Shelf = { temp, token, libraryId: made.json.id, path: (...parts) => join(temp.shelf, ...parts) };
    const status = await scan(shelf);
    assert.equal([status.status, status.filesTotal, status.filesProcessed, status.errors], ['completed', 8, 8, []]);
    await use(shelf);
    await checkCounters(shelf);
    assert.equal(temp.faults, []);
  } finally {
    await temp.close();
  }
};

/** The counters equal a fresh count. */
const checkCounters = async ({ temp }: Shelf): Promise<void> => {
  const [row] = await temp.app.db.all<Record<string, number>>(
    `SELECT (SELECT book_count FROM library) = (SELECT count(*) FROM book WHERE deleted = 0) AS books,
       (SELECT series_count FROM library) = (SELECT count(DISTINCT series_id) FROM book WHERE deleted = 0) AS series,
       NOT EXISTS (SELECT 1 FROM series s WHERE book_count <> (SELECT count(*) FROM book b WHERE b.series_id = s.id AND b.deleted = 0)
         OR page_count <> (SELECT coalesce(sum(page_count), 0) FROM book b WHERE b.series_id = s.id AND b.deleted = 0)
         OR file_size <> (SELECT coalesce(sum(file_size), 0) FROM book b WHERE b.series_id = s.id AND b.deleted = 0)) AS exact`,
  );
  assert.equal(row, { books: 1, series: 1, exact: 1 });
};

const found = (check: Check): void => {
  check('finds series by folder, numbers books naturally, and a file in the root is a series of its own', () =>
    withShelf(async (shelf) => {
      const alpha = (await books(shelf))
        .filter((book) => book.seriesName === 'Alpha')
        .sort((a, b) => (a.number ?? 0) - (b.number ?? 0));
      assert.equal(
        alpha.map(({ title, number, pageCount }) => [title, number, pageCount]),
        [
          ['Alpha v1', 1, 1],
          ['Alpha v2', 2, 2],
          ['Alpha v3', 3, 3],
          ['Alpha v10', 4, 10],
        ],
      );
      assert.is((await titled(shelf, 'Single')).seriesName, 'Single');
    }),
  );
  check('an unchanged folder is not analysed again', () =>
    withShelf(async (shelf) => {
      const before = await shelf.temp.app.db.all('SELECT id, updated_at, due, revision FROM book ORDER BY id');
      shelf.temp.advance(60_000);
      assert.is((await scan(shelf)).filesProcessed, 8);
      assert.equal(await shelf.temp.app.db.all('SELECT id, updated_at, due, revision FROM book ORDER BY id'), before);
    }),
  );
  check('a new file is found; a changed one is analysed again and keeps its id', () =>
    withShelf(async (shelf) => {
      const old = await titled(shelf, 'Beta 2');
      const listed = async (): Promise<number> =>
        (await shelf.temp.call('GET', `/api/v1/books/${old.id}/pages`, { token: shelf.token })).json.length;
      assert.is(await listed(), 2);
      writeBook(shelf.path('Beta', 'Beta 2.cbz'), 5, 'other content');
      writeBook(shelf.path('Beta', 'Beta 4.cbz'), 1, 'new');
      await scan(shelf);
      assert.equal([(await titled(shelf, 'Beta 2')).id, (await titled(shelf, 'Beta 2')).pageCount], [old.id, 5]);
      assert.is(await listed(), 5);
      assert.is((await titled(shelf, 'Beta 4')).number, 4);
    }),
  );
  check('a deep scan reads everything again and changes only what changed', () =>
    withShelf(async (shelf) => {
      const before = await books(shelf);
      assert.is((await scan(shelf, '?mode=deep')).status, 'completed');
      assert.equal(
        (await books(shelf)).map(({ id, pageCount }) => [id, pageCount]),
        before.map(({ id, pageCount }) => [id, pageCount]),
      );
    }),
  );
  check('a deep scan sees content that changed behind an unchanged size and time', () =>
    withShelf(async (shelf) => {
      const path = shelf.path('Beta', 'Beta 3.cbz');
      const { mtime } = statSync(path);
      writeBook(path, 2, 'BETA 3');
      utimesSync(path, mtime, mtime);
      await scan(shelf, '?mode=deep');
      const [row] = await shelf.temp.app.db.all<{ revision: number }>(
        "SELECT revision FROM book WHERE file_name = 'Beta 3.cbz'",
      );
      assert.is(row?.revision, 1);
    }),
  );
};

const gone = (check: Check): void => {
  check('a removed file is hidden, and comes back with its id and progress', () =>
    withShelf(async (shelf) => {
      const { temp, token } = shelf;
      const old = await titled(shelf, 'Beta 3');
      await temp.call('PUT', `/api/v1/books/${old.id}/progress`, { token, body: { current_page: 1 } });
      renameSync(shelf.path('Beta', 'Beta 3.cbz'), join(temp.folder, 'aside.cbz'));
      await scan(shelf);
      assert.is((await books(shelf)).length, 7);
      assert.is((await temp.call('GET', `/api/v1/books/${old.id}/pages/1`, { token })).status, 404);
      renameSync(join(temp.folder, 'aside.cbz'), shelf.path('Beta', 'Beta 3.cbz'));
      await scan(shelf);
      assert.is((await titled(shelf, 'Beta 3')).id, old.id);
      assert.is((await temp.call('GET', `/api/v1/books/${old.id}/progress`, { token })).json.currentPage, 1);
    }),
  );
  check('a renamed file keeps id and progress', () =>
    withShelf(async (shelf) => {
      const { temp, token } = shelf;
      const old = await titled(shelf, 'Alpha v10');
      await temp.call('PUT', `/api/v1/books/${old.id}/progress`, { token, body: { current_page: 4 } });
      assert.is((await temp.call('GET', `/api/v1/books/${old.id}/pages/7`, { token })).status, 200);
      renameSync(shelf.path('Alpha', 'Alpha v10.cbz'), shelf.path('Alpha', 'Alpha v04.cbz'));
      await scan(shelf);
      const book = (await temp.call('GET', `/api/v1/books/${old.id}`, { token })).json;
      assert.ok(book.path.endsWith('Alpha v04.cbz'));
      assert.equal([book.title, book.volume, book.deleted, book.readProgress.currentPage], ['Alpha v04', 4, false, 4]);
      assert.is((await books(shelf)).length, 8);
      assert.is((await temp.call('GET', `/api/v1/books/${old.id}/pages/7`, { token })).status, 200);
    }),
  );
  check('a file moved to another series keeps its id', () =>
    withShelf(async (shelf) => {
      const old = await titled(shelf, 'Beta 1');
      renameSync(shelf.path('Beta', 'Beta 1.cbz'), shelf.path('Alpha', 'Beta 1.cbz'));
      await scan(shelf);
      const now = (await shelf.temp.call('GET', `/api/v1/books/${old.id}`, { token: shelf.token })).json;
      assert.equal([now.seriesName, now.deleted], ['Alpha', false]);
    }),
  );
  check('a renamed folder keeps the id of its series and of its books', () =>
    withShelf(async (shelf) => {
      const before = (await books(shelf)).filter((book) => book.seriesName === 'Beta');
      renameSync(shelf.path('Beta'), shelf.path('Gamma'));
      await scan(shelf);
      const after = (await books(shelf)).filter((book) => book.seriesName === 'Gamma');
      assert.equal(after.map(({ id }) => id).sort(), before.map(({ id }) => id).sort());
      assert.is(after[0]?.seriesId, before[0]?.seriesId);
    }),
  );
  check('a copy is a new book, not a move', () =>
    withShelf(async (shelf) => {
      const old = await titled(shelf, 'Beta 1');
      writeBook(shelf.path('Beta', 'Beta 1 copy.cbz'), 2, 'beta 1');
      await scan(shelf);
      assert.is((await books(shelf)).length, 9);
      assert.is((await titled(shelf, 'Beta 1')).id, old.id);
    }),
  );
  check('when more than half vanish at once nothing is removed, until the owner says so', () =>
    withShelf(async (shelf) => {
      rmSync(shelf.path('Alpha'), { recursive: true });
      rmSync(shelf.path('Single.cbz'));
      const status = await scan(shelf);
      assert.match(status.errors[0], /5 of 8 known files vanished/);
      assert.is((await books(shelf)).length, 8);
      await scan(shelf, '?acceptMissing=true');
      assert.is((await books(shelf)).length, 3);
    }),
  );
  check('an empty library folder removes nothing', () =>
    withShelf(async (shelf) => {
      for (const name of ['Alpha', 'Beta', 'Single.cbz']) rmSync(shelf.path(name), { recursive: true });
      assert.match((await scan(shelf)).errors[0], /is empty/);
      assert.is((await books(shelf)).length, 8);
    }),
  );
  check('a missing library folder fails the scan and removes nothing', () =>
    withShelf(async (shelf) => {
      renameSync(shelf.path(), `${shelf.path()}-away`);
      const status = await scan(shelf);
      assert.equal([status.status, /does not exist/.test(status.errors[0])], ['failed', true]);
      assert.is((await books(shelf)).length, 8);
      renameSync(`${shelf.path()}-away`, shelf.path());
    }),
  );
};

const hard = (check: Check): void => {
  check('a file that is not a book is listed with its error and does not stop the rest', () =>
    withShelf(async (shelf) => {
      writeFileSync(shelf.path('Alpha', 'Broken.cbz'), 'not a zip at all, only some text that goes on for a while');
      writeFileSync(shelf.path('Alpha', 'Empty.cbr'), '');
      writeBook(shelf.path('Alpha', 'Good.cbz'), 1, 'good');
      const status = await scan(shelf);
      assert.is(status.errors.length, 2);
      assert.match((await titled(shelf, 'Broken')).analysisError ?? '', /This file is text \(“not a zip at all/);
      assert.is((await titled(shelf, 'Empty')).fileFormat, 'cbr');
      assert.is((await titled(shelf, 'Good')).analyzed, true);
    }),
  );
  check('a file blamed twice is quarantined; those blamed once or suspected are read', () =>
    withShelf(async (shelf) => {
      const { db } = shelf.temp.app;
      writeBook(shelf.path('Alpha', 'Poison.cbz'), 1, 'poison');
      await db.write(SYSTEM, 'interactive', (tx) =>
        tx.run(
          "UPDATE book SET due = 1, attempts = 4 - substr(file_name, 8, 1) WHERE file_name GLOB 'Alpha v[123].cbz'",
        ),
      );
      await scan(shelf);
      assert.match((await titled(shelf, 'Alpha v1')).analysisError ?? '', /quarantined/);
      assert.is((await titled(shelf, 'Alpha v2')).analysisError, null);
      assert.is((await titled(shelf, 'Alpha v3')).analysisError, null);
      assert.is((await titled(shelf, 'Poison')).analyzed, true);
    }),
  );
  check('a cancelled scan stops, and the next one continues', () =>
    withShelf(async (shelf) => {
      const { temp, token, libraryId } = shelf;
      for (let n = 0; n < 200; n += 1) writeBook(shelf.path('Many', `Many ${n}.cbz`), 3, `many ${n}`);
      await temp.call('POST', `/api/v1/libraries/${libraryId}/scan`, { token });
      await until('books appear', async () => (await books(shelf)).length > 8);
      assert.is((await temp.call('POST', `/api/v1/libraries/${libraryId}/scan/cancel`, { token })).status, 204);
      assert.is(
        (await temp.call('GET', `/api/v1/libraries/${libraryId}/scan-status`, { token })).json.status,
        'cancelled',
      );
      assert.is((await temp.call('POST', `/api/v1/libraries/${libraryId}/scan/cancel`, { token })).status, 404);
      await scan(shelf);
      assert.is((await books(shelf)).filter((book) => book.analyzed).length, 208);
    }),
  );
  check('patterns and formats exclude files, and system files are never books', () =>
    withShelf(async (shelf) => {
      const { temp, token, libraryId } = shelf;
      for (const junk of ['@eaDir', '#recycle', '.Trash-1000/files', 'Beta/@Recycle', '$RECYCLE.BIN', 'lost+found'])
        writeBook(shelf.path(junk, 'left.cbz'), 1, junk);
      writeBook(shelf.path('Beta', '._left.cbz'), 1, 'x');
      writeBook(shelf.path('extras', 'thumb.cbz'), 1, 'x');
      writeBook(shelf.path('Beta', 'sample-1.CBZ'), 1, 'y');
      await temp.call('PUT', `/api/v1/libraries/${libraryId}`, {
        token,
        body: { excludedPatterns: 'extras\nSAMPLE-*.cbz' },
      });
      await scan(shelf);
      assert.is((await books(shelf)).length, 8);
      await temp.call('PATCH', `/api/v1/libraries/${libraryId}`, { token, body: { excludedPatterns: null } });
      await scan(shelf);
      assert.is((await books(shelf)).length, 10);
    }),
  );
};

block('scan: existing files', found);
block('scan: missing files', gone);
block('scan: failures', hard);
