// Access group memberships that follow the groups a person has at providers. Members added by an administrator stay, and so do those whom
// another provider puts into the group as well.
import { audited, NAMES_MAX } from '../access/audit.js';
import type { Actor } from '../access/caller.js';
import type { User } from '../access/users.js';
import { reportRestriction } from '../sharing/administer.js';
import { touchGroup } from '../sharing/groups.js';
import type { Tx } from '../store/db.js';
import { packed } from '../store/packed.js';

export interface ToldGroups {
  readonly provider: string;
  readonly issuer: string;
  readonly person: { readonly groups: readonly string[] };
}

interface Changed {
  readonly key: number;
  readonly name: string;
}

const GROUP = packed<Changed>({ key: { sql: 'a.id' }, name: { sql: 'a.name' } });

const WANTED = `SELECT m.access_group_id FROM access_group_mapping m WHERE m.group_name IN (SELECT value FROM json_each(?3))`;

const ADD = `INSERT INTO access_group_member (access_group_id, user_id, created_at, provider)
  SELECT DISTINCT access_group_id, ?1, ?4, ?2 FROM (${WANTED}) WHERE true ON CONFLICT DO NOTHING RETURNING access_group_id AS key`;

/** Of a person, what one provider says; ?2 is the provider. */
const FORGET = `DELETE FROM access_group_told WHERE user_id = ?1 AND provider = ?2 AND access_group_id NOT IN (${WANTED})`;

const TELL = `INSERT INTO access_group_told (user_id, provider, access_group_id)
  SELECT DISTINCT ?1, ?2, access_group_id FROM (${WANTED}) WHERE true ON CONFLICT DO NOTHING`;

const REMOVE = `DELETE FROM access_group_member WHERE user_id = ?1 AND provider IS NOT NULL
  AND access_group_id NOT IN (SELECT access_group_id FROM access_group_told WHERE user_id = ?1) RETURNING access_group_id AS key`;

const namesOf = async (tx: Tx, keys: readonly { readonly key: number }[]): Promise<readonly string[]> => {
  const rows = await tx.all<{ row: string }>(
    `SELECT ${GROUP.expression} AS row FROM access_group a WHERE a.id IN (SELECT value FROM json_each(?)) ORDER BY a.name_key
       LIMIT ${NAMES_MAX}`,
    [JSON.stringify(keys.map(({ key }) => key))],
  );
  return rows.map(({ row }) => GROUP.read(JSON.parse(row) as unknown[]).name);
};

export const followGroups = async (
  tx: Tx,
  user: User,
  { provider, issuer, person }: ToldGroups,
  { at, by }: { readonly at: number; readonly by: Actor },
): Promise<void> => {
  const groups = JSON.stringify(person.groups);
  const told = [user.key, issuer, groups];
  if ((await tx.run(FORGET, told)) + (await tx.run(TELL, told)) > 0) reportRestriction(tx);
  const removed = await tx.all<{ key: number }>(REMOVE, [user.key]);
  const added = await tx.all<{ key: number }>(ADD, [user.key, issuer, groups, at]);
  if (removed.length + added.length === 0) return;
  for (const { key } of [...removed, ...added]) await touchGroup(tx, key, at);
  const details = {
    changed: ['accessGroups'],
    joined: await namesOf(tx, added),
    left: await namesOf(tx, removed),
    total: { joined: added.length, left: removed.length },
    provider,
  };
  await audited(tx, {
    at,
    by,
    action: 'user.update',
    target: { kind: 'user', id: user.id, name: user.username },
    ownOf: user.id,
    details,
  });
};
