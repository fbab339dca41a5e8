// Duplicates through the API: found by a task, told only to those who may see two of a group, dismissed until the members change.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { bytesOfUuid } from '../../core/model/ids.js';
import { type Answer, coversMade, type TempApp, tempApp, until, writeBook } from '../app.js';
import { assert, block } from '../kit.js';

interface Shelf {
  readonly temp: TempApp;
  readonly libraryId: string;
  ask(method: string, path: string, body?: unknown, token?: string): Promise<Answer>;
  scan(): Promise<void>;
  find(): Promise<Answer['json']>;
}

const quiet = async (temp: TempApp): Promise<void> => {
  await until('the scan ends', () => temp.app.scans.active().length === 0);
  await coversMade(temp);
  await until('the tasks end', () => !temp.app.tasks.isBusy);
};

const put = (temp: TempApp, name: string, seed: string): void => writeBook(join(temp.shelf, name), 2, seed);

const withShelf = async (names: Readonly<Record<string, string>>, use: (shelf: Shelf) => Promise<void>) => {
  const temp = await tempApp();
  try {
    const admin = await temp.tokenOf('admin');
    const ask: Shelf['ask'] = (method, path, body, token = admin) =>
      temp.call(method, `/api/v1${path}`, { token, ...(body === undefined ? {} : { body }) });
    for (const [name, seed] of Object.entries(names)) put(temp, name, seed);
    const { json } = await ask('POST', '/libraries', { name: 'L', path: temp.shelf, scanImmediately: true });
    await quiet(temp);
    const scan = async (): Promise<void> => {
      await ask('POST', `/libraries/${json.id}/scan`);
      await quiet(temp);
    };
    const find = async (): Promise<Answer['json']> => {
      const begun = await ask('POST', '/duplicates/scan');
      assert.is(begun.status, 200);
      await until('the search ends', async () =>
        ['completed', 'failed'].includes((await ask('GET', `/tasks/${begun.json.taskId}`)).json.status),
      );
      const { json: task } = await ask('GET', `/tasks/${begun.json.taskId}`);
      assert.is(task.status, 'completed', task.lastError);
      return task.result;
    };
    await use({ temp, libraryId: json.id, ask, scan, find });
    assert.equal(temp.faults, []);
  } finally {
    await temp.close();
  }
};

/** A series of adults, and a maintainer who is none. */
const hideFromMaintainer = async (temp: TempApp, seriesId: string): Promise<void> => {
  await temp.app.db.write(null, 'interactive', async (tx) => {
    await tx.run('UPDATE series SET age_rating = 18 WHERE uuid = ?', [bytesOfUuid(seriesId)]);
    await tx.run(
      `INSERT INTO user_restriction (user_id, age_limit, show_unrated, updated_at) SELECT id, 12, 1, 0 FROM user WHERE role = 'maintainer'`,
    );
  });
  temp.app.viewers.forget();
};

const TWINS = { 'Ants/Ants 1.cbz': 'x', 'Bees/Other 7.cbz': 'x', 'Ants/Ants 2.cbz': 'y' };
const NONE = { duplicates: [], totalGroups: 0, totalDuplicateBooks: 0 };

block('duplicates', (check) => {
  check('an unknown kind, type or group is refused in words', () =>
    withShelf({}, async ({ ask }) => {
      assert.is((await ask('GET', '/duplicates?kind=x')).status, 400);
      const refused = await ask('GET', '/duplicates/series?matchType=isbn');
      assert.is(refused.status, 400);
      assert.match(refused.json.message, 'external_id, title');
      for (const path of ['/duplicates', '/duplicates/series'])
        assert.is((await ask('DELETE', `${path}/01890000-0000-7000-8000-000000000000`)).status, 404);
      assert.equal((await ask('GET', '/duplicates')).json, NONE);
    }),
  );
  check('equal files are one group, other files are none', () =>
    withShelf(TWINS, async ({ ask, find }) => {
      assert.equal((await ask('GET', '/duplicates')).json, NONE);
      await find();
      const { json } = await ask('GET', '/duplicates');
      assert.equal([json.totalGroups, json.totalDuplicateBooks], [1, 2]);
      const [group] = json.duplicates;
      assert.is(group.duplicateCount, 2);
      const books = await Promise.all(group.bookIds.map(async (id: string) => (await ask('GET', `/books/${id}`)).json));
      assert.equal(
        books.map(({ fileHash }) => fileHash),
        [group.fileHash, group.fileHash],
      );
    }),
  );
  check('a dismissed group comes back only when its members change', () =>
    withShelf(TWINS, async ({ temp, ask, find, scan }) => {
      await find();
      const [{ id }] = (await ask('GET', '/duplicates')).json.duplicates;
      assert.is((await ask('DELETE', `/duplicates/${id}`)).status, 204);
      assert.is((await ask('DELETE', `/duplicates/${id}`)).status, 404);
      await find();
      assert.equal((await ask('GET', '/duplicates')).json, NONE);
      put(temp, 'Cats/Cats 1.cbz', 'x');
      await scan();
      await find();
      assert.is((await ask('GET', '/duplicates')).json.totalDuplicateBooks, 3);
    }),
  );
  check('a removed book leaves its group at once, and a group of one ends', () =>
    withShelf(TWINS, async ({ temp, ask, find, scan }) => {
      await find();
      rmSync(join(temp.shelf, 'Bees/Other 7.cbz'));
      await scan();
      assert.equal((await ask('GET', '/duplicates')).json, NONE);
      await find();
      assert.equal(await temp.app.db.all('SELECT id FROM duplicate_group WHERE kind = 0'), []);
    }),
  );
  check('a book that was purged and is back under the same key is in its group again', () =>
    withShelf({ 'Ants/Ants 1.cbz': 'x', 'Bees/Other 7.cbz': 'x' }, async ({ temp, libraryId, ask, find, scan }) => {
      await find();
      const keys = (): Promise<unknown> => temp.app.db.all('SELECT id FROM book ORDER BY id');
      const before = await keys();
      rmSync(join(temp.shelf, 'Bees/Other 7.cbz'));
      await scan();
      assert.is((await ask('DELETE', `/libraries/${libraryId}/purge-deleted`)).status, 200);
      put(temp, 'Bees/Other 7.cbz', 'x');
      await scan();
      assert.equal(await keys(), before);
      await find();
      assert.is((await ask('GET', '/duplicates')).json.totalDuplicateBooks, 2);
    }),
  );
  check('a second search waits for the first', () =>
    withShelf(TWINS, async ({ temp, ask }) => {
      await temp.app.db.write(null, 'interactive', (tx) =>
        temp.app.tasks.add(tx, 'find_duplicates', null, {}, { scheduledAt: temp.app.clock.now() + 3_600_000 }),
      );
      assert.is((await ask('POST', '/duplicates/scan')).status, 409);
    }),
  );
  check('a file whose hash is still due is hashed if another has its size', () =>
    withShelf(TWINS, async ({ temp, ask, find }) => {
      await temp.app.db.write(null, 'interactive', (tx) =>
        tx.run(`UPDATE book SET file_hash = '', hash_due = 1 WHERE file_name IN ('Ants 1.cbz', 'Other 7.cbz')`),
      );
      await find();
      assert.is((await ask('GET', '/duplicates')).json.totalDuplicateBooks, 2);
    }),
  );
  check('series of one library with equal titles are a group, dismissed likewise', () =>
    withShelf({ 'Ants/Ants 1.cbz': 'a', 'More/ants!/Ants 1.cbz': 'b', 'Bees/Bees 1.cbz': 'c' }, async (shelf) => {
      const { ask, find } = shelf;
      await find();
      const { json } = await ask('GET', '/duplicates/series?matchType=title');
      assert.equal([json.totalGroups, json.titleGroups, json.totalDuplicateSeries], [1, 1, 2]);
      const [group] = json.duplicates;
      assert.equal([group.matchType, group.matchKey, group.libraryId], ['title', 'ants', shelf.libraryId]);
      assert.equal(group.members.map(({ title }: { title: string }) => title).sort(), ['Ants', 'ants!']);
      const none = (await ask('GET', '/duplicates/series?matchType=external_id')).json;
      assert.equal([none.duplicates, none.totalGroups, none.titleGroups], [[], 0, 1]);
      assert.is((await ask('DELETE', `/duplicates/series/${group.id}`)).status, 204);
      await find();
      assert.is((await ask('GET', '/duplicates/series')).json.totalGroups, 0);
    }),
  );
  check('who may not see two members is told of no group, and cannot dismiss it', () =>
    withShelf(TWINS, async ({ temp, ask, find }) => {
      await find();
      const [{ id, bookIds }] = (await ask('GET', '/duplicates')).json.duplicates;
      const { seriesId } = (await ask('GET', `/books/${bookIds[1]}`)).json;
      const token = await temp.tokenOf('maintainer');
      assert.is((await ask('GET', '/duplicates', undefined, token)).json.totalGroups, 1);
      await hideFromMaintainer(temp, seriesId);
      assert.equal((await ask('GET', '/duplicates', undefined, token)).json, NONE);
      assert.is((await ask('DELETE', `/duplicates/${id}`, undefined, token)).status, 404);
    }),
  );
  check('a hidden copy that joins brings no dismissed group back for somebody who cannot see it', () =>
    withShelf(TWINS, async ({ temp, ask, find, scan }) => {
      const token = await temp.tokenOf('maintainer');
      const total = async (by?: string): Promise<number> =>
        (await ask('GET', '/duplicates', undefined, by)).json.totalDuplicateBooks;
      await find();
      const [{ id }] = (await ask('GET', '/duplicates')).json.duplicates;
      assert.is((await ask('DELETE', `/duplicates/${id}`, undefined, token)).status, 204);
      put(temp, 'Cats/Cats 1.cbz', 'x');
      await scan();
      const { json } = await ask('GET', '/series');
      await hideFromMaintainer(temp, json.data.find(({ title }: { title: string }) => title === 'Cats').id);
      await find();
      assert.equal([await total(token), await total()], [0, 3]);
      assert.is((await ask('DELETE', `/duplicates/${id}`, undefined, token)).status, 404);
      assert.is((await ask('DELETE', `/duplicates/${id}`)).status, 204);
      await find();
      assert.is(await total(), 0);
    }),
  );
  check('a group stays for others when somebody dismissed the members that they see', () =>
    withShelf({ ...TWINS, 'Cats/Cats 1.cbz': 'x' }, async ({ temp, ask, find }) => {
      const token = await temp.tokenOf('maintainer');
      await find();
      const [{ id }] = (await ask('GET', '/duplicates')).json.duplicates;
      const { json } = await ask('GET', '/series');
      await hideFromMaintainer(temp, json.data.find(({ title }: { title: string }) => title === 'Cats').id);
      assert.is((await ask('DELETE', `/duplicates/${id}`, undefined, token)).status, 204);
      assert.equal((await ask('GET', '/duplicates', undefined, token)).json, NONE);
      assert.is((await ask('GET', '/duplicates')).json.totalDuplicateBooks, 3);
    }),
  );
  check('copies of one file are not editions to somebody who cannot see the book that differs', () =>
    withShelf(
      { 'A/Ants/Ants 1.cbz': 'x', 'B/Ants/Ants 1.cbz': 'x', 'C/Ants/Ants 1.cbz': 'y' },
      async ({ temp, ask, find }) => {
        const token = await temp.tokenOf('maintainer');
        const groups = async (): Promise<Answer['json']> =>
          (await ask('GET', '/duplicates?kind=edition', undefined, token)).json;
        await find();
        const [{ id, bookIds }] = (await groups()).duplicates;
        assert.is(bookIds.length, 3);
        const books = await Promise.all(bookIds.map(async (book: string) => (await ask('GET', `/books/${book}`)).json));
        const other = books.find((book) => books.filter(({ fileHash }) => fileHash === book.fileHash).length === 1);
        await hideFromMaintainer(temp, other.seriesId);
        assert.equal(await groups(), NONE);
        assert.is((await ask('DELETE', `/duplicates/${id}`, undefined, token)).status, 404);
        assert.is((await ask('GET', '/duplicates?kind=edition')).json.totalGroups, 1);
      },
    ),
  );
});
