// What people wrote about a book or series that a later scan recognises as an older one under a new path: none of it is lost.
import { renameSync } from 'node:fs';
import { touchedBook, touchedSeries } from '../../core/scan/touched.js';
import { tempApp } from '../app.js';
import { type Form, image, partForm } from '../form.js';
import { assert, block } from '../kit.js';
import { type Shelf, scanInVain, withShelf } from './moving-shelf.js';

type Touch = (shelf: Shelf, id: string) => Promise<unknown>;

const coverForm = (): Form => partForm('Content-Disposition: form-data; name="file"', image('png-palette-alpha.png'));

const TOUCHED_BOOKS: readonly Touch[] = [
  ({ api }, id) => api('PUT', `/books/${id}/progress`, { current_page: 1 }),
  async ({ api }, id) => {
    await api('PUT', `/books/${id}/progress`, { current_page: 1, completed: true });
    await api('DELETE', `/books/${id}/progress`);
  },
  async ({ api }, id) => {
    const { id: list } = await api('POST', '/readlists', { name: id });
    await api('POST', `/readlists/${list}/books`, { bookIds: [id] });
  },
  ({ api }, id) => api('POST', '/want-to-read', { bookId: id }),
  ({ api }, id) => api('PATCH', `/books/${id}/metadata`, { summary: 'An hour of work' }),
  ({ api }, id) => api('PUT', `/books/${id}/metadata/locks`, { coverLock: true }),
  ({ api }, id) => api('POST', `/books/${id}/tags`, { name: 'mine' }),
  async ({ api }, id) => {
    await api('PATCH', `/books/${id}/metadata`, { summary: 'An hour of work' });
    await api('PATCH', `/books/${id}/metadata`, { summary: null });
    await api('PUT', `/books/${id}/metadata/locks`, { summary: false });
    await api('PATCH', `/books/${id}/metadata`, { customMetadata: { shelf: 3 } });
  },
  ({ api }, id) => api('POST', `/books/${id}/cover`, coverForm()),
];

const TOUCHED_SERIES: readonly Touch[] = [
  async ({ api }, id) => {
    const { id: list } = await api('POST', '/collections', { name: id });
    await api('POST', `/collections/${list}/series`, { seriesIds: [id] });
  },
  ({ api }, id) => api('POST', '/want-to-read', { seriesId: id }),
  ({ api }, id) => api('POST', `/series/${id}/alternate-titles`, { label: 'Short', title: 'Om' }),
  ({ api }, id) => api('PATCH', `/series/${id}/metadata`, { summary: 'Ten hours of work' }),
  ({ api }, id) => api('PUT', `/series/${id}/metadata/locks`, { ageRating: true }),
  ({ api }, id) => api('POST', `/series/${id}/genres`, { name: 'mine' }),
  ({ change }, id) => {
    const tag =
      "INSERT OR IGNORE INTO sharing_tag (id, uuid, name, name_key, created_at, updated_at) VALUES (1, randomblob(16), 'x', 'x', 0, 0)";
    const link = `INSERT INTO series_sharing_tag SELECT id, 1 FROM series WHERE uuid = unhex('${id.replaceAll('-', '')}')`;
    return change(tag).then(() => change(link));
  },
  ({ api }, id) => api('POST', `/series/${id}/cover`, coverForm()),
];

/** What is written about each book and series of the library. Not: what the files say, and what follows from other rows. */
const written = async ({ temp: { app } }: Shelf): Promise<unknown> => {
  const of = (sql: string): Promise<unknown[]> => app.db.all(sql);
  return [
    await of(`SELECT hex(b.uuid), p.current_page, c.completed_at, l.position, w.position, m.locks, m.facts, s.facts, t.tag_id, v.id
      FROM book b LEFT JOIN read_progress p ON p.book_id = b.id LEFT JOIN read_completion c ON c.book_id = b.id
        LEFT JOIN read_list_book l ON l.book_id = b.id LEFT JOIN want_to_read w ON w.book_id = b.id
        LEFT JOIN book_metadata m ON m.book_id = b.id LEFT JOIN book_source s ON s.book_id = b.id AND s.source = 0
        LEFT JOIN book_tag t ON t.book_id = b.id LEFT JOIN cover v ON v.book_id = b.id WHERE ${touchedBook('b')} AND b.deleted = 0 ORDER BY 1`),
    await of(`SELECT hex(s.uuid), s.name, s.summary, s.locks, c.position, w.position, a.title, g.genre_id, t.sharing_tag_id, v.id, s.book_count
      FROM series s LEFT JOIN collection_series c ON c.series_id = s.id LEFT JOIN want_to_read w ON w.series_id = s.id
        LEFT JOIN series_title a ON a.series_id = s.id LEFT JOIN series_genre g ON g.series_id = s.id
        LEFT JOIN series_sharing_tag t ON t.series_id = s.id LEFT JOIN cover v ON v.series_id = s.id WHERE ${touchedSeries('s')} ORDER BY 1`),
  ];
};

block('rows that somebody has touched', (check) => {
  check('a book keeps its row and all that was written about it, whatever file it turns out to be', () =>
    withShelf({ Alpha: 20 }, async (shelf) => {
      const { books, path } = shelf;
      const before = await books();
      for (let n = 1; n <= TOUCHED_BOOKS.length + 1; n += 1)
        renameSync(path('Alpha', `Alpha ${n}.cbz`), path('Alpha', `New ${n}.cbz`));
      await scanInVain(shelf);
      const ids = TOUCHED_BOOKS.map((_, at) => `New ${at + 1}`);
      const added = await books();
      for (const [at, touch] of TOUCHED_BOOKS.entries()) await touch(shelf, added.get(ids[at] ?? '')?.id ?? '');
      const all = await written(shelf);
      const touched = `SELECT title FROM book b WHERE ${touchedBook('b')} ORDER BY id`;
      assert.equal(
        (await shelf.temp.app.db.all<{ title: string }>(touched)).map(({ title }) => title),
        ids,
      );
      assert.is(await shelf.scan(), 'completed');
      assert.equal(await written(shelf), all);
      const after = await books();
      for (const id of ids) assert.is(after.get(id)?.id, added.get(id)?.id);
      const last = TOUCHED_BOOKS.length + 1;
      assert.is(after.get(`New ${last}`)?.id, before.get(`Alpha ${last}`)?.id, 'an untouched row is the old book');
    }),
  );
  check('nor does a book lose what is written while files are compared', () =>
    withShelf({ Alpha: 5 }, async (shelf) => {
      const { pool } = shelf.temp.app;
      const { run } = pool;
      renameSync(shelf.path('Alpha', 'Alpha 2.cbz'), shelf.path('Alpha', 'New.cbz'));
      let id = '';
      pool.run = async (name, input, options) => {
        if (name === 'partial') {
          id = (await shelf.books()).get('New')?.id ?? '';
          await shelf.api('POST', '/want-to-read', { bookId: id });
        }
        return run.call(pool, name, input, options) as never;
      };
      assert.is(await shelf.scan(), 'completed');
      assert.is((await shelf.books()).get('New')?.id, id);
      assert.is((await shelf.temp.app.db.all('SELECT id FROM want_to_read')).length, 1);
    }),
  );
  check(
    'a file renamed twice is the old book, even if somebody opened it between a scan that failed and the next',
    () =>
      withShelf({ Zoo: 5 }, async (shelf) => {
        const { temp, books, path } = shelf;
        const old = (await books()).get('Zoo 2')?.id ?? '';
        await shelf.api('POST', '/want-to-read', { bookId: old });
        renameSync(path('Zoo', 'Zoo 2.cbz'), path('Zoo', 'Alpha.cbz'));
        await scanInVain(shelf);
        const token = await temp.tokenOf('admin');
        const opened = await temp.call('GET', `/api/v1/books/${(await books()).get('Alpha')?.id}/pages/1`, { token });
        assert.is(opened.status, 200);
        renameSync(path('Zoo', 'Alpha.cbz'), path('Zoo', 'New.cbz'));
        assert.is(await shelf.scan(), 'completed');
        assert.is((await books()).get('New')?.id, old);
      }),
  );
  check('a series keeps its row and all that was written about it, and gets the old books', () =>
    withShelf(Object.fromEntries([...TOUCHED_SERIES, null].map((_, at) => [`Old ${at}`, 2])), async (shelf) => {
      const { books, path, temp } = shelf;
      const before = await books();
      const last = TOUCHED_SERIES.length;
      for (let n = 0; n <= last; n += 1) renameSync(path(`Old ${n}`), path(`New ${n}`));
      await scanInVain(shelf);
      const ids = new Map(
        (await temp.app.db.all<{ name: string; id: string }>('SELECT name, lower(hex(uuid)) AS id FROM series')).map(
          ({ name, id }) => [name, id.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')],
        ),
      );
      for (const [at, touch] of TOUCHED_SERIES.entries()) await touch(shelf, ids.get(`New ${at}`) ?? '');
      const all = await written(shelf);
      assert.is((await temp.app.db.all(`SELECT id FROM series s WHERE ${touchedSeries('s')}`)).length, last);
      assert.is(await shelf.scan(), 'completed');
      assert.equal(await written(shelf), all);
      const after = await books();
      for (let n = 0; n <= last; n += 1) {
        const [old, now] = [before.get(`Old ${n} 1`), after.get(`Old ${n} 1`)];
        assert.equal([now?.id, now?.seriesId], [old?.id, n === last ? old?.seriesId : ids.get(`New ${n}`)]);
      }
    }),
  );
  check('every table about books and series is known: people write it, or the server derives it', async () => {
    const temp = await tempApp();
    try {
      const tablesOf = async (owner: string): Promise<string[]> => {
        const rows = await temp.app.db.all<{ name: string }>(
          `SELECT DISTINCT m.name FROM sqlite_schema m JOIN pragma_foreign_key_list(m.name) k
           WHERE m.type = 'table' AND k."table" = '${owner}' ORDER BY m.name`,
        );
        return rows.map(({ name }) => name);
      };
      const unnamed = (tables: readonly string[], sql: string): string[] =>
        tables.filter((name) => !sql.includes(`FROM ${name} x`));
      const derived = [
        'book_error',
        'book_genre',
        'book_look',
        'book_name',
        'book_name_due',
        'book_outline',
        'book_pages',
        'book_summary',
        'book_tag',
        'book_text',
        'duplicate_book',
      ];
      assert.equal(unnamed(await tablesOf('book'), touchedBook('b')), derived);
      const derivedOfSeries = [
        'book',
        'credit',
        'duplicate_series',
        'series_genre',
        'series_key',
        'series_reading',
        'series_tag',
        'series_text',
      ];
      assert.equal(unnamed(await tablesOf('series'), touchedSeries('s')), derivedOfSeries);
    } finally {
      await temp.close();
    }
  });
});
