// Series whose books come, go or move: nobody sees a book under a lower rating than its own, and no series stays unsettled for good.
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createLibrary, type Library, libraryById } from '../../core/catalog/libraries.js';
import type { Inspection } from '../../core/store/db.js';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { feedCheck } from '../feed-check.js';
import { assert, block } from '../kit.js';

const rated = (rating: string): readonly { name: string; bytes: Uint8Array }[] => [
  { name: 'ComicInfo.xml', bytes: Buffer.from(`<ComicInfo><AgeRating>${rating}</AgeRating></ComicInfo>`) },
];

const EXPOSED = `SELECT b.file_name AS name FROM book b JOIN series s ON s.id = b.series_id JOIN book_source o ON o.book_id = b.id
  WHERE b.deleted = 0 AND o.series ->> '$.ageRating' > coalesce(s.age_rating, -1)`;

/** Looks at the end of every transaction for books whose series has a lower rating than they have. */
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
    const library = await createLibrary(app.db, app.clock, { name: 'Shelf', path: shelf }, app.ownFolders);
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

block('series of books that come, go and move', (check) => {
  check('a book that comes back raises the rating of its series in the same transaction', () =>
    withShelf(async (shelf) => {
      const [here, away] = [shelf.path('A', 'Adult.cbz'), join(shelf.temp.folder, 'away.cbz')];
      renameSync(here, away);
      assert.is(await shelf.scan(), 'completed');
      assert.equal(await shelf.ratings(), [
        ['A', 0],
        ['Z', 0],
      ]);
      renameSync(away, here);
      addBooks(shelf);
      assert.is(await shelf.scan(), 'completed');
      assert.equal(shelf.exposed, []);
    }),
  );
  check('so does a book that moves, into another series or with its whole folder', () =>
    withShelf(async (shelf) => {
      renameSync(shelf.path('A', 'Adult.cbz'), shelf.path('Z', 'Adult.cbz'));
      addBooks(shelf);
      assert.is(await shelf.scan(), 'completed');
      assert.equal(await shelf.ratings(), [
        ['A', 0],
        ['New', null],
        ['Z', 18],
      ]);
      renameSync(shelf.path('Z'), shelf.path('Y'));
      rmSync(shelf.path('New', 'New 1.cbz'));
      assert.is(await shelf.scan(), 'completed');
      assert.equal(await shelf.ratings(), [
        ['A', 0],
        ['New', null],
        ['Y', 18],
      ]);
    }),
  );
});
