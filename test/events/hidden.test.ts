// What people with restrictions are told: what they see, that it is gone when they see it no more, and nothing else.
import { rmSync, writeFileSync } from 'node:fs';
import { bytesOfUuid } from '../../core/model/ids.js';
import { ALL_ASPECTS, ASPECTS, created, type PublicRow, SYSTEM, updated } from '../../core/store/feed.js';
import { openTasks } from '../../core/tasks/task-rows.js';
import { type GuardedShelf, guardedShelf, type Shown } from '../access/guarded-shelf.js';
import { coversMade, until, writeBook } from '../app.js';
import { assert, block, type Check } from '../kit.js';
import { follow, type Heard, type Listener, told } from './listener.js';

let shelf: GuardedShelf;
let free: Listener;
let limited: Listener;

const as = async (method: string, path: string, body?: unknown): Promise<void> => {
  const options = { token: shelf.free, ...(body === undefined ? {} : { body }) };
  const { status, bytes } = await shelf.temp.call(method, `/api/v1${path}`, options);
  assert.ok(status < 300, `${method} ${path} ${status} ${bytes}`);
};

const limit = async (body: object): Promise<void> => {
  const { user } = await shelf.temp.app.callers.byToken(shelf.limited);
  await as('PATCH', `/users/${user.id}`, body);
  await Promise.all([free.news(), limited.news()]);
};

const one = (title: string): Shown => {
  const found = shelf.all.find((shown) => shown.title === title);
  if (found === undefined) throw new Error(`no series ${title}`);
  return found;
};

const about = (heard: readonly Heard[], { id, books }: Shown): string[] =>
  heard
    .filter(({ data }) => data.seriesId === id || books.includes(data.bookId))
    .map(({ data }) => data.type)
    .sort();

const limits = (check: Check): void => {
  check('a library that somebody does not see: nothing of what is in it, and nothing of itself', async () => {
    const [ants, dogs] = [one('Ants'), one('Dogs')];
    await limit({ libraryIds: [ants.libraryId], ageLimit: null });
    for (const { id } of [ants, dogs]) await as('PATCH', `/series/${id}`, { title: 'Changed' });
    await as('PATCH', `/books/${dogs.books[0]}/metadata`, { title: 'Changed' });
    await as('PATCH', `/libraries/${dogs.libraryId}`, { description: 'Changed' });
    const heard = await limited.news();
    assert.equal([told(heard), about(heard, ants)], [['series_updated title'], ['series_updated']]);
    assert.ok((await free.news()).length >= 4);
    await limit({ libraryIds: null });
  });
  check('a series that gets a rating above the limit is gone with its books; back, it is new', async () => {
    const bees = one('Bees');
    await limit({ ageLimit: { max: 12, unrated: 'allow' } });
    await as('PATCH', `/series/${bees.id}/metadata`, { ageRating: 18 });
    assert.equal(about(await limited.news(), bees), ['book_deleted', 'book_deleted', 'series_deleted']);
    assert.equal(about(await free.news(), bees), ['series_updated']);
    await as('PATCH', `/books/${bees.books[0]}/metadata`, { title: 'Hidden' });
    await as('PATCH', `/series/${bees.id}`, { title: 'Hidden' });
    assert.equal(await limited.news(), [], 'what is hidden does not exist');
    await free.news();
    await as('PATCH', `/series/${bees.id}/metadata`, { ageRating: 6 });
    assert.equal(about(await limited.news(), bees), ['book_created', 'book_created', 'series_created']);
    await limit({ ageLimit: null });
  });
  check('a change of limits: resync, once, for whom it concerns', async () => {
    const { user } = await shelf.temp.app.callers.byToken(shelf.limited);
    await as('PATCH', `/users/${user.id}`, { ageLimit: { max: 12, unrated: 'hide' } });
    assert.equal([told(await limited.news()), told(await free.news())], [['resync'], []]);
    await limit({ ageLimit: null });
  });
  check('a sharing tag that hides nothing from somebody is no news', async () => {
    const cats = one('Cats');
    const { json } = await shelf.temp.call('POST', '/api/v1/admin/sharing-tags', {
      token: shelf.free,
      body: { name: 'T' },
    });
    await Promise.all([free.news(), limited.news()]);
    await as('POST', `/series/${cats.id}/sharing-tags`, { sharingTagId: json.id });
    assert.equal([await free.news(), await limited.news()], [[], []]);
  });
};

const neverReadable = (check: Check): void => {
  check(
    'with an age limit, a book that was never readable causes no events; once readable, it is reported as created',
    async () => {
      const { temp, limited: token } = shelf;
      const apes = one('Apes');
      const [hiddenId = ''] = apes.neverReadable;
      const [{ path = '' } = {}] = await temp.app.db.all<{ path: string }>(
        `SELECT l.root || '/' || f.path || '/' || b.file_name AS path FROM book b JOIN folder f ON f.id = b.folder_id
       JOIN library l ON l.id = b.library_id WHERE b.uuid = ?`,
        [bytesOfUuid(hiddenId)],
      );
      const scan = async (): Promise<void> => {
        temp.advance(10_000);
        await as('POST', `/libraries/${apes.libraryId}/scan?acceptMissing=true`);
        await until('the scan ends', () => temp.app.scans.active().length === 0);
      };
      const ofBook = (heard: readonly Heard[]): string[] =>
        heard.filter(({ data }) => data.bookId === hiddenId).map(({ data }) => data.type);
      await limit({ ageLimit: { max: 12, unrated: 'allow' } });
      const work = await follow(temp, token, { path: '/tasks/stream' });
      await as('POST', `/books/${hiddenId}/retry`, {});
      await until('it was tried again', async () => (await openTasks(temp.app.db, 'analyze_book')).length === 0);
      writeFileSync(path, 'no archive either');
      await scan();
      assert.equal([ofBook(await limited.news()), ofBook(await work.news())], [[], []]);
      assert.ok(ofBook(await free.news()).length > 0);
      writeBook(path, 2, 'a whole one');
      await scan();
      assert.ok(ofBook(await limited.news()).includes('book_created'));
      writeFileSync(path.replace(/[^/]+$/, 'Another.cbz'), 'no archive at all');
      await scan();
      await Promise.all([limited.news(), free.news()]);
      rmSync(path.replace(/[^/]+$/, 'Another.cbz'));
      await scan();
      await as('DELETE', `/libraries/${apes.libraryId}/purge-deleted`);
      const gone = (await free.news())
        .filter(({ data }) => data.type === 'book_deleted')
        .map(({ data }) => data.bookId);
      assert.ok(gone.length > 0);
      const named = (await limited.news()).map(({ data }) => data.bookId);
      assert.equal(
        gone.filter((id) => named.includes(id)),
        [],
        'nor that it is gone',
      );
      await work.close();
      await limit({ ageLimit: null });
    },
  );
};

const tasks = (check: Check): void => {
  check('tasks and scans of hidden libraries are not told; of shared ones no numbers of what is hidden', async () => {
    const { temp, limited: token } = shelf;
    const [ants, dogs] = [one('Ants'), one('Dogs')];
    await limit({ libraryIds: [ants.libraryId], ageLimit: { max: 0, unrated: 'hide' } });
    const work = await follow(temp, token, { path: '/tasks/stream' });
    const scans = await follow(temp, token, { path: '/scans/stream' });
    await as('POST', `/libraries/${dogs.libraryId}/scan?mode=deep`);
    await temp.app.covers.add(null, false);
    await as('POST', `/libraries/${ants.libraryId}/scan?mode=deep`);
    const isEnd = ({ data }: Heard): boolean => data.status === 'completed' && data.libraryId === ants.libraryId;
    const heard = await work.hears('the end of the task', isEnd);
    const scanned = await scans.hears('the end of the scan', isEnd);
    for (const { data } of [...heard, ...scanned]) assert.is(data.libraryId, ants.libraryId);
    for (const { data } of heard) assert.ok((data.progress?.total ?? 100) === 100, JSON.stringify(data));
    for (const { data } of scanned)
      assert.equal([data.filesTotal, data.booksFound, data.seriesFound, data.errors], [0, 0, 0, []]);
    for (const listener of [work, scans]) await listener.close();
    await until('no task is left', async () => (await openTasks(temp.app.db, 'generate_thumbnails')).length === 0);
    await limit({ libraryIds: null, ageLimit: null });
  });
};

const many = (check: Check): void => {
  check('more than 1,000 books of a library at once: its update within seconds, and nothing singly', async () => {
    const { temp } = shelf;
    await Promise.all([free.news(), limited.news()]);
    await temp.app.db.write(SYSTEM, 'interactive', async (tx) => {
      const [like] = await tx.all<{ id: number; library: number; series: number }>(
        'SELECT id, library_id AS library, series_id AS series FROM book ORDER BY id LIMIT 1',
      );
      const { id = 0, library = 0, series = 0 } = like ?? {};
      const rows = await tx.all<PublicRow>(
        `WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < 1300)
         INSERT INTO book (uuid, library_id, series_id, folder_id, file_name, file_size, file_mtime, format, title, title_sort, created_at, updated_at)
         SELECT randomblob(16), library_id, series_id, folder_id, 'n' || n.value || '.cbz', 1, 1, format, 'n', 'n', 0, 0
         FROM book CROSS JOIN n WHERE book.id = ? RETURNING id, hex(uuid) AS hex`,
        [id],
      );
      tx.report(created('book', rows, { libraryKey: library, seriesKey: series }));
      tx.report(updated('series', [series], ALL_ASPECTS));
      tx.report(updated('library', [library], ASPECTS.details));
    });
    for (const listener of [free, limited]) {
      const heard = await listener.hears('the update', ({ data }) => data.type === 'library_updated');
      assert.ok(
        // Covers of the scans before may still be made.
        heard.every(({ data }) => data.type === 'library_updated' || data.type === 'cover_updated'),
        JSON.stringify(told(heard)),
      );
    }
  });
};

block(
  'events for people with restrictions',
  (check) => {
    for (const part of [limits, neverReadable, tasks, many]) part(check);
  },
  {
    before: async () => {
      shelf = await guardedShelf();
      await coversMade(shelf.temp); // they would be told
      free = await follow(shelf.temp, shelf.free);
      limited = await follow(shelf.temp, shelf.limited);
    },
    after: async () => {
      for (const listener of [free, limited]) await listener.close();
      assert.equal(shelf.temp.faults, []);
      await shelf.temp.close();
    },
  },
);
