// Cached sets that are corrected, compared with fresh queries, after all kinds of writes.

import fc from 'fast-check';
import { listBooks } from '../../core/catalog/list-books.js';
import { listSeries } from '../../core/catalog/list-series.js';
import { SetCache } from '../../core/catalog/query/set-cache.js';
import { BOOK_COLUMN_SORTS, type BookSort, SERIES_COLUMN_SORTS, type SeriesSort } from '../../core/catalog/sorts.js';
import { changedFor, type IdQuery } from '../../core/catalog/sql/predicates.js';
import type { RowKind } from '../../core/model/row-kind.js';
import { unrestricted } from '../../core/model/viewer.js';
import { ASPECTS, type Change, Feed, Reports, SYSTEM } from '../../core/store/feed.js';
import { reportChanged } from '../changed-rows.js';
import { assert, block, IS_FULL } from '../kit.js';
import type { Tree } from './list-oracle.js';
import { bookClauses, searchText, seriesClauses, treeOf } from './random-asks.js';
import { fill, type Model, modelOf, type RandomShelf, type Shelved, shelfArb, withCatalog } from './random-shelf.js';

/** Each is applied to a random row, `?1`, with another random value, `?2`. */
const WRITES: readonly string[] = [
  `UPDATE book SET title = 'Dragon ' || ?2 WHERE id = ?1`,
  'UPDATE book SET deleted = 1 - deleted, page_count = ?2 WHERE id = ?1',
  'UPDATE book SET page_count = ?2, created_at = ?2 WHERE id = ?1',
  'UPDATE book SET analysis_error = nullif(?2, 1), number = ?2 WHERE id = ?1',
  'UPDATE book SET series_id = coalesce((SELECT id FROM series WHERE id = ?2), series_id) WHERE id = ?1',
  'DELETE FROM book WHERE id = ?1 + ?2',
  'DELETE FROM book_genre WHERE book_id = ?1 AND genre_id <> ?2',
  'INSERT OR REPLACE INTO book_genre (book_id, genre_id) SELECT b.id, g.id FROM book b, genre g WHERE b.id = ?1 AND g.id = ?2',
  'INSERT OR REPLACE INTO book_tag (book_id, tag_id) SELECT b.id, g.id FROM book b, tag g WHERE b.id = ?1 AND g.id = ?2',
  'DELETE FROM series_genre WHERE series_id = ?2 AND genre_id <> ?1',
  'INSERT OR REPLACE INTO series_genre (series_id, genre_id) SELECT s.id, g.id FROM series s, genre g WHERE s.id = ?2 AND g.id = 1 + ?1 % 6',
  'INSERT OR REPLACE INTO series_tag (series_id, tag_id) SELECT s.id, g.id FROM series s, tag g WHERE s.id = ?2 AND g.id = 1 + ?1 % 6',
  `UPDATE genre SET name_key = 'action ' || ?1 WHERE id = ?2`,
  'DELETE FROM genre WHERE id = ?2 AND ?1 % 3 = 0',
  'DELETE FROM tag WHERE id = ?2 AND ?1 % 3 = 0',
  `UPDATE series SET name = 'B' || ?1, name_sort = 'b' || ?1, status = 'ended', year = ?1 WHERE id = ?2`,
  'UPDATE series SET library_id = 3 - library_id WHERE id = ?2',
  `UPDATE library SET root = '/elsewhere' || ?2 || ?1 WHERE id = ?2`,
  `UPDATE folder SET path = 'g' || ?1 WHERE id = ?2`,
  `UPDATE book_metadata SET facts = json_object('bookType', 'manga', 'summary', 'The ' || ?2) WHERE book_id = ?1`,
  `UPDATE book_metadata SET facts = json_object('publisher', nullif('Édition', 'Édition' || ?2 % 2), 'year', ?1 % 5,
     'authors', json_array(json_object('name', iif(?1 % 2, 'Ann Ö', 'Bo'), 'role', 'inker'))) WHERE book_id = ?1`,
  `UPDATE series SET publisher = iif(?1 % 2, 'b', NULL), language = iif(?1 % 3, 'ja', 'en') WHERE id = ?2`,
  'UPDATE read_progress SET completed = 1, completed_at = ?1, updated_at = ?1 WHERE book_id = ?1',
  'UPDATE read_progress SET completed = 0, completed_at = NULL, updated_at = ?2 WHERE book_id = ?1',
  'DELETE FROM read_progress WHERE book_id = ?1',
  'DELETE FROM series WHERE id = ?2 AND ?1 % 5 = 0',
  'DELETE FROM library WHERE id = ?2 AND ?1 % 9 = 0',
];

/** Only wrong values are written: a row touched without a change would be corrected for nothing. */
const COUNTERS = [
  `UPDATE series SET book_count = c.books FROM (
     SELECT s.id, (SELECT count(*) FROM book b WHERE b.series_id = s.id AND b.deleted = 0) AS books FROM series s) c
   WHERE c.id = series.id AND c.books <> book_count`,
  `UPDATE library SET series_count = (SELECT count(*) FROM series WHERE library_id = library.id AND book_count > 0),
     book_count = (SELECT count(*) FROM book WHERE library_id = library.id AND deleted = 0)`,
];

const writeArb = fc.record({
  sql: fc.constantFrom(...WRITES),
  row: fc.integer({ min: 1, max: 60 }),
  other: fc.integer({ min: 1, max: 6 }),
});

const BOOK_NAMES = [...Object.keys(BOOK_COLUMN_SORTS), 'series', 'last_read'];
const SERIES_NAMES = [...Object.keys(SERIES_COLUMN_SORTS), 'date_read'];
const window = { page: 1, pageSize: 100 };

const askOf = (tree: fc.Arbitrary<Tree>, sorts: readonly string[]) =>
  fc.record({
    condition: tree,
    fullTextSearch: searchText,
    order: fc.record({ sort: fc.constantFrom(...sorts), descending: fc.boolean() }),
    includeDeleted: fc.boolean(),
  });

const plan = ({ libraries, series }: Model) =>
  fc.record({
    books: fc.array(
      askOf(
        treeOf(
          bookClauses(
            libraries,
            series.map(({ id }) => id),
          ),
        ),
        BOOK_NAMES,
      ),
      { minLength: 15 },
    ),
    series: fc.array(askOf(treeOf(seriesClauses(libraries)), SERIES_NAMES), { minLength: 15 }),
    writes: fc.array(writeArb, { minLength: 4, maxLength: 12, size: 'max' }),
  });
type Plan = ReturnType<typeof plan> extends fc.Arbitrary<infer T> ? T : never;

const answers = async (parts: Shelved, { books, series }: Plan) => {
  const found: unknown[] = [];
  for (const ask of books) {
    const order = { ...ask.order, sort: ask.order.sort as BookSort };
    const { items, total } = await listBooks(parts, unrestricted(1), { ...ask, order, window });
    found.push({ ask, total, ids: items.map(({ id }) => id) });
  }
  for (const ask of series) {
    const order = { ...ask.order, sort: ask.order.sort as SeriesSort };
    const { items, total } = await listSeries(parts, unrestricted(1), { ...ask, order, window });
    found.push({ ask, total, ids: items.map(({ id }) => id) });
  }
  return found;
};

interface FeedOfBooks {
  /** One batch with a report of each change: the same keys in all. */
  told(keys: readonly number[] | 'all', ...changes: Change[]): void;
  since(sequence: number, rows?: RowKind): readonly number[] | undefined;
  goneSince(sequence: number): readonly number[] | undefined;
}

const feedOfBooks = (): FeedOfBooks => {
  const feed = new Feed((thrown) => {
    throw thrown;
  });
  const query: IdQuery = { sql: '', binds: [], dependsOn: 'catalog' };
  const listOf = (keys: Uint32Array | undefined) => (keys === undefined ? undefined : [...keys]);
  return {
    told: (keys, ...changes) => {
      const reports = new Reports();
      for (const change of changes) reports.add({ kind: 'book', change, keys, aspects: ASPECTS.list });
      feed.tell({ sequence: feed.sequence + 1, by: SYSTEM, reports: reports.all });
    },
    since: (sequence, rows = 'book') => listOf(changedFor(query, feed, rows, sequence)?.altered),
    goneSince: (sequence) => listOf(changedFor(query, feed, 'book', sequence)?.gone),
  };
};

const SHELVES = IS_FULL ? 12 : 5;

block('lists: caches follow writes', (check) => {
  check('a corrected set equals a fresh one', () =>
    withCatalog(async (parts) => {
      const seed = fc.readConfigureGlobal().seed ?? 1;
      const limits = { walk: 0, shortWalk: 0, sort: 0, rank: 100 };
      for (const shelf of fc.sample<RandomShelf>(shelfArb, { numRuns: SHELVES, seed, unbiased: true })) {
        const model = modelOf(shelf);
        await fill(parts.db, model);
        const [asked] = fc.sample<Plan>(plan(model), { numRuns: 1, seed, unbiased: true });
        if (asked === undefined) continue;
        await answers({ ...parts, limits }, asked);
        for (const { sql, row, other } of asked.writes) {
          await parts.db.write(SYSTEM, 'interactive', async (tx) => {
            await tx.run(sql, sql.includes('?2') ? [row, other] : [row]);
            for (const counter of COUNTERS) await tx.run(counter);
            await reportChanged(tx);
          });
          const anew = { db: parts.db, sets: new SetCache(parts.db), limits };
          const expected = await answers(anew, asked);
          for (const [index, answer] of (await answers({ ...parts, limits }, asked)).entries())
            assert.equal(answer, expected[index], `${seed}: ${sql} ${row} ${other}`);
        }
      }
    }),
  );
  check('series by time of reading: a walk gives the order', () =>
    withCatalog(async ({ db, sets }) => {
      const [shelf] = fc.sample<RandomShelf>(shelfArb, { numRuns: 1, unbiased: true });
      if (shelf === undefined) return;
      await fill(db, modelOf(shelf));
      for (const descending of [false, true]) {
        const order = { sort: 'date_read', descending } as const;
        const whole = await listSeries({ db, sets }, unrestricted(1), {
          order,
          condition: { year: { operator: 'ne', value: -1 } },
          window,
        });
        for (const pageSize of [1, 3, 100]) {
          const ids: string[] = [];
          for (let page = 1; page <= Math.ceil(whole.total / pageSize); page += 1)
            ids.push(
              ...(await listSeries({ db, sets }, unrestricted(1), { order, window: { page, pageSize } })).items.map(
                ({ id }) => id,
              ),
            );
          assert.equal(
            ids,
            whole.items.map(({ id }) => id),
          );
        }
      }
    }),
  );
  check('changes that are too many or too old are not known row by row', () => {
    const { told, since } = feedOfBooks();
    told([1, 2], 'updated');
    told([2, 3], 'updated');
    assert.equal(since(0), [1, 2, 3]);
    assert.equal(since(1), [2, 3]);
    assert.equal(since(0, 'series'), []);
    told(
      Array.from({ length: 5000 }, (_, key) => key),
      'updated',
    );
    assert.is(since(2), undefined);
    assert.equal(since(3), []);
    for (let n = 0; n < 2001; n += 1) told([n], 'updated');
    assert.is(since(3), undefined);
    assert.is(since(4)?.length, 2000);
    told('all', 'updated');
    assert.is(since(2003), undefined);
  });
  check('a removed row is gone until its key is used again', () => {
    const { told, since, goneSince } = feedOfBooks();
    told([1, 2, 3], 'removed');
    told([2], 'created');
    told([3], 'updated');
    told([3], 'removed');
    assert.equal([since(0), goneSince(0)], [[2], [1, 3]]);
    told([1], 'created', 'removed'); // in which order is unknown
    told([3], 'removed', 'created');
    assert.equal([since(0), goneSince(0)], [[2, 1, 3], []]);
    const many = Array.from({ length: 3000 }, (_, n) => 10 + n);
    told(many, 'removed');
    told(
      many.map((key) => key + many.length),
      'removed',
    );
    assert.equal([since(6), goneSince(6)?.length], [[], 6000]);
  });
});
