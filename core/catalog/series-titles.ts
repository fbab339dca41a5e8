// Titles of series made again from the names of their folders, by the title rules of their libraries. A title that somebody set or locked
// stays, and so do those of Calibre libraries, which come from files that are not read for this.

import { sortKey } from '../model/sort-key.js';
import type { TitleRule } from '../model/strategies.js';
import type { Reader, Tx } from '../store/db.js';
import { ASPECTS, updated } from '../store/feed.js';
import { told } from '../store/told-reports.js';
import { RULES_SQL, storedRules } from './apply-rules.js';
import { reportBooksOf } from './report-rows.js';
import { seriesOf } from './rules/series.js';
import { rewriteTitle } from './rules/titles.js';

/** Series at once. */
export const TITLES_BATCH = 200;

interface Row {
  readonly id: number;
  readonly name: string;
  readonly rules: string | null;
  readonly titleRules: string | null;
  readonly folder: string;
  readonly fileName: string;
}

export interface NewTitle {
  readonly key: number;
  readonly from: string;
  readonly to: string;
}

const SELECT = `SELECT s.id, s.name, ${RULES_SQL} AS rules, l.title_rules AS titleRules, f.path AS folder, b.file_name AS fileName
  FROM json_each(?) j CROSS JOIN series s ON s.id = j.value JOIN library l ON l.id = s.library_id AND l.removing = 0
    JOIN book b ON b.id = (SELECT min(o.id) FROM book o WHERE o.series_id = s.id AND o.deleted = 0) JOIN folder f ON f.id = b.folder_id
  WHERE NOT EXISTS (SELECT 1 FROM json_each(s.locks) k WHERE k.value = 'title')`;

/** The titles of these series that would be others. */
export const newTitles = async (from: Reader, keys: readonly number[]): Promise<readonly NewTitle[]> => {
  const rows = await from.all<Row>(SELECT, [JSON.stringify(keys)]);
  return rows.flatMap((row): NewTitle[] => {
    const { rules } = storedRules(row.rules);
    if (rules.seriesStrategy === 'calibre') return [];
    const { name } = seriesOf(rules.seriesStrategy, rules.seriesConfig, row.folder, row.fileName, null);
    const titleRules = row.titleRules === null ? null : (JSON.parse(row.titleRules) as readonly TitleRule[]);
    const to = rewriteTitle(titleRules, name);
    return to === row.name ? [] : [{ key: row.id, from: row.name, to }];
  });
};

/** Returns how many titles are others now. */
export const remakeSeriesTitles = async (tx: Tx, keys: readonly number[], nowMs: number): Promise<number> => {
  const changed = await newTitles(tx, keys);
  if (changed.length === 0) return 0;
  await tx.run(
    `UPDATE series SET name = j.value ->> 1, name_sort = CASE WHEN title_sort IS NULL THEN j.value ->> 2 ELSE name_sort END, updated_at = ?1
     FROM json_each(?2) j WHERE series.id = j.value ->> 0`,
    [nowMs, JSON.stringify(changed.map(({ key, to }) => [key, to, sortKey(to)]))],
  );
  const renamed = changed.map(({ key }) => key);
  tx.report(updated('series', renamed, ASPECTS.list | ASPECTS.text));
  tx.report(told('series', renamed, ['title']));
  await reportBooksOf(tx, renamed, ASPECTS.list | ASPECTS.text | ASPECTS.content);
  return changed.length;
};
