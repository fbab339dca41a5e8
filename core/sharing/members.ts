// Who is in which access group, and who put them there: an administrator, or a sign-on provider.
import { audited, NAMES_MAX } from '../access/audit.js';
import type { KnownActor } from '../access/caller.js';
import { refuseOwner } from '../access/key-rights.js';
import { unknownUser, userRecord } from '../access/user-records.js';
import { AppError } from '../model/errors.js';
import { hexOfUuid, uuidOfHex } from '../model/ids.js';
import { keyList } from '../store/by-key.js';
import type { Reader, Tx } from '../store/db.js';
import { keysIn } from '../store/feed.js';
import { packed } from '../store/packed.js';
import { administer, type SharingParts } from './administer.js';
import { groupById, targetOf, touchGroup } from './groups.js';
import { unlessWidening } from './widening.js';

export interface Member {
  readonly userId: string;
  readonly username: string;
  /** Null: an administrator put them in. */
  readonly provider: string | null;
  readonly createdAt: number;
}

/** As many as one answer lists; a group may have more. */
export const MEMBERS_SHOWN = 10_000;
/** As many as one request adds. */
export const ADDED_MAX = 500;

const COLUMNS = packed<Member>({
  userId: { sql: 'u.uuid', as: 'uuid' },
  username: { sql: 'u.username' },
  provider: { sql: 'm.provider' },
  createdAt: { sql: 'm.created_at' },
});

/** By name. */
export const membersOf = async (from: Reader, groupKey: number): Promise<readonly Member[]> => {
  const [found] = await from.all<{ list: string }>(
    `SELECT json_group_array(json(row)) AS list FROM (SELECT ${COLUMNS.expression} AS row
       FROM access_group_member m CROSS JOIN user u ON u.id = m.user_id WHERE m.access_group_id = ? ORDER BY u.username_key LIMIT ?)`,
    [groupKey, MEMBERS_SHOWN],
  );
  return (JSON.parse(found?.list ?? '[]') as unknown[][]).map(COLUMNS.read);
};

const usersNamed = async (tx: Tx, ids: readonly string[]): Promise<readonly number[]> => {
  const wanted = [...new Set(ids.map(hexOfUuid))];
  const rows = await tx.all<{ id: number }>(
    'SELECT id FROM user WHERE uuid IN (SELECT unhex(value) FROM json_each(?))',
    [JSON.stringify(wanted)],
  );
  if (rows.length < wanted.length) throw unknownUser();
  return keysIn(rows);
};

const namesOf = async (tx: Tx, keys: readonly number[]): Promise<readonly string[]> => {
  const sql = `SELECT username FROM user WHERE id IN (SELECT value FROM json_each(?)) ORDER BY username_key LIMIT ${NAMES_MAX}`;
  return (await tx.all<{ username: string }>(sql, [keyList(keys)])).map(({ username }) => username);
};

/** Whom a provider had put in stays a member from now on, whatever the provider says. Returns all members. */
export const addMembers = (
  parts: SharingParts,
  by: KnownActor,
  id: string,
  userIds: readonly string[],
): Promise<readonly Member[]> => {
  const now = parts.clock.now();
  return administer(parts, by, async (tx) => {
    const group = await groupById(tx, id);
    for (const userId of userIds) refuseOwner(by.caller, uuidOfHex(hexOfUuid(userId)));
    const keys = await usersNamed(tx, userIds);
    const added = await tx.all<{ id: number }>(
      `INSERT INTO access_group_member (access_group_id, user_id, created_at) SELECT ?1, value, ?2 FROM json_each(?3) WHERE true
       ON CONFLICT DO UPDATE SET provider = NULL WHERE provider IS NOT NULL RETURNING user_id AS id`,
      [group.key, now, keyList(keys)],
    );
    if (added.length > 0) {
      await touchGroup(tx, group.key, now);
      const details = { users: await namesOf(tx, keysIn(added)), total: added.length };
      await audited(tx, { at: now, by, action: 'access_group.add_members', target: targetOf(group), details });
    }
    return membersOf(tx, group.key);
  });
};

export const removeMember = (
  parts: SharingParts,
  by: KnownActor,
  id: string,
  { userId, force }: { readonly userId: string; readonly force: boolean },
): Promise<void> => {
  const now = parts.clock.now();
  return administer(parts, by, async (tx) => {
    const group = await groupById(tx, id);
    const user = await userRecord(tx, userId);
    refuseOwner(by.caller, user.id);
    await unlessWidening(tx, [user.key], force, async () => {
      const gone = await tx.run('DELETE FROM access_group_member WHERE access_group_id = ? AND user_id = ?', [
        group.key,
        user.key,
      ]);
      if (gone === 0) throw new AppError('NotFound', 'The user is not a member of this access group.');
      await touchGroup(tx, group.key, now);
    });
    const details = { user: user.username };
    await audited(tx, { at: now, by, action: 'access_group.remove_member', target: targetOf(group), details });
  });
};
