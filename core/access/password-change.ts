// Storing a new password: sessions opened with the old one end, and links sent before become invalid.
import type { Clock } from '../engine/clock.js';
import { AppError } from '../model/errors.js';
import type { Db, Tx } from '../store/db.js';
import { ASPECTS, SYSTEM, updated } from '../store/feed.js';
import { audited } from './audit.js';
import { SERVER } from './caller.js';
import { voidLinks } from './mail-links.js';
import { checkPassword, type Passwords } from './passwords.js';
import { userByName } from './users.js';

/** Ends every session of a user. */
export const endSessions = async (tx: Tx, userKey: number): Promise<void> => {
  await tx.run('DELETE FROM session WHERE user_id = ?', [userKey]);
  tx.report(updated('session', [userKey], ASPECTS.details));
};

export const storePassword = async (tx: Tx, userKey: number, passwordHash: string, nowMs: number): Promise<void> => {
  await tx.run('UPDATE user SET password_hash = ?, updated_at = ? WHERE id = ?', [passwordHash, nowMs, userKey]);
  tx.report(updated('user', [userKey], ASPECTS.details));
  await voidLinks(tx, userKey);
  await endSessions(tx, userKey);
};

/** Sets a new password, for the command line. It is asked for once it is known that the user exists. */
export const resetPassword = async (
  db: Db,
  clock: Clock,
  passwords: Passwords,
  username: string,
  ask: () => Promise<string>,
): Promise<void> => {
  const found = await userByName(db, username);
  if (found === undefined) throw new AppError('NotFound', `There is no user named ${username}.`);
  const password = await ask();
  checkPassword(password);
  const passwordHash = await passwords.hash(password);
  const { key, id, username: name } = found.user;
  const now = clock.now();
  await db.write(SYSTEM, 'interactive', async (tx) => {
    await storePassword(tx, key, passwordHash, now);
    const details = { changed: ['password'] };
    await audited(tx, { at: now, by: SERVER, action: 'user.update', target: { kind: 'user', id, name }, details });
  });
};
