// Compares what transactions report with what they change, over the whole suite: a report may say too much, never too little.
import { INDEXED_MAX } from '../core/catalog/search/keeper.js';
import type { Inspection, Statements } from '../core/store/db.js';
import { ASPECTS, type Report } from '../core/store/feed.js';
import { type ChangedRow, changedRows } from './changed-rows.js';
import { wrongParents } from './feed-parents.js';
import { ROW_WATCH } from './row-watch.js';

/** Sentences about transactions whose reports miss something; the run of a test file fails by them. */
export const missed: string[] = [];

const SENTENCES_MAX = 20;
const ROWS_NAMED = 4;

/** A removed row may have lost its parents before the trigger could look. */
const isOf = (report: Report, row: ChangedRow): boolean => {
  if (report.kind === 'everything') return true;
  if (report.kind !== row.kind) return false;
  if (row.userKey !== null && report.userKey !== row.userKey) return false;
  if (report.keys !== 'all') return report.keys.includes(row.key);
  if (report.libraryKey !== undefined && row.libraryKey !== null) return report.libraryKey === row.libraryKey;
  if (report.seriesKey !== undefined && row.seriesKey !== null) return report.seriesKey === row.seriesKey;
  return true;
};

const isCovered = (row: ChangedRow, reports: readonly Report[]): boolean => {
  const of = reports.filter((report) => isOf(report, row));
  if (of.length === 0) return false;
  const aspects = of.reduce((sum, report) => sum | report.aspects | 64, 0);
  const isChangeTold =
    row.change === 'updated' || of.some(({ change, keys }) => change === row.change || keys === 'all');
  return (row.aspects & ~aspects) === 0 && isChangeTold;
};

const wordsOf = ({ kind, key, change, aspects, userKey }: ChangedRow): string =>
  `${kind} ${key} ${change} (${aspects})${userKey === null ? '' : ` of user ${userKey}`}`;

const miss = (caller: string, what: string): void => {
  if (missed.length < SENTENCES_MAX) missed.push(`A transaction of ${caller} ${what}.`);
};

/** What `write` itself consists of. */
const WITHIN = ['core/store/db.js', 'core/access/departed.js', 'core/tracing/traced-stores.js', 'test/feed-check.js'];

/** Whoever called `write`. */
const callerOf = (stack: string): string =>
  stack
    .split('\n')
    .slice(1)
    .map((line) => /dist\/((?:core|http|test|bench)\/\S+)/.exec(line)?.[1] ?? '')
    .find((place) => place !== '' && !WITHIN.some((own) => place.startsWith(own))) ?? 'somebody unknown';

/** Faster than asking each report for each key. */
const indexed = (reports: readonly Report[]): readonly Report[] =>
  reports.map((report) => {
    if (report.keys === 'all') return report;
    const keys = new Set(report.keys);
    return { ...report, keys: { length: keys.size, includes: (key: number) => keys.has(key) } as never };
  });

/** Rows with other words that a transaction should have indexed, since they are few. */
const unindexed = async (tx: Statements, rows: readonly ChangedRow[]): Promise<number> => {
  const keys = ['book', 'series'].map((kind) => [
    ...new Set(rows.filter((row) => row.kind === kind && (row.aspects & ASPECTS.text) !== 0).map(({ key }) => key)),
  ]);
  if (keys.flat().length > INDEXED_MAX) return 0;
  const [left] = await tx.all<{ n: number }>(
    'SELECT count(*) AS n FROM search_due WHERE id IN (SELECT value FROM json_each(iif(kind = 0, ?1, ?2)))',
    keys.map((list) => JSON.stringify(list)),
  );
  return left?.n ?? 0;
};

export const feedCheck: Inspection = {
  setup: ROW_WATCH,
  begin: () => {
    const caller = callerOf(new Error('here').stack ?? '');
    return async (tx, reports) => {
      const rows = await changedRows(tx);
      const isWholesale = reports.some(({ kind }) => kind === 'everything');
      const isOfTest = caller.startsWith('test/');
      if (isWholesale && !isOfTest) miss(caller, 'wrote and reported nothing');
      const among = indexed(reports);
      const open = rows.filter((row) => !isCovered(row, among));
      const named = open.slice(0, ROWS_NAMED).map(wordsOf).join(', ');
      if (open.length > 0) miss(caller, `does not report ${open.length} changed rows: ${named}`);
      // Tests report some rows from what the triggers noted, which is cleared then.
      const wrong = isWholesale ? [] : await wrongParents(tx, rows, reports, !isOfTest);
      for (const what of wrong) miss(caller, what);
      const left = await unindexed(tx, rows);
      if (left > 0) miss(caller, `leaves ${left} rows that are not indexed`);
    };
  },
};
