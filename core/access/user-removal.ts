// Deleting users with everything that is theirs. Years of reading are deleted in several transactions, so that nobody waits for them; the
// account is disabled in the first and deleted in the last. If the server ends in between, it stays disabled and can be deleted again.
import type { Clock } from '../engine/clock.js';
import { AppError } from '../model/errors.js';
import { hexOfUuid } from '../model/ids.js';
import type { Db, Tx } from '../store/db.js';
import { ALL_ASPECTS, ASPECTS, removed, updated } from '../store/feed.js';
import { audited } from './audit.js';
import { byOf, type KnownActor } from './caller.js';
import { refuseOwner } from './key-rights.js';
import { endSessions } from './password-change.js';
import { stillAdministrates } from './still-signed-in.js';
import { type UserRecord, userRecord } from './user-records.js';

export interface RemovalParts {
  readonly db: Db;
  readonly clock: Clock;
}

/** Deletes some of what a user has read and wanted to; returns false when nothing is left of it. */
export type ForgetReading = (tx: Tx, userKey: number) => Promise<boolean>;

/** Also reports what goes with the row: sessions, keys, restrictions, grants and memberships. */
export const deleteUserRow = async (tx: Tx, { key, id }: Pick<UserRecord, 'key' | 'id'>): Promise<void> => {
  await tx.run('DELETE FROM user WHERE id = ?', [key]);
  tx.report(removed('user', [{ id: key, hex: hexOfUuid(id) }]));
  tx.report(updated('session', [key], ASPECTS.details));
  tx.report(updated('api_key', [key], ALL_ASPECTS));
  tx.report(updated('restriction', 'all', ASPECTS.details));
  tx.report({ ...updated('preference', [key], ASPECTS.details), userKey: key });
  tx.report({ ...updated('reader_profile', [key], ASPECTS.details), userKey: key });
  // Named as the user's own, which keeps the key from being used again (new-users.ts).
  tx.report({ ...updated('want_to_read', [key], ASPECTS.details), userKey: key });
};

const disable = async (tx: Tx, { key }: UserRecord, nowMs: number): Promise<void> => {
  await tx.run('UPDATE user SET active = 0, updated_at = ? WHERE id = ?', [nowMs, key]);
  tx.report(updated('user', [key], ASPECTS.details));
  await endSessions(tx, key);
};

/** One transaction of a removal; returns whether it was the last. */
const removeSome = async (
  tx: Tx,
  by: KnownActor,
  id: string,
  forget: ForgetReading,
  nowMs: number,
): Promise<boolean> => {
  await stillAdministrates(tx, by.caller, nowMs);
  const user = await userRecord(tx, id);
  const isLeft = await forget(tx, user.key);
  if (!isLeft) await deleteUserRow(tx, user);
  else if (user.active) await disable(tx, user, nowMs);
  const target = { kind: 'user', id, name: user.username };
  const deed = { at: nowMs, by, target };
  if (!isLeft) await audited(tx, { ...deed, action: 'user.delete', details: { role: user.role } });
  else if (user.active)
    await audited(tx, { ...deed, action: 'user.update', details: { changed: ['isActive'], isActive: false } });
  return !isLeft;
};

/** Whoever deletes is an active administrator, and never the deleted one: so one remains. */
export const removeUser = async (
  { db, clock }: RemovalParts,
  by: KnownActor,
  id: string,
  forget: ForgetReading,
): Promise<void> => {
  refuseOwner(by.caller, id);
  if (by.caller.user.id === id) throw new AppError('BadRequest', 'Cannot delete your own account');
  const now = clock.now();
  while (!(await db.write(byOf(by), 'interactive', (tx) => removeSome(tx, by, id, forget, now))));
};
