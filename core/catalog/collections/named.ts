// Collections and read lists by words of their names, which no index holds: there are few of them.
import type { PageOf, Window } from '../../model/paging.js';
import { nameTest } from '../../model/search-names.js';
import type { Viewer } from '../../model/viewer.js';
import { listReads } from '../list-reads.js';
import type { ListParts } from '../query/page.js';
import { automaticSeen, withCounts } from './automatic.js';
import type { ListKind } from './kinds.js';
import { allLists, type List } from './lists.js';

/** Names that are compared. */
const NAMES_MAX = 10_000;

/** The lists whose name has every word of a text, or has it inside a word, by name. */
export const listsNamed = async (
  parts: ListParts,
  kind: ListKind,
  viewer: Viewer,
  { text, window }: { readonly text: string; readonly window: Window },
): Promise<PageOf<List>> => {
  const has = nameTest(text);
  if (has === undefined) return { ...window, items: [], total: 0 };
  const named = await listReads(parts, viewer).json<[number, string][]>(
    `SELECT json_group_array(json_array(id, name)) FROM (SELECT id, name FROM ${kind} ORDER BY name_sort LIMIT ${NAMES_MAX})`,
    [],
  );
  const among = named.filter(([, name]) => has(name)).map(([key]) => key);
  if (among.length === 0) return { ...window, items: [], total: 0 };
  const automatic = await automaticSeen(parts, kind, viewer);
  const found = await allLists(parts, kind, viewer, window, { automatic, among });
  return { ...found, items: await withCounts(parts, viewer, found.items) };
};
