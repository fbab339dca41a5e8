// Changing one's own password: all sessions end, and the caller gets a new one. API keys remain.
import { audited } from './audit.js';
import type { Client, KnownActor } from './caller.js';
import { confirmPassword, type OwnParts, refuseKey } from './own-profile.js';
import { storePassword } from './password-change.js';
import { checkPassword } from './passwords.js';
import type { Sessions, SignedIn } from './sessions.js';
import { stillSignedIn } from './still-signed-in.js';

export interface PasswordParts extends OwnParts {
  readonly sessions: Sessions;
}

export interface PasswordChange {
  readonly currentPassword: string;
  readonly newPassword: string;
}

/** Ends all sessions of the caller, with their refresh tokens, and opens one. */
export const changeOwnPassword = async (
  parts: PasswordParts,
  by: KnownActor,
  { currentPassword, newPassword }: PasswordChange,
  client: Client,
): Promise<SignedIn> => {
  const { db, clock, passwords, sessions } = parts;
  const { user } = by.caller;
  refuseKey(by);
  checkPassword(newPassword, 'newPassword');
  await confirmPassword(parts, by, currentPassword);
  const passwordHash = await passwords.hash(newPassword);
  const now = clock.now();
  return db.write(user.key, 'interactive', async (tx) => {
    await stillSignedIn(tx, by.caller, now);
    await storePassword(tx, user.key, passwordHash, now);
    const target = { kind: 'user', id: user.id, name: user.username };
    await audited(tx, {
      at: now,
      by,
      action: 'user.update',
      target,
      ownOf: user.id,
      details: { changed: ['password'] },
    });
    return sessions.openIn(tx, user, client);
  });
};
