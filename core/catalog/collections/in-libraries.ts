// Which lists show something from some libraries.

import type { RowKind } from '../../model/row-kind.js';
import type { Viewer } from '../../model/viewer.js';
import { keyList } from '../../store/by-key.js';
import type { Reads } from '../../store/db.js';
import { listReads } from '../list-reads.js';
import { countSeries } from '../list-series.js';
import type { ListParts } from '../query/page.js';
import { uuidPredicate } from '../sql/predicates.js';
import { type ListKind, seenMembers } from './kinds.js';
import type { List } from './lists.js';

const underLibraries = (alias: string, ids: readonly string[]) => {
  const { sql, binds } = uuidPredicate('y.uuid', { kind: 'ids', values: ids });
  return { sql: `${alias}.library_id IN (SELECT y.id FROM library y WHERE ${sql})`, binds };
};

/** Those of the lists that have a member in one of the libraries that the viewer sees. */
export const listsInLibraries = async (
  parts: ListParts,
  kind: ListKind,
  viewer: Viewer,
  lists: readonly List[],
  ids: readonly string[],
): Promise<readonly List[]> => {
  const { sql, binds } = underLibraries('x', ids);
  const keys = await listReads(parts, viewer).json<number[]>(
    `SELECT json_group_array(l.id) FROM ${kind} l WHERE EXISTS (SELECT 1 ${seenMembers(kind, viewer, 'l.id')} AND ${sql})`,
    binds,
  );
  const filled = new Set(keys);
  const found: List[] = [];
  for (const list of lists)
    if (list.condition === null ? filled.has(list.key) : await matchesIn(parts, viewer, list, ids)) found.push(list);
  return found;
};

const matchesIn = async (
  parts: ListParts,
  viewer: Viewer,
  { condition }: List,
  ids: readonly string[],
): Promise<boolean> => {
  const where = { field: 'libraryId', test: { kind: 'ids', values: ids }, negated: false } as const;
  return (await countSeries(parts, viewer, { condition, isStored: true, where })) > 0;
};

/** Whether one of these rows is in one of the libraries. */
export const areInLibraries = async (
  reads: Reads,
  rows: RowKind,
  keys: readonly number[],
  ids: readonly string[],
): Promise<boolean> => {
  const { sql, binds } = underLibraries('x', ids);
  const [found] = await reads.all<{ n: number }>(
    `SELECT count(*) AS n FROM json_each(?) j CROSS JOIN ${rows} x ON x.id = j.value WHERE ${sql}`,
    [keyList(keys), ...binds],
  );
  return (found?.n ?? 0) > 0;
};
