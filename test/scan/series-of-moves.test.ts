// What becomes of a series when its folder is renamed, split or merged, while files are added, lost or read.
import { renameSync, rmSync } from 'node:fs';
import { writeBook } from '../app.js';
import { assert, block } from '../kit.js';
import { type Shelf, scanInVain, withShelf } from './moving-shelf.js';

interface SeriesRow {
  readonly path: string;
  readonly id: string;
  readonly tags: string;
  readonly rating: number | null;
  readonly isLocked: number;
  readonly books: number;
}

/** Series with books, by path. */
const series = async ({ temp }: Shelf): Promise<Readonly<Record<string, SeriesRow>>> => {
  const rows = await temp.app.db.all<SeriesRow>(
    `SELECT s.path, lower(hex(s.uuid)) AS id, s.age_rating AS rating, s.locks LIKE '%ageRating%' AS isLocked, s.book_count AS books,
       (SELECT coalesce(group_concat(g.name, ' ' ORDER BY g.name), '') FROM series_sharing_tag t JOIN sharing_tag g ON g.id = t.sharing_tag_id
         WHERE t.series_id = s.id) AS tags FROM series s WHERE s.book_count > 0`,
  );
  return Object.fromEntries(rows.map((row) => [row.path, row]));
};

const withDashes = (hex: string): string => hex.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');

const put = (shelf: Shelf, folder: string, from: number, to = from): void => {
  for (let n = from; n <= to; n += 1)
    writeBook(shelf.path(folder, `new ${n}.cbz`), 1, `${folder} new ${n}`.padEnd(9000 + n));
};

const move = (shelf: Shelf, from: string, to: string, ...numbers: readonly number[]): void => {
  for (const n of numbers) renameSync(shelf.path(from, `${from} ${n}.cbz`), shelf.path(to, `${from} ${n}.cbz`));
};

/** A sharing tag on series; `access`: what one user has by it. */
const tag = async (shelf: Shelf, name: string, paths: readonly string[], access?: 'allow' | 'deny'): Promise<void> => {
  await shelf.change(
    `INSERT INTO sharing_tag (uuid, name, name_key, created_at, updated_at) VALUES (randomblob(16), '${name}', '${name}', 0, 0)`,
  );
  const from = `sharing_tag t WHERE t.name = '${name}'`;
  for (const path of paths)
    await shelf.change(
      `INSERT INTO series_sharing_tag SELECT s.id, t.id FROM series s, ${from} AND s.path = '${path}'`,
    );
  if (access === undefined) return;
  await shelf.temp.tokenOf('reader');
  await shelf.change(
    `INSERT INTO user_grant (user_id, sharing_tag_id, uuid, access, created_at) SELECT u.id, t.id, randomblob(16), '${access}', 0
     FROM user u, ${from} AND u.role = 'reader'`,
  );
};

const rate = async (shelf: Shelf, path: string, rating: number): Promise<void> => {
  const id = (await series(shelf))[path]?.id;
  await shelf.api('PATCH', `/series/${withDashes(id ?? '')}/metadata`, {
    ageRating: rating,
  });
};

block('series of moved books', (check) => {
  check('a renamed folder with new files keeps its series, with all that was set and its places in collections', () =>
    withShelf({ Alpha: 4, Other: 4 }, async (shelf) => {
      const before = await shelf.books();
      const id = before.get('Alpha 1')?.seriesId ?? '';
      await shelf.api('PATCH', `/series/${id}/metadata`, { title: 'Hand made', ageRating: 18 });
      const list = await shelf.api('POST', '/collections', { name: 'Mine' });
      await shelf.api('POST', `/collections/${list.id}/series`, { seriesIds: [id] });
      await tag(shelf, 'x', ['Alpha']);
      renameSync(shelf.path('Alpha'), shelf.path('Omega'));
      put(shelf, 'Omega', 1, 6);
      assert.is(await shelf.scan(), 'completed');
      const after = await shelf.books();
      assert.equal(
        [after.get('Alpha 1')?.id, after.get('Alpha 1')?.seriesId, after.get('new 6')?.seriesId],
        [before.get('Alpha 1')?.id, id, id],
      );
      const now = await series(shelf);
      assert.equal(Object.keys(now).sort(), ['Omega', 'Other']);
      assert.equal([now.Omega?.tags, now.Omega?.rating, now.Omega?.books], ['x', 18, 10]);
      const shown = (await shelf.api('GET', `/collections/${list.id}`)) as unknown as { seriesCount: number };
      assert.equal([shown.seriesCount, after.get('Alpha 1')?.seriesName], [1, 'Hand made']);
    }),
  );
  check('so does one of which a file was lost, but not one of which most were', () =>
    withShelf({ Alpha: 4, Beta: 4, Other: 9 }, async (shelf) => {
      const before = await shelf.books();
      for (const [name, lost] of [
        ['Alpha', 1],
        ['Beta', 3],
      ] as const) {
        renameSync(shelf.path(name), shelf.path(`New ${name}`));
        for (let n = 1; n <= lost; n += 1) rmSync(shelf.path(`New ${name}`, `${name} ${n}.cbz`));
        put(shelf, `New ${name}`, 1);
      }
      assert.is(await shelf.scan(), 'completed');
      const after = await shelf.books();
      const isKept = (title: string): boolean => after.get(title)?.seriesId === before.get(title)?.seriesId;
      assert.equal([isKept('Alpha 4'), isKept('Beta 4')], [true, false]);
      assert.is(after.get('Beta 4')?.id, before.get('Beta 4')?.id);
    }),
  );
  check('so does one that somebody read under its new path after a scan that failed', () =>
    withShelf({ Alpha: 3, Other: 9 }, async (shelf) => {
      const before = await shelf.books();
      renameSync(shelf.path('Alpha'), shelf.path('Omega'));
      await scanInVain(shelf);
      const found = await shelf.temp.app.db.all<{ id: string }>(
        `SELECT lower(hex(b.uuid)) AS id FROM book b JOIN series s ON s.id = b.series_id WHERE s.path = 'Omega' AND b.file_name = 'Alpha 2.cbz'`,
      );
      const id = withDashes(found[0]?.id ?? '');
      await shelf.api('PUT', `/books/${id}/progress`, { current_page: 1 });
      assert.is(await shelf.scan(), 'completed');
      const after = await shelf.books();
      assert.equal([after.get('Alpha 2')?.id, after.get('Alpha 1')?.id], [id, before.get('Alpha 1')?.id]);
      assert.equal((await series(shelf)).Omega?.id, before.get('Alpha 1')?.seriesId.replaceAll('-', ''));
    }),
  );
  check('but not one whose only book moved into a series that a scan has shown before it was cut short', () =>
    withShelf({ Alpha: 1, Other: 9 }, async (shelf) => {
      await rate(shelf, 'Alpha', 6);
      put(shelf, 'Beta', 1, 3);
      assert.is(await shelf.scan(), 'completed');
      const before = await series(shelf);
      // Only a scan that comes to its end is noted with the library.
      await shelf.change('UPDATE library SET last_scanned_at = 1');
      move(shelf, 'Alpha', 'Beta', 1);
      assert.is(await shelf.scan(), 'completed');
      const { Beta } = await series(shelf);
      assert.equal([Beta?.id, Beta?.rating, Beta?.books], [before.Beta?.id, null, 4]);
    }),
  );
  check('new series of a split one have its sharing tags and its locked rating', () =>
    withShelf({ Alpha: 4, Other: 9 }, async (shelf) => {
      await tag(shelf, 'no', ['Alpha'], 'deny');
      await tag(shelf, 'yes', ['Alpha'], 'allow');
      await rate(shelf, 'Alpha', 18);
      put(shelf, 'One', 1);
      put(shelf, 'Two', 1);
      move(shelf, 'Alpha', 'One', 1, 2);
      move(shelf, 'Alpha', 'Two', 3, 4);
      assert.is(await shelf.scan(), 'completed');
      const now = await series(shelf);
      for (const path of ['One', 'Two'])
        assert.equal([now[path]?.tags, now[path]?.rating, now[path]?.isLocked], ['no yes', 18, 1]);
    }),
  );
  check('a new series of merged ones has the highest rating, and no tag that would show books of the others', () =>
    withShelf({ Alpha: 2, Beta: 2, Other: 9 }, async (shelf) => {
      await tag(shelf, 'no', ['Beta'], 'deny');
      await tag(shelf, 'yes', ['Alpha'], 'allow');
      await tag(shelf, 'all', ['Alpha', 'Beta'], 'allow');
      await tag(shelf, 'unused', ['Alpha']);
      await rate(shelf, 'Alpha', 6);
      await rate(shelf, 'Beta', 16);
      put(shelf, 'Both', 1);
      move(shelf, 'Alpha', 'Both', 1, 2);
      move(shelf, 'Beta', 'Both', 1, 2);
      assert.is(await shelf.scan(), 'completed');
      const { Both } = await series(shelf);
      assert.equal([Both?.tags, Both?.rating, Both?.isLocked, Both?.books], ['all no unused', 16, 1, 5]);
    }),
  );
  check('nor does one whose books arrive in two scans, of which the first fails before its end', () =>
    withShelf({ Alpha: 2, Beta: 2, Other: 9 }, async (shelf) => {
      await tag(shelf, 'yes', ['Beta'], 'allow');
      put(shelf, 'Both', 1);
      move(shelf, 'Alpha', 'Both', 1);
      await shelf.change(
        "CREATE TRIGGER cut BEFORE UPDATE OF unswept ON series WHEN new.unswept = 0 BEGIN SELECT RAISE(ABORT, 'cut short'); END",
      );
      assert.is(await shelf.scan(), 'failed');
      await shelf.change('DROP TRIGGER cut');
      move(shelf, 'Beta', 'Both', 1, 2);
      assert.is(await shelf.scan(), 'completed');
      const { Both } = await series(shelf);
      assert.equal([Both?.tags, Both?.books], ['', 4]);
    }),
  );
  check(
    'a series whose folder was renamed away, and another one renamed to it, has the tags and rating of that one too',
    () =>
      withShelf({ Alpha: 3, Beta: 3, Other: 9 }, async (shelf) => {
        await tag(shelf, 'no', ['Alpha'], 'deny');
        await rate(shelf, 'Alpha', 18);
        renameSync(shelf.path('Beta'), shelf.path('Gamma'));
        renameSync(shelf.path('Alpha'), shelf.path('Beta'));
        assert.is(await shelf.scan(), 'completed');
        const now = await series(shelf);
        assert.equal([now.Beta?.tags, now.Beta?.rating, now.Beta?.books, now.Gamma?.books], ['no', 18, 3, 3]);
        assert.equal([now.Gamma?.tags, now.Gamma?.rating], ['', null]);
      }),
  );
  check('a series that had books before keeps its own tags and rating', () =>
    withShelf({ Alpha: 4, Other: 4 }, async (shelf) => {
      await tag(shelf, 'no', ['Alpha'], 'deny');
      await rate(shelf, 'Alpha', 18);
      move(shelf, 'Alpha', 'Other', 1, 2, 3, 4);
      assert.is(await shelf.scan(), 'completed');
      const { Other } = await series(shelf);
      assert.equal([Other?.tags, Other?.rating, Other?.books], ['', null, 8]);
    }),
  );
});
