// What the triggers of row-watch.ts noted, and the reports to the feed that these changes require.
import { uuidOfHex } from '../core/model/ids.js';
import type { Statements, Tx } from '../core/store/db.js';
import type { Change, Kind, Parents, Report } from '../core/store/feed.js';

/** One row that a transaction changed. */
export interface ChangedRow {
  readonly kind: Kind;
  readonly key: number;
  readonly change: Change;
  readonly aspects: number;
  readonly libraryKey: number | null;
  readonly seriesKey: number | null;
  /** 32 hex digits; of created and removed rows that have one. */
  readonly hex: string | null;
  /** Set when the row moved: where it was. */
  readonly oldLibrary: number | null;
  readonly oldSeries: number | null;
  /** The user who has progress in a book since; null for all other changes. */
  readonly userKey: number | null;
}

/** What the transaction changed so far; it is noted once. */
export const changedRows = async (tx: Statements): Promise<readonly ChangedRow[]> => {
  const rows = await tx.all<ChangedRow>(
    `SELECT DISTINCT kind, key, change, aspects, library AS libraryKey, series AS seriesKey, hex, old_library AS oldLibrary,
       old_series AS oldSeries, user AS userKey FROM changed_row`,
  );
  if (rows.length > 0) await tx.run('DELETE FROM changed_row');
  return rows;
};

const parentsOf = (kind: Kind, libraryKey: number | null, seriesKey: number | null): Parents => ({
  ...(libraryKey === null ? {} : { libraryKey }),
  ...(seriesKey === null || kind === 'series' ? {} : { seriesKey }),
});

/** The report that a changed row requires. */
export const reportOf = (row: ChangedRow): Report => {
  const { kind, key, change, aspects, hex, oldLibrary, oldSeries } = row;
  const report = { kind, change, aspects, keys: [key], ...(row.userKey === null ? {} : { userKey: row.userKey }) };
  const isPlaced = kind === 'book' || kind === 'series';
  const isMoved = oldLibrary !== null;
  if (hex === null && !isMoved) return report;
  return {
    ...report,
    ...(isPlaced ? parentsOf(kind, row.libraryKey, row.seriesKey) : {}),
    ...(hex === null ? {} : { publicIds: [uuidOfHex(hex)] }),
    ...(isMoved ? { before: parentsOf(kind, oldLibrary, oldSeries) } : {}),
  };
};

/** For tests that write rows by hand. */
export const reportChanged = async (tx: Tx): Promise<void> => {
  for (const row of await changedRows(tx)) tx.report(reportOf(row));
};
