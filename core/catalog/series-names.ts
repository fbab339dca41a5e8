// Publishers, and people who made something: their names, each with the number of series that a viewer sees of them.
import { offsetOf, type PageOf, type Window } from '../model/paging.js';
import type { Viewer } from '../model/viewer.js';
import type { Reads } from '../store/db.js';
import { packed, rowsAndTotal } from '../store/packed.js';
import { andVisible } from './visibility.js';

export interface SeriesName {
  readonly name: string;
  readonly seriesCount: number;
}

export type NameKind = 'publisher' | 'author';

/** The name as it is written in one of the series, and the form in which names are compared. */
const FROM: Record<NameKind, { readonly name: string; readonly key: string; readonly from: string }> = {
  publisher: {
    name: 's.publisher',
    key: 'x.publisher',
    from: 'series_text x CROSS JOIN series s ON s.id = x.series_id WHERE x.publisher IS NOT NULL AND s.publisher IS NOT NULL',
  },
  author: {
    name: "a.value ->> '$.name'",
    key: "a.value ->> '$.name'",
    from: 'series s JOIN json_each(s.authors) a WHERE s.authors IS NOT NULL',
  },
};

const COLUMNS = packed<SeriesName>({ name: { sql: 'name' }, seriesCount: { sql: 'n' } });

/** By name. */
export const seriesNames = async (
  db: Reads,
  kind: NameKind,
  { scope }: Viewer,
  window: Window,
): Promise<PageOf<SeriesName>> => {
  const { name, key, from } = FROM[kind];
  const grouped = `SELECT min(${name}) AS name, count(DISTINCT s.id) AS n, ${key} AS key FROM ${from} AND s.book_count > 0${andVisible(scope, 's')} GROUP BY key`;
  const rows = {
    sql: `SELECT json_group_array(json(row)) FROM (SELECT ${COLUMNS.expression} AS row FROM (${grouped} ORDER BY key LIMIT ? OFFSET ?))`,
    binds: [window.pageSize, offsetOf(window)],
  };
  return {
    ...window,
    ...(await rowsAndTotal(db, COLUMNS, rows, { sql: `SELECT count(*) FROM (${grouped})`, binds: [] })),
  };
};
