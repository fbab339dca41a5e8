// Series that a scan has just found: a user with limits does not see them before the sweep knows whether they are others under a new path.
import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { andVisible } from '../../core/catalog/visibility.js';
import { EVERYTHING } from '../../core/model/viewer.js';
import type { Inspection } from '../../core/store/db.js';
import { SYSTEM } from '../../core/store/feed.js';
import { type TempApp, tempApp, until, writeBook } from '../app.js';
import { feedCheck } from '../feed-check.js';
import { assert, block } from '../kit.js';

const EXPOSED = `SELECT s.name, b.file_name AS file FROM book b JOIN series s ON s.id = b.series_id
  WHERE b.file_name LIKE 'Adult%' AND b.deleted = 0${andVisible({ ...EVERYTHING, deniedTags: [1] }, 's')}`;

/** Looks at the end of every transaction for denied books that are visible. */
const watching = (isOn: () => boolean, exposed: unknown[]): Inspection => ({
  setup: feedCheck.setup,
  begin: () => {
    const end = feedCheck.begin();
    return async (tx, reports) => {
      await end(tx, reports);
      if (isOn()) exposed.push(...(await tx.all(EXPOSED)));
    };
  },
});

interface Shelf {
  readonly temp: TempApp;
  path(...parts: readonly string[]): string;
  /** Scans; returns how it ended. */
  scan(query?: string): Promise<string>;
  /** Names of the series that the admin sees, and that the limited user sees. */
  seen(): Promise<readonly [string[], string[]]>;
  /** The status of the first page of a book, for the limited user. */
  page(file: string): Promise<number>;
}

const change = ({ temp }: Pick<Shelf, 'temp'>, ...statements: readonly string[]): Promise<void> =>
  temp.app.db.write(SYSTEM, 'interactive', async (tx) => {
    for (const sql of statements) await tx.run(sql);
  });

/** Two series; the tag of one is denied to a user. No transaction may show it to them, under whatever name. */
const withShelf = async (use: (shelf: Shelf) => Promise<void>): Promise<void> => {
  const exposed: unknown[] = [];
  let isOn = false;
  const temp = await tempApp({ engine: { inspection: watching(() => isOn, exposed) } });
  try {
    const [admin, limited] = [await temp.tokenOf('admin'), await temp.tokenOf('reader')];
    for (const n of [1, 2, 3]) writeBook(join(temp.shelf, 'Adult', `Adult ${n}.cbz`), 2, `adult ${n}`);
    for (const n of [1, 2, 3]) writeBook(join(temp.shelf, 'Other', `Other ${n}.cbz`), 2, `other ${n}`);
    const body = { name: 'Shelf', path: temp.shelf };
    const { id } = (await temp.call('POST', '/api/v1/libraries', { token: admin, body })).json;
    const names = async (token: string): Promise<string[]> => {
      const answer = await temp.call('GET', '/api/v1/series?pageSize=100', { token });
      return answer.json.data.map(({ title }: { title: string }) => title).sort();
    };
    const shelf: Shelf = {
      temp,
      path: (...parts) => join(temp.shelf, ...parts),
      scan: async (query = '') => {
        temp.advance(10_000);
        await temp.call('POST', `/api/v1/libraries/${id}/scan${query}`, { token: admin });
        await until('the scan ends', () => temp.app.scans.active().length === 0);
        return (await temp.call('GET', `/api/v1/libraries/${id}/scan-status`, { token: admin })).json.status;
      },
      seen: async () => [await names(admin), await names(limited)],
      page: async (file) => {
        const books = (await temp.call('GET', '/api/v1/books?pageSize=100', { token: admin })).json.data;
        const book = books.find(({ title }: { title: string }) => title === file);
        return (await temp.call('GET', `/api/v1/books/${book.id}/pages/1`, { token: limited })).status;
      },
    };
    assert.is(await shelf.scan(), 'completed');
    assert.equal(await temp.app.db.all('SELECT id FROM series WHERE unswept = 1'), []);
    await change(
      shelf,
      "INSERT INTO sharing_tag (id, uuid, name, name_key, created_at, updated_at) VALUES (1, randomblob(16), 'x', 'x', 0, 0)",
      "INSERT INTO series_sharing_tag SELECT id, 1 FROM series WHERE name = 'Adult'",
      "INSERT INTO user_grant (user_id, sharing_tag_id, uuid, access, created_at) SELECT id, 1, randomblob(16), 'deny', 0 FROM user WHERE role = 'reader'",
    );
    isOn = true;
    assert.equal(await shelf.seen(), [['Adult', 'Other'], ['Other']]);
    await use(shelf);
    assert.equal([exposed, await temp.app.db.all('SELECT id FROM series WHERE unswept = 1')], [[], []]);
    assert.equal(
      temp.faults.filter((thrown) => !String(thrown).includes('cut short')),
      [],
    );
  } finally {
    await temp.close();
  }
};

/** The renamed folder and a new one. */
const rename = ({ path }: Shelf): void => {
  renameSync(path('Adult'), path('AAA'));
  for (const n of [1, 2]) writeBook(path('New', `New ${n}.cbz`), 2, `new ${n}`);
};

const isSettled = async (shelf: Shelf): Promise<void> => {
  assert.is(await shelf.scan(), 'completed');
  assert.equal(await shelf.seen(), [
    ['AAA', 'New', 'Other'],
    ['New', 'Other'],
  ]);
  assert.equal([await shelf.page('Adult 1'), await shelf.page('New 1')], [404, 200]);
};

/** While the sweep is still to come: the admin sees both rows of what was renamed, the limited user neither. */
const isHeld = async (shelf: Shelf): Promise<void> => {
  assert.equal(await shelf.seen(), [['AAA', 'Adult', 'New', 'Other'], ['Other']]);
  assert.is(await shelf.page('New 1'), 404);
};

block('series that a scan has just found', (check) => {
  check('a renamed folder is never shown to whom its tag is denied; new series are, after the sweep', () =>
    withShelf(async (shelf) => {
      rename(shelf);
      await isSettled(shelf);
    }),
  );
  check('nor after a scan that is cancelled before its sweep; the next one settles it', () =>
    withShelf(async (shelf) => {
      const { app } = shelf.temp;
      rename(shelf);
      let found = 0;
      app.db.feed.listen({
        onBatch: ({ reports }) => {
          for (const { kind, change, keys } of reports)
            if (kind === 'series' && change === 'created') found += keys.length;
          if (found < 2) return;
          found = 0;
          for (const { libraryKey } of app.scans.active()) void app.scans.cancel(libraryKey);
        },
        forget: () => undefined,
      });
      assert.is(await shelf.scan(), 'cancelled');
      await isHeld(shelf);
      await isSettled(shelf);
    }),
  );
  check('nor after one that fails in its sweep', () =>
    withShelf(async (shelf) => {
      rename(shelf);
      await change(shelf, "CREATE TRIGGER fails BEFORE DELETE ON series BEGIN SELECT RAISE(ABORT, 'cut short'); END");
      assert.is(await shelf.scan(), 'failed');
      await isHeld(shelf);
      await change(shelf, 'DROP TRIGGER fails');
      await isSettled(shelf);
    }),
  );
  check('nor when its new path is that of a series whose books are gone', () =>
    withShelf(async (shelf) => {
      writeBook(shelf.path('AAA', 'Gone.cbz'), 2, 'gone');
      assert.is(await shelf.scan(), 'completed');
      rmSync(shelf.path('AAA'), { recursive: true });
      assert.is(await shelf.scan(), 'completed');
      rename(shelf);
      await isSettled(shelf);
    }),
  );
  check('nor when it got a new file, too', () =>
    withShelf(async (shelf) => {
      rename(shelf);
      writeBook(shelf.path('AAA', 'Adult 9.cbz'), 2, 'adult 9');
      await isSettled(shelf);
      assert.is(await shelf.page('Adult 9'), 404);
    }),
  );
  check('nor when its books went to two new folders', () =>
    withShelf(async (shelf) => {
      writeBook(shelf.path('BBB', 'Adult 9.cbz'), 2, 'adult 9');
      rename(shelf);
      renameSync(shelf.path('AAA', 'Adult 3.cbz'), shelf.path('BBB', 'Adult 3.cbz'));
      assert.is(await shelf.scan(), 'completed');
      assert.equal(await shelf.seen(), [
        ['AAA', 'BBB', 'New', 'Other'],
        ['New', 'Other'],
      ]);
    }),
  );
  check('nor when an administrator has begun to read it under the new path', () =>
    withShelf(async (shelf) => {
      rename(shelf);
      await change(shelf, "CREATE TRIGGER fails BEFORE DELETE ON series BEGIN SELECT RAISE(ABORT, 'cut short'); END");
      assert.is(await shelf.scan(), 'failed');
      await change(
        shelf,
        'DROP TRIGGER fails',
        `INSERT INTO read_progress (user_id, book_id, series_id, live, uuid, current_page, completed, started_at, updated_at)
           SELECT u.id, b.id, b.series_id, 1, randomblob(16), 1, 0, 0, 0 FROM user u CROSS JOIN book b JOIN folder f ON f.id = b.folder_id
           WHERE u.role = 'admin' AND f.path = 'AAA'`,
      );
      assert.is(await shelf.scan('?acceptMissing=true'), 'completed');
      assert.equal(await shelf.seen(), [
        ['AAA', 'New', 'Other'],
        ['New', 'Other'],
      ]);
    }),
  );
});
