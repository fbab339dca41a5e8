// Series whose books come, go or move: nobody sees a book under a rating lower than its own, and no series stays unsettled for good.
import { mkdtempSync, renameSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLibrary, type Library, libraryById } from '../../core/catalog/libraries.js';
import { uuidOfBytes } from '../../core/model/ids.js';
import type { Inspection } from '../../core/store/db.js';
import { ASPECTS, SYSTEM } from '../../core/store/feed.js';
import { openTasks } from '../../core/tasks/task-rows.js';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { feedCheck } from '../feed-check.js';
import { assert, block } from '../kit.js';

const rated = (rating: string): readonly { name: string; bytes: Uint8Array }[] => [
  { name: 'ComicInfo.xml', bytes: Buffer.from(`<ComicInfo><AgeRating>${rating}</AgeRating></ComicInfo>`) },
];

const EXPOSED = `SELECT b.file_name AS name FROM book b JOIN series s ON s.id = b.series_id JOIN book_source o ON o.book_id = b.id
  WHERE b.deleted = 0 AND o.series ->> '$.ageRating' > coalesce(s.age_rating, -1)`;

/** At the end of every transaction, looks for books rated higher than their series. */
const watching = (exposed: unknown[]): Inspection => ({
  setup: feedCheck.setup,
  begin: () => {
    const end = feedCheck.begin();
    return async (tx, reports) => {
      await end(tx, reports);
      exposed.push(...(await tx.all(EXPOSED)));
    };
  },
});

interface Shelf {
  readonly temp: TempApp;
  readonly exposed: unknown[];
  readonly library: Library;
  path(...parts: readonly string[]): string;
  /** Scans; returns how it ended. */
  scan(): Promise<string>;
  ratings(): Promise<unknown>;
}

/** A holds three books for everyone and one for adults, Z one for everyone. */
const withShelf = async (use: (shelf: Shelf) => Promise<void>): Promise<void> => {
  const exposed: unknown[] = [];
  const temp = await tempApp({ engine: { inspection: watching(exposed) } });
  const { app, shelf } = temp;
  try {
    writeBook(join(shelf, 'A', 'Adult.cbz'), 2, 'adult', rated('Adults Only 18+'));
    for (const n of [1, 2, 3]) writeBook(join(shelf, 'A', `Child ${n}.cbz`), 2, `child ${n}`, rated('Everyone'));
    writeBook(join(shelf, 'Z', 'Other.cbz'), 2, 'other', rated('Everyone'));
    const library = await createLibrary(app.db, app.clock, SYSTEM, { name: 'Shelf', path: shelf }, app.ownFolders);
    const made: Shelf = {
      temp,
      exposed,
      library,
      path: (...parts) => join(shelf, ...parts),
      scan: async () => {
        temp.advance(10_000);
        await app.scans.start(await libraryById(app.db, library.id), { mode: 'normal' });
        await until('the scan ends', () => app.scans.active().length === 0);
        return (await app.scans.status(library)).state;
      },
      ratings: () =>
        app.db.json(
          'SELECT json_group_array(json_array(name, age_rating)) FROM (SELECT * FROM series WHERE book_count > 0 ORDER BY name)',
        ),
    };
    assert.is(await made.scan(), 'completed');
    assert.equal(await made.ratings(), [
      ['A', 18],
      ['Z', 0],
    ]);
    await use(made);
    assert.equal(exposed, []);
  } finally {
    await temp.close();
  }
};

/** New books, so that the scan has to read files after it has found what moved or came back. */
const addBooks = ({ path }: Shelf): void => {
  for (let n = 0; n < 20; n += 1) writeBook(path('New', `New ${n}.cbz`), 1, `new ${n}`);
};

const HOUSE = {
  name: 'ComicInfo.xml',
  bytes: Buffer.from('<ComicInfo><Number>7</Number><Publisher>House</Publisher></ComicInfo>'),
};
const SERIES = 3;
/** More than one transaction stores (scan/pace.ts). */
const BOOKS = 70;

/** A library numbered by what files say, not scanned yet. The folder stays, so that another engine can start with it. */
const inFolder = async (use: (folder: string, library: Library) => Promise<void>): Promise<void> => {
  const folder = mkdtempSync(join(tmpdir(), 'longbox-due-'));
  try {
    for (let series = 1; series <= SERIES; series += 1)
      for (let n = 1; n <= BOOKS; n += 1)
        writeBook(join(folder, 'shelf', `${series}`, `${series}-${n}.cbz`), 1, `${series} ${n}`, [HOUSE]);
    const library = await started(folder, ({ app, shelf }) =>
      createLibrary(
        app.db,
        app.clock,
        SYSTEM,
        { name: 'S', path: shelf, rules: { numberStrategy: 'metadata' } },
        app.ownFolders,
      ),
    );
    await use(folder, library);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

const started = async <T>(folder: string, use: (temp: TempApp) => Promise<T>): Promise<T> => {
  const temp = await tempApp({ folder });
  try {
    return await use(temp);
  } finally {
    await temp.close();
  }
};

const scanned = async ({ app }: TempApp, library: Library): Promise<string> => {
  await app.scans.start(await libraryById(app.db, library.id), { mode: 'normal' });
  await until('the scan ends', () => app.scans.active().length === 0);
  return (await app.scans.status(library)).state;
};

/** What fails: the n-th book is not marked as attempted, or no series can be settled. */
const FAILURES = {
  reading: `BEFORE UPDATE OF attempts ON book WHEN new.file_name = '2-1.cbz'`,
  settling: 'BEFORE UPDATE OF due ON series WHEN old.due <> 0 AND new.due = 0',
} as const;

const fail = ({ app }: TempApp, what: keyof typeof FAILURES): Promise<number> =>
  app.db.write(SYSTEM, 'interactive', (tx) =>
    tx.run(`CREATE TRIGGER fails ${FAILURES[what]} BEGIN SELECT RAISE(ABORT, 'cut short'); END`),
  );

const work = ({ app }: TempApp): Promise<number> =>
  app.db.write(SYSTEM, 'interactive', (tx) => tx.run('DROP TRIGGER fails'));

const dueSeries = ({ app }: TempApp): Promise<unknown[]> => app.db.all('SELECT id, due FROM series WHERE due <> 0');

const isSettled = (temp: TempApp): Promise<void> =>
  until('the series are settled', async () => (await dueSeries(temp)).length === 0);

/** Live books without the number their file gives, or whose series lacks the publisher it gives. */
const WRONG = `SELECT b.file_name FROM book b JOIN series s ON s.id = b.series_id
  WHERE b.analyzed = 1 AND (b.number IS NOT 7 OR s.publisher IS NOT 'House')`;

const isWhole = async ({ app }: TempApp, analysed: number): Promise<void> => {
  assert.equal(await app.db.all(WRONG), []);
  assert.is((await app.db.all('SELECT id FROM book WHERE analyzed = 1')).length, analysed);
};

const settledByStart = async (temp: TempApp): Promise<void> => {
  assert.not.equal(await dueSeries(temp), []);
  assert.ok((await temp.app.analyses.resume()) !== undefined, 'there is something to do');
  await until('it is done', async () => (await openTasks(temp.app.db, 'analyze_books')).length === 0);
  assert.equal(await dueSeries(temp), []);
  assert.is(await temp.app.analyses.resume(), undefined);
};

block('series of books that come, go and move', (check) => {
  check('a book that goes and comes back leaves its series with its rating throughout', () =>
    withShelf(async (shelf) => {
      const [here, away] = [shelf.path('A', 'Adult.cbz'), join(shelf.temp.folder, 'away.cbz')];
      renameSync(here, away);
      assert.is(await shelf.scan(), 'completed');
      assert.equal(await shelf.ratings(), [
        ['A', 18],
        ['Z', 0],
      ]);
      renameSync(away, here);
      addBooks(shelf);
      assert.is(await shelf.scan(), 'completed');
      assert.equal(shelf.exposed, []);
    }),
  );
  check('a book that moves raises the rating of its new series in the same transaction, alone or with its folder', () =>
    withShelf(async (shelf) => {
      renameSync(shelf.path('A', 'Adult.cbz'), shelf.path('Z', 'Adult.cbz'));
      addBooks(shelf);
      assert.is(await shelf.scan(), 'completed');
      assert.equal(await shelf.ratings(), [
        ['A', 18],
        ['New', null],
        ['Z', 18],
      ]);
      renameSync(shelf.path('Z'), shelf.path('Y'));
      rmSync(shelf.path('New', 'New 1.cbz'));
      assert.is(await shelf.scan(), 'completed');
      assert.equal(await shelf.ratings(), [
        ['A', 18],
        ['New', null],
        ['Y', 18],
      ]);
    }),
  );
  check('what a scan has read that is cancelled while it reads is settled right afterwards', () =>
    inFolder((folder, library) =>
      started(folder, async (temp) => {
        const { app } = temp;
        app.db.feed.listen({
          onBatch: ({ reports }) => {
            const isRead = reports.some(({ kind, aspects }) => kind === 'book' && (aspects & ASPECTS.text) !== 0);
            if (isRead) void app.scans.cancel(library.key).catch(() => undefined);
          },
          forget: () => undefined,
        });
        assert.is(await scanned(temp, library), 'cancelled');
        await isSettled(temp);
        assert.equal(await app.db.all(WRONG), []);
      }),
    ),
  );
  check('so is what a scan has read that fails while it reads', () =>
    inFolder((folder, library) =>
      started(folder, async (temp) => {
        await fail(temp, 'reading');
        assert.is(await scanned(temp, library), 'failed');
        await isSettled(temp);
        assert.equal(await temp.app.db.all(WRONG), []);
        assert.ok((await temp.app.db.all('SELECT id FROM book WHERE analyzed = 1')).length > 0, 'some were read');
      }),
    ),
  );
  check('what a scan could not settle at all is settled by the next one, although no file has changed', () =>
    inFolder((folder, library) =>
      started(folder, async (temp) => {
        await fail(temp, 'settling');
        for (const state of ['failed', 'failed']) assert.is(await scanned(temp, library), state);
        assert.not.equal(await dueSeries(temp), []);
        await work(temp);
        assert.is(await scanned(temp, library), 'completed');
        assert.equal(await dueSeries(temp), []);
        await isWhole(temp, SERIES * BOOKS);
      }),
    ),
  );
  for (const how of ['analyze', 'pages/1'] as const)
    check(`a start settles what an earlier run could not: ${how}`, () =>
      inFolder(async (folder, library) => {
        await started(folder, async (temp) => {
          assert.is(await scanned(temp, library), 'completed');
          const [one] = await temp.app.db.all<{ id: number; uuid: Buffer }>('SELECT id, uuid FROM book LIMIT 1');
          await temp.app.db.write(SYSTEM, 'interactive', async (tx) => {
            await tx.run('UPDATE series SET publisher = NULL');
            await tx.run('UPDATE book SET number = 1, analyzed = 0, due = 1 WHERE id = ?', [one?.id ?? 0]);
          });
          await fail(temp, 'settling');
          const token = await temp.tokenOf('admin');
          const address = `/api/v1/books/${uuidOfBytes(one?.uuid ?? Buffer.alloc(16))}/${how}`;
          await temp.call(how === 'analyze' ? 'POST' : 'GET', address, { token });
          await until(
            'it is read',
            async () => (await temp.app.db.all('SELECT id FROM book WHERE due = 1')).length === 0,
          );
          await until('the task ends', () => !temp.app.tasks.isBusy);
          await work(temp);
        });
        await started(folder, async (temp) => {
          await settledByStart(temp);
          await temp.app.db.write(SYSTEM, 'interactive', (tx) => tx.run('DELETE FROM series WHERE publisher IS NULL'));
          await isWhole(temp, BOOKS);
        });
      }),
    );
});
