// Compares the public ids and parents in reports with the rows that changed: a listener cannot look them up after a removal or a move.
import type { Statements } from '../core/store/db.js';
import { KEYS_MAX, type Parents, type Report } from '../core/store/feed.js';
import { type ChangedRow, reportOf } from './changed-rows.js';

/** Everything that a report says about one row, as text. */
type Statement = string;

const placeOf = ({ libraryKey, seriesKey }: Parents): string => `library ${libraryKey} series ${seriesKey}`;

const statementsOf = (report: Report): readonly Statement[] => {
  const { kind, change, keys, publicIds, before } = report;
  if (keys === 'all' || (publicIds === undefined && before === undefined)) return [];
  const was = before === undefined ? '' : `, before: ${placeOf(before)}`;
  return keys.map((key, at) => `${change} ${kind} ${key} ${publicIds?.[at]} in ${placeOf(report)}${was}`);
};

/** Too many rows for a list of keys: they are reported as `all`. */
const areTooMany = (row: ChangedRow, rows: readonly ChangedRow[]): boolean =>
  rows.length > KEYS_MAX &&
  rows.filter(({ kind, change }) => kind === row.kind && change === row.change).length > KEYS_MAX;

/** Created, removed and moved rows against the reports, both ways. */
const differences = (rows: readonly ChangedRow[], reports: readonly Report[], areAll: boolean): readonly string[] => {
  const reported = new Set(reports.flatMap(statementsOf));
  const asked = new Set<Statement>();
  const missing: string[] = [];
  for (const row of rows)
    for (const statement of statementsOf(reportOf(row))) {
      asked.add(statement);
      if (!reported.has(statement) && !areTooMany(row, rows)) missing.push(`does not report: ${statement}`);
    }
  const wrong = areAll ? [...reported].filter((statement) => !asked.has(statement)) : [];
  return [...missing, ...wrong.map((statement) => `reports what did not happen: ${statement}`)];
};

/** Rows of a report that are not where it says. */
const misplaced = async (tx: Statements, report: Report): Promise<readonly string[]> => {
  const { kind, keys, libraryKey, seriesKey } = report;
  if ((kind !== 'book' && kind !== 'series') || keys === 'all') return [];
  if (libraryKey === undefined && seriesKey === undefined) return [];
  const series = kind === 'book' ? 'series_id' : 'id';
  const rows = await tx.all<{ id: number }>(
    `SELECT id FROM ${kind} WHERE id IN (SELECT value FROM json_each(?1))
       AND (library_id <> coalesce(?2, library_id) OR ${series} <> coalesce(?3, ${series}))`,
    [JSON.stringify(keys), libraryKey ?? null, seriesKey ?? null],
  );
  return rows.map(({ id }) => `says that ${kind} ${id} is in ${placeOf(report)}`);
};

/** Ids and parents that are wrong or missing in the reports of a transaction. `areAll`: `rows` are all that changed. */
export const wrongParents = async (
  tx: Statements,
  rows: readonly ChangedRow[],
  reports: readonly Report[],
  areAll: boolean,
): Promise<readonly string[]> => {
  const wrong = [...differences(rows, reports, areAll)];
  for (const report of reports) wrong.push(...(await misplaced(tx, report)));
  return wrong;
};
