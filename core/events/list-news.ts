// News of collections and read lists, with the members that an audience sees. Those with restrictions hear of a list only while it shows
// them something; when it shows them nothing any more, it is gone for them. What a condition selects is not read here: they do not hear of
// automatic collections.
import { type ListKind, SHAPES, seenMembers } from '../catalog/collections/kinds.js';
import { andVisibleInSeries } from '../catalog/visibility.js';
import { uuidOfHex } from '../model/ids.js';
import type { Viewer } from '../model/viewer.js';
import { keyList } from '../store/by-key.js';
import type { Reads } from '../store/db.js';
import type { Audience } from './audience.js';
import type { Changes } from './changes.js';
import type { ListCoverNews, ListNews } from './news.js';

const KINDS = ['collection', 'read_list'] as const satisfies readonly ListKind[];

interface Row {
  readonly key: number;
  readonly hex: string;
  readonly members: string;
}

const viewerOf = ({ scope }: Audience): Viewer => ({ userKey: 0, permissions: new Set(), administers: false, scope });

const newsOf = (kind: ListKind, type: ListNews['type'], listId: string, memberIds: readonly string[]): ListNews => ({
  type,
  listKind: kind,
  listId,
  memberIds,
});

/** Whether they see one of these rows. */
const seesAny = async (from: Reads, audience: Audience, kind: ListKind, keys: readonly number[]): Promise<boolean> => {
  if (!audience.isLimited) return true;
  if (keys.length === 0) return false;
  const { member } = SHAPES[kind];
  const series = member === 'series' ? 'x.id' : 'x.series_id';
  const rows = await from.all<{ key: number }>(
    `SELECT DISTINCT ${series} AS key FROM json_each(?) j CROSS JOIN ${member} x ON x.id = j.value${member === 'book' ? andVisibleInSeries(audience.scope, 'x') : ''}`,
    [keyList(keys)],
  );
  return rows.some(({ key }) => audience.sees(key));
};

const listsByKey = (from: Reads, audience: Audience, kind: ListKind, keys: readonly number[]): Promise<Row[]> =>
  from.all<Row>(
    `SELECT l.id AS key, hex(l.uuid) AS hex,
       (SELECT json_group_array(lower(hex(x.uuid))) ${seenMembers(kind, viewerOf(audience), 'l.id')}) AS members
     FROM json_each(?) j CROSS JOIN ${kind} l ON l.id = j.value`,
    [keyList(keys)],
  );

/** In sending order. */
export const listNews = async (
  from: Reads,
  changes: Changes,
  audience: Audience,
): Promise<readonly (ListNews | ListCoverNews)[]> => {
  const news: (ListNews | ListCoverNews)[] = [];
  for (const kind of KINDS) {
    const { rows, members } = changes.lists[kind];
    const keys = [...rows.touched.keys()];
    for (const { key, hex, members: text } of keys.length === 0 ? [] : await listsByKey(from, audience, kind, keys)) {
      const id = uuidOfHex(hex);
      const memberIds = (JSON.parse(text) as string[]).map(uuidOfHex);
      const touch = rows.touched.get(key);
      if (audience.isLimited && memberIds.length === 0) {
        if (await seesAny(from, audience, kind, [...(members.get(key) ?? [])]))
          news.push(newsOf(kind, 'list_deleted', id, []));
        continue;
      }
      news.push(newsOf(kind, touch?.isCreated === true ? 'list_created' : 'list_updated', id, memberIds));
      if (touch?.hasCover === true) news.push({ type: 'list_cover_updated', listKind: kind, listId: id });
    }
    for (const { key, id } of rows.removed.values())
      if (await seesAny(from, audience, kind, [...(members.get(key) ?? [])]))
        news.push(newsOf(kind, 'list_deleted', id, []));
  }
  return news;
};
