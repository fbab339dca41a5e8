// Summaries in lists. A long one is not read with its row: it is read once there is room for the answer that shows it.
import type { RowKind } from '../model/row-kind.js';
import { keyList } from '../store/by-key.js';
import type { Reads } from '../store/db.js';
import type { Column } from '../store/packed.js';

/** A row whose summary may have been left out. */
export interface Summarised {
  readonly key: number;
  readonly summary: string | null;
  /** The size of a summary that was left out; null when the row has its summary, or there is none. */
  readonly summaryBytes: number | null;
}

/** A page of this many rows is an ordinary one. */
const ORDINARY_ROWS = 100;
/** All summaries that are read with a page take a megabyte at most. Few books have as much metadata as an ordinary page allows for each. */
const ORDINARY_BYTES = 10_000;
const LARGE_BYTES = 2000;

/** What `make` returns for pages with this many rows. Its argument is the longest summary read with a row; null: all are. */
export const bySize = <T>(make: (longest: number | null) => T): ((rows: number) => T) => {
  const [one, ordinary, large] = [make(null), make(ORDINARY_BYTES), make(LARGE_BYTES)];
  return (rows) => {
    if (rows <= 1) return one;
    return rows <= ORDINARY_ROWS ? ordinary : large;
  };
};

type SummaryColumns = { readonly [K in 'summary' | 'summaryBytes']: Column };

/** `within`: the column that contains the summary. The size of a column is known without reading it. */
export const summaryColumns = (summary: string, within: string, longest: number | null): SummaryColumns =>
  longest === null
    ? { summary: { sql: summary }, summaryBytes: { sql: 'NULL' } }
    : {
        summary: { sql: `CASE WHEN octet_length(${within}) <= ${longest} THEN ${summary} END` },
        summaryBytes: { sql: `CASE WHEN octet_length(${within}) > ${longest} THEN octet_length(${summary}) END` },
      };

const TEXTS: Record<RowKind, string> = {
  book: "SELECT m.book_id AS key, m.facts ->> '$.summary' AS text FROM json_each(?) j CROSS JOIN book_metadata m ON m.book_id = j.value",
  series: 'SELECT s.id AS key, s.summary AS text FROM json_each(?) j CROSS JOIN series s ON s.id = j.value',
};

/** The same rows, all with their summaries. */
export const withSummaries = async <T extends Summarised>(
  db: Reads,
  kind: RowKind,
  rows: readonly T[],
): Promise<readonly T[]> => {
  const keys = rows.filter(({ summaryBytes }) => summaryBytes !== null).map(({ key }) => key);
  if (keys.length === 0) return rows;
  const found = await db.all<{ key: number; text: string | null }>(TEXTS[kind], [keyList(keys)]);
  const texts = new Map(found.map(({ key, text }) => [key, text]));
  return rows.map((row) => (row.summaryBytes === null ? row : { ...row, summary: texts.get(row.key) ?? null }));
};
