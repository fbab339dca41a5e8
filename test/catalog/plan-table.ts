// The plan for a list of a million books, or of 40,000 series: each sort with each family of filters, three pages, and each cost of the
// order. Run as a program it prints the committed table:
//   node dist/test/catalog/plan-table.js > fixtures/plans.txt

import { fileURLToPath } from 'node:url';
import { ALL, type Sets } from '../../core/catalog/conditions/sets.js';
import {
  BOOKS,
  LIMITS,
  type ListAsk,
  type ListSource,
  type OrderCost,
  type OrderOf,
  type Part,
  type Plan,
  partsOf,
  planOf,
  SERIES,
  type Step,
  type Way,
} from '../../core/catalog/query/plan.js';
import { BOOK_SORTS, RELEVANCE, SERIES_SORTS } from '../../core/catalog/sorts.js';
import type { RowKind } from '../../core/model/row-kind.js';
import { EVERYTHING, unrestricted } from '../../core/model/viewer.js';

interface Family {
  readonly name: string;
  readonly ask?: Partial<Pick<ListAsk<RowKind>, 'scope' | 'sets' | 'match' | 'includeHidden' | 'viewer'>>;
  /** The percentage of the list's rows that match. */
  readonly percent: number;
}

/** Any set will do: only its size, and whether its rows can be listed, matters. */
const SOME: Sets = { set: { in: 'terms', kind: 'genre', test: { kind: 'is', value: 'x' } } };

const VIEWER = unrestricted(1);
const LIMITED = { ...VIEWER, scope: { ...EVERYTHING, libraries: [1] } };

const MATCH = { whole: '"x"', begun: '"x"*', all: '("x"* OR "xy")', anyOf: ['("x"* OR "xy")'] };

const FAMILIES: readonly Family[] = [
  { name: 'no filter', percent: 100 },
  { name: 'a library', ask: { scope: { library: 1 } }, percent: 10 },
  { name: 'a series', ask: { scope: { series: 1 } }, percent: 0.01 },
  { name: 'a filter, 0.01 % pass', ask: { sets: SOME }, percent: 0.01 },
  { name: 'a filter, 1 % pass', ask: { sets: SOME }, percent: 1 },
  { name: 'a filter, 50 % pass', ask: { sets: SOME }, percent: 50 },
  { name: 'a negated filter, 95 % pass', ask: { sets: { not: SOME } }, percent: 95 },
  { name: 'a condition everything meets', ask: { sets: ALL }, percent: 100 },
  { name: 'a filter nothing passes', ask: { sets: SOME }, percent: 0 },
  { name: 'a search, 0.05 % found', ask: { match: MATCH }, percent: 0.05 },
  { name: 'a search, 60 % found', ask: { match: MATCH }, percent: 60 },
  { name: 'deleted rows too', ask: { includeHidden: true }, percent: 100 },
  { name: 'a limited viewer', ask: { viewer: LIMITED }, percent: 10 },
];

const COSTS: readonly OrderCost[] = ['read', 'corrected', 'cached'];
const PAGE_SIZE = 50;

const askOf = <R extends RowKind>(order: OrderOf<R>, { ask }: Family, page: number): ListAsk<R> => ({
  viewer: VIEWER,
  scope: {},
  sets: undefined,
  match: null,
  includeHidden: false,
  ...ask,
  order,
  window: { page, pageSize: PAGE_SIZE },
});

const nameOf = (way: Way): string => {
  const end = way.reversed ? ' from the end' : '';
  if (way.by === 'entries') return `${way.entries} entries${end} | ${nameOf(way.otherwise)}`;
  if (way.by === 'order') return `whole order${end}`;
  return way.by;
};

const stepName = (step: Step<RowKind>): string => {
  if (step.by === 'walk') return `walk ${step.part.from}${step.stretch.reversed ? ' from the end' : ''}`;
  const { sort } = step.part.order;
  return `${step.order.sort === sort ? '' : `by ${step.order.sort}: `}${nameOf(step.way)}`;
};

const planName = ({ steps }: Plan<RowKind>): string =>
  steps.length === 0 ? 'nothing' : steps.map((step) => stepName(step as Step<RowKind>)).join(' + ');

/** The viewer has read 2 % of all books, spread evenly over all lists. */
const countsOf = (parts: readonly Part<RowKind>[], found: number): readonly number[] =>
  parts.length === 1 ? [found] : [Math.round(found * 0.02), found - Math.round(found * 0.02)];

const planned = <R extends RowKind>(
  source: ListSource<R>,
  order: OrderOf<R>,
  family: Family,
  { universe, page, cost }: { readonly universe: number; readonly page: number; readonly cost: OrderCost },
): string => {
  const ask = askOf(order, family, page);
  const parts = partsOf(source, ask, LIMITS);
  const counts = countsOf(parts as readonly Part<RowKind>[], Math.round((universe * family.percent) / 100));
  const facts = {
    parts: parts.map((part, at) => ({ part, count: counts[at] ?? 0 })),
    universe,
    costOf: () => cost,
    limits: LIMITS,
  };
  return planName(planOf(source, ask, facts) as Plan<RowKind>);
};

/** The first page, one in the middle, and the last. */
const pagesOf = (found: number): readonly number[] => {
  const last = Math.max(1, Math.ceil(found / PAGE_SIZE));
  return [...new Set([1, Math.ceil(last / 2), last])];
};

const linesOf = <R extends RowKind>(source: ListSource<R>, order: OrderOf<R>, universe: number): string[] =>
  FAMILIES.filter(({ ask }) => source.rows === 'book' || ask?.scope?.series === undefined).flatMap((family) => {
    const found = Math.round((universe * family.percent) / 100);
    const byCost = COSTS.map((cost) =>
      pagesOf(found).map((page) => planned(source, order, family, { universe, page, cost })),
    );
    const lines = new Map<string, OrderCost[]>();
    for (const [at, plans] of byCost.entries()) {
      const line = plans.map((plan, index) => (index > 0 && plan === plans[index - 1] ? '"' : plan)).join('; ');
      lines.set(line, [...(lines.get(line) ?? []), COSTS[at] ?? 'read']);
    }
    return [...lines].map(
      ([line, costs]) =>
        `  ${family.name}${costs.length === COSTS.length ? '' : `, order ${costs.join(' or ')}`}: ${line}`,
    );
  });

const blocksOf = <R extends RowKind>(
  source: ListSource<R>,
  sorts: readonly OrderOf<R>['sort'][],
  universe: number,
): string[] => {
  const blocks = new Map<string, string[]>();
  for (const sort of sorts) {
    const lines = linesOf(source, { sort, descending: false } as OrderOf<R>, universe).join('\n');
    blocks.set(lines, [...(blocks.get(lines) ?? []), sort]);
  }
  return [...blocks].map(([lines, names]) => `${source.rows} by ${names.join(', ')}\n${lines}`);
};

const HEAD = `# Plans of lists: 1,000,000 books, 40,000 series, pages of ${PAGE_SIZE}. After a colon: the first page; one in the middle; the last.
# "order read / corrected / cached": what getting the whole order would cost. " stands for the plan before it; | for the way taken where
# the entries hold too few of the rows; + joins the two parts of a list. Written by: node dist/test/catalog/plan-table.js > fixtures/plans.txt`;

const sortsOf = <S extends string>(names: Readonly<Record<string, S>>): S[] => [...new Set(Object.values(names))];

export const planTable = (): string =>
  [
    HEAD,
    ...blocksOf(BOOKS, sortsOf({ ...BOOK_SORTS, ...RELEVANCE }), 1_000_000),
    ...blocksOf(SERIES, sortsOf({ ...SERIES_SORTS, ...RELEVANCE }), 40_000),
    '',
  ]
    .join('\n\n')
    .trimEnd()
    .concat('\n');

if (process.argv[1] === fileURLToPath(import.meta.url)) process.stdout.write(planTable());
