// Series whose books changed. The transaction of the change marks them; scans, analyses and starts settle them in batches. Each batch clears
// its marks in its own transaction, so the next run settles what a cancelled, failed or killed one left.
import { RULES_SQL, storedRules } from '../catalog/apply-rules.js';
import { renumberSeries } from '../catalog/numbering.js';
import { settleManySeries } from '../catalog/settled-series.js';
import { AppError } from '../model/errors.js';
import type { Bind, Lane, Tx } from '../store/db.js';
import { ASPECTS, keysIn, SYSTEM, updated } from '../store/feed.js';
import { told } from '../store/told-reports.js';
import type { ScanParts } from './context.js';

/** Bits of `series.due`. */
export const DUE = {
  /** The numbers of its books, and titles made of them. */
  numbers: 1,
  /** What it takes from its books. */
  metadata: 2,
  all: 3,
} as const;

/** Series read at once. */
const SERIES_MAX = 100;
/** About how many books the series of one transaction have together: books are read one by one. */
const BOOKS_MAX = 300;

export const markSeriesDue = async (tx: Tx, seriesKeys: readonly number[], due: number): Promise<void> => {
  if (seriesKeys.length === 0 || due === 0) return;
  await tx.run('UPDATE series SET due = due | ? WHERE id IN (SELECT value FROM json_each(?))', [
    due,
    JSON.stringify(seriesKeys),
  ]);
  tx.report(updated('series', seriesKeys, ASPECTS.details));
};

/** SQL over the series `s`. */
export interface DueScope {
  /** By default the index of marked series. */
  readonly from?: string;
  readonly where: string;
  readonly binds: readonly Bind[];
  /** Somebody asked for new numbers: clients are told which series got some. */
  readonly tellsNumbers?: boolean;
}

export const inLibrary = (key: number): DueScope => ({ where: 's.library_id = ?', binds: [key] });

export const ofBook = (key: number): DueScope => ({
  from: 'series s',
  where: 's.id = (SELECT series_id FROM book WHERE id = ?)',
  binds: [key],
});

interface DueSeries {
  readonly id: number;
  readonly due: number;
  readonly books: number;
  /** RULES_SQL. */
  readonly rules: string | null;
}

const someDue = (tx: Tx, { from = 'series s INDEXED BY series_due', where, binds }: DueScope): Promise<DueSeries[]> =>
  tx.all<DueSeries>(
    `SELECT s.id, s.due, s.book_count AS books, ${RULES_SQL} AS rules FROM ${from} CROSS JOIN library l ON l.id = s.library_id
     WHERE s.due <> 0 AND ${where} LIMIT ${SERIES_MAX}`,
    binds,
  );

/** The first series that together do not have too many books; at least one. */
const shareOf = (rows: readonly DueSeries[]): readonly DueSeries[] => {
  let books = 0;
  const end = rows.findIndex((row, at) => {
    books += row.books;
    return at > 0 && books > BOOKS_MAX;
  });
  return end === -1 ? rows : rows.slice(0, end);
};

/** Numbers come first: they decide which book of a series is the first. Returns whether there may be more. */
const settleSome = async (tx: Tx, scope: DueScope, nowMs: number): Promise<boolean> => {
  const rows = await someDue(tx, scope);
  const share = shareOf(rows);
  if (share.length === 0) return false;
  const unnumbered = share.filter(({ due }) => (due & DUE.numbers) !== 0);
  for (const rules of new Set(unnumbered.map((row) => row.rules))) {
    const same = unnumbered.filter((row) => row.rules === rules);
    const changed = await renumberSeries(tx, keysIn(same), storedRules(rules).rules);
    if (scope.tellsNumbers === true) tx.report(told('series', changed, ['numbers']));
  }
  const unsettled = share.filter(({ due }) => (due & DUE.metadata) !== 0);
  await settleManySeries(tx, keysIn(unsettled), nowMs);
  await tx.run('UPDATE series SET due = 0 WHERE id IN (SELECT value FROM json_each(?))', [
    JSON.stringify(keysIn(share)),
  ]);
  tx.report(updated('series', keysIn(share), ASPECTS.details));
  return share.length < rows.length || rows.length === SERIES_MAX;
};

/** Settles all that are due now. Throws Cancelled between two transactions once `signal` is aborted; the other marks stay. */
export const settleDue = async (
  { db, clock }: Pick<ScanParts, 'db' | 'clock'>,
  scope: DueScope,
  lane: Lane,
  signal?: AbortSignal,
): Promise<void> => {
  for (let isMore = true; isMore; ) {
    if (signal?.aborted === true) throw new AppError('Cancelled');
    isMore = await db.write(SYSTEM, lane, (tx) => settleSome(tx, scope, clock.now()));
  }
};
