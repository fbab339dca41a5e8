// Groups at sign-on providers that are mapped to access groups: whoever signs in as a member of one becomes a member of ours.
import { audited } from '../access/audit.js';
import type { KnownActor } from '../access/caller.js';
import { AppError } from '../model/errors.js';
import { bytesOfUuid, newId } from '../model/ids.js';
import type { Reader, Tx } from '../store/db.js';
import { packed } from '../store/packed.js';
import { administer, type SharingParts } from './administer.js';
import { groupById, targetOf, touchGroup } from './groups.js';

export interface Mapping {
  readonly id: string;
  readonly groupName: string;
  readonly createdAt: number;
}

/** Of one group. */
const MAPPINGS_MAX = 100;
export const GROUP_NAME_MAX = 1000;

const COLUMNS = packed<Mapping>({
  id: { sql: 'p.uuid', as: 'uuid' },
  groupName: { sql: 'p.group_name' },
  createdAt: { sql: 'p.created_at' },
});

/** By name. */
export const mappingsOf = async (from: Reader, groupKey: number): Promise<readonly Mapping[]> => {
  const rows = await from.all<{ row: string }>(
    `SELECT ${COLUMNS.expression} AS row FROM access_group_mapping p WHERE p.access_group_id = ? ORDER BY p.group_name`,
    [groupKey],
  );
  return rows.map(({ row }) => COLUMNS.read(JSON.parse(row) as unknown[]));
};

/** Names of a provider are compared as they are, so nothing in them is changed but the space around them. */
const checkedGroupName = (given: string): string => {
  const name = given.trim();
  const isSound = name !== '' && name.length <= GROUP_NAME_MAX && !/[\p{Cc}\p{Cs}]/u.test(name);
  if (isSound) return name;
  const message = `must have 1 to ${GROUP_NAME_MAX} characters and no control characters`;
  throw new AppError('BadRequest', `The oidcGroupName ${message}.`, [{ path: 'oidcGroupName', message }]);
};

const refuseTooMany = async (tx: Tx, groupKey: number): Promise<void> => {
  if ((await mappingsOf(tx, groupKey)).length >= MAPPINGS_MAX)
    throw new AppError('Conflict', `This access group already has ${MAPPINGS_MAX} mappings. Delete one first.`);
};

/** The one that is there, if the group has the name already. */
export const addMapping = (parts: SharingParts, by: KnownActor, id: string, groupName: string): Promise<Mapping> => {
  const name = checkedGroupName(groupName);
  const now = parts.clock.now();
  return administer(parts, by, async (tx) => {
    const group = await groupById(tx, id);
    const find = async (): Promise<Mapping | undefined> =>
      (await mappingsOf(tx, group.key)).find((mapping) => mapping.groupName === name);
    const known = await find();
    if (known !== undefined) return known;
    await refuseTooMany(tx, group.key);
    await tx.run(
      'INSERT INTO access_group_mapping (uuid, access_group_id, group_name, created_at) VALUES (unhex(?), ?, ?, ?)',
      [newId(now), group.key, name, now],
    );
    await touchGroup(tx, group.key, now);
    await audited(tx, { at: now, by, action: 'access_group.add_mapping', target: targetOf(group), details: { name } });
    const made = await find();
    if (made === undefined) throw new AppError('Internal', 'The name of a group vanished after it was stored.');
    return made;
  });
};

/** Members added because of it remain until they sign in again. */
export const removeMapping = (parts: SharingParts, by: KnownActor, id: string, mappingId: string): Promise<void> => {
  const now = parts.clock.now();
  return administer(parts, by, async (tx) => {
    const group = await groupById(tx, id);
    const [gone] = await tx.all<{ name: string }>(
      'DELETE FROM access_group_mapping WHERE access_group_id = ? AND uuid = ? RETURNING group_name AS name',
      [group.key, bytesOfUuid(mappingId)],
    );
    if (gone === undefined) throw new AppError('NotFound', 'The access group has no mapping with this id.');
    await touchGroup(tx, group.key, now);
    await audited(tx, {
      at: now,
      by,
      action: 'access_group.remove_mapping',
      target: targetOf(group),
      details: { name: gone.name },
    });
  });
};
