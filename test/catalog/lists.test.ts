// Lists against a reference model over plain arrays: any tree, sort and page; and the plans of every sort and filter.

import fc from 'fast-check';
import { listBooks } from '../../core/catalog/list-books.js';
import { listSeries, seriesByLetter } from '../../core/catalog/list-series.js';
import type { ListLimits } from '../../core/catalog/query/plan.js';
import { BOOK_COLUMN_SORTS, type BookSort, SERIES_COLUMN_SORTS, type SeriesSort } from '../../core/catalog/sorts.js';
import { ROLE_PERMISSIONS } from '../../core/model/permissions.js';
import { sortKeyOf } from '../../core/model/sort-key.js';
import { unrestricted, type Viewer } from '../../core/model/viewer.js';
import { SYSTEM } from '../../core/store/feed.js';
import { assert, block, IS_FULL } from '../kit.js';
import {
  bookCells,
  bookTexts,
  bookValue,
  liveOf,
  meets,
  ordered,
  seriesCells,
  seriesTexts,
  seriesValue,
  type Tree,
} from './list-oracle.js';
import { bookClauses, searchText, seriesClauses, treeOf, windowArb } from './random-asks.js';
import {
  type BookModel,
  fill,
  type Model,
  modelOf,
  type RandomShelf,
  type Shelved,
  shelfArb,
  withCatalog,
} from './random-shelf.js';
import { finds } from './search-oracle.js';

interface Ask {
  readonly condition: Tree;
  readonly text: string | undefined;
  readonly includeDeleted: boolean;
  readonly sort: string;
  readonly descending: boolean;
  readonly user: number;
  readonly window: { readonly page: number; readonly pageSize: number };
}

const BOOK_NAMES = [...Object.keys(BOOK_COLUMN_SORTS), 'series', 'last_read'];
const SERIES_NAMES = Object.keys(SERIES_COLUMN_SORTS);

const askOf = (tree: fc.Arbitrary<Tree>, sorts: readonly string[]): fc.Arbitrary<Ask> =>
  fc.record({
    condition: fc.option(tree, { freq: 6, nil: undefined }),
    text: searchText,
    includeDeleted: fc.boolean(),
    sort: fc.constantFrom(...sorts),
    descending: fc.boolean(),
    user: fc.integer({ min: 1, max: 2 }),
    window: windowArb,
  });

const pageIn = <T>(rows: readonly T[], { page, pageSize }: Ask['window']): readonly T[] =>
  rows.slice((page - 1) * pageSize, page * pageSize);

const NULLS_LAST = new Set(['release_date', 'number']);

const expectedBooks = (model: Model, ask: Ask) => {
  const found = model.books.filter(
    (book) =>
      (ask.includeDeleted || !book.deleted) &&
      meets(ask.condition, bookValue(model, book, ask.user)) &&
      finds(ask.text, bookTexts(book)),
  );
  const isRead = (book: BookModel): boolean => (book.progress[ask.user - 1] ?? null) !== null;
  const valued = ask.sort === 'last_read' ? found.filter(isRead) : found;
  const rest = ordered(
    found.filter((book) => !valued.includes(book)),
    bookCells('title', ask.user),
    false,
    false,
  );
  const all = [...ordered(valued, bookCells(ask.sort, ask.user), ask.descending, NULLS_LAST.has(ask.sort)), ...rest];
  return { total: all.length, ids: pageIn(all, ask.window).map(({ id }) => id) };
};

const expectedSeries = (model: Model, ask: Ask) => {
  const found = model.series.filter(
    (series) =>
      liveOf(model, series).length > 0 &&
      meets(ask.condition, seriesValue(model, series, ask.user)) &&
      finds(ask.text, seriesTexts(series)),
  );
  const all = ordered(found, seriesCells(ask.sort, model), ask.descending, NULLS_LAST.has(ask.sort));
  return { total: all.length, ids: pageIn(all, ask.window).map(({ id }) => id) };
};

const coreAsk = <S extends string>(ask: Ask) => ({
  condition: ask.condition,
  fullTextSearch: ask.text,
  includeDeleted: ask.includeDeleted,
  order: { sort: ask.sort as S, descending: ask.descending },
  window: ask.window,
});

/** The first user is an administrator. */
const viewerOf = (user: number): Viewer => ({
  ...unrestricted(user),
  permissions: new Set(ROLE_PERMISSIONS[user === 1 ? 'admin' : 'maintainer']),
  administers: user === 1,
});

const compareBooks = async (parts: Shelved, model: Model, ask: Ask): Promise<void> => {
  const { items, total } = await listBooks(parts, unrestricted(ask.user), coreAsk<BookSort>(ask));
  assert.equal({ total, ids: items.map(({ id }) => id) }, expectedBooks(model, ask), JSON.stringify(ask));
};

const compareSeries = async (parts: Shelved, model: Model, ask: Ask): Promise<void> => {
  const { items, total } = await listSeries(parts, viewerOf(ask.user), coreAsk<SeriesSort>(ask));
  assert.equal({ total, ids: items.map(({ id }) => id) }, expectedSeries(model, ask), JSON.stringify(ask));
};

const asksOf = (model: Model) => ({
  books: askOf(
    treeOf(
      bookClauses(
        model.libraries,
        model.series.map(({ id }) => id),
      ),
    ),
    BOOK_NAMES,
  ),
  series: askOf(treeOf(seriesClauses(model.libraries)), SERIES_NAMES),
});

/** The ways to a page: a stretch of the index, a sort of the matches, the whole order. */
const WAYS: readonly ListLimits[] = [
  { walk: 20_000, shortWalk: 20_000, sort: 0, rank: 100 },
  { walk: 0, shortWalk: 0, sort: 3000, rank: 0 },
  { walk: 0, shortWalk: 0, sort: 0, rank: 100 },
];

const SHELVES = WAYS.length * (IS_FULL ? 3 : 1);
const ASKS = 60;

/** Some random shelves, each with many random queries. */
const overShelves = (check: (parts: Shelved, model: Model, seed: number) => Promise<void>): Promise<void> =>
  withCatalog(async (parts) => {
    const seed = fc.readConfigureGlobal().seed ?? 1;
    for (const [index, shelf] of fc
      .sample<RandomShelf>(shelfArb, { numRuns: SHELVES, seed, unbiased: true })
      .entries()) {
      const model = modelOf(shelf);
      await fill(parts.db, model);
      await check({ ...parts, limits: WAYS[index % WAYS.length] as ListLimits }, model, seed + index);
    }
  });

block('lists against the model', (check) => {
  check('books: any condition, search, sort and page', () =>
    overShelves(async (parts, model, seed) => {
      const property = fc.asyncProperty(asksOf(model).books, (ask) => compareBooks(parts, model, ask));
      await fc.assert(property, { numRuns: ASKS, seed, unbiased: true });
    }),
  );
  check('series: any condition, search, sort and page', () =>
    overShelves(async (parts, model, seed) => {
      const property = fc.asyncProperty(asksOf(model).series, (ask) => compareSeries(parts, model, ask));
      await fc.assert(property, { numRuns: ASKS, seed, unbiased: true });
    }),
  );
  check('the next list shows a change: progress, deletion, another title', () =>
    overShelves(async (parts, model) => {
      const [book] = model.books.filter(({ deleted }) => !deleted);
      if (book === undefined) return;
      const count = async (condition: Tree): Promise<number> =>
        (
          await listBooks(parts, unrestricted(1), {
            condition,
            order: { sort: 'title', descending: false },
            window: { page: 1, pageSize: 1 },
          })
        ).total;
      const read = { readStatus: { operator: 'is', value: 'read' } };
      const before = await count(read);
      await parts.db.write(SYSTEM, 'interactive', (tx) => tx.run('DELETE FROM read_progress WHERE user_id = 1'));
      assert.is(await count(read), 0, `had ${before}`);
      const named = { title: { operator: 'contains', value: 'zyx w' } };
      assert.is(await count(named), 0);
      await parts.db.write(SYSTEM, 'interactive', (tx) =>
        tx.run("UPDATE book SET title = 'Zyx W' WHERE id = ?", [book.key]),
      );
      assert.is(await count(named), 1);
      await parts.db.write(SYSTEM, 'interactive', (tx) => tx.run('DELETE FROM book WHERE id = ?', [book.key]));
      assert.is(await count(named), 0);
    }),
  );
  check('the next query sees list membership, and deleted books keep it', () =>
    overShelves(async (parts, model) => {
      const count = async (operator: string, includeDeleted: boolean): Promise<number> => {
        const condition = { inReadList: { operator } };
        const order = { sort: 'title', descending: false } as const;
        return (
          await listBooks(parts, unrestricted(1), {
            condition,
            includeDeleted,
            order,
            window: { page: 1, pageSize: 1 },
          })
        ).total;
      };
      const run = (sql: string): Promise<number> => parts.db.write(SYSTEM, 'interactive', (tx) => tx.run(sql));
      const live = model.books.filter(({ deleted }) => !deleted).length;
      await run('INSERT OR IGNORE INTO read_list_book SELECT 1, id, id, 0 FROM book');
      assert.equal([await count('isTrue', false), await count('isTrue', true)], [live, model.books.length]);
      assert.equal([await count('isFalse', false), await count('isFalse', true)], [0, 0]);
      await run('DELETE FROM read_list');
      assert.equal([await count('isTrue', true), await count('isFalse', false)], [0, live]);
    }),
  );
  check('letters count every series once, and follow the condition', () =>
    overShelves(async (parts, model) => {
      const letters = await seriesByLetter(parts, unrestricted(1), {});
      const live = model.series.filter((series) => liveOf(model, series).length > 0);
      const expected = new Map<string, number>();
      for (const { titleSort, name } of live) {
        const [group = '#'] = sortKeyOf(titleSort, name).replace(/^0+(?=\d)/, '');
        expected.set(group, (expected.get(group) ?? 0) + 1);
      }
      assert.equal(
        new Map(letters.map(({ group, count }) => [group, count])),
        new Map([...expected].sort(([a], [b]) => (a < b ? -1 : 1))),
      );
      assert.equal(await seriesByLetter(parts, unrestricted(1), { condition: { anyOf: [] } }), []);
    }),
  );
});
