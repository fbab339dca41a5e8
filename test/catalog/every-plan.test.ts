// Every plan gives the same page: random lists are read by all the plans possible for them.

import fc from 'fast-check';
import { BOOK_FIELDS, SERIES_FIELDS } from '../../core/catalog/conditions/fields.js';
import { parseCondition } from '../../core/catalog/conditions/parse.js';
import { ALL, isInverted, type Sets, setsOf } from '../../core/catalog/conditions/sets.js';
import {
  BOOKS,
  type ListAsk,
  type ListLimits,
  type ListSource,
  type OrderCost,
  type Plan,
  partsOf,
  planOf,
  SERIES,
  type Step,
  type Way,
} from '../../core/catalog/query/plan.js';
import { matchOf } from '../../core/catalog/search/words.js';
import { BOOK_COLUMN_SORTS, type BookSort, SERIES_COLUMN_SORTS, type SeriesSort } from '../../core/catalog/sorts.js';
import { type Counted, countPart, type KeyPage, type ListReads, run } from '../../core/catalog/sql/run.js';
import type { RowKind } from '../../core/model/row-kind.js';
import { EVERYTHING, unrestricted } from '../../core/model/viewer.js';
import { assert, block } from '../kit.js';
import { bookClauses, searchText, seriesClauses, treeOf } from './random-asks.js';
import { fill, type Model, modelOf, type RandomShelf, shelfArb, WORDS, withCatalog } from './random-shelf.js';

const [NEVER, ALWAYS] = [0, Number.MAX_SAFE_INTEGER];
const COSTS: readonly OrderCost[] = ['read', 'cached'];

/** Together they make every possible choice. Whether a search is ranked decides what is on the page, so that is the same for all. */
const limitsWith = (rank: number): readonly ListLimits[] =>
  [
    { walk: ALWAYS, shortWalk: ALWAYS, sort: NEVER },
    { walk: NEVER, shortWalk: NEVER, sort: ALWAYS },
    { walk: NEVER, shortWalk: NEVER, sort: NEVER },
  ].map((limits) => ({ ...limits, rank }));

/** Too few entries for the page, unless they are exactly its rows: this forces the fallback. */
const shortened = (way: Way): Way => (way.by === 'entries' ? { ...way, entries: way.size } : way);

const withFewEntries = <R extends RowKind>({ steps, total }: Plan<R>): Plan<R> => ({
  total,
  steps: steps.map((step): Step<R> => (step.by === 'sets' ? { ...step, way: shortened(step.way) } : step)),
});

const waysOf = ({ steps }: Plan<RowKind>): string[] =>
  steps.map((step) => (step.by === 'walk' ? step.part.from : step.way.by));

/** The page by each possible plan, keyed by the text of the plan. */
const pagesOf = async <R extends RowKind>(
  from: ListReads,
  source: ListSource<R>,
  ask: ListAsk<R>,
  rank: number,
  seen: Set<string>,
): Promise<ReadonlyMap<string, KeyPage>> => {
  const pages = new Map<string, KeyPage>();
  // A list without a filter can also be read from the set of everything.
  for (const asked of ask.sets === undefined ? [ask, { ...ask, sets: ALL }] : [ask])
    for (const limits of limitsWith(rank)) {
      const parts = partsOf(source, asked, limits);
      const counted: Counted<R>[] = [];
      for (const part of parts) counted.push(await countPart(from, source, asked, part, counted));
      for (const { part, set } of counted)
        if (part.from === 'sets')
          assert.is(isInverted(part.sets), set?.inverted, 'a plan knows which sets cannot be listed');
      const universe = Math.max(...counted.map((one) => one.universe));
      for (const cost of COSTS) {
        const plan = planOf(source, asked, { parts: counted, universe, costOf: () => cost, limits });
        for (const one of [plan, withFewEntries(plan)]) {
          const text = JSON.stringify(one);
          for (const way of waysOf(one as Plan<RowKind>)) seen.add(way);
          if (!pages.has(text)) pages.set(text, await run(from, source, asked, one, counted));
        }
      }
    }
  return pages;
};

/** While a library is removed, unrestricted users still walk whole indexes. */
const WHILE_REMOVING = { ...unrestricted(1), scope: { ...EVERYTHING, removing: [1] } };
const LIMITED = { ...unrestricted(1), scope: { ...EVERYTHING, libraries: [2] } };

/** Most sorts are alike; the different ones are chosen equally often. */
const askOf = <S extends string>(sets: fc.Arbitrary<Sets>, alike: readonly S[], others: readonly S[]) =>
  fc.record({
    viewer: fc.constantFrom(unrestricted(1), unrestricted(2), LIMITED, WHILE_REMOVING),
    scope: fc.constantFrom({}, {}, { library: 1 }),
    sets: fc.option(sets, { freq: 1, nil: undefined }),
    match: fc.oneof(searchText, fc.constantFrom(...WORDS)).map((text) => matchOf(text)),
    includeHidden: fc.integer({ min: 0, max: 3 }).map((chance) => chance === 0),
    order: fc.record({
      sort: fc.oneof(fc.constantFrom(...alike), fc.constantFrom(...others)),
      descending: fc.boolean(),
    }),
    window: fc.record({ page: fc.integer({ min: 1, max: 4 }), pageSize: fc.integer({ min: 1, max: 9 }) }),
  });

const bookAsks = ({ libraries, series }: Model): fc.Arbitrary<ListAsk<'book'>> => {
  const ids = series.map(({ id }) => id);
  const sets = treeOf(bookClauses(libraries, ids)).map((tree) =>
    setsOf(parseCondition(tree, BOOK_FIELDS), BOOK_FIELDS, 1),
  );
  const alike: BookSort[] = [...(Object.keys(BOOK_COLUMN_SORTS) as BookSort[]), 'series'];
  return askOf(sets, alike, ['last_read', 'relevance']);
};

const seriesAsks = ({ libraries }: Model): fc.Arbitrary<ListAsk<'series'>> => {
  const sets = treeOf(seriesClauses(libraries)).map((tree) =>
    setsOf(parseCondition(tree, SERIES_FIELDS), SERIES_FIELDS, 1),
  );
  // Series without books are never requested.
  const alike = Object.keys(SERIES_COLUMN_SORTS) as SeriesSort[];
  return askOf(sets, alike, ['date_read', 'relevance']).map((ask) => ({ ...ask, includeHidden: false }));
};

const SHELVES = 6;
const ASKS = 100;

/** Returns all ways that were taken; fails on any difference. */
const overShelves = async <R extends RowKind>(
  source: ListSource<R>,
  asksOf: (model: Model) => fc.Arbitrary<ListAsk<R>>,
): Promise<ReadonlySet<string>> => {
  const seen = new Set<string>();
  await withCatalog(async ({ db, sets }) => {
    const seed = fc.readConfigureGlobal().seed ?? 1;
    const shelves = fc.sample<RandomShelf>(shelfArb, { numRuns: SHELVES, seed, unbiased: true });
    for (const [index, shelf] of shelves.entries()) {
      const model = modelOf(shelf);
      await fill(db, model);
      const property = fc.asyncProperty(asksOf(model), fc.constantFrom(NEVER, ALWAYS), async (ask, rank) => {
        const pages = await pagesOf({ reads: db, sets, asker: { user: 1 } }, source, ask, rank, seen);
        const [[, first] = ['', undefined]] = pages;
        for (const [plan, page] of pages) assert.equal(page, first, `${JSON.stringify(ask)}: ${plan}`);
      });
      await fc.assert(property, { numRuns: ASKS, seed: seed + index, unbiased: true });
    }
  });
  return seen;
};

const WAYS = ['index', 'read', 'unread', 'entries', 'sort', 'order', 'rank'];

block('every plan gives the same page', (check) => {
  check('books', async () => assert.equal([...(await overShelves(BOOKS, bookAsks))].sort(), [...WAYS].sort()));
  check('series', async () => assert.equal([...(await overShelves(SERIES, seriesAsks))].sort(), [...WAYS].sort()));
});
