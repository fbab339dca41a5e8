// What remains to be done for series once all books of a batch are read: numbers and titles that depend on what files say, then what the
// series takes from its books. Threads finish in any order, and the order must not affect the result.
import { RULES_SQL, storedRules } from '../catalog/apply-rules.js';
import { settleManySeries } from '../catalog/settled-series.js';
import type { LibraryRules } from '../model/strategies.js';
import type { Lane } from '../store/db.js';
import type { Finished, ScanParts } from './context.js';
import { numberMany } from './numbering.js';

/** Series per transaction; a long series costs one read for each of its books. */
const PER_TRANSACTION = 20;

export const settleSeriesOf = async (
  { db, clock }: Pick<ScanParts, 'db' | 'clock'>,
  keys: readonly number[],
  lane: Lane,
): Promise<void> => {
  for (let at = 0; at < keys.length; at += PER_TRANSACTION) {
    const some = keys.slice(at, at + PER_TRANSACTION);
    await db.write(lane, (tx) => settleManySeries(tx, some, clock.now()));
  }
};

/** For series whose books an earlier process may have read without finishing them, however far it got. */
export const finishSeries = async (
  parts: Pick<ScanParts, 'db' | 'clock'>,
  keys: readonly number[],
  lane: Lane,
): Promise<void> => {
  const rows = await parts.db.all<{ id: number; rules: string | null }>(
    `SELECT s.id, ${RULES_SQL} AS rules FROM json_each(?) j CROSS JOIN series s ON s.id = j.value JOIN library l ON l.id = s.library_id`,
    [JSON.stringify(keys)],
  );
  for (const { id, rules } of rows) {
    const { rules: own, late } = storedRules(rules);
    if (late) await numberMany(parts, [id], own);
  }
  await settleSeriesOf(parts, keys, lane);
};

/** Series touched by a batch of analyses. Each is finished once, however many of its books were read. */
export class TouchedSeries {
  readonly #unsettled: Set<number>;
  readonly #unnumbered = new Map<number, LibraryRules>();

  /** `unsettled`: series that gained or lost books before the analysis. */
  constructor(unsettled: Iterable<number> = []) {
    this.#unsettled = new Set(unsettled);
  }

  /** A book that was never read, and whose analysis says nothing, leaves its series as it is. */
  note({ book, analysis }: Finished): void {
    const { rules, late } = storedRules(book.rules);
    if (late) this.#unnumbered.set(book.seriesKey, rules);
    if (analysis !== null && (analysis.metadata !== null || book.fileHash !== '')) this.#unsettled.add(book.seriesKey);
  }

  /** Numbers, and titles made of them, that depend on what the files say. */
  async number(parts: ScanParts): Promise<void> {
    for (const [key, rules] of this.#unnumbered) await numberMany(parts, [key], rules);
  }

  /** Runs after the numbers: they decide which book is the first. */
  async settle(parts: ScanParts, lane: Lane): Promise<void> {
    await settleSeriesOf(parts, [...this.#unsettled], lane);
  }
}
