// Access groups: all of them, one, creating, changing and deleting them. Members are in members.ts, grants in grants.ts, mappings
// from groups at sign-on providers in mappings.ts.
import { audited } from '../access/audit.js';
import type { KnownActor } from '../access/caller.js';
import { bytesOfUuid, newId, uuidOfHex } from '../model/ids.js';
import { listNameKey } from '../model/name-key.js';
import type { Reader, Reads, Tx } from '../store/db.js';
import { keysIn } from '../store/feed.js';
import { packed } from '../store/packed.js';
import { administer, reportRestriction, type SharingParts } from './administer.js';
import { checkedDescription, checkedName, refuseTaken, refuseTooMany, unknown } from './names.js';
import type { NamedChange } from './tags.js';
import { unlessWidening } from './widening.js';

export interface GroupSummary {
  readonly key: number;
  readonly id: string;
  readonly name: string;
  readonly description: string | null;
}

export interface Group extends GroupSummary {
  readonly memberCount: number;
  readonly grantCount: number;
  readonly createdAt: number;
  readonly updatedAt: number;
}

const SUMMARY = packed<GroupSummary>({
  key: { sql: 'a.id' },
  id: { sql: 'a.uuid', as: 'uuid' },
  name: { sql: 'a.name' },
  description: { sql: 'a.description' },
});

const COLUMNS = packed<Group>({
  key: { sql: 'a.id' },
  id: { sql: 'a.uuid', as: 'uuid' },
  name: { sql: 'a.name' },
  description: { sql: 'a.description' },
  memberCount: { sql: '(SELECT count(*) FROM access_group_member m WHERE m.access_group_id = a.id)' },
  grantCount: { sql: '(SELECT count(*) FROM access_group_grant g WHERE g.access_group_id = a.id)' },
  createdAt: { sql: 'a.created_at' },
  updatedAt: { sql: 'a.updated_at' },
});

/** All of them by name; there are at most NAMED_MAX. */
export const listGroups = async (db: Reads): Promise<readonly Group[]> => {
  const sql = `SELECT json_group_array(json(row)) FROM (SELECT ${COLUMNS.expression} AS row FROM access_group a ORDER BY a.name_key)`;
  return (await db.json<unknown[][]>(sql)).map(COLUMNS.read);
};

export const groupById = async (from: Reader, id: string): Promise<Group> => {
  const [found] = await from.all<{ row: string }>(
    `SELECT ${COLUMNS.expression} AS row FROM access_group a WHERE a.uuid = ?`,
    [bytesOfUuid(id)],
  );
  if (found === undefined) throw unknown('access_group');
  return COLUMNS.read(JSON.parse(found.row) as unknown[]);
};

/** Those a user is in, by name. */
export const groupsOf = async (from: Reader, userKey: number): Promise<readonly GroupSummary[]> => {
  const rows = await from.all<{ row: string }>(
    `SELECT ${SUMMARY.expression} AS row FROM access_group_member m CROSS JOIN access_group a ON a.id = m.access_group_id
     WHERE m.user_id = ? ORDER BY a.name_key`,
    [userKey],
  );
  return rows.map(({ row }) => SUMMARY.read(JSON.parse(row) as unknown[]));
};

export const targetOf = ({ id, name }: Pick<Group, 'id' | 'name'>) => ({ kind: 'access_group', id, name });

/** Who and what is in a group, or granted to it, changed; or what it is called. */
export const touchGroup = async (tx: Tx, key: number, nowMs: number): Promise<void> => {
  await tx.run('UPDATE access_group SET updated_at = ? WHERE id = ?', [nowMs, key]);
  reportRestriction(tx);
};

export const createGroup = (
  parts: SharingParts,
  by: KnownActor,
  wanted: NamedChange & { readonly name: string },
): Promise<Group> => {
  const name = checkedName(wanted.name);
  const now = parts.clock.now();
  const hex = newId(now);
  const id = uuidOfHex(hex);
  return administer(parts, by, async (tx) => {
    await refuseTaken(tx, 'access_group', name);
    await refuseTooMany(tx, 'access_group');
    await tx.run(
      'INSERT INTO access_group (uuid, name, name_key, description, created_at, updated_at) VALUES (unhex(?1), ?2, ?3, ?4, ?5, ?5)',
      [hex, name, listNameKey(name), checkedDescription(wanted.description), now],
    );
    reportRestriction(tx);
    await audited(tx, { at: now, by, action: 'access_group.create', target: targetOf({ id, name }) });
    return groupById(tx, id);
  });
};

export const changeGroup = (parts: SharingParts, by: KnownActor, id: string, change: NamedChange): Promise<Group> => {
  const wanted = change.name === undefined ? undefined : checkedName(change.name);
  const now = parts.clock.now();
  return administer(parts, by, async (tx) => {
    const old = await groupById(tx, id);
    const name = wanted ?? old.name;
    const description = change.description === undefined ? old.description : checkedDescription(change.description);
    if (name === old.name && description === old.description) return old;
    await refuseTaken(tx, 'access_group', name, old.key);
    await tx.run('UPDATE access_group SET name = ?, name_key = ?, description = ? WHERE id = ?', [
      name,
      listNameKey(name),
      description,
      old.key,
    ]);
    await touchGroup(tx, old.key, now);
    const details = name === old.name ? {} : { name };
    await audited(tx, { at: now, by, action: 'access_group.update', target: targetOf(old), details });
    return groupById(tx, id);
  });
};

export const memberKeys = async (tx: Tx, groupKey: number): Promise<readonly number[]> =>
  keysIn(
    await tx.all<{ id: number }>('SELECT user_id AS id FROM access_group_member WHERE access_group_id = ?', [groupKey]),
  );

export const deleteGroup = (parts: SharingParts, by: KnownActor, id: string, force: boolean): Promise<void> => {
  const now = parts.clock.now();
  return administer(parts, by, async (tx) => {
    const group = await groupById(tx, id);
    await unlessWidening(tx, await memberKeys(tx, group.key), force, async () => {
      await tx.run('DELETE FROM access_group WHERE id = ?', [group.key]);
      reportRestriction(tx);
    });
    await audited(tx, { at: now, by, action: 'access_group.delete', target: targetOf(group) });
  });
};
