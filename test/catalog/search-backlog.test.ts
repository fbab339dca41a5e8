// A change of many rows is indexed a few hundred at a time, and nothing else waits for all of it.
import { changeSeriesMetadata } from '../../core/catalog/series-metadata.js';
import { uuidOfHex } from '../../core/model/ids.js';
import { unrestricted } from '../../core/model/viewer.js';
import type { Db, Reader } from '../../core/store/db.js';
import { ASPECTS, SYSTEM, updated } from '../../core/store/feed.js';
import { until } from '../app.js';
import { assert, block } from '../kit.js';
import { insertMany } from '../scan/many-books.js';
import { openTempDb, type TempDb } from '../temp-db.js';

const CLOCK = { now: () => 1_000_000, elapsed: () => 1_000_000 };
const SIZE = 1100;
/** Those whose files are gone are indexed too. */
const BOOKS = SIZE + SIZE / 10;

const withSeries = async (body: (temp: TempDb, series: string) => Promise<void>): Promise<void> => {
  const temp = await openTempDb('backlog');
  try {
    await temp.db.write(SYSTEM, 'background', (tx) => insertMany(tx, { library: 1, root: '/l', sizes: [SIZE] }));
    const [row] = await temp.db.all<{ hex: string }>('SELECT hex(uuid) AS hex FROM series');
    await body(temp, uuidOfHex(row?.hex ?? ''));
  } finally {
    await temp.close();
  }
};

const numberOf = async (from: Reader, sql: string): Promise<number> =>
  (await from.all<{ n: number }>(`SELECT count(*) AS n FROM ${sql}`))[0]?.n ?? 0;

const waiting = (from: Reader): Promise<number> => numberOf(from, 'search_due');
const foundBy = (from: Reader, words: string): Promise<number> =>
  numberOf(from, `book_words WHERE book_words MATCH '${words}'`);

const rename = async (db: Db, series: string): Promise<void> => {
  await changeSeriesMetadata(db, CLOCK, unrestricted(1), series, { title: 'Renamed' });
};

const retitle = (db: Db): Promise<readonly number[]> =>
  db.write(SYSTEM, 'interactive', async (tx) => {
    const before = await waiting(tx);
    const [last] = await tx.all<{ id: number }>('SELECT max(id) AS id FROM book');
    const key = last?.id ?? 0;
    await tx.run("UPDATE book SET title = 'Lighthouse', title_sort = 'lighthouse' WHERE id = ?", [key]);
    tx.report(updated('book', [key], ASPECTS.list | ASPECTS.text | ASPECTS.content));
    return [before, key];
  });

block('search: changes of many rows', (check) => {
  check('the books of a renamed series follow in batches; other writes go between and are indexed at once', () =>
    withSeries(async ({ db }, series) => {
      const renamed = rename(db, series);
      const [before] = await retitle(db);
      await renamed;
      assert.ok((before ?? 0) > 0 && (before ?? 0) < BOOKS);
      assert.is(await foundBy(db, 'title : lighthouse'), 1);
      await until('all are indexed', async () => (await waiting(db)) === 0);
      assert.is(await foundBy(db, 'series : renamed'), BOOKS);
    }),
  );
  check('a change of few rows is indexed before it ends, even while many wait', () =>
    withSeries(async ({ db }, series) => {
      const ends: string[] = [];
      const renamed = rename(db, series).then(() => ends.push('renamed'));
      const retitled = retitle(db).then(async ([, key]) => {
        ends.push('retitled');
        assert.is(await numberOf(db, `search_due WHERE kind = 0 AND id = ${key}`), 0);
      });
      await Promise.all([renamed, retitled]);
      assert.equal(ends, ['renamed', 'retitled']);
    }),
  );
  check('what waits when a server ends is indexed after the next start', () =>
    withSeries(async (temp, series) => {
      const renamed = rename(temp.db, series);
      const closed = temp.db.close();
      await Promise.all([renamed, closed]);
      const db = await temp.reopen();
      assert.ok((await waiting(db)) > 0);
      await retitle(db);
      await until('all are indexed', async () => (await waiting(db)) === 0);
      assert.is(await foundBy(db, 'series : renamed'), BOOKS);
    }),
  );
});
