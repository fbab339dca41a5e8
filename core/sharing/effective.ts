// What is granted to a user altogether: their own grants and those of their groups, with where each comes from.
import type { GrantMode } from '../access/user-records.js';
import { groupedBy } from '../model/grouped.js';
import type { Reads } from '../store/db.js';
import { packed } from '../store/packed.js';

/** Null: granted to the user alone. */
export type GrantSource = { readonly id: string; readonly name: string } | null;

export interface EffectiveGrant {
  readonly tagId: string;
  readonly tagName: string;
  readonly mode: GrantMode;
  readonly sources: readonly GrantSource[];
}

interface Sourced {
  readonly tagId: string;
  readonly tagName: string;
  readonly mode: GrantMode;
  readonly groupId: string | null;
  readonly groupName: string | null;
}

const COLUMNS = packed<Sourced>({
  tagId: { sql: 't.uuid', as: 'uuid' },
  tagName: { sql: 't.name' },
  mode: { sql: 'g.access' },
  groupId: { sql: 'a.uuid', as: 'uuid' },
  groupName: { sql: 'a.name' },
});

const SELECT = `WITH g(tag, access, group_key) AS (
    SELECT sharing_tag_id, access, NULL FROM user_grant WHERE user_id = ?1
    UNION ALL SELECT o.sharing_tag_id, o.access, o.access_group_id FROM access_group_member m
      CROSS JOIN access_group_grant o ON o.access_group_id = m.access_group_id WHERE m.user_id = ?1)
  SELECT json_group_array(json(row)) FROM (SELECT ${COLUMNS.expression} AS row FROM g
    CROSS JOIN sharing_tag t ON t.id = g.tag LEFT JOIN access_group a ON a.id = g.group_key
    ORDER BY t.name_key, g.access, a.name_key NULLS FIRST)`;

const sourceOf = ({ groupId, groupName }: Sourced): GrantSource =>
  groupId === null ? null : { id: groupId, name: groupName ?? '' };

/** One for each tag and mode, by the name of the tag: a tag may be allowed from one side and denied from another. */
export const effectiveGrants = async (db: Reads, userKey: number): Promise<readonly EffectiveGrant[]> => {
  const rows = (await db.json<unknown[][]>(SELECT, [userKey])).map(COLUMNS.read);
  return [...groupedBy(rows, ({ tagId, mode }) => `${tagId} ${mode}`).values()].flatMap((same) => {
    const [first] = same;
    if (first === undefined) return [];
    const { tagId, tagName, mode } = first;
    return [{ tagId, tagName, mode, sources: same.map(sourceOf) }];
  });
};
